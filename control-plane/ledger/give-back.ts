// Takes back what a session has drawn and does not need: while it is open into what is free, afterwards out of what is
// unsettled. At most what its lease has left.
import type { ProxyCaller } from '../services/caller.ts';
import type { LeaseWork, NoLease, OpenLease, Operation, Step } from './lease-work.ts';
import { takeFrom } from './leases.ts';

export interface Return extends Operation {
  readonly amount: number;
}

/** Answers nano-dollars. */
export function returning(caller: ProxyCaller, request: Return): LeaseWork<number> {
  return { caller, operation: request, step: (open) => step(open, request) };
}

function step(open: OpenLease | NoLease, request: Return): Step<number> {
  if (typeof open === 'string') return { answer: 0 };
  const { lease, books } = open;
  if (request.seq === lease.seq) return { answer: storedReturn(lease.answer) };
  if (request.seq !== lease.seq + 1) return { answer: 0 };
  const returned = Math.min(request.amount, lease.remaining);
  const after = takeFrom(lease, books, returned);
  const answer = JSON.stringify({ returned });
  return {
    answer: returned,
    after: { books: after.books, lease: { ...after.lease, seq: request.seq, answer } },
  };
}

/** Nothing, where the operation of this number was a draw. */
function storedReturn(answer: string): number {
  const read: { readonly returned?: number } = JSON.parse(answer);
  return read.returned ?? 0;
}
