// Releases money that a session acquired and does not need (`Ledger/Return`). While the lease is open the money becomes
// free. After its end, the release first uses up money that was already freed then, and takes the rest from the
// unconfirmed money. It never exceeds the lease's remaining and freed money.
import { aNumber, aRecord, orAbsent } from '../../common/json-shape.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { jsonColumn } from '../store/json-columns.ts';
import { idOfLease } from './acquire.ts';
import type { LeaseWork, NoLease, OpenLease, Operation, Step } from './lease-work.ts';
import { takeFrom } from './leases.ts';

export interface Return extends Operation {
  readonly amount: number;
}

/** The response is in nano-dollars. */
export function returning(caller: ProxyCaller, request: Return): LeaseWork<number> {
  return { caller, operation: request, step: (open) => step(open, request) };
}

function step(open: OpenLease | NoLease, request: Return): Step<number> {
  if (typeof open === 'string') return { response: 0 };
  const { lease, windowRow } = open;
  if (request.seq === lease.seq) return { response: storedReturn(lease, idOfLease(lease)).returned ?? 0 };
  if (request.seq !== lease.seq + 1) return { response: 0 };
  const freed = Math.min(request.amount, lease.back);
  const taken = Math.min(request.amount - freed, lease.remaining);
  const after = takeFrom(lease, windowRow, taken);
  const returned = freed + taken;
  const response = JSON.stringify({ returned });
  const { seq, shut = 0 } = request;
  return {
    response: returned,
    after: {
      windowRow: after.windowRow,
      lease: { ...after.lease, back: lease.back - freed, seq, answer: response, shut },
    },
  };
}

/** Absent if the operation of this number was an acquisition. */
const storedReturn = jsonColumn(
  'leases',
  'answer',
  aRecord<{ readonly returned?: number | undefined }>({ returned: orAbsent(aNumber) }),
);
