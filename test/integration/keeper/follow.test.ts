// Objects of the API server in their present state, whatever happens to the watch that reports them: recordings of a
// real server, over HTTPS.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../common/clock.ts';
import type { JsonObject } from '../../../common/json.ts';
import { createLogger } from '../../../common/logger.ts';
import { systemTimers, type Timers } from '../../../common/timers.ts';
import { type ApiClient, createApiClient } from '../../../keeper/api/client.ts';
import { type Followed, follow } from '../../../keeper/api/follow.ts';
import { allObjects, metadataOf, oneObject, paths, type Source, versionOf } from '../../../keeper/api/sources.ts';
import { until } from '../../support/process.ts';
import { type RecordedApi, recordedObject, recordingOf, startRecordedApi } from '../../support/recorded-api.ts';

let api: RecordedApi;
let client: ApiClient;
const following: Followed[] = [];
const lines: string[] = [];
let changes: number;

beforeEach(async () => {
  api = await startRecordedApi();
  client = createApiClient({
    url: api.url,
    ca: { current: readFileSync(api.caFile) },
    token: { current: 'a-token' },
    userAgent: 'test',
  });
  changes = 0;
  lines.length = 0;
});
afterEach(async () => {
  for (const one of following.splice(0)) one.close();
  client.close();
  await api.close();
});

function followed(source: Source, timers = systemTimers): Followed {
  const log = createLogger({ name: 'test', level: 'info', stream: { write: (line) => lines.push(line) } });
  const one = follow(source, {
    ...{ client, log, clock: systemClock, timers },
    onChange: () => void changes++,
  });
  following.push(one);
  return one;
}

const webhook = paths.webhook('model-gateway-injector');
const webhookWatch = webhook;
const eventually = (what: string, is: () => boolean) => until(is, { what });
const typeOf = (line: JsonObject) => line.type;
const recordedWatch = () => recordingOf('watch-webhook').lines ?? [];
const objectIn = (line: JsonObject | undefined) => (line?.object ?? {}) as JsonObject;

