// A whole keeper before a fake API server that contains the objects of the manifests and records every write.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../common/logger.ts';
import { paths } from '../../keeper/api/sources.ts';
import { drainGraceMs, type Keeper, leaseName, startKeeper } from '../../keeper/app.ts';
import { authoritiesSecret, sidecarsCaSecret } from '../../keeper/authority/keep.ts';
import { leavesOf, tenantLeaf } from '../../keeper/authority/leaves.ts';
import { podTemplateName } from '../../keeper/image.ts';
import { readKeeperSettings } from '../../keeper/settings.ts';
import { injectorService, webhookName } from '../../keeper/webhook.ts';
import { type RecordedApi, recordingOf, startRecordedApi } from './recorded-api.ts';

export const namespace = 'model-gateway';
/** The labelled namespace of apps in the recording of all namespaces. */
export const tenant = 'sized-by-annotation';

export const objectPaths = {
  webhook: paths.webhook(webhookName),
  namespace: paths.namespace(namespace),
  deployment: paths.deployment(namespace, injectorService),
  podTemplate: paths.podTemplate(namespace, podTemplateName),
  lease: paths.lease(namespace, leaseName),
} as const;

type Data = Readonly<Record<string, string>>;

export interface KeeperScene {
  readonly api: RecordedApi;
  /** Lines of all keepers' logs. */
  readonly lines: readonly string[];
  /** The present content of a Secret, decoded. */
  secret(name: string, ofNamespace?: string): Data;
  startKeeper(env?: Readonly<Record<string, string>>, graceMs?: number): Promise<TestKeeper>;
  close(): Promise<void>;
}

export interface TestKeeper {
  readonly keeper: Keeper;
  /** The file for the injector beside it; undefined if there is none yet. */
  handed(file: 'sidecar-image' | 'namespaces.json'): string | undefined;
  metrics(): Promise<string>;
  /** The response of /readyz. */
  readiness(): Promise<string>;
  close(): Promise<void>;
}

export async function createKeeperScene(): Promise<KeeperScene> {
  const api = await startRecordedApi();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-keepers-'));
  const lines: string[] = [];
  const keepers: TestKeeper[] = [];
  installed(api);
  const secrets = new Map<string, { readonly data: Data }>();
  for (const name of [authoritiesSecret, sidecarsCaSecret, ...leavesOf(namespace).map(({ secret }) => secret)])
    secrets.set(`${namespace}/${name}`, api.remember(paths.secret(namespace, name), recordingOf('secret-empty')));
  const { secret: ofTenant } = tenantLeaf(tenant);
  secrets.set(`${tenant}/${ofTenant}`, api.remember(paths.secret(tenant, ofTenant), recordingOf('secret-empty')));
  return {
    api,
    lines,
    secret: (name, ofNamespace = namespace) => secrets.get(`${ofNamespace}/${name}`)?.data ?? {},
    startKeeper: async (env = {}, graceMs = drainGraceMs) => {
      const own = mkdtempSync(join(folder, 'keeper-'));
      const started = await startOne({ api, folder: own, lines, env, graceMs });
      keepers.push(started);
      return started;
    },
    close: async () => {
      for (const one of keepers) await one.close();
      await api.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The state after the manifests were applied with named images. */
function installed(api: RecordedApi): void {
  api.on('GET', objectPaths.webhook, recordingOf('webhook-patched'));
  api.on('PATCH', objectPaths.webhook, recordingOf('webhook-patched'));
  api.on('GET', objectPaths.namespace, recordingOf('namespace'));
  api.on('GET', objectPaths.deployment, recordingOf('deployment'));
  api.on('GET', objectPaths.podTemplate, recordingOf('pod-template'));
  api.on('GET', paths.namespaces, recordingOf('namespaces-page-1'));
  api.on('GET', paths.limitRanges, recordingOf('limit-ranges'));
  api.remember(objectPaths.lease, recordingOf('lease-empty'));
}

interface One {
  readonly api: RecordedApi;
  readonly folder: string;
  readonly lines: string[];
  readonly env: Readonly<Record<string, string>>;
  readonly graceMs: number;
}

async function startOne({ api, folder, lines, env, graceMs }: One): Promise<TestKeeper> {
  writeFileSync(join(folder, 'token'), 'a-token\n');
  const settings = readKeeperSettings({
    ...{ GATEWAY_KEEPER_API: api.url, GATEWAY_KEEPER_API_CA_FILE: api.caFile },
    ...{ GATEWAY_KEEPER_TOKEN_FILE: join(folder, 'token'), GATEWAY_KEEPER_HANDED_DIR: folder },
    ...{ GATEWAY_KEEPER_IDENTITY: 'keeper-a', GATEWAY_ADMIN_LISTEN: '127.0.0.1:0' },
    ...(env.GATEWAY_KEEPER_CA_FILE === undefined && { GATEWAY_KEEPER_AUTHORITY: 'true' }),
    ...env,
  });
  const log = createLogger({ name: 'keeper', level: 'info', stream: { write: (line) => lines.push(line) } });
  const keeper = await startKeeper(settings, { log, graceMs });
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${keeper.adminPort}/${path}`)).text();
  let closed: Promise<void> | undefined;
  return {
    keeper,
    handed: (file) => readIfThere(join(folder, file)),
    metrics: () => ask('metrics'),
    readiness: () => ask('readyz'),
    close: () => {
      closed ??= keeper.close();
      return closed;
    },
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
