// Records a real API server's responses to the keeper and its requests to the injector; npm test replays them over
// HTTPS. Each file is one unchanged exchange with the keeper's account, only without fields that differ in each run and
// are not used (managedFields).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { isObject } from '../../common/json.ts';
import { paths } from '../../keeper/api/sources.ts';
import { objectPaths } from '../../test/support/keepers.ts';
import { projectRoot } from '../../test/support/process.ts';
import { type Check, createLimitRange, createNamespace, eventually, must, optedIn } from './check.ts';
import { endInjectors } from './checks/install.ts';
import type { Cluster } from './cluster.ts';
import { type Control, hostAddress, rootCa } from './control.ts';
import { apply, applyGateway, webhookObjects } from './manifests.ts';

const folder = join(projectRoot, 'test/integration/keeper/recorded');
const secretPath = paths.secret('model-gateway', 'injector-tls');

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  readonly token?: string;
}

interface Watched {
  readonly path: string;
  readonly version: string;
  readonly seconds: number;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

class Recorder {
  readonly #control: Control;
  readonly #agent: Agent;
  readonly #token: string;

  constructor(control: Control) {
    this.#control = control;
    this.#agent = new Agent({ ca: readFileSync(control.caFile) });
    this.#token = control.kubectl(['-n', 'model-gateway', 'create', 'token', 'injector', '--duration=1h']).trim();
    mkdirSync(folder, { recursive: true });
  }

  /** Watches for some seconds and records the events. @param types of required events; bookmarks come at any time */
  watch(name: string, { path, version, seconds }: Watched, types: readonly string[]): Promise<void> {
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=${seconds}`;
    return eventually(async () => {
      const { lines } = await this.keep(name, 200, {
        path: `${path}${path.includes('?') ? '&' : '?'}${query}`,
      });
      const came = (lines as readonly { type: string }[]).map(({ type }) => type);
      const isThere = types.every((type) => came.includes(type));
      must(isThere, `${name}: ${came.join()} in place of ${types.join()}`);
    }, 60_000);
  }

  /**
   * Sends a request and records the exchange. @param status the required status; another one means that the case was
   * not reached
   */
  async keep(name: string, status: number, sent: Sent): Promise<Record<string, unknown>> {
    const { method = 'GET', path, body } = sent;
    const response = await this.#ask(sent);
    must(
      response.status === status,
      `${name}: ${response.status} in place of ${status}: ${response.text.slice(0, 300)}`,
    );
    const isWatch = path.includes('watch=true') && status === 200;
    const parsed = response.text
      .split('\n')
      .filter(Boolean)
      .map((line) => cleaned(JSON.parse(line)));
    const exchange = { request: { method, path, ...(body !== undefined && { body }) }, status };
    const file = {
      kubernetes: this.#version(),
      ...exchange,
      ...(isWatch ? { lines: parsed } : { body: parsed[0] }),
    };
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(file, null, 2)}\n`);
    return isWatch ? { lines: parsed } : (parsed[0] as Record<string, unknown>);
  }

  close(): void {
    this.#agent.destroy();
  }

  #version(): string {
    return (JSON.parse(this.#control.kubectl(['get', '--raw', '/version'])) as { gitVersion: string }).gitVersion;
  }

  #ask({ method = 'GET', path, body, contentType = 'application/json', token }: Sent): Promise<Response> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      authorization: `Bearer ${token ?? this.#token}`,
      accept: 'application/json',
      ...(bytes !== undefined && { 'content-type': contentType, 'content-length': bytes.length }),
    };
    return new Promise((resolve, reject) => {
      const requested = httpsRequest(
        `https://${hostAddress}${path}`,
        { method, headers, agent: this.#agent },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        },
      );
      requested.on('error', reject);
      requested.end(bytes);
    });
  }
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'managedFields');
  return Object.fromEntries(entries.map(([name, one]) => [name, cleaned(one)]));
}

const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const versionIn = (object: Record<string, unknown>) =>
  String((object.metadata as { resourceVersion: string }).resourceVersion);
const uidIn = (object: Record<string, unknown>) => String((object.metadata as { uid: string }).uid);
/** The collection of an object's path, restricted to that object. */
const watchOf = (path: string) => {
  const at = path.lastIndexOf('/');
  return `${path.slice(0, at)}?fieldSelector=metadata.name%3D${path.slice(at + 1)}`;
};

export const recordChecks: readonly Check[] = [
  {
    name: 'responses of the API server to the keeper are recorded',
    run: async (cluster, scene) => {
      await endInjectors(scene);
      const { control } = cluster;
      control.tryKubectl(['delete', 'namespace', 'model-gateway']);
      await eventually(
        () => must(!control.tryKubectl(['get', 'namespace', 'model-gateway']).ok, 'the namespace is still there'),
        60_000,
      );
      // A restarted API server has no history of earlier changes.
      await control.restartApi();
      applyGateway(control, { withImages: false });
      const recorder = new Recorder(control);
      try {
        await recorder.watch('watch-too-old', { path: watchOf(objectPaths.webhook), version: '1', seconds: 3 }, [
          'ERROR',
        ]);
        await recordImages(cluster, recorder);
        await recordWebhook(cluster, recorder);
        await recordLease(recorder);
        await recordSecrets(recorder);
        await recordNamespaces(cluster, recorder);
        await recordEnds(cluster, recorder);
      } finally {
        recorder.close();
      }
      return folder.slice(projectRoot.length);
    },
  },
];

async function recordImages({ control }: Cluster, recorder: Recorder): Promise<void> {
  await recorder.keep('pod-template-placeholder', 200, { path: objectPaths.podTemplate });
  applyGateway(control);
  await recorder.keep('pod-template', 200, { path: objectPaths.podTemplate });
  await recorder.keep('unauthorized', 401, { path: objectPaths.podTemplate, token: 'nobody' });
}

