// Checks the replicas: whether each can read its database, and which versions run together. Pure.
import { type Finding, failed, gravest, ok, skipped, span, warning } from './finding.ts';
import { hasResponded, type ProbeResult, type StatusResponse } from './probe.ts';
import { checkSkew } from './versions.ts';
import { nameOf } from './watching-proxies.ts';

export function checkDatabase(results: readonly ProbeResult[]): Finding {
  return gravest(results.map(checkReplica), skipped('database', 'the control plane was not called'));
}

function checkReplica(results: ProbeResult): Finding {
  if (hasResponded(results)) return checkFeed(results);
  return results.code === 'UNAVAILABLE' && results.reason !== undefined
    ? failed('database', `the control plane responds, but: ${results.message}`, databaseAdvice)
    : skipped('database', 'the control plane has not reported it');
}

const databaseAdvice =
  'check that the database runs and that the replica reaches it (GATEWAY_DATABASE_URL, the network, its log); proxies continue with the records that they have, for GATEWAY_ACCESS_MAX_STALE';

const databases: Readonly<Record<string, string>> = {
  DATABASE_KIND_SQLITE: 'SQLite',
  DATABASE_KIND_POSTGRES: 'PostgreSQL',
};

/**
 * The feed polls the database once a second; proxies treat a feed as dead that is silent for longer than the second
 * value.
 */
const [slowMs, silentMs] = [5_000, 20_000];

function checkFeed({ status: { database, feed, replica } }: StatusResponse): Finding {
  if (feed === null) return skipped('database', 'the control plane has not reported it');
  const age = Number(feed.ageMs);
  const kind = databases[database] ?? 'its database';
  const says = `replica ${replica} has read ${kind} ${span(age)} ago, at revision ${feed.position?.revision ?? 0}`;
  if (age >= silentMs) return failed('database', says, databaseAdvice);
  return age >= slowMs ? warning('database', says, databaseAdvice) : ok('database', says);
}

/** @param mine version of gatewayctl */
export function checkVersions(mine: string, results: readonly ProbeResult[]): Finding {
  const none = skipped('versions', `gatewayctl is ${mine}; the control plane’s is not known`);
  const findings = results
    .filter(hasResponded)
    .flatMap(({ status: { version, watchers } }) => [
      checkSkew('gatewayctl', mine, version),
      ...(watchers?.watchers ?? []).map((watcher) => checkSkew(`proxy ${nameOf(watcher)}`, watcher.version, version)),
    ]);
  return gravest(findings, none);
}
