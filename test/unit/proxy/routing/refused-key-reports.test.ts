import { describe, expect, it } from 'vitest';
import { createBackground } from '../../../../common/background.ts';
import { encodeRefusedKeys } from '../../../../proxy/control-plane/wire-refused-keys.ts';
import type { KeyOut } from '../../../../proxy/routing/health-events.ts';
import { type RefusedKey, RefusedKeyReports } from '../../../../proxy/routing/refused-key-reports.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

const out: KeyOut = { organization: 'org', providerKeyId: 'key-1', model: undefined, cause: 'key' };

type Response = readonly string[] | 'refused' | 'away';

function open() {
  const time = new VirtualTime();
  const sent: (readonly RefusedKey[])[] = [];
  const counts = { reported: 0, dropped: 0 };
  const control: { respond: (keys: readonly RefusedKey[]) => Response } = { respond: () => [] };
  const reports = new RefusedKeyReports({
    client: {
      report: async (keys) => {
        sent.push(keys);
        const response = control.respond(keys);
        if (response === 'away') throw new Error('away');
        return response;
      },
    },
    ...{ clock: time, timers: time, random: () => 1 },
    background: createBackground({ log: silentLog, onFailure: (task) => expect.fail(task) }),
    metrics: {
      keyReport: (result, keys) => {
        counts[result] += keys;
      },
    },
  });
  return {
    time,
    sent,
    counts,
    control,
    reports,
    add: (fields: Partial<KeyOut> = {}) => reports.add({ ...out, ...fields }),
  };
}

const ids = (keys: readonly RefusedKey[] = []) => keys.map(({ providerKeyId }) => providerKeyId);

describe('refused provider keys', () => {
  it('are reported within a second, together, with the time at which each was refused', async () => {
    const { time, sent, counts, add } = open();
    const at = time.now();
    add();
    await time.advance(400);
    add({ providerKeyId: 'key-2', cause: 'access', model: 'gpt-provider/o3' });
    await time.advance(60_000);
    expect(sent).toEqual([
      [
        { organizationId: 'org', providerKeyId: 'key-1', cause: 'key', model: undefined, at },
        { organizationId: 'org', providerKeyId: 'key-2', cause: 'access', model: 'gpt-provider/o3', at: at + 400 },
      ],
    ]);
    expect(counts).toEqual({ reported: 2, dropped: 0 });
  });

  it('are one message of the contract, in which only a model that is known has a name', () => {
    const at = Date.parse('2026-11-27T10:00:00.123Z');
    const key = { organizationId: 'org', providerKeyId: 'key-1', cause: 'quota', model: undefined, at } as const;
    expect(encodeRefusedKeys([key, { ...key, cause: 'access', model: 'gpt-provider/o3' }])).toEqual({
      keys: [
        {
          ...{ organizationId: 'org', providerKeyId: 'key-1', cause: 'PROVIDER_KEY_REFUSAL_QUOTA' },
          at: '2026-11-27T10:00:00.123Z',
        },
        {
          ...{ organizationId: 'org', providerKeyId: 'key-1', cause: 'PROVIDER_KEY_REFUSAL_ACCESS' },
          ...{ model: 'gpt-provider/o3', at: '2026-11-27T10:00:00.123Z' },
        },
      ],
    });
  });

  it('that wait are not reported twice, but one model of a key apart from all of them', async () => {
    const { time, sent, add } = open();
    add();
    add({ cause: 'quota' });
    add({ cause: 'access', model: 'gpt-provider/o3' });
    add({ cause: 'access', model: 'gpt-provider/gpt-4o' });
    await time.advance(1_000);
    expect(sent.flat().map(({ cause, model }) => [cause, model])).toEqual([
      ['key', undefined],
      ['access', 'gpt-provider/o3'],
    ]);
    add();
    await time.advance(1_000);
    expect(sent.length).toBe(2);
  });

  it('are kept while the control plane is away, and reported once it is back, within a minute', async () => {
    const { time, sent, counts, control, reports, add } = open();
    control.respond = () => 'away';
    add();
    const at = time.now();
    await time.advance(3_600_000);
    expect(reports.waiting).toBe(1);
    const tries = sent.length;
    expect(tries).toBeGreaterThan(50);
    expect(tries).toBeLessThan(70);
    control.respond = () => [];
    await time.advance(60_000);
    expect(sent.slice(tries).flat()).toMatchObject([{ providerKeyId: 'key-1', at }]);
    expect([reports.waiting, counts]).toEqual([0, { reported: 1, dropped: 0 }]);
  });

  it('wait up to fifty of an organization and a thousand in all; the others are dropped and counted', async () => {
    const { time, sent, counts, control, reports, add } = open();
    control.respond = () => 'away';
    for (let key = 0; key < 60; key++) add({ organization: 'greedy', providerKeyId: `greedy-${key}` });
    expect([reports.waiting, counts.dropped]).toEqual([50, 10]);
    add();
    expect(reports.waiting).toBe(51);
    for (let key = 0; key < 1_000; key++) add({ organization: `org-${key}`, providerKeyId: `key-of-${key}` });
    expect([reports.waiting, counts.dropped]).toEqual([1_000, 10 + 51]);
    control.respond = () => [];
    await time.advance(120_000);
    expect(counts).toEqual({ reported: 1_000, dropped: 61 });
    expect(Math.max(...sent.map(({ length }) => length))).toBe(100);
    add({ organization: 'greedy', providerKeyId: 'greedy-61' });
    expect(reports.waiting).toBe(1);
  });

  it('of a refused report are reported one by one, so that only the wrong one is dropped', async () => {
    const { time, sent, counts, control, add } = open();
    control.respond = (keys) => (ids(keys).includes('wrong') ? 'refused' : []);
    for (const providerKeyId of ['key-1', 'wrong', 'key-2']) add({ providerKeyId });
    await time.advance(5_000);
    expect(sent.map(ids)).toEqual([['key-1', 'wrong', 'key-2'], ['key-1'], ['wrong'], ['key-2']]);
    expect(counts).toEqual({ reported: 2, dropped: 1 });
    for (const providerKeyId of ['key-3', 'key-4']) add({ providerKeyId });
    await time.advance(1_000);
    expect(ids(sent.at(-1))).toEqual(['key-3', 'key-4']);
  });

  it('whose organization has no turn are reported later, after those of others', async () => {
    const { time, sent, counts, control, add } = open();
    control.respond = (keys) => ids(keys).filter((id) => id === 'busy');
    for (const providerKeyId of ['busy', 'key-1']) add({ providerKeyId });
    await time.advance(1_000);
    expect(counts).toEqual({ reported: 1, dropped: 0 });
    control.respond = () => [];
    await time.advance(10_000);
    expect(sent.map(ids)).toEqual([['busy', 'key-1'], ['busy']]);
    expect(counts).toEqual({ reported: 2, dropped: 0 });
  });

  it('are reported once more when the gateway stops; what is left then is counted as dropped', async () => {
    const { time, sent, counts, control, reports, add } = open();
    add();
    await reports.close();
    expect(counts).toEqual({ reported: 1, dropped: 0 });
    control.respond = () => 'away';
    const late = open();
    late.control.respond = () => 'away';
    late.add();
    await late.reports.close();
    await late.time.advance(600_000);
    expect([late.sent.length, late.counts]).toEqual([1, { reported: 0, dropped: 1 }]);
    add();
    await time.advance(600_000);
    expect([sent.length, counts]).toEqual([1, { reported: 1, dropped: 1 }]);
  });
});
