// Remembers the identity of a proxy for two seconds, because each proxy calls the ledger many times a second. A revoked
// token still stops working within that time. Only successful authentications are remembered, by a hash of the
// credentials.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../common/clock.ts';
import type { Credentials } from '../rpc/authentication.ts';
import type { ProxyCaller } from '../rpc/caller.ts';

export type AuthenticateProxy = (credentials: Credentials) => Promise<ProxyCaller>;

const rememberedMs = 2000;
const proxiesMax = 10_000;

/** @param authenticate the dispatcher's; its errors are passed on */
export function rememberProxies(authenticate: AuthenticateProxy, clock: Clock): AuthenticateProxy {
  const remembered = new LRUCache<string, { readonly until: number; readonly caller: Promise<ProxyCaller> }>({
    max: proxiesMax,
  });
  return (credentials) => {
    const key = keyOf(credentials);
    const now = clock.monotonic();
    const known = remembered.get(key);
    if (known !== undefined && now < known.until) return known.caller;
    const caller = authenticate(credentials);
    remembered.set(key, { until: now + rememberedMs, caller });
    caller.catch(() => {
      if (remembered.get(key)?.caller === caller) remembered.delete(key);
    });
    return caller;
  };
}

function keyOf({ authorization, certificateProxy, from }: Credentials): string {
  const shown = JSON.stringify([authorization, certificateProxy, from]);
  return createHash('sha256').update(shown).digest('base64');
}
