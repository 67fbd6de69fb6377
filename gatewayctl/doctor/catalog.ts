// Checks the catalogs of models and prices: whether all programs use the same one, and whether it is recent. Pure.
import { catalogDaysMax } from '../../catalog/in-force.ts';
import type { CatalogState__Output as CatalogState } from '../../proto/generated/gateway/v1/CatalogState.ts';
import { type Finding, failed, listed, ok, skipped, warning } from './finding.ts';
import { hasResponded, type ProbeResult, type StatusResponse } from './probe.ts';
import { nameOf } from './watching-proxies.ts';

interface Holder {
  readonly name: string;
  readonly catalog: CatalogState;
  /** By the clock of the replica that reported the catalog. */
  readonly now: number;
}

export function checkCatalog(results: readonly ProbeResult[]): Finding {
  const holders = results.filter(hasResponded).flatMap(({ status }) => holdersOf(status));
  const [first] = holders;
  if (first === undefined) return skipped('catalog', 'the control plane reports none: its release is too old');
  return checkRefused(holders) ?? checkDifferent(holders) ?? checkAge(first);
}

function holdersOf({ replica, catalog, watchers, time }: StatusResponse['status']): Holder[] {
  const now = Date.parse(time);
  const proxies = (watchers?.watchers ?? []).flatMap((watcher) =>
    watcher.catalog == null ? [] : [{ name: `proxy ${nameOf(watcher)}`, catalog: watcher.catalog, now }],
  );
  return [...(catalog == null ? [] : [{ name: `replica ${replica}`, catalog, now }]), ...proxies];
}

function checkRefused(holders: readonly Holder[]): Finding | undefined {
  const refused = holders.filter(({ catalog }) => catalog.rejected).map(({ name }) => name);
  if (refused.length === 0) return undefined;
  return failed(
    'catalog',
    `the file is refused, and the last good one in force, at ${listed(refused)}`,
    'their logs contain the reason: correct GATEWAY_CATALOG_FILE or its signature; a program that is restarted with it will not start',
  );
}

function checkDifferent(holders: readonly Holder[]): Finding | undefined {
  const groups = [...Map.groupBy(holders, ({ catalog }) => catalog.digest).values()];
  if (groups.length <= 1) return undefined;
  const reported = groups.map((group) => {
    const { asOf, digest } = group[0]?.catalog ?? { asOf: '', digest: '' };
    return `that of ${asOf} (${digest}) at ${listed(group.map(({ name }) => name))}`;
  });
  return warning(
    'catalog',
    `there are several: ${reported.join('; ')}`,
    'set the same GATEWAY_CATALOG_FILE for the proxies and the control plane, or finish the update: meanwhile the same request costs one thing here and another there',
  );
}

function checkAge({ catalog: { asOf, digest, shippedAsOf }, now }: Holder): Finding {
  const days = Math.floor((now - Date.parse(asOf)) / 86_400_000);
  const says = `all go by that of ${asOf} (${digest})`;
  if (asOf < shippedAsOf)
    return warning(
      'catalog',
      `${says}, which is older than the one of ${shippedAsOf} that came with the programs`,
      'unset GATEWAY_CATALOG_FILE, or bring the file up to date: gatewayctl catalog update',
    );
  if (days > catalogDaysMax)
    return warning(
      'catalog',
      `${says}, which is ${days} days old`,
      'prices have changed since: bring GATEWAY_CATALOG_FILE up to date (gatewayctl catalog update), or update the gateway',
    );
  return ok('catalog', says);
}
