// Connections of the proxy to listed hosts, for tests of the code that sends over them.
import { OccupiedShare } from '../../common/shares.ts';
import { AddressPolicy } from '../../proxy/upstream/addresses.ts';
import { NameLookups, type NameLookupsOptions } from '../../proxy/upstream/name-lookups.ts';
import { createTransport, type Transport } from '../../proxy/upstream/transport.ts';

/** An arbitrary owner. */
export const someOwner = { organization: 'organization-1', key: 'key-1' };

/** @param listed host:port of hosts that are allowed to all */
export function transportTo(
  listed: readonly string[],
  names: Partial<NameLookupsOptions> = {},
  connectTimeoutMs = 1000,
): Transport {
  const privateUpstreams = listed.map((hostAndPort) => ({ hostAndPort, organization: undefined }));
  return createTransport({
    addresses: new AddressPolicy({ privateUpstreams, denyCidrs: [] }),
    resolve: lookupsOf(names).resolve,
    ...{ connectTimeoutMs, keepAliveMs: 1000, originsMax: 10 },
  });
}

export function lookupsOf(options: Partial<NameLookupsOptions> = {}): NameLookups {
  return new NameLookups({
    own: new Set(),
    share: new OccupiedShare({ capacity: 512, alpha: 1 }),
    timeoutMs: 1000,
    now: () => performance.now(),
    ...options,
  });
}
