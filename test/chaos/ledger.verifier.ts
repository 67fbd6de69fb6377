// Compares the results of callers and the usage that the vendor reported with the ledger, after everything has come to
// rest. The promise: each response is recorded once with the reported usage, or its proxy was killed and its cost is
// still in the leases of that proxy.
import type { RecordedRequest } from '../support/recorded.ts';
import { costReported, isAsReported, type Witnessed } from '../support/recorder.ts';
import type { Call } from './ledger.callers.ts';
import type { ReservedByRun, WindowState } from './ledger.state.ts';
import { faultsOf } from './ledger.state.ts';
import type { Absence } from './ledger.strikes.ts';

export interface Evidence {
  readonly calls: readonly Call[];
  readonly witnessed: ReadonlyMap<string, Witnessed>;
  /** The usage of all organizations, as exported. */
  readonly recorded: readonly RecordedRequest[];
  readonly windows: readonly WindowState[];
  readonly reserved: readonly ReservedByRun[];
  readonly absences: readonly Absence[];
}

/** Requests of a proxy that was killed before it could report them. */
export interface UnreportedCall {
  readonly requests: number;
  /** Nano-dollars. */
  readonly cost: number;
  /** The time from the oldest of the responses to the kill, in milliseconds. */
  readonly oldestMs: number;
}

export interface Verdict {
  readonly faults: readonly string[];
  /** Responses that are in the ledger, once and with the reported usage. */
  readonly recorded: number;
  /** Responses under budgets that are not in the ledger; leases still contain their cost. */
  readonly reserved: UnreportedCall;
  /** Responses without budgets that are not in the ledger: lost. */
  readonly lost: UnreportedCall;
  /** Those of both kinds with database and control planes available from two seconds before the response on. */
  readonly calm: UnreportedCall;
}

/** Refusals by the gateway itself: no vendor was called, and no usage may be recorded. */
const unasked: ReadonlySet<string> = new Set([
  '402 budget_exceeded',
  '429 budget_busy',
  '503 ledger_unavailable',
  '503 access_unavailable',
]);

function costOfCall({ reported }: Call): number {
  return reported === null ? 0 : costReported(reported);
}

export function verify(evidence: Evidence): Verdict {
  const { calls, recorded, windows } = evidence;
  const rows = Map.groupBy(recorded, ({ requestId }) => requestId);
  const faults = windows.flatMap(faultsOf);
  const names = new Set(calls.map(({ name }) => name));
  for (const name of rows.keys()) if (!names.has(name)) faults.push(`${name} is recorded, but no caller requested it`);
  const unreported: Call[] = [];
  let recordedCalls = 0;
  for (const call of calls) {
    const of = rows.get(call.name) ?? [];
    faults.push(...faultsOfCall(call, of, evidence));
    if (call.outcome !== '200') continue;
    if (of.length > 0) recordedCalls++;
    else unreported.push(call);
  }
  const paid = unreported.filter(({ payer }) => payer.budgets.length > 0);
  const free = unreported.filter(({ payer }) => payer.budgets.length === 0);
  faults.push(...notReserved(paid, evidence.reserved));
  const { absences } = evidence;
  for (const call of unreported)
    if (couldBeReported(call, absences)) faults.push(about(call, 'was not reported in time'));
  const calm = unreported.filter((call) => inTheWay(call, absences, 2_000).length === 0);
  return { faults, recorded: recordedCalls, reserved: summed(paid), lost: summed(free), calm: summed(calm) };
}

function faultsOfCall(call: Call, rows: readonly RecordedRequest[], { witnessed }: Evidence): readonly string[] {
  const faults: string[] = [];
  const requested = witnessed.get(call.name);
  if (rows.length > 1) faults.push(`is recorded ${rows.length} times`);
  if (unasked.has(call.outcome) && (rows.length > 0 || requested !== undefined))
    faults.push('was refused, but was sent to the vendor or is recorded');
  if ((requested?.times ?? 0) > 1) faults.push('was sent to the vendor more than once');
  if (call.outcome.endsWith(' internal_error')) faults.push('met a defect');
  const isKilled = call.run.killedAt !== undefined;
  if (requested !== undefined && rows.length === 0 && !isKilled) faults.push('is not in the ledger');
  if (call.outcome === '200') faults.push(...faultsOfResponse(call, rows[0], requested));
  return faults.map((fault) => about(call, fault));
}

function faultsOfResponse(
  call: Call,
  row: RecordedRequest | undefined,
  requested: Witnessed | undefined,
): readonly string[] {
  const faults: string[] = [];
  if (requested?.request.ended !== 'finished') faults.push('got a response without the vendor');
  if (row === undefined || call.reported === null) return faults;
  if (!isAsReported(row, call.reported)) faults.push(`is recorded otherwise than reported: ${JSON.stringify(row)}`);
  return faults;
}

/** Checks that the leases of a killed proxy still contain all its unreported cost, for each budget. */
function notReserved(unreported: readonly Call[], reserved: readonly ReservedByRun[]): readonly string[] {
  const costs = new Map<string, number>();
  for (const call of unreported)
    for (const budget of call.payer.budgets) {
      const key = `${call.run.tokenId} ${budget}`;
      costs.set(key, (costs.get(key) ?? 0) + costOfCall(call));
    }
  const faults: string[] = [];
  for (const [key, cost] of costs) {
    const lease = reserved.find(({ tokenId, budget }) => `${tokenId} ${budget}` === key);
    const amount = (lease?.open ?? 0) + (lease?.expired ?? 0);
    if (amount < cost)
      faults.push(`responses that are not recorded cost ${cost}, but the leases contain ${amount}: ${key}`);
  }
  return faults;
}

/**
 * After this time without obstacles usage must be reported: a report is sent again after five seconds at the latest, a
 * connection opened after two.
 */
const calmMs = 10_000;

function couldBeReported(call: Call, absences: readonly Absence[]): boolean {
  let calmSince = call.endedAt;
  for (const { from, to } of inTheWay(call, absences, 0)) {
    if (from - calmSince >= calmMs) return true;
    calmSince = Math.max(calmSince, to);
  }
  return untilOf(call) - calmSince >= calmMs;
}

/** Returns the absences of database and control planes, from beforeMs before the response to the death of its proxy. */
function inTheWay(call: Call, absences: readonly Absence[], beforeMs: number): readonly Absence[] {
  return absences
    .filter(({ name }) => name === 'PostgreSQL' || name.startsWith('control plane'))
    .filter(({ from, to }) => to > call.endedAt - beforeMs && from < untilOf(call))
    .toSorted((a, b) => a.from - b.from);
}

function untilOf({ run }: Call): number {
  return run.killedAt ?? Number.POSITIVE_INFINITY;
}

function summed(calls: readonly Call[]): UnreportedCall {
  const ages = calls.map(({ endedAt, run }) => (run.killedAt ?? endedAt) - endedAt);
  return {
    requests: calls.length,
    cost: calls.reduce((sum, call) => sum + costOfCall(call), 0),
    oldestMs: Math.round(Math.max(0, ...ages)),
  };
}

function about({ name, payer, outcome, endedAt, run }: Call, fault: string): string {
  const killed = run.killedAt === undefined ? '' : `, its proxy killed ${Math.round(run.killedAt - endedAt)} ms later`;
  return `${name} of ${payer.name} (${outcome}${killed}) ${fault}`;
}
