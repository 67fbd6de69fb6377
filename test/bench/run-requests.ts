// Rows of requests: `node test/bench/run-requests.ts [--seconds 10] [--rows 10000000]`: the processor time of a row in the
// control plane and in PostgreSQL, as proxies report it, and the time of a list of an organization's last hour among so
// many rows. The control plane has one core; PostgreSQL and the load share the other.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../../common/clock.ts';
import { hourMs } from '../../common/durations.ts';
import { Secret } from '../../common/secret.ts';
import { uuidv7 } from '../../common/uuid.ts';
import { readRequests } from '../../control-plane/requests/read.ts';
import { openStore } from '../../control-plane/store/open.ts';
import { createControlPlaneClient } from '../../proxy/control-plane/client.ts';
import type { RequestRow } from '../../proxy/requests/request-row.ts';
import { buildPrograms } from '../../scripts/build.ts';
import { percentile } from '../support/figures.ts';
import { silentLog } from '../support/silent-log.ts';
import { chooseCores, familyCpuSeconds } from './cores.ts';
import { type LedgerPlane, startLedgerPlane } from './ledger-plane.ts';
import type { Payer } from './ledger-proxy.ts';

const { values: flags } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, rows: { type: 'string', default: '10000000' } },
});
const seconds = Number(flags.seconds);
const rowsInAll = Number(flags.rows);
const rowsOfReport = 500;
const organizations = 50;
const pageSize = 50;
const lists = 50;

const cores = chooseCores();
execFileSync('taskset', ['-apc', String(cores.load), String(process.pid)], { stdio: 'ignore' });
const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-run-'));
const bundles = await buildPrograms(join(directory, 'dist'), ['control-plane']);
const plane = await startLedgerPlane(bundles[0]?.main ?? '', { cores, organizations });
try {
  await measureReports(plane);
  await measureLists(plane);
} finally {
  await plane.stop();
  rmSync(directory, { recursive: true });
}

async function measureReports({ payers, proxyToken, postgresPid, startControlPlane }: LedgerPlane): Promise<void> {
  const controlPlane = await startControlPlane();
  const client = createControlPlaneClient({
    addresses: [controlPlane.address],
    token: new Secret(proxyToken),
    credentials: undefined,
    allowPlaintext: false,
  });
  const reportFor = async (ms: number) => {
    const endsAt = performance.now() + ms;
    let sent = 0;
    while (performance.now() < endsAt) {
      await client.requests.report(Array.from({ length: rowsOfReport }, (_, at) => rowOf(payers, at)));
      sent += rowsOfReport;
    }
    return sent;
  };
  await reportFor(seconds * 300);
  const cpu = () => [controlPlane.pid, postgresPid].map(familyCpuSeconds);
  const before = cpu();
  const rows = await reportFor(seconds * 1000);
  const [own = 0, database = 0] = cpu().map((after, at) => ((after - (before[at] ?? 0)) / rows) * 1e6);
  const sum = own + database;
  console.log(
    `a row: control plane ${own.toFixed(1)} µs, PostgreSQL ${database.toFixed(1)} µs, together ${sum.toFixed(1)} µs`,
  );
  client.close();
  await controlPlane.stop();
}

function rowOf(payers: readonly Payer[], at: number): RequestRow {
  const { organizationId, keyId, aiSystemId } = payers[at % 4] ?? { organizationId: '', keyId: '', aiSystemId: '' };
  return {
    ...{ id: uuidv7(), organizationId, keyId, scope: { kind: 'ai_system', id: aiSystemId }, projectKeyId: undefined },
    ...{
      method: 'POST',
      path: '/v1/chat/completions',
      clientFormat: 'chat_completions',
      userAgent: 'OpenAI/Python 1.52.0',
    },
    ...{ modelSent: 'gpt-4.1-mini', model: 'gpt-provider/gpt-4.1-mini', modelAnswered: 'gpt-4.1-mini-2025-04-14' },
    ...{ route: '', provider: 'gpt-provider', providerKeyId: undefined, directKey: false, streamed: false, cache: '' },
    ...{
      requestId: undefined,
      traceId: '',
      session: '',
      status: 200,
      errorCode: '',
      errorSource: '',
      errorMessage: '',
    },
    ...{ upstreamRequestId: 'req_0123456789', limitId: '', guardrailId: '', guardrails: '', attempts: 1 },
    usage: {
      ...{ promptTokens: 900, completionTokens: 120, reasoningTokens: 0 },
      ...{ cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
    },
    ...{
      cost: 207_000,
      estimateReason: undefined,
      durationMs: 850.2,
      firstByteMs: 300.5,
      tags: undefined,
      represents: 1,
    },
  };
}

async function measureLists({ database, databaseUrl, payers }: LedgerPlane): Promise<void> {
  const ids = [...new Set(payers.map(({ organizationId }) => organizationId))];
  const { rows: partitions } = await database.query<{ now: string }>('select extract(epoch from now()) * 1000 as now');
  const now = Math.floor(Number(partitions[0]?.now));
  const midnight = now - (now % (24 * hourMs));
  await database.query(
    `insert into requests (at, id, organization_id, key_id, ai_system_id, request_id, result, error_code, provider, model,
       route, decided_by, source, facts, tags)
     select $1::bigint + (nth * ($2::bigint - $1::bigint)) / $3::bigint, made.id, ($4::text[])[1 + nth % $5::int],
       one.key_id, one.ai_system_id, made.id, one.result, '', one.provider, one.model, '', '', one.source, one.facts, ''
     from generate_series(1, $3::bigint) as nth, lateral (select gen_random_uuid()::text as id where nth > 0) as made,
       (select * from requests limit 1) as one`,
    [midnight, now, rowsInAll, ids, ids.length],
  );
  await database.query('analyze requests');
  const { rows } = await database.query<{ count: string }>('select count(*) as count from requests');
  const store = await openStore({ url: databaseUrl, log: silentLog, clock: systemClock });
  const times: number[] = [];
  for (let nth = 0; nth < lists; nth++) {
    const filter = { organizationId: ids[nth % ids.length] ?? '', from: now - hourMs, to: now };
    const startedAt = performance.now();
    const found = await store.snapshot((db) => readRequests(db, filter, { after: undefined, size: pageSize }));
    times.push(performance.now() - startedAt);
    if (found.rows.length !== pageSize) throw new Error(`a list has ${found.rows.length} rows`);
  }
  await store.close();
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)].map((ms) => ms.toFixed(1));
  console.log(`a page of the last hour among ${rows[0]?.count} rows: p50 ${p50} ms, p99 ${p99} ms`);
}
