// A proxy is looked up at most once in two seconds, and a refusal is never cached.
import { expect, it } from 'vitest';
import type { Credentials } from '../../../../control-plane/rpc/authentication.ts';
import type { ProxyCaller } from '../../../../control-plane/rpc/caller.ts';
import { rememberProxies } from '../../../../control-plane/services/remembered-proxies.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';
import { anyProxy } from '../../../support/watching.ts';

function fixture() {
  const time = new VirtualTime();
  const requested: Credentials[] = [];
  let refusal: Error | undefined;
  const authenticate = async (credentials: Credentials): Promise<ProxyCaller> => {
    requested.push(credentials);
    if (refusal !== undefined) throw refusal;
    return { ...anyProxy, id: credentials.authorization ?? '' };
  };
  const remembered = rememberProxies(authenticate, time);
  const proxy = (authorization: string) =>
    remembered({ authorization, certificateProxy: undefined, from: '192.0.2.1' });
  return {
    time,
    requested,
    proxy,
    refuse: (error: Error | undefined) => {
      refusal = error;
    },
  };
}

it('a proxy is looked up once in two seconds, also for simultaneous calls', async () => {
  const { time, requested, proxy } = fixture();
  await Promise.all([proxy('a'), proxy('a'), proxy('a')]);
  await time.advance(1999);
  expect((await proxy('a')).id).toBe('a');
  expect(requested.length).toBe(1);
  await time.advance(1);
  await proxy('a');
  expect(requested.length).toBe(2);
});

it('different proxies get different results', async () => {
  const { proxy } = fixture();
  expect([(await proxy('a')).id, (await proxy('b')).id]).toEqual(['a', 'b']);
});

it('a refused proxy is looked up again at the next call, and an admitted one is refused within two seconds', async () => {
  const { time, requested, proxy, refuse } = fixture();
  refuse(new Error('cut off'));
  await expect(proxy('a')).rejects.toThrow('cut off');
  refuse(undefined);
  await proxy('a');
  expect(requested.length).toBe(2);
  refuse(new Error('revoked'));
  await time.advance(2000);
  await expect(proxy('a')).rejects.toThrow('revoked');
});
