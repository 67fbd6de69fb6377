// The injector as a running program: certificates and authorities that change during its run, time limits, the admin
// listener, draining, and exit codes.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import { createLogger } from '../../../common/logger.ts';
import { watchTlsFiles } from '../../../common/tls.ts';
import { startReviewServer } from '../../../injector/server.ts';
import { createMetrics } from '../../../injector/telemetry/metrics.ts';
import { applyPatch, injectionSettings, sidecarOf } from '../../support/injection.ts';
import { startNode, until } from '../../support/process.ts';
import {
  ask,
  injectorEnvironment,
  responseIn,
  reviewOf,
  startTestInjector,
  type TestInjector,
} from '../../support/reviews.ts';
import { silentLog } from '../../support/silent-log.ts';
import { type CertificateFiles, createAuthority, type TestAuthority } from '../../support/tls.ts';

let directory: string;
let authority: TestAuthority;
let second: TestAuthority;
let certificate: CertificateFiles;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-injector-'));
  [authority, second] = await Promise.all([createAuthority('first'), createAuthority('second')]);
  certificate = await authority.issue({ commonName: 'injector' });
});
afterAll(() => {
  authority.remove();
  second.remove();
  rmSync(directory, { recursive: true });
});

const running: TestInjector[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});
async function start(options: Parameters<typeof startTestInjector>[0] = {}): Promise<TestInjector> {
  const started = await startTestInjector({ certificate, ...options });
  running.push(started);
  return started;
}

const review = reviewOf('deployment');
const agentOf = (caFile: string) => new Agent({ keepAlive: true, ca: readFileSync(caFile) });
const file = (name: string) => join(directory, name);

describe('a renewed certificate of the injector', () => {
  it('is presented to new connections, while open ones continue', async () => {
    const files = { certFile: file('tls.crt'), keyFile: file('tls.key') };
    copyFileSync(certificate.certFile, files.certFile);
    copyFileSync(certificate.keyFile, files.keyFile);
    const { injector } = await start({ certificate: files });
    const kept = agentOf(authority.caFile);
    expect((await ask(injector.port, review, { agent: kept })).status).toBe(200);

    const renewed = await second.issue({ commonName: 'injector' });
    copyFileSync(renewed.certFile, files.certFile);
    copyFileSync(renewed.keyFile, files.keyFile);
    const fresh = agentOf(second.caFile);
    const response = await until(() => ask(injector.port, review, { agent: fresh }).catch(() => undefined), {
      what: 'the renewed certificate',
    });
    expect(response.status).toBe(200);
    expect((await ask(injector.port, review, { agent: kept })).status).toBe(200);
    for (const agent of [kept, fresh]) agent.destroy();
  });
});

describe('the authorities of the egress gateway', () => {
  const caIn = async (started: TestInjector) => {
    const { patch } = responseIn(await ask(started.injector.port, review, { agent: agentOf(authority.caFile) }));
    const env = sidecarOf(applyPatch(review.request.object, patch)).env ?? [];
    return env.find(({ name }) => name === 'GATEWAY_FORWARD_CA')?.value;
  };
  const pemOf = ({ caFile }: TestAuthority) => readFileSync(caFile, 'utf8');

  it('are in the sidecar as text, without the other content of the file', async () => {
    const caFile = file('with-a-key.pem');
    writeFileSync(caFile, `the first\n${pemOf(authority)}${readFileSync(certificate.keyFile, 'utf8')}${pemOf(second)}`);
    const started = await start({ env: { GATEWAY_INJECTOR_EGRESS_CA_FILE: caFile } });
    expect(await caIn(started)).toBe(pemOf(authority) + pemOf(second));
  });

  it('are read again when they change, and kept when the new file is invalid', async () => {
    const caFile = file('egress-ca.pem');
    copyFileSync(authority.caFile, caFile);
    const lines: string[] = [];
    const log = createLogger({
      name: 'injector',
      level: 'error',
      stream: { write: (line) => lines.push(line) },
    });
    const started = await start({ log, env: { GATEWAY_INJECTOR_EGRESS_CA_FILE: caFile } });
    expect(await caIn(started)).toBe(pemOf(authority));
    copyFileSync(second.caFile, caFile);
    await until(async () => (await caIn(started)) === pemOf(second), {
      what: 'the new authorities',
    });
    writeFileSync(caFile, 'not a certificate');
    await until(() => lines.join('').includes('the last good one is kept'));
    expect(await caIn(started)).toBe(pemOf(second));
  });

  it("are the system's when no file is set", async () => {
    expect(await caIn(await start())).toBeUndefined();
  });
});

