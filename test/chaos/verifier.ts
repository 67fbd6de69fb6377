// The promises of a chaos run, checked against its history. Pure: tests plant faults in histories.
//
// - No wrong refusal: a sound key is never refused as unknown, forbidden or out of budget; while nothing fails, and some
//   time after, nothing is refused at all.
// - No revived key: a revoked key is refused within the promised time.
// - No overspend, and no usage lost or counted twice: see accounts.ts, and faultsOf in ledger.state.ts.
// - No truncated text that looks complete, no text put together from two: see plan.ts.
// - No leak: after the last fault, proxies have as many descriptors and requests in flight as before the first.

import { faultsOfReading, type NamedCall } from '../resilience/accounts.ts';
import { costOfTokens } from '../resilience/prices.ts';
import type { VendorRequest } from '../resilience/vendor.ts';
import { costOf, type RecordedRequest } from '../support/recorded.ts';

/** A time in which something failed, by performance.now(). */
export interface Trouble {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

export interface ChaosCall extends NamedCall {
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
  readonly calls: readonly ChaosCall[];
  readonly troubles: readonly Trouble[];
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
  /** Of a revocation while the control plane cannot be reached: GATEWAY_ACCESS_MAX_STALE, and the time to notice. */
  readonly staleMs: number;
  /** Descriptors more than before. */
  readonly descriptorsMore: number;
}

export function faultsOfHistory(history: History, bounds: Bounds): readonly string[] {
  const { calls, rows } = history;
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
    ];
    faults.push(...found.map((fault) => `${call.name} (${call.reading.outcome}) ${fault}`));
  }
  faults.push(...history.revocations.flatMap((one) => faultsOfRevocation(one, history, bounds)));
  faults.push(...history.resources.flatMap((one) => faultsOfResources(one, bounds)));
  return faults;
}

/** Whether nothing failed from some time before the beginning until the end. */
export function isCalm(troubles: readonly Trouble[], from: number, to: number, recoveryMs: number): boolean {
  return !troubles.some((trouble) => trouble.from <= to && trouble.to + recoveryMs >= from);
}

/** What no fault of another program justifies: it says that the key or its rights are not good. */
const neverRight = /^(?:400|401|402|403|404|405|413|422) /;

function faultsOfOutcome(
  { isSmall, reading }: ChaosCall,
  { troubles }: History,
  { recoveryMs }: Bounds,
): readonly string[] {
  const { outcome, startedAt, ms } = reading;
  if (outcome === '200' || outcome === 'left') return [];
  const isOfBudget = outcome.startsWith('402 ') || outcome === '429 budget_busy';
  if (isSmall && isOfBudget) return [];
  if (neverRight.test(outcome)) return ['is a wrong refusal'];
  return isCalm(troubles, startedAt, startedAt + ms, recoveryMs) ? ['failed while nothing else did'] : [];
}

function faultsOfUsage(
  { plan, reading, isSmall }: ChaosCall,
  rows: readonly RecordedRequest[],
  requests: readonly VendorRequest[],
): readonly string[] {
  const faults: string[] = [];
  const attempts = Math.max(1, requests.length, reading.attempts);
  const exact = rows.filter(({ status, estimated }) => status === 200 && !estimated);
  if (exact.length > 1) faults.push(`is recorded ${exact.length} times`);
  if (rows.length > attempts) faults.push(`has ${rows.length} rows for ${attempts} attempts`);
  if (reading.isWhole && requests.length === 0) faults.push('got a response that no vendor sent');
  // A proxy that was killed before it had settled charges the reservation, when it runs again.
  if (reading.isWhole && rows.length === 0) faults.push('is not recorded');
  if (exact.length > 0 && requests.length === 0) faults.push('is recorded, but no vendor was called');
  for (const row of exact)
    if (costOf(row) !== costOfTokens(plan))
      faults.push(`costs ${costOf(row)}, but the vendor reported ${costOfTokens(plan)}`);
  if (isSmall && reading.outcome.startsWith('402 ') && rows.some((row) => costOf(row) > 0))
    faults.push('was refused, but was charged');
  return faults;
}

/** Changes of the last seconds before a failover may be lost, revocations included, as documented. */
const lostMs = 5_000;

function faultsOfRevocation(
  { key, at, probes }: Revocation,
  { troubles, failoverAt }: History,
  { recoveryMs, revokedMs, staleMs }: Bounds,
): readonly string[] {
  if (failoverAt !== undefined && at > failoverAt - lostMs && at < failoverAt + lostMs) return [];
  return probes
    .filter(({ outcome }) => outcome === '200')
    .filter(({ startedAt }) => {
      const isQuiet = isCalm(troubles, at, startedAt, recoveryMs);
      return startedAt - at > (isQuiet ? revokedMs : staleMs);
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
