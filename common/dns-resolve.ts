// Resolves names directly at the DNS servers, as complete names, without search domains and hosts file. dns.lookup
// would block one of Node's four threads for the whole query, so names whose servers never respond could keep the
// program from all files and look-ups. A query ends with its caller's signal, and in any case after a timeout.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Resolve } from './filtered-lookup.ts';

export interface ResolveOptions {
  /** host:port of each server; default: the system's servers. */
  readonly servers?: readonly string[] | undefined;
  /** Timeout of one query to one server. */
  readonly timeoutMs?: number;
}

export interface ResolvedName {
  /** At least one. */
  readonly addresses: readonly LookupAddress[];
  /** How long the DNS servers allow the result to be cached, in seconds. */
  readonly ttl: number;
}

/**
 * @throws Error with a code of node:dns: ENOTFOUND and ENODATA if the name has no address, ECANCELLED if the signal
 * ended the query
 */
export type AskDns = (host: string, signal?: AbortSignal) => Promise<ResolvedName>;

const defaultTimeoutMs = 2000;
const tries = 2;
/** After the addresses of one family have arrived, the other family gets this much longer (RFC 8305, section 3). */
const otherFamilyMs = 50;

export function createAskDns({ servers, timeoutMs = defaultTimeoutMs }: ResolveOptions = {}): AskDns {
  return async (host, signal) => {
    signal?.throwIfAborted();
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    let patience: NodeJS.Timeout | undefined;
    const wait = <T>(found: T) => {
      patience ??= setTimeout(cancel, otherFamilyMs);
      return found;
    };
    try {
      const [four, six] = await Promise.allSettled([
        resolver.resolve4(host, { ttl: true }).then(wait),
        resolver.resolve6(host, { ttl: true }).then(wait),
      ]);
      const found = [
        ...(four.status === 'fulfilled' ? four.value : []).map((record) => ({ ...record, family: 4 })),
        ...(six.status === 'fulfilled' ? six.value : []).map((record) => ({ ...record, family: 6 })),
      ];
      if (found.length > 0) return resolvedName(found);
      throw four.status === 'rejected' ? four.reason : new Error('no addresses');
    } finally {
      clearTimeout(patience);
      signal?.removeEventListener('abort', cancel);
    }
  };
}

function resolvedName(found: readonly (LookupAddress & { readonly ttl: number })[]): ResolvedName {
  return {
    addresses: found.map(({ address, family }) => ({ address, family })),
    ttl: Math.min(...found.map(({ ttl }) => ttl)),
  };
}

export function createResolve(options: ResolveOptions = {}): Resolve {
  const ask = createAskDns(options);
  return (host, { signal }, callback) => {
    ask(host, signal).then(
      ({ addresses }) => callback(null, [...addresses]),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}
