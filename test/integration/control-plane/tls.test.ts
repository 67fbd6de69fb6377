// TLS and mutual TLS of the control plane, with certificates of a test authority: which certificates count as a
// proxy's, certificates that change under the running server, and that no secret leaves in plain text.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashCredential } from '../../../common/credential.ts';
import { createLogger } from '../../../common/logger.ts';
import { watchTlsFiles } from '../../../common/tls.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  GrpcCaller,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';
import { type CertificateFiles, createAuthority, type TestAuthority } from '../../support/tls.ts';

let directory: string;
let authority: TestAuthority;
let stranger: TestAuthority;
let first: CertificateFiles;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let other: TestTenant;
const files = { certFile: '', keyFile: '' };

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-certificates-'));
  Object.assign(files, { certFile: join(directory, 'tls.crt'), keyFile: join(directory, 'tls.key') });
  [authority, stranger] = await Promise.all([createAuthority(), createAuthority('stranger')]);
  first = await authority.issue({ commonName: 'control plane' });
  install(first);
});
afterAll(() => {
  authority.remove();
  stranger.remove();
  rmSync(directory, { recursive: true });
});

function install(certificate: CertificateFiles): void {
  copyFileSync(certificate.certFile, files.certFile);
  copyFileSync(certificate.keyFile, files.keyFile);
}

function tlsCaller(certificate?: CertificateFiles): GrpcCaller {
  const own = certificate && [readFileSync(certificate.keyFile), readFileSync(certificate.certFile)];
  const channel = credentials.createSsl(readFileSync(authority.caFile), own?.[0] ?? null, own?.[1] ?? null);
  return new GrpcCaller(`localhost:${plane.plane.grpcPort}`, channel, {
    'grpc.use_local_subchannel_pool': 1,
  });
}

async function call(caller: GrpcCaller, method: string, token: string | undefined, body: object) {
  try {
    return await caller.call(method, token, body);
  } finally {
    caller.close();
  }
}

describe('a control plane with TLS and client certificates', () => {
  let keyHash: Buffer;

  beforeAll(async () => {
    const url = `sqlite:${join(directory, 'tls.db')}`;
    // The tenants are created in plain text first, because the settings of the second start need their ids.
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: url } });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    const { value } = await createKey(plane, acme);
    keyHash = Buffer.from(hashCredential(value), 'hex');
    const { masterKey } = plane;
    await plane.close();
    plane = await startOperatorsPlane({
      masterKey,
      env: {
        GATEWAY_DATABASE_URL: url,
        GATEWAY_TLS_CERT_FILE: files.certFile,
        GATEWAY_TLS_KEY_FILE: files.keyFile,
        GATEWAY_TLS_CLIENT_CA_FILE: authority.caFile,
        GATEWAY_PROXY_CERTIFICATES: `egress.example.com, spiffe://cluster/sidecar=${acme.id}, spiffe://cluster/other=${other.id}`,
      },
    });
  });
  afterAll(() => plane.close());

  it('serves operators over TLS with their tokens', async () => {
    const called = await call(tlsCaller(), 'Organizations.Get', acme.owner.token, { id: acme.id });
    expect(called).toMatchObject({ code: 'OK', response: { name: 'acme' } });
  });

  it('refuses connections in plain text', async () => {
    const caller = new GrpcCaller(`localhost:${plane.plane.grpcPort}`);
    const called = await call(caller, 'Organizations.Get', acme.owner.token, { id: acme.id });
    expect(called.code).toBe('UNAVAILABLE');
  });

  it.each([
    ['a listed DNS name', ['DNS:egress.example.com'], 'found'],
    ['a listed URI', ['URI:spiffe://cluster/sidecar'], 'found'],
    ['one of several names', ['DNS:somewhere', 'URI:spiffe://cluster/sidecar'], 'found'],
    ['a name bound to another organization', ['URI:spiffe://cluster/other'], 'hidden'],
    ['a name that is not listed', ['DNS:elsewhere.example.com'], 'UNAUTHENTICATED'],
    ['a listed name as an e-mail address', ['email:egress.example.com'], 'UNAUTHENTICATED'],
    ['a name that begins like a listed one', ['DNS:egress.example.com.evil.org'], 'UNAUTHENTICATED'],
  ])('decides about a certificate with %s', async (_what, names, expected) => {
    const certificate = await authority.issue({ commonName: 'egress.example.com', names });
    const called = await call(tlsCaller(certificate), 'Access.Resolve', undefined, { keyHash });
    if (!('response' in called)) expect(called.code).toBe(expected);
    else expect(called.response.key === undefined ? 'hidden' : 'found').toBe(expected);
  });

  it('refuses a certificate of an unknown authority', async () => {
    const certificate = await stranger.issue({ commonName: 'x', names: ['DNS:egress.example.com'] });
    const called = await call(tlsCaller(certificate), 'Access.Resolve', undefined, { keyHash });
    expect(['UNAUTHENTICATED', 'UNAVAILABLE']).toContain(called.code);
  });

  it('allows a certificate to call Access and nothing else', async () => {
    const certificate = await authority.issue({ commonName: 'x', names: ['DNS:egress.example.com'] });
    const called = await call(tlsCaller(certificate), 'Organizations.List', undefined, {});
    expect(called.code).toBe('PERMISSION_DENIED');
  });

  it('requires no client certificate at the JSON API, which uses TLS too', async () => {
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        {
          host: 'localhost',
          port: plane.plane.httpPort,
          path: '/gateway.v1.Organizations/List',
          method: 'POST',
          ca: readFileSync(authority.caFile),
          headers: { authorization: `Bearer ${acme.owner.token}`, 'content-type': 'application/json' },
        },
        (response) => resolve(response.resume().statusCode),
      );
      sent.on('error', reject).end('{}');
    });
    expect(status).toBe(200);
  });
});

