// A run of chaos: traffic continues while programs, servers and networks fail by a schedule; then everything works again,
// comes to rest, and the history is verified.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitOfCounter } from '../../common/counter-names.ts';
import { usdOfNano } from '../../common/money.ts';
import { call } from '../resilience/clients.ts';
import { tallyOf } from '../resilience/load.ts';
import type { VendorRequest } from '../resilience/vendor.ts';
import type { ServerSource } from '../support/containers.ts';
import { runSql } from '../support/databases.ts';
import { Pace } from '../support/pace.ts';
import { until } from '../support/process.ts';
import { type RecordedRequest, recordedRequests } from '../support/recorded.ts';
import { metric } from '../support/telemetry.ts';
import {
  createFurtherBudgets,
  createPayers,
  type Payers,
  startRevoking,
  startTraffic,
  type Traffic,
} from './callers.ts';
import { type Audit, Auditor, startAudit } from './ledger.state.ts';
import { maxStaleMs, type ProxyOfChaos } from './planes.ts';
import { recovered, rested, restMs, restWithLossMs } from './recovery.ts';
import { type Fault, planFaults, type Targets } from './schedule.ts';
import type { Seat } from './seats.ts';
import {
  type Bounds,
  type ChaosCall,
  faultsOfHistory,
  faultsOfUnconfirmed,
  losesContent,
  lostWithRedis,
  type Resources,
  type Trouble,
} from './verifier.ts';
import { type ChaosWorld, startChaosWorld } from './world.ts';

export interface ChaosOptions {
  readonly source: ServerSource;
  readonly seed: number;
  readonly seconds: number;
  readonly proxies: number;
  readonly sidecars: number;
  readonly controlPlanes: number;
  readonly callers: number;
  readonly failover: boolean;
  readonly disk: boolean;
  /** Default: that of the bounds. */
  readonly recoveryMs?: number;
  readonly pauseMsMax?: number;
  /** Replaces the planned faults. */
  readonly faults?: readonly Fault[];
  /** A fault of the gateway itself, as the verifier sees it: it has to be noticed. */
  readonly planted?: Planted | undefined;
  /** An existing folder that gets the programs' logs. */
  readonly logs?: string | undefined;
  readonly log: (line: string) => void;
}

/** A vendor's text that is not what was called for; a row of usage that is gone. */
export type Planted = 'text' | 'usage';

export interface ChaosReport {
  readonly faults: readonly string[];
  readonly schedule: readonly Fault[];
  readonly lines: readonly string[];
}

export const bounds: Bounds = {
  recoveryMs: 15_000,
  revokedMs: 1_000,
  staleMs: maxStaleMs,
  noticeMs: 5_000,
  descriptorsMore: 40,
};

const lostRow =
  'delete from usage_events where id = (select max(id) from usage_events where status = 200 and cost > 0)';

const burst = { burstMs: 25_000, calmMs: 25_000 };
const warmUpMs = 2_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const world = await startChaosWorld(options);
  const pace = new Pace(() => world.programs.map(({ child }) => child.pid));
  try {
    return await chaosIn(world, pace, options);
  } finally {
    pace.stop();
    await world.close();
    const { logs } = options;
    if (logs !== undefined) {
      mkdirSync(logs, { recursive: true });
      for (const program of world.programs)
        writeFileSync(join(logs, `${program.name.replaceAll(' ', '-')}.log`), program.log());
    }
  }
}

