// Constructs look-ups of host names, for both modes of the proxy.
import { systemClock } from '../common/clock.ts';
import { OccupiedShare } from '../common/shares.ts';
import type { ProxySettings } from './settings.ts';
import { type ShareUses, shares, useOf } from './shares.ts';
import { NameLookups } from './upstream/name-lookups.ts';

/** The limit on all look-ups of the process. */
export function openLookupShare(uses: ShareUses): OccupiedShare {
  const share = new OccupiedShare(shares.lookups.bounds);
  uses.watch('lookups', () => useOf(share));
  return share;
}

/** @param own hosts of the operator; empty for look-ups of names that others chose */
export function openLookups(
  { dnsServers, connectTimeout: timeoutMs }: ProxySettings,
  share: OccupiedShare,
  own: ReadonlySet<string> = new Set(),
): NameLookups {
  const servers = dnsServers.length === 0 ? undefined : dnsServers;
  return new NameLookups({ own, share, timeoutMs, servers, now: () => systemClock.monotonic() });
}