describe('certificates that change', () => {
  const started: OperatorsPlane[] = [];
  afterAll(async () => {
    for (const one of started) await one.close();
  });

  it('are read again by a running source, which keeps the last valid pair when the new one is broken', async () => {
    install(first);
    const lines: string[] = [];
    const log = createLogger({
      name: 'test',
      level: 'error',
      stream: { write: (line) => void lines.push(line) },
    });
    const source = await watchTlsFiles(files, { log, everyMs: 5 });
    const seen: string[] = [];
    source.onChange(({ cert }) => seen.push(cert.toString()));
    const second = await authority.issue({ commonName: 'second' });
    // Certificate and key are two files: between the two writes they do not match.
    copyFileSync(second.certFile, files.certFile);
    await until(() => lines.length > 0, { what: 'the complaint' });
    expect(source.current.cert.toString()).toBe(readFileSync(first.certFile, 'utf8'));
    copyFileSync(second.keyFile, files.keyFile);
    await until(() => seen.length > 0, { what: 'the new certificate' });
    expect(seen).toEqual([readFileSync(second.certFile, 'utf8')]);
    expect(lines).toHaveLength(1);
    source.close();
  });

  it('are presented by both listeners to new connections', async () => {
    install(first);
    const running = await startOperatorsPlane({
      env: { GATEWAY_TLS_CERT_FILE: files.certFile, GATEWAY_TLS_KEY_FILE: files.keyFile },
    });
    started.push(running);
    const ports = [running.plane.grpcPort, running.plane.httpPort];
    for (const port of ports) expect(await commonNameAt(port)).toBe('control plane');
    install(await authority.issue({ commonName: 'renewed' }));
    for (const port of ports) {
      await until(async () => (await commonNameAt(port)) === 'renewed', {
        timeoutMs: 20_000,
        what: 'the new certificate',
      });
    }
  });

  it('prevent the start when they cannot be read, and the error names the file', async () => {
    const env = { GATEWAY_TLS_CERT_FILE: '/nowhere/tls.crt', GATEWAY_TLS_KEY_FILE: files.keyFile };
    await expect(startOperatorsPlane({ env })).rejects.toThrow('the file /nowhere/tls.crt cannot be read');
    const swapped = { GATEWAY_TLS_CERT_FILE: files.keyFile, GATEWAY_TLS_KEY_FILE: files.certFile };
    await expect(startOperatorsPlane({ env: swapped })).rejects.toThrow('are not a certificate and its key');
  });
});

function commonNameAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(authority.caFile);
    const socket = connect({ port, host: 'localhost', ca, ALPNProtocols: ['h2', 'http/1.1'] }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
