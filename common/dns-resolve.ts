// Names asked of the DNS servers directly, whole: without search domains and hosts file. dns.lookup would ask the system on one of
// Node's four threads, for as long as it takes: names whose servers never answer could then keep the whole program from files and
// look-ups. A question ends with whoever asks it, and in any case after a time.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Resolve } from './filtered-lookup.ts';

export interface ResolveOptions {
  /** host:port; default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Of one question to one server. */
  readonly timeoutMs?: number;
}

export interface ResolvedName {
  /** At least one. */
  readonly addresses: readonly LookupAddress[];
  /** For how long the DNS servers let it be kept, in seconds. */
  readonly ttl: number;
}

/** @throws Error with a code of node:dns: ENOTFOUND and ENODATA where the name has no address, ECANCELLED where the signal ended it */
export type AskDns = (host: string, signal?: AbortSignal) => Promise<ResolvedName>;

const defaultTimeoutMs = 2000;
const tries = 2;
/** With the addresses of one family there, those of the other are waited for no longer (RFC 8305, section 3). */
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
