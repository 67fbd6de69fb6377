// Operators' reports of usage against the requests that callers really sent through proxies: totals by every dimension,
// and the last use of a key.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nanoOfUsd } from '../../../common/money.ts';
import { chat } from '../../support/chat-requests.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { costOf, type RecordedRequest, recordedRequests } from '../../support/recorded.ts';

interface Made {
  readonly keyId: string;
  readonly aiSystemId: string | undefined;
  readonly personId: string | undefined;
  readonly model: string;
  readonly failed: boolean;
}

let gateway: TestGateway;
let rows: readonly RecordedRequest[];
const made: Made[] = [];
const unused: string[] = [];
let begun: number;
let ended: number;

const models = ['gpt-provider/gpt-4o-mini', 'gpt-provider/gpt-4.1', 'search-provider/gemini-2.5-flash'];

beforeAll(async () => {
  gateway = await startGateway();
  const { organization } = gateway;
  const { api, id: organizationId, ownerId } = organization;
  await organization.storeProviderKeys();
  const system = String((await api.call('AiSystems/Create', { organizationId, name: 'bot' })).id);
  const scopes = [
    { scope: { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system }, aiSystemId: system, personId: undefined },
    { scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: ownerId }, aiSystemId: undefined, personId: ownerId },
    { scope: undefined, aiSystemId: undefined, personId: undefined },
  ];
  unused.push((await organization.createKey()).id);
  begun = Date.now();
  for (const [index, { scope, ...ids }] of scopes.entries()) {
    const key = await organization.createKey(scope === undefined ? {} : { scope });
    for (const model of models) {
      for (let count = 0; count <= index; count++) {
        const failed = count === 2;
        if (failed) gateway.simulator.script({ status: 400 });
        const { outcome } = await chat(key.value, { model, stream: false })(gateway.proxy);
        expect(outcome.startsWith('200')).toBe(!failed);
        made.push({ keyId: key.id, ...ids, model, failed });
      }
    }
  }
  ended = Date.now();
  rows = await until(async () => {
    const found = await recordedRequests(gateway);
    return found.length >= made.length && found;
  });
});
afterAll(() => gateway?.close());

interface Total {
  readonly requests: number;
  readonly failed: number;
  readonly cost: number;
  readonly tokens: number;
}

type Dimension = 'aiSystemId' | 'personId' | 'keyId' | 'model' | 'provider' | 'at';

/** By value of the dimension; the empty text for rows without one. */
async function totals(groupBy: string, field: Dimension): Promise<Readonly<Record<string, Total>>> {
  const { organization } = gateway;
  const requested = { organizationId: organization.id, groupBy: [`USAGE_DIMENSION_${groupBy}`] };
  const response = await organization.api.call('Usage/Totals', requested);
  const found = response.totals as readonly (Partial<Record<Dimension, string>> & {
    requests: string;
    failedRequests: string;
    costUsd: string;
    tokens: { prompt: string; completion: string };
  })[];
  return Object.fromEntries(
    found.map(({ requests, failedRequests, costUsd, tokens, ...group }) => [
      group[field] ?? '',
      {
        ...{
          requests: Number(requests),
          failed: Number(failedRequests),
          cost: nanoOfUsd(costUsd) ?? Number.NaN,
        },
        tokens: Number(tokens.prompt) + Number(tokens.completion),
      },
    ]),
  );
}

/** The same, computed from the sent and exported requests. */
function expected(of: (row: RecordedRequest) => string): Readonly<Record<string, Total>> {
  const sums: Record<string, Total> = {};
  for (const row of rows) {
    const value = of(row);
    const { requests, failed, cost, tokens } = sums[value] ?? { requests: 0, failed: 0, cost: 0, tokens: 0 };
    sums[value] = {
      ...{ requests: requests + 1, failed: failed + (row.status >= 400 ? 1 : 0), cost: cost + costOf(row) },
      tokens: tokens + row.promptTokens + row.completionTokens,
    };
  }
  return sums;
}

describe('usage as operators see it', () => {
  it('has one row for each request that was sent', () => {
    const ofMade = ({ keyId, aiSystemId, personId, model, failed }: Made) =>
      [keyId, aiSystemId, personId, model, failed].join();
    const ofRow = ({ keyId, aiSystemId, personId, modelAsked, status }: RecordedRequest) =>
      [keyId, aiSystemId, personId, modelAsked, status >= 400].join();
    expect(rows.map(ofRow).toSorted()).toEqual(made.map(ofMade).toSorted());
    for (const row of rows) {
      expect(Date.parse(row.at)).toBeGreaterThanOrEqual(begun - 1_000);
      expect(Date.parse(row.at)).toBeLessThanOrEqual(ended + 1_000);
      expect(costOf(row) > 0).toBe(row.status === 200);
    }
  });

  const dimensions: readonly (readonly [string, Dimension, (row: RecordedRequest) => string])[] = [
    ['AI_SYSTEM', 'aiSystemId', ({ aiSystemId = '' }) => aiSystemId],
    ['PERSON', 'personId', ({ personId = '' }) => personId],
    ['KEY', 'keyId', ({ keyId }) => keyId],
    ['MODEL', 'model', ({ modelAsked }) => modelAsked],
    ['PROVIDER', 'provider', ({ provider }) => provider],
    ['DAY', 'at', ({ at }) => `${at.slice(0, 10)}T00:00:00.000Z`],
    ['HOUR', 'at', ({ at }) => `${at.slice(0, 13)}:00:00.000Z`],
  ];

  it.each(dimensions)('sums up by %s', async (groupBy, field, of) => {
    const found = await totals(groupBy, field);
    const times = Object.entries(found).map(([value, total]) => [
      field === 'at' ? new Date(value).toISOString() : value,
      total,
    ]);
    expect(Object.fromEntries(times)).toEqual(expected(of));
  });

  it('shows the last use of a key within a minute, and nothing for an unused key', async () => {
    const lastUse = async (id: string) =>
      (await gateway.organization.api.call('VirtualKeys/Get', { id })).lastUsedAt as string | undefined;
    for (const keyId of new Set(made.map((each) => each.keyId))) {
      const newest = Math.max(...rows.filter((row) => row.keyId === keyId).map(({ at }) => Date.parse(at)));
      const shown = Date.parse((await lastUse(keyId)) ?? '');
      expect(shown).toBeLessThanOrEqual(newest);
      expect(shown).toBeGreaterThan(newest - 60_000);
    }
    for (const id of unused) expect(await lastUse(id)).toBeUndefined();
  });
});
