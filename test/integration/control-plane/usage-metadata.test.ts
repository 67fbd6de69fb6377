// The metadata of keys in usage, over both databases: the metadata at the time when the key was used, in exported rows
// and in sums. The sums by metadata, together with usage without it, equal the total.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayMs, hourMs } from '../../../common/durations.ts';
import { type AdjustedUsage, recordAdjustment } from '../../../control-plane/ledger/adjustments.ts';
import { keepUp } from '../../../control-plane/ledger/usage-upkeep.ts';
import type { UsageEventRow } from '../../../control-plane/store/schema.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { pastMetadataMax } from '../../../control-plane/usage/metadata.ts';
import { metadataSetsMax, otherValue } from '../../../control-plane/usage/metadata-sets.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import { Random } from '../../support/access/random.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createKey,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { recordEvents, usageEvent } from '../../support/usage-events.ts';

const seed = Date.now() % 1_000_000;

describe.each([
  ['SQLite', freshSqlite],
  ['PostgreSQL', freshPostgres],
])('metadata in usage over %s', (_name, fresh) => {
  let database: StoreDatabase;
  let store: Store;
  let plane: OperatorsPlane;
  let platform: Someone;

  beforeAll(async () => {
    database = await fresh();
    store = await database.open();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    platform = await bootstrap(plane);
  });
  afterAll(async () => {
    await plane.close();
    await database.drop();
  });

  const tenant = () => createTenant(plane, platform, freshName('org'));
  const keyWith = async (of: TestTenant, entries: object, fields: object = {}): Promise<string> =>
    (await createKey(plane, of, { metadata: { entries }, ...fields })).virtualKey.id;
  const setMetadata = (of: TestTenant, id: string, entries: object) =>
    plane.expect('VirtualKeys.Update', of.owner.token, { id, metadata: { entries } });
  const use = (of: TestTenant, keyId: string, fields: Partial<UsageEventRow> = {}) =>
    recordEvents(store, [usageEvent({ organization_id: of.id, key_id: keyId, cost: 1_000_000_000, ...fields })]);
  const totals = async (of: TestTenant, fields: object, token = of.owner.token): Promise<JsonResponse[]> =>
    (
      await plane.expect('Usage.Totals', token, {
        ...{ organizationId: of.id, from: new Date(Date.now() - 3 * dayMs).toISOString() },
        ...{ to: new Date(Date.now() + hourMs).toISOString(), ...fields },
      })
    ).totals;
  /** Number of requests by value of one name; "" for none. */
  const by = async (of: TestTenant, name: string, fields: object = {}, token?: string) => {
    const rows = await totals(of, { groupByMetadata: [name], ...fields }, token);
    return Object.fromEntries(rows.map(({ metadata, requests }) => [metadata[name] ?? '', Number(requests)]));
  };
  const exported = async (of: TestTenant, format: string): Promise<string> => {
    const request = {
      ...{ organizationId: of.id, format, from: new Date(Date.now() - 3 * dayMs).toISOString() },
      to: new Date(Date.now() + hourMs).toISOString(),
    };
    const chunks: { chunk: Buffer }[] = await plane.expect('Usage.Export', of.owner.token, request);
    return chunks.map(({ chunk }) => chunk.toString()).join('');
  };

  it('is in every row of an export, and sums can be grouped and filtered by it', async () => {
    const acme = await tenant();
    const blue = await keyWith(acme, { team: 'blue', stage: 'live' });
    const red = await keyWith(acme, { team: 'red, "fast"', stage: 'live' });
    const plain = await keyWith(acme, {});
    for (const key of [blue, blue, red, plain]) await use(acme, key);
    expect(await by(acme, 'team')).toEqual({ blue: 2, 'red, "fast"': 1, '': 1 });
    expect(await by(acme, 'stage')).toEqual({ live: 3, '': 1 });
    expect(await by(acme, 'unknown')).toEqual({ '': 4 });
    expect(await totals(acme, { groupBy: ['USAGE_DIMENSION_KEY'], groupByMetadata: ['team', 'stage'] })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ keyId: blue, metadata: { team: 'blue', stage: 'live' }, costUsd: '2' }),
        expect.objectContaining({ keyId: plain, metadata: {}, requests: '1', costUsd: '1' }),
      ]),
    );
    expect(await totals(acme, { metadata: { team: 'blue' } })).toMatchObject([{ requests: '2', costUsd: '2' }]);
    expect(await totals(acme, { metadata: { team: 'blue', stage: 'test' } })).toMatchObject([{ requests: '0' }]);
    expect(await by(acme, 'team', { metadata: { stage: 'live' } })).toEqual({ blue: 2, 'red, "fast"': 1 });
    const lines = (await exported(acme, 'USAGE_FORMAT_JSON_LINES'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ keyId, metadata }) => [keyId, metadata])).toEqual(
      expect.arrayContaining([
        [blue, { stage: 'live', team: 'blue' }],
        [plain, undefined],
      ]),
    );
    const csv = await exported(acme, 'USAGE_FORMAT_CSV');
    expect(csv).toMatch(/,metadata,[a-z_,]+\r\n/);
    expect(csv).toContain(',"{""stage"":""live"",""team"":""red, \\""fast\\""""}",');
  });

  it('groups corrections of a key by a bill too, while corrections without a key are in every list of sums', async () => {
    const acme = await tenant();
    const blue = await keyWith(acme, { team: 'blue' });
    const at = Math.floor(Date.now() / dayMs) * dayMs;
    await use(acme, blue, { at });
    const nobody = { organizationId: acme.id, subjectId: acme.id, keyId: '', aiSystemId: '', personId: '' };
    const correct = (amount: number, fields: Partial<AdjustedUsage> = {}) =>
      store.ledger((tx) => recordAdjustment(tx, { ...nobody, model: 'gpt-provider/gpt-4o', at, amount, ...fields }));
    await correct(500_000_000);
    await correct(250_000_000, { subjectId: blue, keyId: blue });
    await correct(-50_000_000, { subjectId: blue, keyId: blue });
    const costs = async (fields: object) => (await totals(acme, fields)).map(({ costUsd }) => costUsd);
    expect(await costs({})).toEqual(['1.7']);
    expect(await costs({ groupBy: ['USAGE_DIMENSION_KEY'] })).toEqual(['0.5', '1.2']);
    expect(await costs({ groupByMetadata: ['team'] })).toEqual(['0.5', '1.2']);
    expect(await costs({ metadata: { team: 'blue' } })).toEqual(['1.2']);
    expect(await by(acme, 'team')).toEqual({ blue: 1, '': 0 });
  });

  it("is the key's metadata at the time of use, even when reported late", async () => {
    const acme = await tenant();
    const key = await keyWith(acme, {});
    const moments: number[] = [];
    for (const team of ['first', 'second', undefined, 'third']) {
      moments.push(Date.now());
      await new Promise((resolve) => setTimeout(resolve, 30));
      await setMetadata(acme, key, team === undefined ? {} : { team });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    for (const at of [...moments, Date.now()]) await use(acme, key, { at });
    expect(await by(acme, 'team')).toEqual({ '': 2, first: 1, second: 1, third: 1 });
    // For times before the stored history, the oldest known metadata applies.
    for (let change = 0; change < pastMetadataMax + 3; change++)
      await setMetadata(acme, key, { team: `later ${change}` });
    await use(acme, key, { at: moments[0] ?? 0 });
    expect(await by(acme, 'team')).toMatchObject({ '': 2, 'later 2': 1 });
    const { rows } = await store.snapshot(async (db) => ({
      rows: await db.selectFrom('key_metadata_past').selectAll().where('key_id', '=', key).execute(),
    }));
    expect(rows).toHaveLength(pastMetadataMax);
  });

  it("is that of the key, else that of its project key, and never another organization's", async () => {
    const [acme, other] = [await tenant(), await tenant()];
    const project = await keyWith(acme, { team: 'project' });
    const own = await keyWith(acme, { team: 'own' });
    const plain = await keyWith(acme, {});
    const foreign = await keyWith(other, { team: 'foreign' });
    await use(acme, own, { project_key_id: project });
    await use(acme, plain, { project_key_id: project });
    await use(acme, plain);
    await use(acme, foreign);
    expect(await by(acme, 'team')).toEqual({ own: 1, project: 1, '': 2 });
    expect(await by(other, 'team')).toEqual({});
  });

  it('stays with earlier usage after the key was revoked', async () => {
    const acme = await tenant();
    const key = await keyWith(acme, { team: 'gone' });
    await plane.expect('VirtualKeys.Revoke', acme.owner.token, { id: key });
    await use(acme, key);
    expect(await by(acme, 'team')).toEqual({ gone: 1 });
  });

  it('groups only their own usage for a member', async () => {
    const acme = await tenant();
    const scope = { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.member.id };
    await use(acme, await keyWith(acme, { team: 'mine' }, { scope }), { person_id: acme.member.id });
    await use(acme, await keyWith(acme, { team: 'theirs' }));
    expect(await by(acme, 'team', {}, acme.member.token)).toEqual({ mine: 1 });
  });

  it('is listed in pages, in one order, for any values', async () => {
    const acme = await tenant();
    const values = ['a', 'B', 'é', '\u{1f600}', 'x'.repeat(512), '\u{1f600}'.repeat(512), '"\\', ' '];
    for (const value of values) await use(acme, await keyWith(acme, { a: value, b: value, c: value, d: value }));
    const request = { organizationId: acme.id, groupByMetadata: ['a', 'b', 'c', 'd'], pageSize: 1 };
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await plane.expect('Usage.Totals', acme.owner.token, { ...request, pageToken });
      seen.push(...page.totals.map(({ metadata }: JsonResponse) => metadata.d));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(seen.toSorted()).toEqual(values.toSorted());
  });

  it(`has sums that add up to the total, under random changes and reports (seed ${seed})`, async () => {
    const acme = await tenant();
    const random = new Random(seed);
    const keys = await Promise.all(['a', 'b', ''].map((team) => keyWith(acme, team === '' ? {} : { team })));
    for (let round = 0; round < 12; round++) {
      const events = Array.from({ length: 40 }, () =>
        usageEvent({
          ...{ organization_id: acme.id, key_id: keys[random.below(3)] ?? '', cost: random.below(1e9) },
          ...{ at: Date.now() - random.below(2 * hourMs), status: random.below(2) === 0 ? 200 : 500 },
        }),
      );
      await Promise.all([recordEvents(store, events), recordEvents(store, events.toReversed())]);
      const changed = keys[random.below(3)] ?? '';
      await setMetadata(acme, changed, random.below(2) === 0 ? {} : { team: `team ${random.below(4)}` });
    }
    const nano = (rows: JsonResponse[]) =>
      rows.reduce((sum, { costUsd }) => sum + Math.round(Number(costUsd) * 1e9), 0);
    const count = (rows: JsonResponse[], field: string) => rows.reduce((sum, row) => sum + Number(row[field]), 0);
    const whole = await totals(acme, {});
    for (const groupBy of [[], ['USAGE_DIMENSION_KEY'], ['USAGE_DIMENSION_HOUR', 'USAGE_DIMENSION_MODEL']]) {
      const rows = await totals(acme, { groupBy, groupByMetadata: ['team'], pageSize: 1000 });
      expect(nano(rows)).toBe(nano(whole));
      for (const field of ['requests', 'failedRequests']) expect(count(rows, field)).toBe(count(whole, field));
      expect(rows.every(({ requests }) => Number(requests) > 0)).toBe(true);
    }
    expect(count(whole, 'requests')).toBe(480);
  });

  it('is distinguished up to a number of sets of an organization, and only by name beyond it', async () => {
    const acme = await tenant();
    const first = await keyWith(acme, { team: 'first' });
    await use(acme, first);
    await store.ledger(async ({ db }) => {
      const rows = Array.from({ length: metadataSetsMax - 1 }, (_, nth) => ({
        ...{ organization_id: acme.id, set_id: `filled ${nth}`, part: 0, used_on: 0 },
      }));
      for (let from = 0; from < rows.length; from += 5000)
        await db
          .insertInto('usage_metadata_sets')
          .values(rows.slice(from, from + 5000))
          .execute();
    });
    for (const team of ['too', 'many']) await use(acme, await keyWith(acme, { team, stage: 'live' }));
    await use(acme, first);
    expect(await by(acme, 'team')).toEqual({ first: 2, [otherValue]: 2 });
    expect(await exported(acme, 'USAGE_FORMAT_JSON_LINES')).toContain(
      `{"stage":"${otherValue}","team":"${otherValue}"}`,
    );
  });

  it('is refused as a group when it is no name, named twice, or too large', async () => {
    const acme = await tenant();
    for (const names of [['no name'], [''], ['team', 'team'], ['a', 'b', 'c', 'd', 'e']]) {
      const request = { organizationId: acme.id, groupByMetadata: names };
      expect(await violated(plane.call('Usage.Totals', acme.owner.token, request))).toEqual(['group_by_metadata']);
    }
    const narrowed = { organizationId: acme.id, metadata: { 'no name': 'x' } };
    expect(await violated(plane.call('Usage.Totals', acme.owner.token, narrowed))).toEqual(['metadata']);
  });

  it('is deleted by the hour like all sums', async () => {
    const acme = await tenant();
    await use(acme, await keyWith(acme, { team: 'old' }));
    const rows = () =>
      store.snapshot((db) =>
        db.selectFrom('usage_metadata_hours').selectAll().where('organization_id', '=', acme.id).execute(),
      );
    expect(await rows()).toHaveLength(1);
    await database.raw(`update usage_metadata_hours set hour = 0 where organization_id = '${acme.id}'`);
    await forget(store);
    expect(await rows()).toEqual([]);
  });
});

async function forget(store: Store): Promise<void> {
  const days = createUsageDays({ store, clock: { monotonic: () => 0 } });
  while (await keepUp({ store, days, keptMs: 400 * dayMs }));
}
