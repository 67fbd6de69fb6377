// Every program reports when the certificates that it uses expire, for the present files: a renewed certificate
// is noticed without a restart.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProxy } from '../../proxy/app.ts';
import { readProxySettings } from '../../proxy/settings.ts';
import { createForwardScene } from '../support/forward.ts';
import { startOperatorsPlane } from '../support/operators.ts';
import { until } from '../support/process.ts';
import { startTestInjector } from '../support/reviews.ts';
import { silentLog } from '../support/silent-log.ts';
import { type CertificateFiles, createAuthority, type TestAuthority } from '../support/tls.ts';

const closers: (() => unknown)[] = [];
let authority: TestAuthority;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-ends-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  authority = await createAuthority();
  closers.push(() => authority.remove());
});
afterAll(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Days until each certificate expires, rounded. */
async function daysReported(adminPort: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const lines = text.matchAll(/^gateway_certificate_not_after_seconds\{use="(\w+)"\} (\S+)$/gm);
  return Object.fromEntries(
    [...lines].map(([, use, seconds]) => [use, Math.round((Number(seconds) - Date.now() / 1000) / 86_400)]),
  );
}

/** Files whose names stay the same, like those of a Secret. */
async function installed(name: string, days: number): Promise<CertificateFiles> {
  const fresh = await authority.issue({ commonName: name, days });
  const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
  copyFileSync(fresh.keyFile, files.keyFile);
  copyFileSync(fresh.certFile, files.certFile);
  return files;
}

it('the control plane reports the end of its certificate and of the authority of proxies', async () => {
  const { certFile, keyFile } = await installed('control-plane', 40);
  const tls = { GATEWAY_TLS_CERT_FILE: certFile, GATEWAY_TLS_KEY_FILE: keyFile };
  const plane = await startOperatorsPlane({
    env: {
      ...tls,
      GATEWAY_TLS_CLIENT_CA_FILE: authority.caFile,
      GATEWAY_PROXY_CERTIFICATES: 'proxy.example.com',
    },
  });
  closers.push(() => plane.close());
  expect(await daysReported(plane.plane.adminPort)).toEqual({ server: 40, client_authorities: 1 });
});

it("a proxy reports the end of its listener's certificate and of its certificate at the control plane", async () => {
  const [own, server] = [await installed('proxy', 50), await installed('egress', 60)];
  const proxy = await startProxy(
    readProxySettings({
      ...{ GATEWAY_LISTEN: '127.0.0.1:0', GATEWAY_ADMIN_LISTEN: '127.0.0.1:0', GATEWAY_DRAIN_GRACE: '1s' },
      ...{ GATEWAY_CONTROL_PLANE: 'localhost:1', GATEWAY_CONTROL_PLANE_TLS: 'true' },
      ...{ GATEWAY_CONTROL_PLANE_CA_FILE: authority.caFile },
      ...{ GATEWAY_CONTROL_PLANE_CERT_FILE: own.certFile, GATEWAY_CONTROL_PLANE_KEY_FILE: own.keyFile },
      ...{ GATEWAY_TLS_LISTEN: '127.0.0.1:0', GATEWAY_TLS_CLIENT_CA_FILE: authority.caFile },
      ...{ GATEWAY_TLS_CERT_FILE: server.certFile, GATEWAY_TLS_KEY_FILE: server.keyFile },
    }),
    { log: silentLog },
  );
  closers.push(() => proxy.drain());
  expect(await daysReported(proxy.adminPort)).toEqual({
    ...{ control_plane: 50, control_plane_authorities: 1 },
    ...{ server: 60, client_authorities: 1 },
  });
});

it('a sidecar reports the end of its certificate at the egress gateway', async () => {
  const scene = await createForwardScene();
  closers.push(() => scene.close());
  const sidecar = await scene.startSidecar('https://127.0.0.1:1');
  expect(await daysReported(sidecar.adminPort)).toEqual({ egress: 1, egress_authorities: 1 });
});

it("the injector reports the end of its certificate and of the sidecars' authority, and of a renewed one without a restart", async () => {
  const certificate = await installed('injector', 70);
  const env = { GATEWAY_INJECTOR_EGRESS_CA_FILE: authority.caFile };
  const injector = await startTestInjector({ certificate, env });
  closers.push(() => injector.close());
  const reported = () => daysReported(injector.injector.adminPort);
  expect(await reported()).toEqual({ server: 70, egress_authorities: 1 });
  await installed('injector', 80);
  await until(async () => (await reported()).server === 80, {
    what: 'the renewed certificate',
  });
});
