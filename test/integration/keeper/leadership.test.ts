// Election of the acting keeper by a Lease, against recordings of a real API server and with the clock of the test.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Timers } from '../../../common/timers.ts';
import { type ApiClient, createApiClient } from '../../../keeper/api/client.ts';
import { type Leadership, startLeadership } from '../../../keeper/api/leadership.ts';
import { paths, versionOf } from '../../../keeper/api/sources.ts';
import { leaseName } from '../../../keeper/app.ts';
import { until } from '../../support/process.ts';
import { type RecordedApi, recordedObject, recordingOf, startRecordedApi } from '../../support/recorded-api.ts';
import { silentLog } from '../../support/silent-log.ts';

const path = paths.lease('model-gateway', leaseName);

let api: RecordedApi;
let client: ApiClient;
let leadership: Leadership | undefined;
let monotonic: number;
/** Ends the wait for the next run. */
let wake: (() => void) | undefined;

beforeEach(async () => {
  api = await startRecordedApi();
  client = createApiClient({
    url: api.url,
    ca: { current: readFileSync(api.caFile) },
    token: { current: 'a-token' },
    userAgent: 'test',
  });
  [monotonic, wake] = [0, undefined];
});
afterEach(async () => {
  await leadership?.close();
  client.close();
  await api.close();
});

const timers: Timers = {
  after: (_ms, task) => {
    wake = task;
    return () => {
      wake = undefined;
    };
  },
};
const isOver = () => until(() => wake !== undefined, { what: 'the end of a round' });

/** Returns after its first run. */
async function started(identity: string): Promise<Leadership> {
  leadership = startLeadership({
    ...{ client, path, identity, timers, log: silentLog, onChange: () => {} },
    clock: { now: () => Date.parse('2026-11-22T12:00:00Z'), monotonic: () => monotonic },
  });
  await isOver();
  return leadership;
}

async function roundAt(ms: number): Promise<void> {
  monotonic = ms;
  const task = wake;
  wake = undefined;
  task?.();
  await isOver();
}

it('a lease without a holder is claimed as the API server accepts it, from the version that was read', async () => {
  api.on('GET', path, recordingOf('lease-empty'));
  api.on('PATCH', path, recordingOf('lease-claimed'));
  const one = await started('another-keeper');
  expect(one.isLeader()).toBe(true);
  const [sent] = api.to('PATCH', path);
  expect(sent?.body).toMatchObject(recordingOf('lease-claimed').request?.body ?? {});
  expect(sent?.body).toMatchObject({ spec: { leaseTransitions: 1 } });
});

it("another keeper's lease is respected, and claimed when it has not been renewed in time", async () => {
  api.on('GET', path, recordingOf('lease-held'));
  api.on('PATCH', path, recordingOf('lease-claimed'));
  const one = await started('a-late-keeper');
  await roundAt(15_000);
  expect([one.isLeader(), api.to('PATCH', path).length]).toEqual([false, 0]);
  await roundAt(15_001);
  expect(one.isLeader()).toBe(true);
  expect(api.to('PATCH', path)[0]?.body).toMatchObject({
    metadata: { resourceVersion: versionOf(recordedObject('lease-held')) },
    spec: { holderIdentity: 'a-late-keeper' },
  });
});

it('a keeper that comes second to a free lease does not act', async () => {
  api.on('GET', path, recordingOf('lease-empty'), recordingOf('lease-held'));
  api.on('PATCH', path, recordingOf('lease-conflict'));
  const one = await started('a-late-keeper');
  expect(one.isLeader()).toBe(false);
  await roundAt(3_000);
  expect([one.isLeader(), api.to('PATCH', path).length]).toEqual([false, 1]);
});

it('a keeper that cannot renew stops before another may begin', async () => {
  api.on('GET', path, recordingOf('lease-empty'));
  api.on('PATCH', path, recordingOf('lease-claimed'));
  const one = await started('another-keeper');
  api.setOpen(false);
  await roundAt(9_999);
  expect(one.isLeader()).toBe(true);
  monotonic = 10_000;
  expect(one.isLeader()).toBe(false);
});