describe('a followed object', () => {
  it('is read once, and its watch begins with the present state, with the account’s token', async () => {
    api.on('GET', webhook, recordingOf('webhook-patched'));
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the watch', () => api.to('WATCH', webhookWatch).length === 1);
    expect(one.object).toEqual(recordedObject('webhook-patched'));
    const [watch] = api.to('WATCH', webhookWatch);
    // The object's own version may be older than the server's history.
    expect(watch?.query.has('resourceVersion')).toBe(false);
    expect(watch?.query.get('allowWatchBookmarks')).toBe('true');
    expect(watch?.authorization).toBe('Bearer a-token');
    expect(api.to('GET', webhook)).toHaveLength(1);
  });

  it('is deleted and created again as the watch reports, and a bookmark moves the start of the next watch', async () => {
    const reported = recordedWatch();
    expect(reported.map(typeOf)).toEqual(expect.arrayContaining(['DELETED', 'ADDED', 'BOOKMARK']));
    api.on('GET', webhook, recordingOf('webhook-patched'));
    const deleted = reported.findIndex((line) => line.type === 'DELETED');
    const until_ = (index: number) => ({ status: 200, lines: reported.slice(0, index) });
    api.on(
      'WATCH',
      webhookWatch,
      { ...until_(deleted + 1), ending: 'end' },
      { status: 200, lines: reported.slice(deleted + 1), ending: 'end' },
      { status: 200, lines: [] },
    );
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the third watch', () => api.to('WATCH', webhookWatch).length === 3);
    const versions = api.to('WATCH', webhookWatch).map(({ query }) => query.get('resourceVersion'));
    expect(versions.slice(1)).toEqual([versionOf(objectIn(reported[deleted])), versionOf(objectIn(reported.at(-1)))]);
    expect(reported.at(-1)?.type).toBe('BOOKMARK');
    const added = reported.findLast((line) => line.type === 'ADDED' || line.type === 'MODIFIED');
    expect(one.object).toEqual(objectIn(added));
    expect(api.to('GET', webhook)).toHaveLength(1);
  });

  it('that does not exist is waited for, and reported when it is created', async () => {
    api.on('GET', webhook, recordingOf('webhook-absent'));
    const added = recordedWatch().filter((line) => line.type === 'ADDED');
    api.on('WATCH', webhookWatch, { status: 200, lines: added });
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the object', () => one.object !== undefined);
    expect(api.to('WATCH', webhookWatch)[0]?.query.has('resourceVersion')).toBe(false);
    expect(one.object).toEqual(objectIn(added[0]));
  });

  it('is read again when the watch’s version is too old', async () => {
    api.on('GET', webhook, recordingOf('webhook-without-authority'), recordingOf('webhook-patched'));
    expect((recordingOf('watch-too-old').lines ?? []).map(typeOf)).toEqual(['ERROR']);
    api.on('WATCH', webhookWatch, { ...recordingOf('watch-too-old'), ending: 'end' }, { status: 200, lines: [] });
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the second reading', () => api.to('GET', webhook).length === 2);
    await eventually(
      'what it read',
      () => versionOf(one.object ?? {}) === versionOf(recordedObject('webhook-patched')),
    );
    expect(lines.join('')).not.toContain('cannot be read');
  });

  it('is never watched from a version that was too old', async () => {
    api.on('GET', webhook, recordingOf('webhook-patched'));
    const tooOld = { ...recordingOf('watch-too-old'), ending: 'end' as const };
    api.on('WATCH', webhookWatch, tooOld, tooOld, { status: 200, lines: [] });
    followed(oneObject('webhooks', webhook));
    await eventually('the third watch', () => api.to('WATCH', webhookWatch).length === 3);
    const versions = api.to('WATCH', webhookWatch).map(({ query }) => query.get('resourceVersion'));
    expect(versions).toEqual([null, null, null]);
  });

  it('is read again when its watch has reported nothing: it was deleted before the watch began', async () => {
    api.on('GET', webhook, recordingOf('webhook-patched'), recordingOf('webhook-absent'));
    const bookmark = recordedWatch().filter(({ type }) => type === 'BOOKMARK');
    api.on('WATCH', webhookWatch, { status: 200, lines: bookmark, ending: 'end' }, { status: 200, lines: [] });
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the second watch', () => api.to('WATCH', webhookWatch).length === 2);
    expect([one.objects?.size, one.object]).toEqual([0, undefined]);
    expect(api.to('GET', webhook)).toHaveLength(2);
  });

  it('misses nothing when the connection is cut within a line: the next watch continues after the last whole line', async () => {
    const reported = recordedWatch();
    const deleted = reported.findIndex((line) => line.type === 'DELETED');
    api.on('GET', webhook, recordingOf('webhook-patched'));
    api.on(
      'WATCH',
      webhookWatch,
      { status: 200, lines: reported.slice(0, deleted + 1), ending: 'cut' },
      { status: 200, lines: [] },
    );
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the second watch', () => api.to('WATCH', webhookWatch).length === 2);
    expect(api.to('WATCH', webhookWatch)[1]?.query.get('resourceVersion')).toBe(versionOf(objectIn(reported[deleted])));
    expect(one.object).toBeUndefined();
    expect(api.to('GET', webhook)).toHaveLength(1);
    expect(lines.join('')).toContain('cannot be read; trying again');
  });

  it('survives an outage of the API server, which is logged once at its beginning and once at its end', async () => {
    api.on('GET', webhook, recordingOf('webhook-patched'));
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the object', () => one.object !== undefined);
    api.setOpen(false);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(one.object).toBeDefined();
    api.setOpen(true);
    const before = api.to('WATCH', webhookWatch).length;
    await eventually('another watch', () => api.to('WATCH', webhookWatch).length > before);
    expect(lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
  });

  it('is not changed by a watch that sends nonsense', async () => {
    api.on('GET', webhook, recordingOf('webhook-patched'));
    api.on(
      'WATCH',
      webhookWatch,
      { status: 200, lines: [{ hello: 'there' }], ending: 'end' },
      { status: 200, lines: [] },
    );
    const one = followed(oneObject('webhooks', webhook));
    await eventually('the second watch', () => api.to('WATCH', webhookWatch).length === 2);
    expect(one.object).toEqual(recordedObject('webhook-patched'));
    expect(lines.join('')).toContain('something else than events');
  });
});

describe('all objects of a kind', () => {
  const names = (one: Followed) => [...(one.objects?.values() ?? [])].map((object) => metadataOf(object).name).sort();
  const whole = (object: JsonObject) => object;

  it('are read in pages, and followed from the version of the last page', async () => {
    api.on('GET', paths.namespaces, recordingOf('namespaces-page-of-2'), recordingOf('namespaces-page-after-2'));
    const one = followed(allObjects('namespaces', paths.namespaces, whole));
    await eventually('the watch', () => api.to('WATCH', paths.namespaces).length === 1);
    const items = ['namespaces-page-of-2', 'namespaces-page-after-2'].flatMap(
      (name) => recordedObject(name).items as JsonObject[],
    );
    expect(names(one)).toEqual(items.map((item) => metadataOf(item).name).sort());
    const [, second] = api.to('GET', paths.namespaces);
    expect(second?.query.get('continue')).toBe(metadataOf(recordedObject('namespaces-page-of-2')).continue);
    expect(api.to('WATCH', paths.namespaces)[0]?.query.get('resourceVersion')).toBe(
      versionOf(recordedObject('namespaces-page-after-2')),
    );
  });

  it('are read less and less often while their version is repeatedly too old, which is logged once', async () => {
    api.on('GET', paths.namespaces, recordingOf('namespaces-page-1'));
    api.on('WATCH', paths.namespaces, { ...recordingOf('watch-too-old'), ending: 'end' });
    const waits: number[] = [];
    // All waits end at once.
    const timers: Timers = {
      after: (ms, task) => {
        waits.push(ms);
        return systemTimers.after(0, task);
      },
    };
    followed(allObjects('namespaces', paths.namespaces, whole), timers);
    await eventually('ten readings', () => waits.length >= 10);
    expect(waits[0]).toBeLessThanOrEqual(200);
    for (const wait of waits.slice(6)) expect(wait).toBeGreaterThanOrEqual(2_500);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(5_000);
    expect(lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
    expect(lines.join('')).not.toContain('can be read again');
  });

  it('change one by one', async () => {
    api.on('GET', paths.namespaces, recordingOf('namespaces-page-1'));
    api.on('WATCH', paths.namespaces, recordingOf('watch-namespaces'));
    const one = followed(allObjects('namespaces', paths.namespaces, whole));
    const annotations = () =>
      metadataOf(one.objects?.get('/sized-by-annotation')).annotations as JsonObject | undefined;
    await eventually('the change', () => annotations()?.['model-gateway.io/memory-limit'] === '400Mi');
    expect(one.objects?.size).toBe((recordedObject('namespaces-page-1').items as unknown[]).length);
    expect(changes).toBeGreaterThanOrEqual(2);
  });

  it('are known as forbidden when they may not be read', async () => {
    api.on('GET', paths.namespaces, recordingOf('namespaces-forbidden'));
    const one = followed(allObjects('namespaces', paths.namespaces, whole));
    await eventually('the refusal', () => one.isForbidden);
    expect(one.objects).toBeUndefined();
    expect(lines.join('')).toContain('namespaces is forbidden');
  });
});