async function chaosIn(world: ChaosWorld, pace: Pace, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, callers, log } = options;
  const schedule = options.faults ?? plannedFaults(world, options);
  const payers = await createPayers(world.tenant);
  const further = await createFurtherBudgets(world);
  const auditor = new Auditor(world.databaseUrl);
  const audit = startAudit(auditor);
  await openForCalls(world, payers);
  const traffic = startTraffic(world, { callers, seed, payers });
  const revoking = startRevoking(world, seed);
  await sleep(warmUpMs);
  const before = descriptorsOf(world.entries);
  const began = performance.now();
  const { troubles, failoverAt, endless } = await strikeAll(world.seats, schedule, { began, log });
  if (options.planted === 'text') await world.vendors['gpt-provider'].fail({ text: 'g:planted' });
  const promised = { ...bounds, recoveryMs: options.recoveryMs ?? bounds.recoveryMs };
  const failing = await recovered({ entries: world.entries, traffic, pace, recoveryMs: promised.recoveryMs });
  await revoking.stop();
  await traffic.stop();
  const usualMs = troubles.some(({ what }) => losesContent.test(what)) ? restWithLossMs : restMs;
  // What does not work does not come to rest either.
  const restless = await rested(world.proxies, auditor, failing.length > 0 ? restMs / 10 : usualMs);
  const audited = await audit.stop();
  const unconfirmed = await unconfirmedOf(world, auditor);
  const idle = await countingNothing(further, auditor);
  await auditor.close();
  if (options.planted === 'usage') await runSql(world.databaseUrl, lostRow);
  const { calls } = traffic;
  // One that did not start again is a fault of its own.
  const running = world.entries.filter(({ program }) => program.isRunning);
  const rows = (await rowsOf(world)).filter(({ requestId }) => requestId.startsWith(`${seed}-`));
  const history = {
    ...{ began, calls, troubles, failoverAt, rows, revocations: revoking.revocations },
    slowness: (from: number, to: number) => pace.factor(from, to),
    requests: await requestsOf(world),
    resources: await resourcesOf(running, before),
  };
  const waited = lostWithRedis(history, promised);
  const faults = [
    ...[...endless, ...failing, ...restless, ...idle, ...faultsOfAudit(audited, failoverAt)],
    ...faultsOfHistory(history, promised),
    ...(failoverAt === undefined ? faultsOfUnconfirmed(waited, unconfirmed) : []),
  ];
  const figures = { history, audited, troubles, slower: pace.factor(began, performance.now()), waited, unconfirmed };
  return { faults, schedule, lines: linesOf(traffic, figures) };
}

function plannedFaults({ seats }: ChaosWorld, { seed, seconds, pauseMsMax }: ChaosOptions): readonly Fault[] {
  const pause = pauseMsMax === undefined ? {} : { pauseMsMax };
  return planFaults({ seed, ms: seconds * 1_000, targets: targetsOf(seats), ...burst, ...pause });
}

function targetsOf(seats: ChaosWorld['seats']): Targets {
  return Object.fromEntries(Object.entries(seats).map(([name, seat]) => [name, Object.keys(seat) as (keyof Seat)[]]));
}

interface StrikeOptions {
  /** By performance.now(). */
  readonly began: number;
  readonly log: (line: string) => void;
}

async function strikeAll(seats: ChaosWorld['seats'], schedule: readonly Fault[], { began, log }: StrikeOptions) {
  const troubles: Trouble[] = [];
  const endless: string[] = [];
  let failoverAt: number | undefined;
  const hit = async (fault: Fault) => {
    const strike = seats[fault.target]?.[fault.kind];
    if (strike === undefined) throw new Error(`${fault.target} cannot have the fault ${fault.kind}`);
    const from = performance.now();
    const what = `${fault.kind} ${fault.target}${fault.ms === undefined ? '' : ` by ${fault.ms} ms`}`;
    log(`${((from - began) / 1_000).toFixed(1)} s ${what}, for ${(fault.forMs / 1_000).toFixed(1)} s`);
    try {
      const end = await strike(fault);
      await sleep(fault.forMs);
      if (fault.kind === 'failover') failoverAt = performance.now();
      await end();
    } catch (error) {
      endless.push(`${what} does not end: ${error instanceof Error ? error.message : error}`);
    }
    troubles.push({ from, to: performance.now(), what });
  };
  const running: Promise<void>[] = [];
  for (const fault of schedule) {
    await sleep(Math.max(0, began + fault.at - performance.now()));
    running.push(hit(fault));
  }
  await Promise.all(running);
  return { troubles, failoverAt, endless };
}

/** Waits until each proxy and sidecar has served a call of each key: what they do not know yet is no fault. */
async function openForCalls({ entries }: ChaosWorld, payers: Payers): Promise<void> {
  const plan = { words: 1, prompt: 1, completion: 1 };
  for (const { name, url } of entries)
    for (const key of Object.values(payers)) {
      const served = async () => (await call({ url, key, model: 'fast', form: 'chat', plan })).outcome === '200';
      await until(served, { timeoutMs: 240_000, what: `a first response of ${name}` });
    }
}

