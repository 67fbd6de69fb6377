// One vendor of a route fails entirely under load: how long until the second target has the requests alone, how many
// callers notice, what it costs in time and in further attempts, and whether the ledger is exact afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerSource } from '../support/containers.ts';
import { percentile } from '../support/figures.ts';
import { until } from '../support/process.ts';

import { metric } from '../support/telemetry.ts';
import type { NamedCall } from './accounts.ts';
import { faultsOfLedger } from './ledger.ts';
import { load, tallyOf } from './load.ts';
import type { Outage } from './vendor.ts';
import { type Program, startWorld } from './world.ts';

/** How a vendor fails. */
export const outageKinds = {
  '503': { status: 503 },
  reset: { stop: { by: 'reset', beforeHead: true } },
  /** Nothing listens at its address. */
  refused: 'closed',
} as const satisfies Record<string, Outage>;

export type OutageKind = keyof typeof outageKinds;

export interface OutageOptions {
  readonly seconds: number;
  readonly quietSeconds: number;
  /** Requests a second. */
  readonly rate: number;
  readonly how: OutageKind;
  readonly source?: ServerSource;
}

export interface OutageFigures {
  readonly calls: number;
  /** From the beginning of the outage to the first ejection. */
  readonly ejectedAfterMs: number;
  /** Of the calls of the outage after the ejection, which part was served. */
  readonly served: number;
  /** Of all calls of the outage. */
  readonly servedOfAll: number;
  readonly quietP99Ms: number;
  readonly p99Ms: number;
  /** Further attempts, as a part of the requests during the outage. */
  readonly retries: number;
}

export interface Report {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
}

const warmUpMs = 3_000;
/** The outage begins so long after its load. */
const leadMs = 500;

export async function runOutage(options: OutageOptions): Promise<Report> {
  const { seconds, quietSeconds, rate, how, source } = options;
  const world = await startWorld(source);
  try {
    const proxy = await world.startProxy();
    const tenant = await world.createTenant('outage');
    const { value: key } = await tenant.organization.createKey();
    const put = (prefix: string, ms: number) =>
      load({
        ...{ url: proxy.url, key, model: 'fast', perSecond: rate, ms, prefix },
        plan: (number) => ({ words: 20, prompt: 5 + (number % 40), completion: 20 + (number % 30) }),
      });
    const warm = await put('warm', warmUpMs);
    const quiet = await put('quiet', quietSeconds * 1_000);
    const vendor = world.vendors['gpt-provider'];
    const running = put('outage', leadMs + seconds * 1_000);
    await sleep(leadMs);
    const beganAt = performance.now();
    await vendor.fail(outageKinds[how]);
    const ejectedAt = await ejection(proxy);
    const during = await running;
    await vendor.fail(undefined);
    const figures = figuresOf({ quiet, during, beganAt, ejectedAt });
    const accounts = await faultsOfLedger(world, tenant, [...warm, ...quiet, ...during]);
    return { lines: linesOf(figures, { quiet, during }), faults: [...faultsOfOutage(figures), ...accounts] };
  } finally {
    await world.close();
  }
}

const ejectionMsMax = 5_000;

function ejection(proxy: Program): Promise<number> {
  return until(async () => ((await metric(proxy, 'gateway_ejections_total')) > 0 ? performance.now() : undefined), {
    timeoutMs: 6 * ejectionMsMax,
    what: 'the first ejection',
  });
}

interface Measured {
  readonly quiet: readonly NamedCall[];
  readonly during: readonly NamedCall[];
  readonly beganAt: number;
  readonly ejectedAt: number;
}

export function figuresOf({ quiet, during, beganAt, ejectedAt }: Measured): OutageFigures {
  const outage = during.filter(({ reading }) => reading.startedAt >= beganAt);
  const after = outage.filter(({ reading }) => reading.startedAt >= ejectedAt);
  const further = outage.map(({ reading }) => Math.max(0, reading.attempts - 1));
  return {
    calls: outage.length,
    ejectedAfterMs: ejectedAt - beganAt,
    servedOfAll: servedPart(outage),
    served: servedPart(after),
    quietP99Ms: p99Of(quiet),
    p99Ms: p99Of(after),
    retries: further.reduce((sum, one) => sum + one, 0) / outage.length,
  };
}

function servedPart(calls: readonly NamedCall[]): number {
  return calls.filter(({ reading }) => reading.outcome === '200').length / calls.length;
}

function p99Of(calls: readonly NamedCall[]): number {
  return percentile(
    calls.map(({ reading }) => reading.ms),
    0.99,
  );
}

/** What is worse than promised. */
export function faultsOfOutage({
  ejectedAfterMs,
  served,
  quietP99Ms,
  p99Ms,
  retries,
}: OutageFigures): readonly string[] {
  const faults: string[] = [];
  if (!(ejectedAfterMs <= ejectionMsMax)) faults.push(`the first ejection came after ${ejectedAfterMs.toFixed(0)} ms`);
  if (!(served >= 0.999)) faults.push(`only ${percent(served)} were served after the first ejection`);
  if (!(p99Ms <= 2 * quietP99Ms)) faults.push(`p99 after the ejection is ${p99Ms.toFixed(1)} ms`);
  if (!(retries <= 0.2)) faults.push(`further attempts are ${percent(retries)} of the requests`);
  return faults;
}

function linesOf(figures: OutageFigures, { quiet, during }: Pick<Measured, 'quiet' | 'during'>): readonly string[] {
  const { calls, ejectedAfterMs, served, servedOfAll, quietP99Ms, p99Ms, retries } = figures;
  return [
    `quiet: ${quiet.length} requests ${JSON.stringify(tallyOf(quiet.map(({ reading }) => reading)))}, p99 ${quietP99Ms.toFixed(1)} ms`,
    `outage: ${calls} requests ${JSON.stringify(tallyOf(during.map(({ reading }) => reading)))}`,
    `first ejection after ${ejectedAfterMs.toFixed(0)} ms (promised: 5,000)`,
    `served ${percent(servedOfAll)} in all, ${percent(served)} after the first ejection (promised: 99.9 %)`,
    `p99 after the first ejection ${p99Ms.toFixed(1)} ms (promised: ${(2 * quietP99Ms).toFixed(1)})`,
    `further attempts: ${percent(retries)} of the requests (promised: at most 20 %)`,
  ];
}

function percent(part: number): string {
  return `${(100 * part).toFixed(2)} %`;
}