async function recordWebhook({ control }: Cluster, recorder: Recorder): Promise<void> {
  const bare = await recorder.keep('webhook-without-authority', 200, { path: objectPaths.webhook });
  const add = {
    op: 'add',
    path: '/webhooks/0/clientConfig/caBundle',
    value: Buffer.from('not looked at').toString('base64'),
  };
  const test = (value: string) => ({ op: 'test', path: '/metadata/resourceVersion', value });
  const patch = (value: string) => ({
    method: 'PATCH',
    path: objectPaths.webhook,
    body: [test(value), add],
    contentType: jsonPatch,
  });
  await recorder.keep('webhook-patch-outdated', 422, patch('1'));
  add.value = Buffer.from(rootCa(control, 'default')).toString('base64');
  const patched = await recorder.keep('webhook-patched', 200, patch(versionIn(bare)));
  await recorder.keep('webhook-delete-another', 409, {
    method: 'DELETE',
    path: objectPaths.webhook,
    body: {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid: '00000000-0000-0000-0000-000000000000' },
    },
  });
  await recorder.keep('webhook-deleted', 200, {
    method: 'DELETE',
    path: objectPaths.webhook,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: uidIn(patched) } },
  });
  await recorder.keep('webhook-absent', 404, { path: objectPaths.webhook });
  apply(control, webhookObjects());
  // A watch reports changes since its version, so it starts after all changes were made.
  const watch = { path: watchOf(objectPaths.webhook), version: versionIn(patched), seconds: 8 };
  await recorder.watch('watch-webhook', watch, ['DELETED', 'ADDED', 'BOOKMARK']);
}

async function recordLease(recorder: Recorder): Promise<void> {
  const empty = await recorder.keep('lease-empty', 200, { path: objectPaths.lease });
  const claim = (holderIdentity: string) => ({
    method: 'PATCH',
    path: objectPaths.lease,
    contentType: mergePatch,
    body: {
      metadata: { resourceVersion: versionIn(empty) },
      spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-11-22T12:00:00.000000Z' },
    },
  });
  await recorder.keep('lease-claimed', 200, claim('another-keeper'));
  await recorder.keep('lease-conflict', 409, claim('a-late-keeper'));
  await recorder.keep('lease-held', 200, { path: objectPaths.lease });
}

async function recordSecrets(recorder: Recorder): Promise<void> {
  const empty = await recorder.keep('secret-empty', 200, { path: secretPath });
  const write = { method: 'PATCH', path: secretPath, contentType: mergePatch };
  const body = {
    metadata: { resourceVersion: versionIn(empty) },
    data: { 'ca.crt': Buffer.from('a').toString('base64') },
  };
  await recorder.keep('secret-written', 200, { ...write, body });
  await recorder.keep('secret-conflict', 409, { ...write, body });
  await recorder.keep('secret-forbidden', 403, {
    path: '/api/v1/namespaces/default/secrets/model-gateway-sidecar-tls',
  });
}

async function recordNamespaces({ control }: Cluster, recorder: Recorder): Promise<void> {
  createNamespace(control, 'sized-by-annotation', {
    annotations: { 'model-gateway.io/memory-limit': '300Mi', ...optedIn },
    labels: optedIn,
  });
  const limits = [
    {
      type: 'Container',
      max: { cpu: '500m', memory: '200Mi' },
      min: { cpu: '50m' },
      maxLimitRequestRatio: { cpu: '4' },
    },
    { type: 'Pod', max: { cpu: 2 } },
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
  ];
  createLimitRange(control, 'sized-by-annotation', limits);
  const page = await recorder.keep('namespaces-page-1', 200, { path: '/api/v1/namespaces?limit=500' });
  const first = await recorder.keep('namespaces-page-of-2', 200, { path: '/api/v1/namespaces?limit=2' });
  const next = String((first.metadata as { continue: string }).continue);
  await recorder.keep('namespaces-page-after-2', 200, {
    path: `/api/v1/namespaces?limit=500&continue=${encodeURIComponent(next)}`,
  });
  await recorder.keep('limit-ranges', 200, { path: '/api/v1/limitranges?limit=500' });
  control.kubectl([
    'annotate',
    '--overwrite',
    'namespace',
    'sized-by-annotation',
    'model-gateway.io/memory-limit=400Mi',
  ]);
  const watch = { path: '/api/v1/namespaces', version: versionIn(page), seconds: 6 };
  await recorder.watch('watch-namespaces', watch, ['MODIFIED', 'BOOKMARK']);
  control.kubectl(['delete', 'clusterrolebinding', 'model-gateway-keeper-namespaces']);
  await eventually(() => recorder.keep('namespaces-forbidden', 403, { path: '/api/v1/namespaces?limit=500' }));
}

async function recordEnds({ control }: Cluster, recorder: Recorder): Promise<void> {
  const namespace = await recorder.keep('namespace', 200, { path: objectPaths.namespace });
  const deployment = await recorder.keep('deployment', 200, { path: objectPaths.deployment });
  control.kubectl(['-n', 'model-gateway', 'delete', 'deployment', 'injector', '--wait=false']);
  await eventually(() => recorder.keep('deployment-absent', 404, { path: objectPaths.deployment }));
  const watch = (path: string, object: Record<string, unknown>) => ({
    path: watchOf(path),
    version: versionIn(object),
    seconds: 6,
  });
  await recorder.watch('watch-deployment-deleted', watch(objectPaths.deployment, deployment), ['DELETED']);
  control.kubectl(['delete', 'namespace', 'model-gateway', '--wait=false']);
  await recorder.watch('watch-namespace-deleted', watch(objectPaths.namespace, namespace), ['MODIFIED']);
}
