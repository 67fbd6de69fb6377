// The results of the ledger's benchmark as Markdown.
import type { LedgerMeasurement } from './ledger-load.ts';
import { table } from './markdown.ts';
import type { Machine } from './report.ts';

export interface LedgerRow {
  readonly name: string;
  readonly size: { readonly proxies: number; readonly budgets: number };
  readonly measurement: LedgerMeasurement;
}

export interface LedgerResults {
  readonly machine: Machine;
  readonly seed: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Milliseconds to write 8 KiB to the disk. */
  readonly syncMs: number;
  /** Closed loop, by size. */
  readonly growth: readonly LedgerRow[];
  /** Closed loop of only one kind of call. */
  readonly alone: readonly LedgerRow[];
  /** Open loop, at fractions of the rate of the closed loop. */
  readonly open: readonly LedgerRow[];
}

/** A request waits for an acquisition, so a slower one would be noticeable. */
export const acquireGoalMs = 50;

export function renderLedger({ machine, seed, seconds, syncMs, growth, alone, open }: LedgerResults): string {
  const lines = [
    `# Benchmark of the ledger, ${machine.date.slice(0, 10)}`,
    '',
    `${machine.processor}, ${machine.cores} cores, Node ${machine.node}, commit ${machine.commit}, load before the run ` +
      `${machine.loadBefore.toFixed(2)}, seed ${seed}. One control plane alone on one core; PostgreSQL with fsync and synchronous_commit ` +
      `on another, together with the load; ${seconds} s each. Writing 8 KiB onto the disk takes ${syncMs.toFixed(2)} ms.`,
    '',
    'Each simulated proxy has a session and a connection of its own. An event is of a random key and counts towards three budgets: ' +
      'of the key, its AI system and its organization; each organization has 20 budgets. One operation in eight of a lease releases money. ' +
      'Mixed = reports of 100 events, and beside each five acquisitions one after another. CPU in seconds of each second; µs each = of it for an event, or for an operation of a lease where ' +
      'there are no events. After every run the ' +
      'ledger was compared with what the proxies did: spent, leased, leases, events and hours agreed to the nano-dollar.',
    '',
    '## How it grows with proxies and budgets (mixed, closed loop)',
    '',
    ...table(['', ...columns], growth.map(cells)),
    '',
    '## One thing alone (closed loop)',
    '',
    ...table(['', ...columns], alone.map(cells)),
    '',
    '## At a given rate (mixed, open loop)',
    '',
    'Parts of what the closed loop did with 50 proxies and 1,000 budgets; every acquisition counts from when it was due.',
    '',
    ...table(['offered', ...columns], open.map(cells)),
    '',
    goalLine(open),
    '',
  ];
  return lines.join('\n');
}

const columns = [
  ...['proxies', 'budgets', 'events/s', 'acquisitions/s', 'releases/s', 'reports/s'],
  ...['acquire p50 ms', 'acquire p99 ms', 'report p50 ms', 'report p99 ms'],
  ...['CPU control plane', 'PostgreSQL', 'load', 'control plane µs each', 'PostgreSQL µs each'],
  ...['sent again', 'not begun'],
];

function cells({ name, size, measurement: of }: LedgerRow): readonly string[] {
  const rates = [of.eventsPerSecond, of.acquisitionsPerSecond, of.returnsPerSecond, of.reportsPerSecond];
  const times = [of.acquireP50Ms, of.acquireP99Ms, of.reportP50Ms, of.reportP99Ms];
  const shares = [of.controlPlaneCpu, of.postgresCpu, of.loadCpu];
  // Per event; per acquisition or release when there are no events.
  const each = of.eventsPerSecond > 0 ? of.eventsPerSecond : of.acquisitionsPerSecond + of.returnsPerSecond;
  return [
    ...[name, String(size.proxies), String(size.budgets)],
    ...rates.map((rate) => rate.toFixed(0)),
    ...times.map((ms) => ms?.toFixed(1) ?? '–'),
    ...shares.map((share) => share.toFixed(2)),
    ...[of.controlPlaneCpu, of.postgresCpu].map((share) => ((share / each) * 1e6).toFixed(0)),
    ...[String(of.failures), String(of.skipped)],
  ];
}

function goalLine(open: readonly LedgerRow[]): string {
  const good = open.findLast(({ measurement }) => (measurement.acquireP99Ms ?? Number.NaN) <= acquireGoalMs);
  if (good === undefined) return `Acquisitions took longer than ${acquireGoalMs} ms (p99) at every rate.`;
  const { eventsPerSecond, acquisitionsPerSecond } = good.measurement;
  return (
    `Acquisitions stay within ${acquireGoalMs} ms (p99) up to ${good.name}: ${eventsPerSecond.toFixed(0)} events/s and ` +
    `${acquisitionsPerSecond.toFixed(0)} acquisitions/s.`
  );
}
