// Secrets against recordings of a real API server: the server accepted the written requests, and refusals are
// recognized by their status.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../keeper/api/client.ts';
import { paths, versionOf } from '../../../keeper/api/sources.ts';
import { isUnwanted } from '../../../keeper/authority/keep.ts';
import { readSecret, writeSecret } from '../../../keeper/authority/secrets.ts';
import { type RecordedApi, recordedObject, recordingOf, startRecordedApi } from '../../support/recorded-api.ts';

const ref = { namespace: 'model-gateway', name: 'injector-tls' };
const path = paths.secret(ref.namespace, ref.name);

let api: RecordedApi;
let client: ApiClient;

beforeEach(async () => {
  api = await startRecordedApi();
  client = createApiClient({
    url: api.url,
    ca: { current: readFileSync(api.caFile) },
    token: { current: 'a-token' },
    userAgent: 'test',
  });
});
afterEach(async () => {
  client.close();
  await api.close();
});

it('an empty Secret is written from the version that was read', async () => {
  api.on('GET', path, recordingOf('secret-empty'));
  api.on('PATCH', path, recordingOf('secret-written'));
  const empty = await readSecret(client, ref);
  expect(empty.data).toEqual({});
  const written = await writeSecret(client, empty, { 'ca.crt': 'a' });
  expect(api.to('PATCH', path)[0]?.body).toEqual(recordingOf('secret-written').request?.body);
  expect(written).toEqual({
    ...ref,
    data: { 'ca.crt': 'a' },
    version: versionOf(recordedObject('secret-written')),
  });
});

it('a Secret that another writer changed in between is an error', async () => {
  api.on('GET', path, recordingOf('secret-empty'));
  api.on('PATCH', path, recordingOf('secret-conflict'));
  const empty = await readSecret(client, ref);
  await expect(writeSecret(client, empty, { 'ca.crt': 'a' })).rejects.toMatchObject({ status: 409 });
});

it.each([
  ['without the right to read the Secret', 'secret-forbidden', 403],
  ['without the Secret', 'webhook-absent', 404],
])('a namespace %s needs no certificate', async (_, recording, status) => {
  api.on('GET', path, recordingOf(recording));
  const error = await readSecret(client, ref).catch((one: unknown) => one);
  expect(error).toMatchObject({ status });
  expect(isUnwanted(error)).toBe(true);
});
