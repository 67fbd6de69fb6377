// Sets money of a window aside for a session. What is granted was free under the locks, so no interleaving grants more than
// the budget has; what was answered is stored, refusals too, so an operation that comes twice happens once.
import { windowOf } from '../../common/budget-window.ts';
import type { ProxyCaller } from '../services/caller.ts';
import type { LeaseWork, NoLease, OpenLease, Operation, Step } from './lease-work.ts';
import type { WindowRow } from './windows.ts';

export interface Draw extends Operation {
  /** Below this nothing is granted; at least 1. */
  readonly need: number;
  /** At least as much as is needed. */
  readonly want: number;
}

export type DrawOutcome = 'granted' | 'exceeded' | 'busy' | NoLease | 'lost' | 'ignored';

export interface DrawAnswer {
  readonly outcome: DrawOutcome;
  /** Nano-dollars; 0 unless granted. */
  readonly granted: number;
}

export interface Drawn extends DrawAnswer {
  /** Whose money others hold, where that is why there was none: they are to be asked to give it back. */
  readonly recallOf: string | undefined;
}

export function drawing(caller: ProxyCaller, request: Draw): LeaseWork<Drawn> {
  return { caller, operation: request, step: (open, now) => step(open, request, now) };
}

function step(open: OpenLease | NoLease, request: Draw, now: number): Step<Drawn> {
  if (typeof open === 'string') return refused(open);
  const { budget, books, lease } = open;
  if (request.seq < lease.seq) return refused('ignored');
  if (request.seq > lease.seq + 1) return refused('lost');
  if (request.seq === lease.seq) return { answer: { ...stored(lease.answer), recallOf: undefined } };
  const answer = decide(open, request, now);
  const { granted } = answer;
  return {
    answer: { ...answer, recallOf: answer.outcome === 'busy' ? budget.organizationId : undefined },
    ...(answer.outcome === 'exceeded' && { exceeded: true }),
    after: {
      books: { ...books, leased: books.leased + granted },
      lease: {
        ...lease,
        remaining: lease.remaining + granted,
        seq: request.seq,
        answer: JSON.stringify(answer),
      },
    },
  };
}

/** Nano-dollars that nobody has used or holds; below 0 where the limit was lowered. */
export function freeOf({ spent, leased, unsettled }: WindowRow, amount: number): number {
  return amount - spent - leased - unsettled;
}

function decide(
  { budget, session, books }: OpenLease,
  { window, need, want }: Draw,
  now: number,
): DrawAnswer {
  const no = (outcome: DrawOutcome) => ({ outcome, granted: 0 });
  if (session.open === 0) return no('gone');
  if (window !== windowOf(budget.period, now)) return no('window');
  if (budget.deleted) return no('deleted');
  const free = freeOf(books, budget.amount);
  if (free >= need) {
    return { outcome: 'granted', granted: Math.min(want, Math.max(need, Math.floor(free / 4))) };
  }
  return no(books.spent + books.unsettled + need > budget.amount ? 'exceeded' : 'busy');
}

function refused(outcome: DrawOutcome): Step<Drawn> {
  return { answer: { outcome, granted: 0, recallOf: undefined } };
}

/** The operation of this number was a return: whoever draws has lost count. */
function stored(answer: string): DrawAnswer {
  const read: Partial<DrawAnswer> = JSON.parse(answer);
  const { outcome, granted } = read;
  return outcome === undefined || granted === undefined
    ? { outcome: 'lost', granted: 0 }
    : { outcome, granted };
}
