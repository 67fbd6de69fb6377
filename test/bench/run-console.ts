// What the console reads of many sums: `npm run console-load [-- --keys 10000 --rows 1000000 --calls 30 --only sqlite|postgres]`. For SQLite and
// PostgreSQL it prints p50 and p99 of each method at the API, and how long the rows of an older version take to fold. The
// stated value is 300 ms.
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { dayMs, hourMs } from '../../common/durations.ts';
import type { MethodName } from '../../control-plane/api/methods.ts';
import { hourOf } from '../../control-plane/usage/hours.ts';
import { startOfUnit } from '../../control-plane/usage/levels.ts';
import { emptyPostgres, freshSqlite, type StoreDatabase } from '../support/databases.ts';
import { startDurablePostgres } from '../support/durable-servers.ts';
import { percentile } from '../support/figures.ts';
import { foldAll, type ManySums, manyKeyId, manyKeys, manySums } from '../support/many-rows.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  type PlaneOptions,
  startOperatorsPlane,
  type TestTenant,
} from '../support/operators.ts';
import { familyCpuSeconds, parentOf } from './cores.ts';

const { values: flags } = parseArgs({
  options: {
    keys: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '1000000' },
    calls: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
  },
});
const keys = Number(flags.keys);
const hours = Math.min(102, Math.ceil(Number(flags.rows) / keys));
const calls = Number(flags.calls);
const p99Max = 300;

interface Read {
  readonly what: string;
  readonly method: MethodName;
  readonly request: object;
  /** Else the owner reads. */
  readonly asMember?: boolean;
}

const dimension = (name: string) => `USAGE_DIMENSION_${name}`;

function readsAt(now: number): readonly Read[] {
  const days = (count: number) => ({ from: new Date(startOfUnit('day', now) - (count - 1) * dayMs).toISOString() });
  const lastHours = (count: number) => ({ from: new Date(now - count * hourMs).toISOString() });
  const totals = (what: string, request: object): Read => ({ what, method: 'Usage.Totals', request });
  const by = (...names: string[]) => ({ groupBy: names.map(dimension) });
  const top = { orderBy: 'USAGE_ORDER_COST', pageSize: 200 };
  const series = (what: string, request: object): Read => ({ what, method: 'Usage.Series', request });
  return [
    { what: 'home', method: 'Overview.Get', request: {} },
    { what: 'home of a member', method: 'Overview.Get', request: {}, asMember: true },
    totals('this month', {}),
    totals('this month by model', { ...by('MODEL'), ...top }),
    totals('this month by AI system', { ...by('AI_SYSTEM'), ...top }),
    totals('this month by key', { ...by('KEY'), ...top }),
    totals('this month by provider and day', by('PROVIDER', 'DAY')),
    totals('30 days by model', { ...by('MODEL'), ...days(30), ...top }),
    totals('30 days by AI system and day', { ...by('AI_SYSTEM', 'DAY'), ...days(30) }),
    totals('48 hours by hour', { ...by('HOUR'), ...lastHours(48) }),
    totals('this month of one model glob', { ...by('DAY'), model: 'gpt-provider/*' }),
    totals('30 days of a key by hour', { ...by('HOUR'), ...days(30), keyId: manyKeyId(7) }),
    { ...totals('this month of a member', by('DAY')), asMember: true },
    series('30 days', days(30)),
    series('30 days by model', { ...days(30), dimension: dimension('MODEL') }),
    series('30 days by person', { ...days(30), dimension: dimension('PERSON') }),
    series('this month by key', { dimension: dimension('KEY') }),
    series('48 hours by model', { ...lastHours(48), bucket: 'USAGE_BUCKET_HOUR', dimension: dimension('MODEL') }),
    { what: 'with forecasts', method: 'Budgets.ListWindows', request: { forecast: true, pageSize: 100 } },
    { what: 'keys with spend', method: 'VirtualKeys.List', request: { pageSize: 100, withSpend: true } },
    { what: 'keys by text', method: 'VirtualKeys.List', request: { pageSize: 100, text: 'key-9' } },
    { what: 'requests', method: 'Requests.List', request: { pageSize: 100 } },
    { what: 'too wide', method: 'Usage.Totals', request: { ...by('KEY', 'DAY'), ...days(30) } },
  ];
}

