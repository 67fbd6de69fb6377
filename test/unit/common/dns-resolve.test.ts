import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it } from 'vitest';
import { addressRule } from '../../../common/addresses.ts';
import { createResolve, type ResolveOptions } from '../../../common/dns-resolve.ts';
import { createGuardedPost } from '../../../common/guarded-request.ts';
import { type DnsServer, startDnsServer } from '../../support/dns-server.ts';

let server: DnsServer;
afterEach(() => server.close());

function resolved(host: string, options: ResolveOptions = {}): Promise<readonly LookupAddress[]> {
  const resolve = createResolve({ servers: [server.address], ...options });
  return new Promise((found, failed) => {
    resolve(host, { all: true }, (error, addresses) => (error === null ? found(addresses) : failed(error)));
  });
}

describe('host names of webhooks', () => {
  it('are looked up at the DNS servers', async () => {
    server = await startDnsServer({ 'hooks.example.com': ['192.0.2.1', '192.0.2.2'] });
    expect(await resolved('hooks.example.com')).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '192.0.2.2', family: 4 },
    ]);
    expect(new Set(server.requested)).toEqual(new Set(['hooks.example.com']));
  });

  it('that do not exist fail', async () => {
    server = await startDnsServer({ 'empty.example.com': [] });
    await expect(resolved('gone.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolved('empty.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('fail in time when the DNS server does not respond', async () => {
    server = await startDnsServer(undefined);
    await expect(resolved('slow.example.com', { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'ETIMEOUT',
    });
  });

  it('that resolve to private addresses are refused', async () => {
    server = await startDnsServer({ 'evil.example.com': ['127.0.0.1', '10.0.0.1', '169.254.169.254'] });
    const post = createGuardedPost({
      allows: addressRule({ deny: [] }),
      resolve: createResolve({ servers: [server.address] }),
    });
    const request = { url: 'https://evil.example.com/', headers: {}, body: '{}' };
    await expect(post(request, new AbortController().signal)).rejects.toMatchObject({
      name: 'ForbiddenAddressError',
    });
  });
});
