// The load of the ledger's benchmark, a separate process: simulated proxies that acquire leases and report usage, in a
// closed loop or at a given rate. Reads its options from a JSON file and prints one line of JSON. Run by run-ledger.ts:
// node test/bench/ledger-load.ts <file>
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/access/random.ts';
import { percentile } from '../support/figures.ts';
import { familyCpuSeconds } from './cores.ts';
import { type Expected, type Payer, SimulatedProxy } from './ledger-proxy.ts';

export interface LedgerLoad {
  readonly address: string;
  readonly token: string;
  readonly payers: readonly Payer[];
  readonly proxies: number;
  readonly seed: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly pattern: ClosedLoop | OpenLoop;
  readonly pids: { readonly controlPlane: number; readonly postgres: number };
}

/**
 * Each proxy starts its next round when all calls of the last one have returned: one report, and beside it a number of
 * acquisitions one after another.
 */
export interface ClosedLoop {
  readonly kind: 'closed';
  readonly acquisitions: number;
  readonly events: number;
}

/** Each call starts when it is due, whatever else is in progress. */
export interface OpenLoop {
  readonly kind: 'open';
  readonly acquisitionsPerSecond: number;
  readonly reportsPerSecond: number;
  readonly eventsPerReport: number;
}

export interface LedgerMeasurement {
  readonly eventsPerSecond: number;
  readonly reportsPerSecond: number;
  readonly acquisitionsPerSecond: number;
  readonly returnsPerSecond: number;
  /** Null when there was no such call, because JSON writes NaN as null. */
  readonly acquireP50Ms: number | null;
  readonly acquireP99Ms: number | null;
  readonly reportP50Ms: number | null;
  readonly reportP99Ms: number | null;
  /** Calls without a response in time, which were sent again. */
  readonly failures: number;
  /** In an open loop: calls that were due and not started, because too many were in progress. */
  readonly skipped: number;
  /** Processor seconds in each second. */
  readonly controlPlaneCpu: number;
  readonly postgresCpu: number;
  readonly loadCpu: number;
}

export interface LedgerLoadReport {
  readonly measurement: LedgerMeasurement;
  /** All events of the run, to compare with the ledger. */
  readonly events: number;
  readonly expected: Readonly<Record<string, Expected>>;
}

const underWayMax = 2000;

class Figures {
  events = 0;
  skipped = 0;
  readonly acquisitions: number[] = [];
  readonly returns: number[] = [];
  readonly reports: number[] = [];
}

/** Starts calls and records their results. */
class Driver {
  figures = new Figures();
  isOver = false;
  eventsInAll = 0;
  readonly #proxies: readonly SimulatedProxy[];
  readonly #random: Random;
  readonly #underWay = new Set<Promise<void>>();

  constructor(proxies: readonly SimulatedProxy[], random: Random) {
    this.#proxies = proxies;
    this.#random = random;
  }

  begin(pattern: LedgerLoad['pattern']): void {
    if (pattern.kind === 'closed') {
      for (const proxy of this.#proxies) this.#follow(this.#rounds(proxy, pattern));
      return;
    }
    const { acquisitionsPerSecond, reportsPerSecond, eventsPerReport } = pattern;
    this.#pace(acquisitionsPerSecond, (proxy, dueAt) => this.#acquire(proxy, dueAt));
    this.#pace(reportsPerSecond, (proxy, dueAt) => this.#report(proxy, eventsPerReport, dueAt));
  }

  async end(): Promise<void> {
    this.isOver = true;
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #rounds(proxy: SimulatedProxy, { acquisitions, events }: ClosedLoop): Promise<void> {
    const acquireAll = async () => {
      for (let i = 0; i < acquisitions; i++) await this.#acquire(proxy, performance.now());
    };
    while (!this.isOver) {
      await Promise.all([acquireAll(), events > 0 && this.#report(proxy, events, performance.now())]);
    }
  }

  /**
   * Starts calls at random times at a given rate. A late call starts at once, and its time counts from when it was due.
   */
  #pace(perSecond: number, work: (proxy: SimulatedProxy, dueAt: number) => Promise<void>): void {
    if (perSecond === 0) return;
    let dueAt = performance.now();
    const tick = () => {
      if (this.isOver) return;
      const now = performance.now();
      while (dueAt <= now) {
        if (this.#underWay.size >= underWayMax) this.figures.skipped++;
        else this.#follow(work(this.#random.pick(this.#proxies), dueAt));
        dueAt += (-Math.log(1 - this.#random.next()) / perSecond) * 1000;
      }
      setTimeout(tick, 1);
    };
    tick();
  }

  async #acquire(proxy: SimulatedProxy, dueAt: number): Promise<void> {
    const kind = await proxy.operate();
    const { acquisitions, returns } = this.figures;
    (kind === 'acquire' ? acquisitions : returns).push(performance.now() - dueAt);
  }

  async #report(proxy: SimulatedProxy, events: number, dueAt: number): Promise<void> {
    await proxy.report(events);
    this.eventsInAll += events;
    this.figures.events += events;
    this.figures.reports.push(performance.now() - dueAt);
  }

  #follow(work: Promise<void>): void {
    const followed = work.catch(fail).finally(() => this.#underWay.delete(followed));
    this.#underWay.add(followed);
  }
}

/** Ends the process, so that no error can look like a result. */
function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LedgerLoad;
const random = new Random(load.seed);
const proxies = Array.from({ length: load.proxies }, () => new SimulatedProxy({ ...load, random }));
await Promise.all(proxies.map((proxy) => proxy.open()));
const driver = new Driver(proxies, random);
driver.begin(load.pattern);
await sleep(load.warmUpSeconds * 1000);
const measurement = await measure();
await driver.end();
const expected = new Map<string, Expected>();
for (const proxy of proxies) {
  proxy.addExpected(expected);
  proxy.close();
}
const report = { measurement, events: driver.eventsInAll, expected: Object.fromEntries(expected) };
console.log(JSON.stringify(report satisfies LedgerLoadReport));

async function measure(): Promise<LedgerMeasurement> {
  const failuresBefore = failures();
  const before = cpu();
  const startedAt = performance.now();
  driver.figures = new Figures();
  await sleep(load.seconds * 1000);
  const { events, skipped, acquisitions, returns, reports } = driver.figures;
  const seconds = (performance.now() - startedAt) / 1000;
  const after = cpu();
  const ms = (values: readonly number[], part: number) => (values.length === 0 ? null : percentile(values, part));
  return {
    eventsPerSecond: events / seconds,
    reportsPerSecond: reports.length / seconds,
    acquisitionsPerSecond: acquisitions.length / seconds,
    returnsPerSecond: returns.length / seconds,
    ...{ acquireP50Ms: ms(acquisitions, 0.5), acquireP99Ms: ms(acquisitions, 0.99) },
    ...{ reportP50Ms: ms(reports, 0.5), reportP99Ms: ms(reports, 0.99) },
    ...{ failures: failures() - failuresBefore, skipped },
    controlPlaneCpu: (after.controlPlane - before.controlPlane) / seconds,
    postgresCpu: (after.postgres - before.postgres) / seconds,
    loadCpu: (after.load - before.load) / seconds,
  };
}

function failures(): number {
  return proxies.reduce((sum, proxy) => sum + proxy.failures, 0);
}

function cpu() {
  return {
    controlPlane: familyCpuSeconds(load.pids.controlPlane),
    postgres: familyCpuSeconds(load.pids.postgres),
    load: familyCpuSeconds(process.pid),
  };
}
