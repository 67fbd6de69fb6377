// Takes back what a session has drawn and does not need: while it is open into what is free, afterwards first of what was freed when
// its lease expired, then out of what is unsettled. At most what its lease has left, and what was freed of it.
import { aNumber, aRecord, orAbsent } from '../../common/json-shape.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { jsonColumn } from '../store/json-columns.ts';
import { idOfLease } from './acquire.ts';
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
  if (request.seq === lease.seq) return { answer: storedReturn(lease, idOfLease(lease)).returned ?? 0 };
  if (request.seq !== lease.seq + 1) return { answer: 0 };
  const freed = Math.min(request.amount, lease.back);
  const taken = Math.min(request.amount - freed, lease.remaining);
  const after = takeFrom(lease, books, taken);
  const returned = freed + taken;
  const response = JSON.stringify({ returned });
  const { seq, shut = 0 } = request;
  return {
    answer: returned,
    after: {
      books: after.books,
      lease: { ...after.lease, back: lease.back - freed, seq, answer: response, shut },
    },
  };
}

/** Absent where the operation of this number was a draw. */
const storedReturn = jsonColumn(
  'leases',
  'answer',
  aRecord<{ readonly returned?: number | undefined }>({ returned: orAbsent(aNumber) }),
);