describe('a request that does not arrive', () => {
  it('is cut after its time limit, and delays no other', async () => {
    const tls = await watchTlsFiles(certificate, { log: silentLog });
    const server = await startReviewServer(
      { address: { host: '127.0.0.1', port: 0 }, tls, requestTimeoutMs: 300 },
      {
        settings: () => ({ ...injectionSettings(), namespaces: undefined }),
        metrics: createMetrics(),
        log: silentLog,
        clock: systemClock,
      },
    );
    const slow = await open(server.port);
    slow.write('POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{');
    const agent = agentOf(authority.caFile);
    expect((await ask(server.port, review, { agent })).status).toBe(200);
    await until(() => slow.closed, { what: 'the slow connection to be cut' });
    agent.destroy();
    await server.close(1000);
    tls.close();
  });
});

function open(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: 'localhost', port, ca: readFileSync(authority.caFile) }, () => resolve(socket));
    socket.on('error', reject);
    socket.resume();
  });
}

describe('the admin listener of the injector', () => {
  it('serves liveness, readiness and the outcomes of reviews', async () => {
    const { injector } = await start();
    const agent = agentOf(authority.caFile);
    await ask(injector.port, review, { agent });
    await ask(injector.port, reviewOf('opted-out'), { agent });
    await ask(injector.port, 'nonsense', { agent });
    agent.destroy();
    const admin = (path: string) => fetch(`http://127.0.0.1:${injector.adminPort}${path}`);
    expect((await admin('/livez')).status).toBe(200);
    expect((await admin('/readyz')).status).toBe(200);
    const metrics = await (await admin('/metrics')).text();
    expect(metrics).toContain('gateway_injector_reviews_total{outcome="injected"} 1');
    expect(metrics).toContain('gateway_injector_reviews_total{outcome="opted_out"} 1');
    expect(metrics).toContain('gateway_injector_reviews_total{outcome="unreadable"} 1');
    expect(metrics).toContain('gateway_injector_reviews_total{outcome="refused"} 0');
    expect(metrics).toContain('gateway_injector_review_duration_seconds_count 3');
  });
});

describe('a stop of the injector', () => {
  it('responds to the running review, accepts nothing new, and then ends at once', async () => {
    const { injector } = await start();
    const body = Buffer.from(JSON.stringify(review));
    const socket = await open(injector.port);
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    const head = `POST /inject HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(head);
    socket.write(body.subarray(0, 100));
    const before = await fetch(`http://127.0.0.1:${injector.adminPort}/metrics`);
    expect(before.status).toBe(200);

    const began = performance.now();
    const closed = injector.close();
    const readyz = await fetch(`http://127.0.0.1:${injector.adminPort}/readyz`);
    expect([readyz.status, await readyz.text()]).toEqual([503, 'not ready: it is draining\n']);
    await expect(open(injector.port)).rejects.toThrow('ECONNREFUSED');
    socket.write(body.subarray(100));
    await closed;
    await until(() => response.includes('"allowed":true'), { what: 'the response' });
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(performance.now() - began).toBeLessThan(3000);
  });
});

describe('the program injector', () => {
  const run = (env: Record<string, string>) => startNode(['injector/main.ts'], { env });

  it('names every setting that is missing or wrong, and exits with 64', async () => {
    const child = run({
      GATEWAY_INJECTOR_LISTEN: 'everywhere',
      GATEWAY_INJECTOR_IMAGE: 'model-gateway/proxy',
      GATEWAY_INJECTOR_MODES: 'sideways',
      GATEWAY_INJECTOR_EGRESS_URL: 'http://egress',
      GATEWAY_INJECTOR_MEMORY_LIMIT: '256',
    });
    expect(await child.exited).toBe(64);
    for (const name of ['LISTEN', 'IMAGE', 'MODES', 'EGRESS_URL', 'MEMORY_LIMIT']) {
      expect(child.stderr()).toContain(`  GATEWAY_INJECTOR_${name}: must be`);
    }
    expect(child.stderr()).toContain('  GATEWAY_TLS_CERT_FILE: is required\n  GATEWAY_TLS_KEY_FILE: is required');
  });

  it('exits with 1 when a certificate cannot be read, and names it', async () => {
    const child = run(injectorEnvironment({ certFile: file('none.crt'), keyFile: certificate.keyFile }));
    expect(await child.exited).toBe(1);
    expect(child.stderr()).toBe(`injector: the file ${file('none.crt')} cannot be read\n`);
  });

  it('exits with 1 when the file of authorities has none', async () => {
    const env = { ...injectorEnvironment(certificate), GATEWAY_INJECTOR_EGRESS_CA_FILE: certificate.keyFile };
    const child = run(env);
    expect(await child.exited).toBe(1);
    expect(child.stderr()).toBe(`injector: the file ${certificate.keyFile} contains no certificate in PEM\n`);
  });

  it('drains on SIGTERM and exits with 0', async () => {
    const child = run(injectorEnvironment(certificate));
    await until(() => child.stdout().includes('ready for reviews'));
    child.signal('SIGTERM');
    expect(await child.exited).toBe(0);
    expect(child.stdout()).toContain('"stopped"');
    expect(child.stderr()).toBe('');
  });
});