/** @param cpuSeconds processor time of this process, and of the database's server */
async function measure(name: string, database: StoreDatabase, cpuSeconds: () => number): Promise<boolean> {
  // A member of an organization reads often enough here to exceed its rate.
  const options: PlaneOptions = {
    env: { GATEWAY_DATABASE_URL: database.url },
    rates: { read_rate: { perMinute: 1_000_000, burst: 1_000_000 } },
  };
  const first = await startOperatorsPlane(options);
  const acme = await createTenant(first, await bootstrap(first), 'acme');
  await first.close();
  const lastHour = hourOf(Date.now());
  const many: ManySums = { organizationId: acme.id, personId: acme.member.id, keys, hours, lastHour };
  await database.raw(manyKeys(many));
  await database.raw(manySums(many));
  const store = await database.open();
  const pieces = await foldAll(store);
  const seconds = pieces.reduce((sum, ms) => sum + ms, 0) / 1000;
  const [half, most] = [percentile(pieces, 0.5), percentile(pieces, 0.99)];
  console.log(
    `\n${name}: ${keys * hours} rows of sums of ${keys} keys, folded in ${seconds.toFixed(0)} s, ` +
      `${pieces.length} pieces of ${half.toFixed(0)} ms, p99 ${most.toFixed(0)} ms\n`,
  );
  if (name === 'PostgreSQL') await database.raw('analyze');
  const plane = await startOperatorsPlane({ ...options, ...first });
  try {
    await createBudgets(plane, acme);
    return await measureReads(plane, acme, cpuSeconds);
  } finally {
    await plane.close();
  }
}

/** Of the organization, of keys, of each period. */
async function createBudgets(plane: OperatorsPlane, { id: organizationId, owner }: TestTenant): Promise<void> {
  const subjects = [
    { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: organizationId },
    ...Array.from({ length: 9 }, (_, n) => ({ kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id: manyKeyId(n + 1) })),
  ];
  for (const subject of subjects)
    for (const period of ['DAY', 'WEEK', 'MONTH'])
      await plane.expect('Limits.Create', owner.token, {
        ...{ organizationId, subject, kind: 'LIMIT_KIND_BUDGET' },
        ...{ amountUsd: '100', period: `BUDGET_PERIOD_${period}` },
      });
}

/** @returns whether each is within the stated value */
async function measureReads(plane: OperatorsPlane, acme: TestTenant, cpuSeconds: () => number): Promise<boolean> {
  let isWithin = true;
  console.log('| Method | What | p50 | p99 | processor time |\n| --- | --- | --- | --- | --- |');
  for (const { what, method, request, asMember } of readsAt(Date.now())) {
    const { token } = asMember === true ? acme.member : acme.owner;
    const times: number[] = [];
    let code = '';
    const before = cpuSeconds();
    for (let call = 0; call < calls; call++) {
      const startedAt = performance.now();
      const called = await plane.call(method, token, { organizationId: acme.id, ...request });
      times.push(performance.now() - startedAt);
      code = 'detail' in called ? called.detail.reason : '';
      if (code !== '' && what !== 'too wide') throw new Error(`${method} (${what}): ${JSON.stringify(called)}`);
    }
    const cpuMs = ((cpuSeconds() - before) * 1000) / calls;
    const p99 = percentile(times, 0.99);
    isWithin &&= p99 <= p99Max;
    const figures = [percentile(times, 0.5), p99, cpuMs].map((ms) => `${ms.toFixed(0)} ms`);
    console.log(`| ${method} | ${what}${code === '' ? '' : `: ${code}`} | ${figures.join(' | ')} |`);
  }
  return isWithin;
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

async function postmasterOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  return postmaster;
}

async function overSqlite(): Promise<boolean> {
  const database = await freshSqlite();
  try {
    return await measure('SQLite', database, ownSeconds);
  } finally {
    await database.drop();
  }
}

async function overPostgres(): Promise<boolean> {
  const server = await startDurablePostgres('local');
  process.env.DATABASE_URL = server.url;
  const database = await emptyPostgres();
  try {
    const postgres = await postmasterOf(server.url);
    return await measure('PostgreSQL', database, () => ownSeconds() + familyCpuSeconds(postgres));
  } finally {
    await database.drop();
    await server.stop();
  }
}

const results: boolean[] = [];
if (flags.only !== 'postgres') results.push(await overSqlite());
if (flags.only !== 'sqlite') results.push(await overPostgres());
const isWithin = results.every(Boolean);
console.log(isWithin ? '\nEach p99 is within 300 ms.' : '\nSome p99 is above 300 ms.');
process.exitCode = isWithin ? 0 : 1;
