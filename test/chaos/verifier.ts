// The promises of a chaos run, checked against its history. Pure: tests plant faults in histories.
// Slowness of the machine is no fault: bounds in time are multiplied by how much longer the programs took for it.
//
// - No wrong refusal: a sound key is never refused as unknown, forbidden or out of budget; while nothing fails, and some
//   time after, nothing is refused at all.
// - No revived key: a revoked key is refused within the promised time.
// - No overspend, and no usage lost or counted twice: see accounts.ts, and faultsOf in ledger.state.ts. What waited in Redis
//   is lost with it, as documented.
// - No truncated text that looks complete, no text put together from two: see plan.ts.
// - No leak: after the last fault, proxies have as many descriptors and requests in flight as before the first.

import { faultsOfReading, type NamedCall } from '../resilience/accounts.ts';
import { costOfTokens } from '../resilience/prices.ts';
import type { VendorRequest } from '../resilience/vendor.ts';
import { slownessMax } from '../support/pace.ts';
import { costOf, type RecordedRequest } from '../support/recorded.ts';

/** A time in which something failed, by performance.now(). */
export interface Trouble {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

export interface ChaosCall extends NamedCall {
  /** The name of the proxy or sidecar that was called. */
  readonly entry: string;
  /** Its key has a small budget that is soon spent. */
  readonly isSmall: boolean;
}

export interface Revocation {
  readonly key: string;
  /** By performance.now(): its call had returned. */
  readonly at: number;
  readonly probes: readonly { readonly proxy: string; readonly startedAt: number; readonly outcome: string }[];
}

export interface Resources {
  readonly proxy: string;
  readonly before: number;
  /** Descriptors. */
  readonly after: number;
  readonly inFlight: number;
}

export interface History {
  /** By performance.now(): the time from which the schedule counts. */
  readonly began: number;
  readonly calls: readonly ChaosCall[];
  readonly troubles: readonly Trouble[];
  /** By how much longer than on an idle machine the programs took, at least 1; instants by performance.now(). */
  slowness(from: number, to: number): number;
  /** When commits of the database may have been lost. */
  readonly failoverAt: number | undefined;
  readonly revocations: readonly Revocation[];
  readonly resources: readonly Resources[];
  readonly rows: readonly RecordedRequest[];
  /** By name, of all vendors. */
  readonly requests: ReadonlyMap<string, readonly VendorRequest[]>;
}

export interface Bounds {
  /** After the end of a fault, everything works again within this time. */
  readonly recoveryMs: number;
  /** Of a revocation while nothing fails. */
  readonly revokedMs: number;
  /** GATEWAY_ACCESS_MAX_STALE: of a revocation while the control plane cannot be reached. */
  readonly staleMs: number;
  /** To notice that it cannot be reached. */
  readonly noticeMs: number;
  /** Descriptors more than before. */
  readonly descriptorsMore: number;
}

export function faultsOfHistory(history: History, bounds: Bounds): readonly string[] {
  const { calls, rows, began } = history;
  const rowsByName = Map.groupBy(rows, ({ requestId }) => requestId);
  const names = new Set(calls.map(({ name }) => name));
  const faults = [...rowsByName.keys()]
    .filter((name) => !names.has(name))
    .map((name) => `${name} is recorded, but nobody called`);
  for (const call of calls) {
    const found = [
      ...faultsOfReading(call),
      ...faultsOfOutcome(call, history, bounds),
      ...faultsOfUsage(call, rowsByName.get(call.name) ?? [], history.requests.get(call.name) ?? []),
      ...faultsOfLoss(call, rowsByName.get(call.name) ?? [], { history, bounds }),
    ];
    const { outcome, startedAt } = call.reading;
    const seconds = ((startedAt - began) / 1_000).toFixed(1);
    faults.push(...found.map((fault) => `${call.name} (${seconds} s, ${call.entry}: ${outcome}) ${fault}`));
  }
  faults.push(...history.revocations.flatMap((one) => faultsOfRevocation(one, history, bounds)));
  faults.push(...history.resources.flatMap((one) => faultsOfResources(one, bounds)));
  return faults;
}

type Troubled = Pick<History, 'troubles' | 'slowness'>;

/** Whether nothing failed from some time before the beginning until the end. */
function isCalm({ troubles, slowness }: Troubled, from: number, to: number, recoveryMs: number): boolean {
  const near = troubles.filter((one) => one.from <= to && one.to + recoveryMs * slownessMax >= from);
  return !near.some((one) => one.to + recoveryMs * slowness(one.to, from) >= from);
}

/** What no fault of another program justifies: it says that the key or its rights are not good. */
const neverRight = /^(?:400|401|402|403|404|405|413|422) /;

/** Its budget is small, and spent. */
export function isRefusedByBudget({ isSmall, reading: { outcome } }: Pick<ChaosCall, 'isSmall' | 'reading'>): boolean {
  return isSmall && (outcome.startsWith('402 ') || outcome === '429 budget_busy');
}

function faultsOfOutcome(call: ChaosCall, history: Troubled, { recoveryMs }: Bounds): readonly string[] {
  const { outcome, startedAt, ms } = call.reading;
  if (outcome === '200' || outcome === 'left' || isRefusedByBudget(call)) return [];
  if (neverRight.test(outcome)) return ['is a wrong refusal'];
  return isCalm(history, startedAt, startedAt + ms, recoveryMs) ? ['failed while nothing else did'] : [];
}

/** Of one request. */
const attemptsMax = 3;

function faultsOfUsage(
  { plan, reading, isSmall }: ChaosCall,
  rows: readonly RecordedRequest[],
  requests: readonly VendorRequest[],
): readonly string[] {
  const faults: string[] = [];
  // A caller that left before the head does not know the attempts, and a vendor does not see one that was reset.
  const isUnknown = reading.outcome === 'left' && reading.attempts === 0;
  const attempts = Math.max(isUnknown ? attemptsMax : 1, requests.length, reading.attempts);
  const exact = rows.filter(({ status, estimated }) => status === 200 && !estimated);
  if (exact.length > 1) faults.push(`is recorded ${exact.length} times`);
  if (rows.length > attempts) faults.push(`has ${rows.length} rows for ${attempts} attempts`);
  if (reading.isWhole && requests.length === 0) faults.push('got a response that no vendor sent');
  if (exact.length > 0 && requests.length === 0) faults.push('is recorded, but no vendor was called');
  for (const row of exact)
    if (costOf(row) !== costOfTokens(plan))
      faults.push(`costs ${costOf(row)}, but the vendor reported ${costOfTokens(plan)}`);
  if (isSmall && reading.outcome.startsWith('402 ') && rows.some((row) => costOf(row) > 0))
    faults.push('was refused, but was charged');
  return faults;
}

/** Responses whose usage waited in Redis and was lost there. */
export function lostWithRedis(history: History, bounds: Bounds): readonly ChaosCall[] {
  const recorded = new Set(history.rows.map(({ requestId }) => requestId));
  return history.calls.filter(
    (call) => isLost(call, recorded.has(call.name)) && mayHaveWaitedInRedis(call, { history, bounds }),
  );
}

/** Money of usage that was lost is never free again: it is unconfirmed. @param unconfirmed nano-dollars */
export function faultsOfUnconfirmed(lost: readonly Pick<ChaosCall, 'plan'>[], unconfirmed: number): readonly string[] {
  const cost = lost.reduce((sum, { plan }) => sum + costOfTokens(plan), 0);
  return cost > unconfirmed ? [`usage that Redis lost costs ${cost}, but ${unconfirmed} are unconfirmed`] : [];
}

function isLost({ reading }: ChaosCall, isRecorded: boolean): boolean {
  return reading.isWhole && !isRecorded;
}

interface Circumstances {
  readonly history: Pick<History, 'troubles' | 'slowness'>;
  readonly bounds: Bounds;
}

/** A proxy that was killed before it had settled charges the reservation, when it runs again. */
function faultsOfLoss(
  call: ChaosCall,
  rows: readonly RecordedRequest[],
  circumstances: Circumstances,
): readonly string[] {
  const isFault = isLost(call, rows.length > 0) && !mayHaveWaitedInRedis(call, circumstances);
  return isFault ? ['is not recorded'] : [];
}

/** Faults of Redis by which it loses usage that waits in it. */
export const losesContent = /^(?:empty|promote) Redis/;

/**
 * Whether Redis lost its content before everything had worked for so long that the usage was reported. While the control
 * plane cannot be reached, usage waits in Redis, and is as durable as that.
 */
function mayHaveWaitedInRedis(
  { reading: { startedAt, ms } }: Pick<ChaosCall, 'reading'>,
  { history: { troubles, slowness }, bounds: { recoveryMs } }: Circumstances,
): boolean {
  let workedSince = startedAt + ms;
  for (const { from, to, what } of troubles.toSorted((one, other) => one.from - other.from)) {
    if (to < startedAt) continue;
    if (from > workedSince + recoveryMs * slowness(workedSince, from)) return false;
    if (losesContent.test(what)) return true;
    workedSince = Math.max(workedSince, to);
  }
  return false;
}

/** Changes of the last seconds before a failover may be lost, revocations included, as documented. */
const lostMs = 5_000;

function faultsOfRevocation(
  { key, at, probes }: Revocation,
  history: History,
  { recoveryMs, revokedMs, staleMs, noticeMs }: Bounds,
): readonly string[] {
  const { failoverAt, slowness } = history;
  if (failoverAt !== undefined && at > failoverAt - lostMs && at < failoverAt + lostMs) return [];
  return probes
    .filter(({ outcome }) => outcome === '200')
    .filter(({ startedAt }) => {
      const isQuiet = isCalm(history, at, startedAt, recoveryMs);
      const factor = slowness(at, startedAt);
      return startedAt - at > (isQuiet ? revokedMs * factor : staleMs + noticeMs * factor);
    })
    .map(({ proxy, startedAt }) => `${key} works at ${proxy} ${Math.round(startedAt - at)} ms after its revocation`);
}

function faultsOfResources(
  { proxy, before, after, inFlight }: Resources,
  { descriptorsMore }: Bounds,
): readonly string[] {
  const faults: string[] = [];
  if (after > before + descriptorsMore) faults.push(`${proxy} has ${after} descriptors, before the faults ${before}`);
  if (inFlight !== 0) faults.push(`${proxy} has ${inFlight} requests in flight, but nobody calls`);
  return faults;
}
