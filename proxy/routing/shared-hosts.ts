// Hosts that are out for all organizations of this proxy: see "Who can make this wrong on purpose" in health.ts.
import type { Ejection } from './ejection.ts';
import { PairMap } from './pair-map.ts';
import type { OrganizationHealth } from './target-health.ts';

/** About 200 bytes each. Only hosts that two organizations ejected at the same time are here. */
export const sharedHostsMax = 1_000;

/** By origin and model. */
export type SharedHosts = PairMap<Ejection>;

export function createSharedHosts(): SharedHosts {
  return new PairMap(sharedHostsMax);
}

/**
 * Whether a second organization has ejected the host by its own count, and nobody has succeeded there since the earlier of
 * the two ejections. Looks through all organizations: it runs only when one of them ejects.
 * @param own the organization that has just ejected it
 */
export function isOutElsewhere(
  organizations: Iterable<OrganizationHealth>,
  own: OrganizationHealth,
  { origin, model, now }: { readonly origin: string; readonly model: string; readonly now: number },
): boolean {
  let otherEjectedAt = Number.NEGATIVE_INFINITY;
  let lastSuccessAt = Number.NEGATIVE_INFINITY;
  for (const organization of organizations) {
    const host = organization.hosts.get(origin, model);
    if (host === undefined) continue;
    lastSuccessAt = Math.max(lastSuccessAt, host.lastSuccessAt);
    const { ejection } = host;
    if (organization === own || ejection.exclusion.standing(now) !== 'out') continue;
    otherEjectedAt = Math.max(otherEjectedAt, ejection.ejectedAt);
  }
  return otherEjectedAt > lastSuccessAt;
}
