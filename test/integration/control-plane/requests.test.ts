// Rows of requests at the control plane over both databases: recorded once, listed in order by keyset however they are
// filtered, found by id without a scan, and deleted when their organization no longer keeps them.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dayOf } from '../../../common/budget-window.ts';
import { systemClock } from '../../../common/clock.ts';
import { dayMs } from '../../../common/durations.ts';
import { uuidv7 } from '../../../common/uuid.ts';
import {
  type RequestFilter,
  type RowPosition,
  readRequest,
  readRequests,
} from '../../../control-plane/requests/read.ts';
import { tagsIn } from '../../../control-plane/requests/tags-text.ts';
import { keepRequests } from '../../../control-plane/requests/upkeep.ts';
import { createReportRequests, requestsMax } from '../../../control-plane/services/request-report.ts';
import type { Store } from '../../../control-plane/store/store.ts';
import { createUsageDays } from '../../../control-plane/usage/partitions.ts';
import type { ReportRequestsRequest__Output } from '../../../proto/generated/gateway/v1/ReportRequestsRequest.ts';
import type { RequestFacts } from '../../../proto/generated/gateway/v1/RequestFacts.ts';
import type { RequestSource } from '../../../proto/generated/gateway/v1/RequestSource.ts';
import { services } from '../../../proto/load.ts';
import { describeStores } from '../../support/databases.ts';
import { change, insertOrganization } from '../../support/stored-records.ts';

interface Reported {
  readonly id?: string;
  readonly source?: RequestSource;
  readonly facts?: RequestFacts;
}

const proxy = { kind: 'proxy', id: 'proxy', organizationId: undefined, from: '10.0.0.1' } as const;

