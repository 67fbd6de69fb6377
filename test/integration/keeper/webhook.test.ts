// Maintenance of the webhook configuration, against recordings of a real API server: the writes, the untouched parts,
// and concurrent writes by others.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import { type ApiClient, ApiError, createApiClient } from '../../../keeper/api/client.ts';
import { paths, versionOf } from '../../../keeper/api/sources.ts';
import { keepWebhook, type WebhookDeps } from '../../../keeper/webhook.ts';
import { type RecordedApi, recordedObject, recordingOf, startRecordedApi } from '../../support/recorded-api.ts';
import { silentLog } from '../../support/silent-log.ts';

let api: RecordedApi;
let client: ApiClient;
let written: string[];
let seen: boolean[];

beforeEach(async () => {
  api = await startRecordedApi();
  client = createApiClient({
    url: api.url,
    ca: { current: readFileSync(api.caFile) },
    token: { current: 'a-token' },
    userAgent: 'test',
  });
  [written, seen] = [[], []];
});
afterEach(async () => {
  client.close();
  await api.close();
});

const path = paths.webhook('model-gateway-injector');
const bundle = '-----BEGIN CERTIFICATE-----\nbm90IGxvb2tlZCBhdA==\n-----END CERTIFICATE-----\n';
const encoded = Buffer.from(bundle).toString('base64');

function keep(over: Partial<WebhookDeps> & { around?: Partial<ReturnType<WebhookDeps['surroundings']>> } = {}) {
  const { around, ...rest } = over;
  const surroundings = {
    bundle,
    namespace: recordedObject('namespace'),
    deployment: 'there' as const,
    ...around,
  };
  return keepWebhook({
    ...{ client, log: silentLog, namespace: 'model-gateway', surroundings: () => surroundings },
    isLeader: () => true,
    onWritten: (what) => written.push(what),
    onSeen: (isThere) => seen.push(isThere),
    ...rest,
  });
}

const patches = () => api.to('PATCH', path).map(({ body }) => body as { op: string; path: string; value: unknown }[]);

describe('a webhook configuration without its authority', () => {
  beforeEach(() => {
    api.on('GET', path, recordingOf('webhook-without-authority'));
    api.on('PATCH', path, recordingOf('webhook-patched'));
  });

  it('gets it in each webhook, with the namespace as its owner, from the version that was read', async () => {
    await keep();
    const [patch = []] = patches();
    const { webhooks } = recordedObject('webhook-without-authority') as { webhooks: JsonObject[] };
    expect(webhooks).toHaveLength(3);
    expect(patch).toEqual([
      {
        op: 'test',
        path: '/metadata/resourceVersion',
        value: versionOf(recordedObject('webhook-without-authority')),
      },
      ...webhooks.map((_, index) => ({
        op: 'add',
        path: `/webhooks/${index}/clientConfig/caBundle`,
        value: encoded,
      })),
      {
        op: 'add',
        path: '/metadata/ownerReferences',
        value: [{ apiVersion: 'v1', kind: 'Namespace', name: 'model-gateway', uid: expect.any(String) }],
      },
    ]);
    expect(written).toEqual(['ca_bundle', 'owner']);
    expect(seen).toEqual([true]);
  });

  it('gets it from any keeper, because pods are refused until then', async () => {
    await keep({ isLeader: () => false });
    expect(patches()).toHaveLength(1);
  });

  it('is read again when another writer changed it in between', async () => {
    api.on('PATCH', path, recordingOf('webhook-patch-outdated'), recordingOf('webhook-patched'));
    await keep();
    expect([api.to('GET', path).length, patches().length]).toEqual([2, 2]);
  });

  it('is left for the next run when that happens repeatedly', async () => {
    api.on('PATCH', path, recordingOf('webhook-patch-outdated'));
    await expect(keep()).rejects.toThrow(ApiError);
    expect(patches()).toHaveLength(3);
    expect(written).toEqual([]);
  });

  it('gets only its owner while the authority is unknown', async () => {
    await keep({ around: { bundle: undefined } });
    expect(patches()[0]?.map(({ path: at }) => at)).toEqual(['/metadata/resourceVersion', '/metadata/ownerReferences']);
  });
});

