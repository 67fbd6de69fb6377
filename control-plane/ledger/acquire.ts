// Acquires money of a window for a session. Granted money was free under the locks, so no interleaving grants more than
// the budget has. Responses are stored, refusals too, so a repeated operation happens once.
import type { Selectable } from 'kysely';
import { type BudgetCalendar, windowOf } from '../../common/budget-window.ts';
import { aNumber, aRecord, aWord, orAbsent } from '../../common/json-shape.ts';
import { type AcquireOutcome, acquireOutcomes } from '../../proto/words/money.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { Instant, LeaseWork, NoLease, OpenLease, Operation, Step } from './lease-work.ts';
import type { WindowRow } from './windows.ts';

export interface AcquireStep extends Operation {
  /** If less than this is free, nothing is granted. */
  readonly need: number;
  /** At least `need`. With 0 nothing is acquired, and the operation only records `shut`. */
  readonly want: number;
}

export interface AcquireResponse {
  readonly outcome: AcquireOutcome;
  /** Nano-dollars; 0 unless granted. */
  readonly granted: number;
}

export interface Acquired extends AcquireResponse {
  /**
   * The organization whose proxies are to release money, if nothing was granted because other sessions have leased the
   * rest.
   */
  readonly reclaimOf: string | undefined;
  /** For `busy`: nano-dollars that are free or leased by other sessions. */
  readonly attainable?: number | undefined;
  /** For `exceeded` and `busy`: nano-dollars of the budget, with raises. */
  readonly amount?: number | undefined;
}

export function drawing(caller: ProxyCaller, request: AcquireStep): LeaseWork<Acquired> {
  return {
    caller,
    operation: request,
    step: (open, instant) => {
      const done = step(open, request, instant);
      return isForeign(open, caller) ? { ...done, response: withoutFigures(done.response) } : done;
    },
  };
}

/** Whether an organization's own proxy acquires money of the platform. */
function isForeign(open: OpenLease | NoLease, { organizationId }: ProxyCaller): boolean {
  return typeof open !== 'string' && organizationId !== undefined && open.budget.organizationId !== organizationId;
}

/** Organizations do not learn what the platform may spend. */
function withoutFigures({ attainable: _attainable, amount: _amount, ...response }: Acquired): Acquired {
  return response;
}

function step(open: OpenLease | NoLease, request: AcquireStep, instant: Instant): Step<Acquired> {
  if (typeof open === 'string') return refused(open);
  const { budget, windowRow, lease } = open;
  if (request.seq < lease.seq) return refused('ignored');
  if (request.seq > lease.seq + 1) return refused('lost');
  if (request.seq === lease.seq) return { response: { ...stored(lease), reclaimOf: undefined } };
  const response = decide(open, request, instant);
  const { granted } = response;
  const isBusy = response.outcome === 'busy';
  return {
    response: {
      ...response,
      reclaimOf: isBusy ? budget.organizationId : undefined,
      attainable: isBusy && !instant.isHealing ? attainable(open) : undefined,
      amount: isBusy || response.outcome === 'exceeded' ? budget.amount : undefined,
    },
    ...(isExceeded(response, open, request) && { exceeded: true }),
    after: {
      windowRow: { ...windowRow, leased: windowRow.leased + granted },
      lease: {
        ...lease,
        remaining: lease.remaining + granted,
        seq: request.seq,
        answer: JSON.stringify(response),
        shut: request.shut ?? 0,
      },
    },
  };
}

/**
 * Whether the proxy will refuse its request as over the limit. If the session's own lease has all remaining money, the
 * outcome is `busy`, but waiting would not help.
 */
function isExceeded({ outcome }: AcquireResponse, open: OpenLease, { need }: AcquireStep): boolean {
  return outcome === 'exceeded' || (outcome === 'busy' && attainable(open) < need);
}

/**
 * Nano-dollars that are free or leased by other sessions. The session's own lease does not count, because its requests
 * use it already.
 */
function attainable({ windowRow, budget, lease }: OpenLease): number {
  return Math.max(0, freeOf(windowRow, budget.amount) + windowRow.leased - lease.remaining);
}

/** Nano-dollars that are neither spent, leased nor unconfirmed; below 0 if the limit was lowered. */
export function freeOf({ spent, leased, unsettled: unconfirmed }: WindowRow, amount: number): number {
  return amount - spent - leased - unconfirmed;
}

function decide(
  { budget, session, windowRow }: OpenLease,
  { window, need, want }: AcquireStep,
  { now, isHealing }: Instant,
): AcquireResponse {
  const no = (outcome: AcquireOutcome) => ({ outcome, granted: 0 });
  if (session.open === 0) return no('gone');
  if (!isDrawable(budget.period, window, now)) return no('window');
  if (budget.deleted) return no('deleted');
  if (want === 0) return { outcome: 'granted', granted: 0 };
  // Proxies are about to report usage again that a restored database has lost.
  if (isHealing) return no('busy');
  const free = freeOf(windowRow, budget.amount);
  if (free >= need) {
    return { outcome: 'granted', granted: Math.min(want, Math.max(need, Math.floor(free / 4))) };
  }
  return no(windowRow.spent + windowRow.unsettled + need > budget.amount ? 'exceeded' : 'busy');
}

/** Proxies acquire shortly before a window begins, so that not all their requests must wait when it begins. */
const aheadMaxMs = 15_000;

function isDrawable(period: BudgetCalendar, window: string, now: number): boolean {
  return window === windowOf(period, now) || window === windowOf(period, now + aheadMaxMs);
}

function refused(outcome: AcquireOutcome): Step<Acquired> {
  return { response: { outcome, granted: 0, reclaimOf: undefined } };
}

/** If the operation of this number was a release, the proxy has lost count. */
function stored(lease: StoredResponse): AcquireResponse {
  const { outcome, granted } = storedAcquire(lease, idOfLease(lease));
  return outcome === undefined || granted === undefined ? { outcome: 'lost', granted: 0 } : { outcome, granted };
}

const storedAcquire = jsonColumn(
  'leases',
  'answer',
  aRecord<{ readonly outcome?: AcquireOutcome | undefined; readonly granted?: number | undefined }>({
    outcome: orAbsent(aWord(acquireOutcomes.words)),
    granted: orAbsent(aNumber),
  }),
);

export type StoredResponse = Pick<Selectable<Schema['leases']>, 'answer' | 'session_id' | 'budget_id' | 'window_start'>;

export function idOfLease({ session_id, budget_id, window_start }: StoredResponse): string {
  return `${session_id} ${budget_id} ${window_start}`;
}
