// Sets money of a window aside for a session. What is granted was free under the locks, so no interleaving grants more than
// the budget has; what was answered is stored, refusals too, so an operation that comes twice happens once.
import type { Selectable } from 'kysely';
import { type BudgetPeriod, windowOf } from '../../common/budget-window.ts';
import { aNumber, aRecord, aWord, orAbsent } from '../../common/json-shape.ts';
import { type DrawOutcome, drawOutcomes } from '../../proto/words/money.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';
import type { LeaseWork, Moment, NoLease, OpenLease, Operation, Step } from './lease-work.ts';
import type { WindowRow } from './windows.ts';

export interface Draw extends Operation {
  /** Below this nothing is granted. */
  readonly need: number;
  /** At least as much as is needed. 0: nothing is asked for but that `shut` is noted. */
  readonly want: number;
}

export interface AcquireResponse {
  readonly outcome: DrawOutcome;
  /** Nano-dollars; 0 unless granted. */
  readonly granted: number;
}

export interface Drawn extends AcquireResponse {
  /** Whose money others hold, where that is why there was none: they are to be asked to give it back. */
  readonly recallOf: string | undefined;
  /** Of `busy`, nano-dollars: what is free, and what other sessions hold. */
  readonly attainable?: number | undefined;
}

export function drawing(caller: ProxyCaller, request: Draw): LeaseWork<Drawn> {
  return { caller, operation: request, step: (open, moment) => step(open, request, moment) };
}

function step(open: OpenLease | NoLease, request: Draw, moment: Moment): Step<Drawn> {
  if (typeof open === 'string') return refused(open);
  const { budget, books, lease } = open;
  if (request.seq < lease.seq) return refused('ignored');
  if (request.seq > lease.seq + 1) return refused('lost');
  if (request.seq === lease.seq) return { answer: { ...stored(lease), recallOf: undefined } };
  const response = decide(open, request, moment);
  const { granted } = response;
  const isBusy = response.outcome === 'busy';
  return {
    answer: {
      ...response,
      recallOf: isBusy ? budget.organizationId : undefined,
      attainable: isBusy && !moment.isHealing ? attainable(open) : undefined,
    },
    ...(isExceeded(response, open, request) && { exceeded: true }),
    after: {
      books: { ...books, leased: books.leased + granted },
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

/** Whether its proxy refuses because of what is spent: a lone caller is told so though its own slice holds what is left. */
function isExceeded({ outcome }: AcquireResponse, open: OpenLease, { need }: Draw): boolean {
  return outcome === 'exceeded' || (outcome === 'busy' && attainable(open) < need);
}

/** With what this session holds already its own requests go on, or end. */
function attainable({ books, budget, lease }: OpenLease): number {
  return Math.max(0, freeOf(books, budget.amount) + books.leased - lease.remaining);
}

/** Nano-dollars that nobody has used or holds; below 0 where the limit was lowered. */
export function freeOf({ spent, leased, unsettled }: WindowRow, amount: number): number {
  return amount - spent - leased - unsettled;
}

function decide(
  { budget, session, books }: OpenLease,
  { window, need, want }: Draw,
  { now, isHealing }: Moment,
): AcquireResponse {
  const no = (outcome: DrawOutcome) => ({ outcome, granted: 0 });
  if (session.open === 0) return no('gone');
  if (!isDrawable(budget.period, window, now)) return no('window');
  if (budget.deleted) return no('deleted');
  if (want === 0) return { outcome: 'granted', granted: 0 };
  // What was reported to a database that is gone is about to be reported again.
  if (isHealing) return no('busy');
  const free = freeOf(books, budget.amount);
  if (free >= need) {
    return { outcome: 'granted', granted: Math.min(want, Math.max(need, Math.floor(free / 4))) };
  }
  return no(books.spent + books.unsettled + need > budget.amount ? 'exceeded' : 'busy');
}

/** Proxies draw a little before a window begins, so that not all their requests have to when it has. */
const aheadMaxMs = 15_000;

function isDrawable(period: BudgetPeriod, window: string, now: number): boolean {
  return window === windowOf(period, now) || window === windowOf(period, now + aheadMaxMs);
}

function refused(outcome: DrawOutcome): Step<Drawn> {
  return { answer: { outcome, granted: 0, recallOf: undefined } };
}

/** The operation of this number was a return: whoever draws has lost count. */
function stored(lease: StoredResponse): AcquireResponse {
  const { outcome, granted } = storedDraw(lease, idOfLease(lease));
  return outcome === undefined || granted === undefined
    ? { outcome: 'lost', granted: 0 }
    : { outcome, granted };
}

const storedDraw = jsonColumn(
  'leases',
  'answer',
  aRecord<{ readonly outcome?: DrawOutcome | undefined; readonly granted?: number | undefined }>({
    outcome: orAbsent(aWord(drawOutcomes.words)),
    granted: orAbsent(aNumber),
  }),
);

export type StoredResponse = Pick<
  Selectable<Schema['leases']>,
  'answer' | 'session_id' | 'budget_id' | 'window_start'
>;

export function idOfLease({ session_id, budget_id, window_start }: StoredResponse): string {
  return `${session_id} ${budget_id} ${window_start}`;
}
