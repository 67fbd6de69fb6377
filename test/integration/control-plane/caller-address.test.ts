// The caller's address in the audit log and in the control plane's log when its listeners are behind proxies: over JSON
// and over gRPC, by X-Forwarded-For and by the PROXY protocol.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { credentials, InterceptingCall, type Interceptor } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import { readAuditLine } from '../../../control-plane/audit/audit-export.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  GrpcCaller,
  type JsonResponse,
  type OperatorsPlane,
  startOperatorsPlane,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { proxyLine, proxyV2 } from '../../support/proxy-headers.ts';
import { logged } from '../../support/telemetry.ts';
import { createAuthority } from '../../support/tls.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<OperatorsPlane> {
  const plane = await startOperatorsPlane({ env });
  closers.push(() => plane.close());
  return plane;
}

/** A load balancer that passes bytes on. @returns its port */
async function balance(port: number, header: Buffer): Promise<number> {
  const server = createServer((downstream) => {
    const upstream = connect(port, '127.0.0.1');
    upstream.write(header);
    downstream.pipe(upstream).pipe(downstream);
    for (const socket of [downstream, upstream]) socket.on('error', () => upstream.destroy());
    closers.push(() => downstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Creates the first operator over JSON. */
function bootstrapOverJson(port: number, token: string, forwardedFor?: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json', host: 'localhost' },
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    };
    const path = '/gateway.v1.OperatorTokens/Bootstrap';
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    });
    sent.on('error', reject).end(JSON.stringify({ name: 'platform' }));
  });
}

/** The address of the first change in the audit log. */
async function addressOfChange(plane: OperatorsPlane): Promise<unknown> {
  const find = () => plane.logs.map(readAuditLine).find((event) => event !== undefined);
  await until(() => find() !== undefined, { what: 'the audit event' });
  return find()?.from_address;
}

const trusting = { GATEWAY_TRUSTED_PROXIES: '127.0.0.0/8' };
const withHeaders = { ...trusting, GATEWAY_PROXY_PROTOCOL: 'true' };

describe('the JSON listener', () => {
  it.each([
    ['is trusted', trusting, '198.51.100.1'],
    ['is not', {}, '127.0.0.1'],
  ])('names the caller behind a proxy that %s', async (_, env, address) => {
    const plane = await start(env);
    const { status } = await bootstrapOverJson(plane.plane.httpPort, plane.bootstrapToken, '6.6.6.6, 198.51.100.1');
    expect(status).toBe(200);
    expect(await addressOfChange(plane)).toBe(address);
    expect(logged(plane.logs, 'call').at(-1)).toMatchObject({ from: address });
  });

  it('names the caller of a PROXY header', async () => {
    const plane = await start(withHeaders);
    const port = await balance(plane.plane.httpPort, proxyLine('198.51.100.2'));
    expect((await bootstrapOverJson(port, plane.bootstrapToken)).status).toBe(200);
    expect(await addressOfChange(plane)).toBe('198.51.100.2');
    await expect(bootstrapOverJson(plane.plane.httpPort, plane.bootstrapToken)).rejects.toThrow();
  });
});

describe('the gRPC listener', () => {
  /** Over a separate connection, with the metadata that a proxy adds. */
  async function call(target: string, forwardedFor: string | undefined, token: string): Promise<JsonResponse> {
    const adding: Interceptor = (options, nextCall) =>
      new InterceptingCall(nextCall(options), {
        start: (metadata, listener, next) => {
          if (forwardedFor !== undefined) metadata.set('x-forwarded-for', forwardedFor);
          next(metadata, listener);
        },
      });
    const caller = new GrpcCaller(target, credentials.createInsecure(), {
      ...{ 'grpc.use_local_subchannel_pool': 1, interceptors: [adding] },
    });
    closers.push(() => caller.close());
    return await caller.call('OperatorTokens.Bootstrap', token, { name: 'platform' });
  }

  it.each([
    ['is trusted', trusting, '198.51.100.1'],
    ['is not', {}, '127.0.0.1'],
  ])('names the caller behind a proxy that %s', async (_, env, address) => {
    const plane = await start(env);
    const target = `127.0.0.1:${plane.plane.grpcPort}`;
    expect(await call(target, '6.6.6.6, 198.51.100.1', plane.bootstrapToken)).toMatchObject({ code: 'OK' });
    expect(await addressOfChange(plane)).toBe(address);
  });

  it.each([
    ['version 1', proxyLine('198.51.100.3'), '198.51.100.3'],
    ['version 2', proxyV2({ source: '2001:db8:0:0:0:0:0:3', extra: 30 }), '2001:db8::3'],
  ])('names the caller of a PROXY header of %s', async (_, header, address) => {
    const plane = await start(withHeaders);
    const port = await balance(plane.plane.grpcPort, header);
    expect(await call(`127.0.0.1:${port}`, undefined, plane.bootstrapToken)).toMatchObject({ code: 'OK' });
    expect(await addressOfChange(plane)).toBe(address);
  });

  it('uses TLS behind a PROXY header, names its callers, and stops in order', async () => {
    const authority = await createAuthority();
    closers.push(() => authority.remove());
    const { certFile, keyFile } = await authority.issue({ commonName: 'control plane' });
    const files = { GATEWAY_TLS_CERT_FILE: certFile, GATEWAY_TLS_KEY_FILE: keyFile };
    const plane = await startOperatorsPlane({ env: { ...withHeaders, ...files } });
    const port = await balance(plane.plane.grpcPort, proxyV2({ source: '198.51.100.4' }));
    const channel = credentials.createSsl(readFileSync(authority.caFile));
    const caller = new GrpcCaller(`localhost:${port}`, channel, { 'grpc.use_local_subchannel_pool': 1 });
    const called = await caller.call('OperatorTokens.Bootstrap', plane.bootstrapToken, { name: 'platform' });
    expect(called).toMatchObject({ code: 'OK' });
    expect(await addressOfChange(plane)).toBe('198.51.100.4');
    caller.close();
    await plane.close();
    const after = connect(plane.plane.grpcPort, '127.0.0.1');
    await new Promise((resolve) => after.once('error', resolve));
  });

  it('decides by the address of the connection, not of its PROXY header, whether secrets may leave in plain text', async () => {
    const plane = await start(withHeaders);
    const port = await balance(plane.plane.grpcPort, proxyLine('198.51.100.5'));
    const balanced = new GrpcCaller(`127.0.0.1:${port}`);
    closers.push(() => balanced.close());
    const through: OperatorsPlane = {
      ...plane,
      call: (method, token, body = {}) => balanced.call(method, token, body),
      expect: async (method, token, body = {}) => {
        const called = await balanced.call(method, token, body);
        if ('response' in called) return called.response;
        throw new Error(`${method}: ${called.code} ${called.message}`);
      },
    };
    const platform = await bootstrap(through);
    const acme = await createTenant(through, platform, 'acme');
    const { value } = await createKey(through, acme);
    const { value: token } = await through.expect('ProxyTokens.Create', platform.token, { name: 'proxy' });
    const keyHash = Buffer.from(hashCredential(value), 'hex');
    expect(await through.call('Access.Resolve', token, { keyHash })).toMatchObject({ code: 'OK' });
  });
});