describeStores('rows of requests', (given) => {
  const organizationId = randomUUID();
  const keyId = randomUUID();
  const daysOf = (store: Store) => createUsageDays({ store, clock: systemClock }, 'requests');
  const withOrganization = (fields: object = {}) =>
    change(given.store, async (tx) => void (await insertOrganization(tx, { id: organizationId, ...fields })));

  function report(rows: readonly Reported[], bound?: string) {
    const { store } = given;
    const run = createReportRequests({ store, days: daysOf(store), clock: systemClock });
    return run({ ...proxy, organizationId: bound }, wire(rows));
  }

  /** As it arrives. */
  function wire(rows: readonly Reported[]): ReportRequestsRequest__Output {
    const method = services.Requests.Report;
    const sources = rows.map(({ source }) => ({ organizationId, keyId, ...source }));
    const requests = rows.map(({ id = uuidv7(), facts }, source) => ({
      ...{ id, source, facts: { status: 200, represents: 1, ...facts } },
    }));
    return method.requestDeserialize(method.requestSerialize({ requests, sources }));
  }

  async function listAll(filter: Partial<RequestFilter> = {}, size = 7) {
    const whole = { organizationId, from: Date.now() - dayMs, to: Date.now() + dayMs, ...filter };
    const ids: string[] = [];
    let after: RowPosition | undefined;
    do {
      const found = await given.store.snapshot((db) => readRequests(db, whole, { after, size }));
      ids.push(...found.rows.map(({ id }) => id));
      after = found.next;
    } while (after !== undefined);
    return ids;
  }

  it('are recorded once, however often they are reported, and of organizations that keep them', async () => {
    await withOrganization();
    const rows = [{ id: uuidv7() }, { id: uuidv7() }, { source: { organizationId: randomUUID() } }];
    expect(await report(rows)).toEqual({ recorded: 2, dropped: 1 });
    expect(await report(rows)).toEqual({ recorded: 0, dropped: 1 });
    expect(await listAll()).toHaveLength(2);
    const old = { id: uuidv7(Date.now() - 3 * dayMs) };
    const ahead = { id: uuidv7(Date.now() + 2 * dayMs) };
    expect(await report([old, ahead])).toEqual({ recorded: 0, dropped: 2 });
    await expect(report([{}], randomUUID())).rejects.toMatchObject({ reason: 'permission_denied' });
    await expect(report(Array.from({ length: requestsMax + 1 }, () => ({})))).rejects.toMatchObject({
      reason: 'invalid_request',
    });
  });

  it('are cleaned and bounded once more, and nothing that a caller sent makes a report fail', async () => {
    await withOrganization();
    const facts = {
      status: 500,
      errorMessage: `x ${'y'.repeat(600)} sk-proj-Ab3dEf6hIj9lMn2pQr5tUv8x`,
      costNanoUsd: '-1',
    };
    const source = {
      userAgent: 'a'.repeat(5_000),
      path: '\u0000/v1',
      modelSent: 'x/'.repeat(2_000),
      route: 'a\u0000\ud83d',
    };
    expect(await report([{ facts, source }, { id: 'no uuid' }])).toEqual({ recorded: 1, dropped: 1 });
    const [row] = await given.store.snapshot((db) => db.selectFrom('requests').selectAll().execute());
    expect(JSON.parse(row?.facts ?? '').errorMessage.length).toBeLessThanOrEqual(500);
    expect(row?.source.length).toBeLessThan(3_000);
  });

  it('are listed newest first in pages, with every filter, and apart from those of others', async () => {
    await withOrganization();
    const other = randomUUID();
    await change(given.store, async (tx) => void (await insertOrganization(tx, { id: other, name: other })));
    const [person, limitId] = [randomUUID(), randomUUID()];
    const rows = Array.from({ length: 60 }, (_, n) => ({
      id: uuidv7(Date.now() - 60_000 + n),
      source: {
        ...(n % 2 === 0 && { personId: person }),
        ...{ model: n % 3 === 0 ? 'gpt-provider/gpt-4o' : 'gpt-provider/gpt-4o-mini', provider: 'gpt-provider' },
        ...(n % 5 === 0 && { organizationId: other }),
      },
      facts: n % 4 === 0 ? { status: 402, errorSource: 'gateway', errorCode: 'budget_exceeded', limitId } : {},
    }));
    await report(rows);
    const newest = (fits: (n: number) => boolean) =>
      rows.flatMap(({ id }, n) => (n % 5 !== 0 && fits(n) ? [id] : [])).toReversed();
    expect(await listAll()).toEqual(newest(() => true));
    expect(await listAll({ personId: person })).toEqual(newest((n) => n % 2 === 0));
    expect(await listAll({ keyId, model: 'gpt-provider/gpt-4o' })).toEqual(newest((n) => n % 3 === 0));
    expect(await listAll({ result: 'refused' })).toEqual(newest((n) => n % 4 === 0));
    expect(await listAll({ errorCode: 'budget_exceeded', decidedBy: limitId }, 1)).toEqual(newest((n) => n % 4 === 0));
    expect(await listAll({ result: 'failed' })).toEqual([]);
  });

  it('have the tags of their requests, by which lists are narrowed', async () => {
    await withOrganization();
    const tags = [{ feature: 'search', user: 'ada' }, { feature: 'search', user: 'ada b' }, { feature: 'Search' }];
    const sent = [...tags, { 'No name': 'x', empty: ' ', feature: 'a\nuser=ada' }, {}].map((each) => ({
      ...{ id: uuidv7(), facts: { tags: each } },
    }));
    expect(await report(sent)).toEqual({ recorded: 5, dropped: 0 });
    const positions = async (wanted: Readonly<Record<string, string>>) =>
      (await listAll({ tags: wanted })).map((id) => sent.findIndex((each) => each.id === id)).toSorted();
    expect(await positions({ feature: 'search' })).toEqual([0, 1]);
    expect(await positions({ feature: 'search', user: 'ada' })).toEqual([0]);
    expect(await positions({ user: 'ad' })).toEqual([]);
    expect(await positions({})).toEqual([0, 1, 2, 3, 4]);
    const rows = await given.store.snapshot((db) => db.selectFrom('requests').select(['id', 'tags']).execute());
    expect(new Map(rows.map(({ id, tags: text }) => [id, tagsIn(text)]))).toEqual(
      new Map(sent.map(({ id }, nth) => [id, tags[nth] ?? {}])),
    );
  });

  it('are found by the id of the row, and by an id that the caller chose', async () => {
    await withOrganization();
    const [id, chosen] = [uuidv7(), uuidv7()];
    const earlier = uuidv7(Date.now() - 1_000);
    await report([
      { id },
      { id: earlier, facts: { requestId: 'my-id' } },
      { id: chosen, facts: { requestId: 'my-id' } },
    ]);
    const find = (wanted: string, fields: object = {}) =>
      given.store.snapshot((db) => readRequest(db, { organizationId, id: wanted, personId: undefined, ...fields }));
    expect((await find(id))?.id).toBe(id);
    expect((await find('my-id'))?.id).toBe(chosen);
    expect(await find(id, { organizationId: randomUUID() })).toBeUndefined();
    expect(await find(id, { personId: randomUUID() })).toBeUndefined();
    expect(await find('other')).toBeUndefined();
  });

  it('are deleted when their organization keeps them no longer', async () => {
    const { store } = given;
    await withOrganization({ request_days: 30 });
    const brief = randomUUID();
    await change(store, async (tx) => void (await insertOrganization(tx, { id: brief, name: brief, request_days: 1 })));
    const days = daysOf(store);
    const ages = [0, 0.5, 2, 20, 40, 100];
    await days.ensureDays(ages.map((age) => dayOf(Date.now() - age * dayMs)));
    for (const organization of [organizationId, brief])
      for (const age of ages) {
        const at = Date.now() - Math.round(age * dayMs);
        const values = sql`${at}, ${uuidv7(at)}, ${organization}, ${keyId}, '', 'ok', '', '', '', '', '', '{}', '{}'`;
        await store.ledger(({ db }) =>
          sql`insert into requests (at, id, organization_id, key_id, request_id, result, error_code, provider, model, route,
            decided_by, source, facts) values (${values})`.execute(db),
        );
      }
    while (await keepRequests({ store, days }));
    const left = async (organization: string) =>
      (
        await store.snapshot((db) =>
          db.selectFrom('requests').select('at').where('organization_id', '=', organization).execute(),
        )
      ).length;
    expect(await left(organizationId)).toBe(4);
    expect(await left(brief)).toBe(2);
  });
});
