// Names asked of the DNS servers directly, whole: without search domains and hosts file. dns.lookup would ask the system on one of
// Node's four threads, for as long as it takes: names whose servers never answer could then keep the whole program from files and
// look-ups.
import { Resolver } from 'node:dns/promises';
import type { Resolve } from './judged-lookup.ts';

export interface ResolveOptions {
  /** host:port; default: those of the system. */
  readonly servers?: readonly string[];
  /** Of one question to one server. */
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 2000;
const tries = 2;

export function createResolve({ servers, timeoutMs = defaultTimeoutMs }: ResolveOptions = {}): Resolve {
  return (host, _options, callback) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers !== undefined) resolver.setServers(servers);
    void Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then(([four, six]) => {
      const addresses = [
        ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
        ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
      ];
      if (addresses.length > 0) return callback(null, addresses);
      callback(four.status === 'rejected' ? four.reason : new Error('no addresses'), []);
    });
  };
}
