// Judges the replicas: whether each can read its database, and which versions meet. Pure.
import { type Finding, failed, gravest, ok, skipped, span, warning } from './finding.ts';
import { type Answered, type Asked, isAnswered } from './probe.ts';
import { nameOf } from './proxies.ts';
import { judgeSkew } from './versions.ts';

export function judgeDatabase(asked: readonly Asked[]): Finding {
  const [first, ...others] = asked.map((one) =>
    isAnswered(one)
      ? judgeFeed(one)
      : one.code === 'UNAVAILABLE' && one.reason !== undefined
        ? failed('database', `the control plane answers, but: ${one.message}`, databaseAdvice)
        : skipped('database', 'the control plane has not told'),
  );
  return first === undefined
    ? skipped('database', 'the control plane has not been asked')
    : gravest([first, ...others]);
}

const databaseAdvice =
  'check that the database runs and that the replica reaches it (GATEWAY_DATABASE_URL, the network, its log); proxies go on with what they hold, for GATEWAY_ACCESS_MAX_STALE';

const databases: Readonly<Record<string, string>> = {
  DATABASE_KIND_SQLITE: 'SQLite',
  DATABASE_KIND_POSTGRES: 'PostgreSQL',
};

/** The feed looks once a second; proxies take one for dead that is silent for longer than the second of these. */
const [slowMs, silentMs] = [5_000, 20_000];

function judgeFeed({ status: { database, feed, replica } }: Answered): Finding {
  if (feed === null) return skipped('database', 'the control plane has not told');
  const age = Number(feed.ageMs);
  const kind = databases[database] ?? 'its database';
  const says = `replica ${replica} has read ${kind} ${span(age)} ago, at revision ${feed.position?.revision ?? 0}`;
  if (age >= silentMs) return failed('database', says, databaseAdvice);
  return age >= slowMs ? warning('database', says, databaseAdvice) : ok('database', says);
}

/** @param mine gatewayctl's own */
export function judgeVersions(mine: string, asked: readonly Asked[]): Finding {
  const [first, ...others] = asked
    .filter(isAnswered)
    .flatMap(({ status: { version, watchers } }) => [
      judgeSkew('gatewayctl', mine, version),
      ...(watchers?.watchers ?? []).map((watcher) =>
        judgeSkew(`proxy ${nameOf(watcher)}`, watcher.version, version),
      ),
    ]);
  return first === undefined
    ? skipped('versions', `gatewayctl is ${mine}; the control plane’s is not known`)
    : gravest([first, ...others]);
}
