// A sidecar and its egress gateway for tests: certificates of two authorities, as in a cluster, an egress gateway with
// a listener for mutual TLS, and proxies that forward to it, all in this process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../common/logger.ts';
import { type RunningProxy, startProxy } from '../../proxy/app.ts';
import { readProxySettings } from '../../proxy/settings.ts';
import type { Environment, TestGateway, TestProxy } from './gateway.ts';
import { type CertificateFiles, createAuthority, install, type TestAuthority } from './tls.ts';

export interface Egress {
  /** Settings of a further egress gateway. */
  readonly listener: Environment;
  readonly proxy: TestProxy;
  /** The URL to which sidecars send. */
  readonly url: string;
}

export interface ForwardScene {
  /** Signs servers. */
  readonly servers: TestAuthority;
  /** Signs sidecars. */
  readonly sidecars: TestAuthority;
  readonly directory: string;
  /** The certificate of sidecars; see install. */
  readonly client: CertificateFiles;
  /** The certificate of the egress gateway's listener. */
  readonly server: CertificateFiles;
  /** Every log line of sidecars. */
  readonly logs: string[];
  startEgress(gateway: TestGateway, env?: Environment): Promise<Egress>;
  startSidecar(egressUrl: string, env?: Environment): Promise<TestProxy>;
  /** Writes a file. @returns its path */
  write(name: string, text: string): string;
  close(): Promise<void>;
}

export async function createForwardScene(): Promise<ForwardScene> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-forward-'));
  const logs: string[] = [];
  const log = createLogger({
    name: 'sidecar',
    level: 'debug',
    stream: { write: (line) => void logs.push(line) },
  });
  const [servers, sidecars] = await Promise.all([createAuthority('internal'), createAuthority('sidecars')]);
  const files = (name: string) => ({
    certFile: join(directory, `${name}.crt`),
    keyFile: join(directory, `${name}.key`),
  });
  const [client, server] = [files('client'), files('server')];
  install(await sidecars.issue({ commonName: 'app' }), client);
  install(await servers.issue({ commonName: 'egress-gateway' }), server);
  const running: RunningProxy[] = [];
  return {
    ...{ servers, sidecars, directory, client, server, logs },
    startEgress: async (gateway, env = {}) => {
      const listener = {
        GATEWAY_TLS_LISTEN: '127.0.0.1:0',
        GATEWAY_TLS_CERT_FILE: server.certFile,
        GATEWAY_TLS_KEY_FILE: server.keyFile,
        GATEWAY_TLS_CLIENT_CA_FILE: sidecars.caFile,
        ...env,
      };
      const proxy = await gateway.startProxy(listener);
      return { listener, proxy, url: `https://127.0.0.1:${proxy.tlsPort}` };
    },
    startSidecar: async (egressUrl, env = {}) => {
      const settings = readProxySettings({
        GATEWAY_LISTEN: '127.0.0.1:0',
        GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
        GATEWAY_FORWARD_TO: egressUrl,
        ...(egressUrl.startsWith('https:') && {
          GATEWAY_FORWARD_CA_FILE: servers.caFile,
          GATEWAY_FORWARD_CERT_FILE: client.certFile,
          GATEWAY_FORWARD_KEY_FILE: client.keyFile,
        }),
        GATEWAY_DRAIN_GRACE: '2s',
        ...env,
      });
      const proxy = await startProxy(settings, { log });
      running.push(proxy);
      const { port, adminPort } = proxy;
      return { ...proxy, url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}` };
    },
    write: (name, text) => {
      const path = join(directory, name);
      writeFileSync(path, text);
      return path;
    },
    close: async () => {
      await Promise.all(running.map((proxy) => proxy.drain()));
      servers.remove();
      sidecars.remove();
      rmSync(directory, { recursive: true });
    },
  };
}
