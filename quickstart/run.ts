// Both planes in one process over SQLite, with the simulator, or with the vendors whose keys are in the environment.
import { join } from 'node:path';
import { createCredential } from '../common/credential.ts';
import { createLifecycle, type Lifecycle, untilSignal } from '../common/lifecycle.ts';
import { createLogger, type Logger } from '../common/logger.ts';
import { createSigningKey, parseSigningKey, publicPemOf } from '../common/record-signature.ts';
import { createSealKey } from '../common/seal.ts';
import { badSettingsExitCode, SettingsError } from '../common/settings.ts';
import { startControlPlane } from '../control-plane/app.ts';
import { readControlPlaneSettings } from '../control-plane/settings.ts';
import { startProxy } from '../proxy/app.ts';
import { readProxySettings } from '../proxy/settings.ts';
import { startSimulator } from '../simulator/index.ts';
import { type DataFolder, openDataFolder, type SecretFile } from './data-folder.ts';
import { consoleLink, prepareDemo } from './demo.ts';
import { greeting } from './greeting.ts';
import { realVendors, simulatorSettings, vendorKeys } from './vendors.ts';

export async function runQuickstart(): Promise<void> {
  let lifecycle: Lifecycle | undefined;
  try {
    const data = openDataFolder(process.env.GATEWAY_DATA_DIR ?? 'data');
    const log = createLogger({ name: 'gateway', level: 'info', file: data.log });
    lifecycle = createLifecycle(log);
    process.stdout.write(await start(data, log, lifecycle));
  } catch (error) {
    await lifecycle?.close();
    process.stderr.write(`model-gateway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof SettingsError ? badSettingsExitCode : 1);
  }
  await untilSignal();
  process.stdout.write('\nstopping; open requests may finish\n');
  await lifecycle.close();
}

/** @returns the greeting */
async function start(data: DataFolder, log: Logger, lifecycle: Lifecycle): Promise<string> {
  const bootstrapToken = createCredential('bootstrap');
  const simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  lifecycle.onClose('simulator', () => simulator.close());
  const simulated = simulatorSettings(process.env, simulator);
  const own = { ...simulated, GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken };
  const controlPlane = await startControlPlane(controlPlaneSettings(data, own), { log, embedded: true });
  // Nobody else sends requests to them: idle connections need not wait for any.
  lifecycle.onClose('control plane', () => controlPlane.close(0));
  const demo = await prepareDemo({
    data,
    port: controlPlane.httpPort,
    bootstrapToken,
    providerKeys: vendorKeys(process.env),
  });
  const settings = readProxySettings({
    // The only organization may use the whole gateway.
    GATEWAY_ORGANIZATION_SHARE: '100',
    GATEWAY_JOURNAL_DIR: join(data.path, 'journal'),
    ...process.env,
    ...simulated,
    GATEWAY_CONTROL_PLANE: `127.0.0.1:${controlPlane.grpcPort}`,
    GATEWAY_PROXY_TOKEN: data.read('proxy-token'),
    GATEWAY_RECORD_KEYS: publicPemOf(parseSigningKey(secretOf(data, 'record-key', createSigningKey))),
    ...(process.env.REDIS_URL && { GATEWAY_CACHE_KEY: secretOf(data, 'cache-key') }),
  });
  const proxy = await startProxy(settings, { log });
  lifecycle.onClose('proxy', () => proxy.drain(0));
  return greeting({
    demo,
    consoleLink: await consoleLink(controlPlane.httpPort, data),
    dataPath: data.path,
    trafficPort: proxy.port,
    adminPort: proxy.adminPort,
    httpPort: controlPlane.httpPort,
    grpcPort: controlPlane.grpcPort,
    realVendors: realVendors(process.env),
  });
}

function controlPlaneSettings(data: DataFolder, own: NodeJS.ProcessEnv) {
  return readControlPlaneSettings({
    ...process.env,
    ...own,
    // In the quick start GATEWAY_ADMIN_LISTEN is the proxy's; nothing scrapes the control plane.
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_DATABASE_URL: `sqlite:${data.database}`,
    GATEWAY_MASTER_KEY: secretOf(data, 'master-key'),
    GATEWAY_RECORD_SIGNING_KEY: secretOf(data, 'record-key', createSigningKey),
  });
}

function secretOf(data: DataFolder, name: SecretFile, create = createSealKey): string {
  const kept = data.read(name);
  if (kept !== undefined) return kept;
  const made = create();
  data.write(name, made);
  return made;
}