/** Nano-dollars of the organization's budget, from which every key spends. */
async function unconfirmedOf({ tenant }: ChaosWorld, auditor: Auditor): Promise<number> {
  const windows = await auditor.windows();
  return windows.filter(({ budget }) => budget === tenant.budget).reduce((sum, one) => sum + one.unconfirmed, 0);
}

/** The audit compares each window with recorded usage; one that is missing would not be noticed. */
async function countingNothing(
  budgets: Readonly<Record<string, readonly string[]>>,
  auditor: Auditor,
): Promise<readonly string[]> {
  const windows = await auditor.windows();
  return Object.entries(budgets)
    .filter(([, ids]) => !windows.some(({ budget, spent }) => ids.includes(limitOfCounter(budget)) && spent > 0))
    .map(([of]) => `the budget of ${of} counts nothing`);
}

/** A failover may lose acknowledged commits, and with them what was reserved. */
function faultsOfAudit({ faults }: Audit, failoverAt: number | undefined): readonly string[] {
  const isExcused = (fault: string) => failoverAt !== undefined && fault.startsWith('more than the amount');
  return [...new Set(faults.filter((fault) => !isExcused(fault)))];
}

async function rowsOf({ operatorPorts, tenant }: ChaosWorld): Promise<readonly RecordedRequest[]> {
  const [httpPort = 0] = operatorPorts;
  return recordedRequests({ controlPlane: { httpPort }, organization: tenant.organization });
}

async function requestsOf({ vendors }: ChaosWorld): Promise<ReadonlyMap<string, readonly VendorRequest[]>> {
  const all = new Map<string, readonly VendorRequest[]>();
  for (const vendor of Object.values(vendors))
    for (const [name, requests] of Object.entries(await vendor.requests()))
      all.set(name, [...(all.get(name) ?? []), ...requests]);
  return all;
}

function descriptorsOf(proxies: readonly ProxyOfChaos[]): ReadonlyMap<string, number> {
  return new Map(proxies.map(({ name, program }) => [name, readdirSync(`/proc/${program.child.pid}/fd`).length]));
}

async function resourcesOf(
  proxies: readonly ProxyOfChaos[],
  before: ReadonlyMap<string, number>,
): Promise<readonly Resources[]> {
  const after = descriptorsOf(proxies);
  return Promise.all(
    proxies.map(async (proxy) => ({
      proxy: proxy.name,
      before: before.get(proxy.name) ?? 0,
      after: after.get(proxy.name) ?? 0,
      inFlight: await metric(proxy, 'gateway_in_flight_requests'),
    })),
  );
}

interface Figures {
  readonly history: {
    readonly revocations: readonly unknown[];
    readonly rows: readonly RecordedRequest[];
    readonly resources: readonly Resources[];
  };
  readonly audited: Audit;
  readonly troubles: readonly Trouble[];
  readonly slower: number;
  /** Responses whose usage waited in Redis and was lost there. */
  readonly waited: readonly ChaosCall[];
  /** Nano-dollars. */
  readonly unconfirmed: number;
}

function linesOf(
  { calls }: Traffic,
  { history, audited, troubles, slower, waited, unconfirmed }: Figures,
): readonly string[] {
  const kinds = Map.groupBy(troubles, ({ what }) => what.split(' ')[0] ?? '');
  const { revocations, rows, resources } = history;
  return [
    `faults: ${troubles.length} (${[...kinds]
      .map(([kind, of]) => `${kind} ${of.length}`)
      .toSorted()
      .join(', ')})`,
    `calls: ${calls.length} ${JSON.stringify(tallyOf(calls.map(({ reading }) => reading)))}`,
    `calls with several attempts: ${calls.filter(({ reading }) => reading.attempts > 1).length}`,
    `rows of usage: ${rows.length}, of them estimated ${rows.filter(({ estimated }) => estimated).length}`,
    `responses whose usage waited in Redis and was lost there, as documented: ${waited.length}; unconfirmed ${usdOfNano(unconfirmed)} USD`,
    `revocations: ${revocations.length}; the ledger was read ${audited.samples} times`,
    `programs took ${slower.toFixed(1)} times as long as on an idle machine`,
    `descriptors before → after: ${resources.map(({ proxy, before, after }) => `${proxy} ${before} → ${after}`).join(', ')}`,
  ];
}
