// The control plane's ledger under many proxies: node test/bench/run-ledger.ts [--seconds 30] [--seed 1]
// One control plane runs on one core, PostgreSQL and the load on the other. So the control plane has a full core, and a
// lack of time for PostgreSQL shows in the load's share. Each run is checked against the ledger before it counts.
import { execFile, execFileSync } from 'node:child_process';
import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildPrograms } from '../../scripts/build.ts';
import { percentile } from '../support/figures.ts';
import { chooseCores } from './cores.ts';
import type { LedgerLoad, LedgerLoadReport } from './ledger-load.ts';
import { budgetsOfEach, type LedgerPlane, startLedgerPlane } from './ledger-plane.ts';
import { acquireGoalMs, type LedgerRow, renderLedger } from './ledger-report.ts';
import { checkLedger } from './ledger-state.ts';
import { describeMachine, saveResults } from './report.ts';

const run = promisify(execFile);
const { values: flags } = parseArgs({
  options: { seconds: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});
const seconds = Number(flags.seconds);
const seed = Number(flags.seed);
const warmUpSeconds = Math.max(1, seconds / 3);
const organizations = 50;
const most = { proxies: 50, budgets: organizations * budgetsOfEach };
/** Twenty events for each acquisition; each event is charged to three budgets. */
const mixed = { kind: 'closed', acquisitions: 5, events: 100 } as const;

const machine = describeMachine();
const cores = chooseCores();
execFileSync('taskset', ['-apc', String(cores.load), String(process.pid)], { stdio: 'ignore' });
const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-run-'));
const bundles = await buildPrograms(join(directory, 'dist'), ['control-plane']);
const main = bundles.find((bundle) => bundle.program === 'control-plane')?.main ?? '';
const plane = await startLedgerPlane(main, { cores, organizations });
try {
  const syncMs = measureSync();
  const sizes = [
    { ...most, proxies: 10 },
    { ...most, proxies: 25 },
    most,
    { ...most, budgets: 100 },
    { proxies: 10, budgets: 100 },
  ];
  const growth: LedgerRow[] = [];
  for (const size of sizes) growth.push(await measure('mixed', size, mixed));
  const alone: LedgerRow[] = [];
  alone.push(await measure('acquisitions alone', most, { kind: 'closed', acquisitions: 1, events: 0 }));
  for (const events of [1000, 100, 10]) {
    alone.push(await measure(`reports of ${events}`, most, { kind: 'closed', acquisitions: 0, events }));
  }
  const capacity = growth.find(({ size }) => size === most);
  if (capacity === undefined) throw new Error('the whole size was not measured');
  const open = await measureOpen(capacity);
  const results = { machine, seed, seconds, warmUpSeconds, syncMs, growth, alone, open };
  console.log(saveResults('-ledger', results, renderLedger(results)));
} finally {
  await plane.stop();
  rmSync(directory, { recursive: true });
}

/** Measures increasing fractions of the closed loop's rate, until acquisitions take too long. */
async function measureOpen({ measurement }: LedgerRow): Promise<readonly LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (const part of [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 1]) {
    const row = await measure(`${part * 100} %`, most, {
      kind: 'open',
      acquisitionsPerSecond: (measurement.acquisitionsPerSecond + measurement.returnsPerSecond) * part,
      reportsPerSecond: measurement.reportsPerSecond * part,
      eventsPerReport: mixed.events,
    });
    rows.push(row);
    if ((row.measurement.acquireP99Ms ?? Number.POSITIVE_INFINITY) > acquireGoalMs) break;
  }
  return rows;
}

async function measure(name: string, size: LedgerRow['size'], pattern: LedgerLoad['pattern']): Promise<LedgerRow> {
  const report = await inFreshLedger(plane, { size, pattern });
  const { measurement } = report;
  console.error(
    `  ${name}, ${size.proxies} proxies, ${size.budgets} budgets: ${Math.round(measurement.eventsPerSecond)} events/s, ` +
      `${Math.round(measurement.acquisitionsPerSecond)} acquisitions/s, acquire p99 ${measurement.acquireP99Ms?.toFixed(1) ?? '-'} ms`,
  );
  return { name, size, measurement };
}

async function inFreshLedger(
  { database, payers, proxyToken, postgresPid, startControlPlane }: LedgerPlane,
  { size, pattern }: Pick<LedgerRow, 'size'> & Pick<LedgerLoad, 'pattern'>,
): Promise<LedgerLoadReport> {
  const controlPlane = await startControlPlane();
  try {
    const load: LedgerLoad = {
      ...{ address: controlPlane.address, token: proxyToken, proxies: size.proxies, seed },
      payers: payers.slice(0, payers.length * (size.budgets / most.budgets)),
      ...{ warmUpSeconds, seconds, pattern },
      pids: { controlPlane: controlPlane.pid, postgres: postgresPid },
    };
    const file = join(directory, 'load.json');
    writeFileSync(file, JSON.stringify(load));
    const program = join(import.meta.dirname, 'ledger-load.ts');
    const { stdout } = await run(process.execPath, [program, file], { maxBuffer: 16 * 1024 * 1024 });
    const report = JSON.parse(stdout) as LedgerLoadReport;
    await checkLedger(database, report);
    return report;
  } finally {
    await controlPlane.stop();
  }
}

/** The minimum cost of a commit: 8 KiB written to the disk, the median of a hundred writes. */
function measureSync(): number {
  const file = openSync(join(directory, 'sync'), 'w');
  const page = Buffer.alloc(8192);
  const times = Array.from({ length: 100 }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  return percentile(times, 0.5);
}
