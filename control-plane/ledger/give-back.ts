// Takes back what a session has drawn and does not need: while it is open into what is free, afterwards out of what is
// unsettled. At most what its lease has left.
import type { ProxyCaller } from '../services/caller.ts';
import type { BooksTransaction } from '../store/store.ts';
import { type Operation, openLease, saveLease, takeFrom } from './leases.ts';

export interface Return extends Operation {
  readonly amount: number;
}

/** @returns nano-dollars. @throws CallError not_found for the session of another proxy */
export async function giveBack(tx: BooksTransaction, caller: ProxyCaller, request: Return): Promise<number> {
  const open = await openLease(tx, caller, request);
  if (typeof open === 'string') return 0;
  const { lease, books } = open;
  if (request.seq === lease.seq) return storedReturn(lease.answer);
  if (request.seq !== lease.seq + 1) return 0;
  const returned = Math.min(request.amount, lease.remaining);
  const after = takeFrom(lease, books, returned);
  await saveLease(tx.db, {
    books: after.books,
    lease: { ...after.lease, seq: request.seq, answer: JSON.stringify({ returned }) },
  });
  return returned;
}

/** Nothing, where the operation of this number was a draw. */
function storedReturn(answer: string): number {
  const read: { readonly returned?: number } = JSON.parse(answer);
  return read.returned ?? 0;
}
