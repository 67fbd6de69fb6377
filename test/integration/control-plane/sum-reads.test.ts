// How many reads of sums an organization has in flight, and what happens to them when their callers leave.
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshPostgres, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  refusal,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';
import { until } from '../../support/process.ts';

const inFlight = 8;
/** So many of them run, the others wait. */
const running = 4;

describe('reads of sums', () => {
  let database: StoreDatabase;
  let plane: OperatorsPlane;
  let acme: TestTenant;
  let other: TestTenant;
  let blocker: Client;

  beforeAll(async () => {
    database = await freshPostgres();
    plane = await startOperatorsPlane({ env: { GATEWAY_DATABASE_URL: database.url } });
    const platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
    other = await createTenant(plane, platform, 'other');
    blocker = new Client({ connectionString: database.url });
    await blocker.connect();
  });
  afterAll(async () => {
    await blocker.end();
    await plane.close();
    await database.drop();
  });

  /** Blocks reads of sums, for less time than a statement may take. */
  async function whileBlocked(work: () => Promise<void>): Promise<void> {
    await blocker.query('begin');
    await blocker.query('lock table usage_folds in access exclusive mode');
    try {
      await work();
    } finally {
      await blocker.query('rollback');
    }
  }

  const waiting = async () => {
    const { rows } = await blocker.query<{ count: string }>(
      "select count(*) as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return Number(rows[0]?.count);
  };

  const totals = (tenant: TestTenant, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${plane.plane.httpPort}/gateway.v1.Usage/Totals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ organizationId: tenant.id }),
      ...(signal && { signal }),
    });

  const called = (code: string) =>
    plane.logs.filter((line) => line.includes('"method":"Usage.Totals"') && line.includes(`"code":"${code}"`)).length;

  it('are eight of an organization; more are refused, and other reads are not', async () => {
    await whileBlocked(async () => {
      const first = Array.from({ length: inFlight }, () => totals(acme));
      await until(async () => (await waiting()) === running);
      const over = await totals(acme);
      expect(over.status).toBe(429);
      expect(over.headers.get('retry-after')).toBe('1');
      expect(await over.json()).toMatchObject({
        code: 'resource_exhausted',
        message: expect.stringContaining('reads of sums of an organization'),
      });
      const refused = await plane.call('Overview.Get', acme.owner.token, { organizationId: acme.id });
      expect(refused).toMatchObject({ code: 'RESOURCE_EXHAUSTED', detail: { reason: 'too_many_requests' } });
      await blocker.query('rollback');
      expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
      await plane.expect('AiSystems.List', acme.owner.token, { organizationId: acme.id });
    });
    expect((await totals(acme)).status).toBe(200);
    expect((await totals(other)).status).toBe(200);
  });

  it('end with their callers: those that wait at once, the others before their next statement', async () => {
    const before = called('CANCELLED');
    await whileBlocked(async () => {
      const left = new AbortController();
      const first = Array.from({ length: inFlight }, () => totals(acme, left.signal).catch(() => undefined));
      await until(async () => (await waiting()) === running);
      left.abort();
      await Promise.all(first);
      await until(() => called('CANCELLED') === before + inFlight - running);
      // Their slots are free.
      const next = totals(acme);
      await blocker.query('rollback');
      expect((await next).status).toBe(200);
    });
    await until(() => called('CANCELLED') === before + inFlight);
  });

  it('end with their callers over gRPC too', async () => {
    const done = plane.call('Usage.Totals', acme.owner.token, { organizationId: acme.id });
    expect(await done).toMatchObject({ code: 'OK' });
    expect(await refusal(plane.call('Usage.Totals', other.owner.token, { organizationId: acme.id }))).toMatchObject({
      reason: 'not_found',
    });
  });
});