describe('a changed webhook configuration', () => {
  /** As recorded, with other authorities and owners. */
  function changed(bundles: readonly (string | undefined)[], owners: readonly object[]): JsonObject {
    const object = structuredClone(recordedObject('webhook-patched')) as {
      webhooks: { clientConfig: JsonObject }[];
      metadata: JsonObject;
    };
    object.webhooks.forEach((webhook, index) => {
      webhook.clientConfig.caBundle = bundles[index];
    });
    object.metadata.ownerReferences = owners;
    return object;
  }
  const { uid } = recordedObject('namespace').metadata as { uid: string };
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'model-gateway', uid };
  const get = (object: JsonObject) => api.on('GET', path, { status: 200, body: object });
  beforeEach(() => api.on('PATCH', path, recordingOf('webhook-patched')));

  it('is not written when it is complete', async () => {
    get(changed([encoded, encoded, encoded], [owner]));
    await keep();
    expect(patches()).toEqual([]);
  });

  it('is corrected by the acting keeper only', async () => {
    get(changed([encoded, 'b3RoZXI=', encoded], [owner]));
    await keep({ isLeader: () => false });
    expect(patches()).toEqual([]);
    await keep();
    expect(patches()[0]?.map(({ path: at }) => at)).toEqual([
      '/metadata/resourceVersion',
      '/webhooks/1/clientConfig/caBundle',
    ]);
  });

  it('loses an earlier namespace of the same name as owner, and keeps other owners', async () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '1' };
    get(changed([encoded, encoded, encoded], [{ ...owner, uid: 'earlier' }, other]));
    await keep();
    expect(patches()[0]?.at(-1)?.value).toEqual([other, owner]);
  });

  it('keeps a webhook that calls another service', async () => {
    const object = changed([encoded, encoded, undefined], [owner]) as {
      webhooks: { clientConfig: JsonObject }[];
    };
    const [, , third] = object.webhooks;
    if (third !== undefined) third.clientConfig = { url: 'https://elsewhere.example' };
    get(object as unknown as JsonObject);
    await keep();
    expect(patches()).toEqual([]);
  });
});

describe('the deletion of the injector', () => {
  const deleting = () => {
    const last = (recordingOf('watch-namespace-deleted').lines ?? []).find((line) => line.type === 'MODIFIED');
    return last?.object as JsonObject;
  };
  beforeEach(() => {
    api.on('GET', path, recordingOf('webhook-patched'));
    api.on('DELETE', path, recordingOf('webhook-deleted'));
  });

  it.each([
    ['its namespace is being deleted', () => ({ namespace: deleting() })],
    ['its Deployment is', () => ({ deployment: 'going' as const })],
  ])('deletes the configuration, whichever keeper acts: %s', async (_, around) => {
    await keep({ isLeader: () => false, around: around() });
    const [sent] = api.to('DELETE', path);
    expect(sent?.body).toMatchObject({
      preconditions: { uid: (recordedObject('webhook-patched').metadata as JsonObject).uid },
    });
    expect(patches()).toEqual([]);
    expect(written).toEqual(['deleted']);
  });

  it('is not assumed when the Deployment is unknown', async () => {
    api.on('PATCH', path, recordingOf('webhook-patched'));
    await keep({ around: { deployment: 'unknown' } });
    expect(api.to('DELETE', path)).toEqual([]);
  });

  it.each(['webhook-delete-another', 'webhook-absent'])(
    'is complete when another configuration exists by now, or none: %s',
    async (recording) => {
      api.on('DELETE', path, recordingOf(recording));
      await keep({ around: { deployment: 'going' } });
      expect(written).toEqual(['deleted']);
    },
  );
});

it('a missing webhook configuration is not written', async () => {
  api.on('GET', path, recordingOf('webhook-absent'));
  await keep();
  expect([patches(), seen]).toEqual([[], [false]]);
});

it('an unknown account is an error with that text', async () => {
  api.on('GET', path, recordingOf('unauthorized'));
  await expect(keep()).rejects.toThrow('the API server responded with 401: Unauthorized');
});
