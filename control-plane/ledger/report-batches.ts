// Batches reports that arrive together. Each locks windows of whole organizations, so more than a few at once would
// only wait for each other and occupy connections that acquisitions need.
import { CallError } from '../rpc/errors.ts';
import type { LedgerTransaction, Store } from '../store/store.ts';
import { Batches } from './batches.ts';
import { type Reported, type ReportedEvent, reportTogether } from './report.ts';

export interface ReportWork {
  readonly events: readonly ReportedEvent[];
  readonly boundTo: string | undefined;
  /** Checks that the events are from about the present time, by the database's clock. @throws CallError */
  accept(now: number): void;
}

const atOnceMax = 2;
/** The most events that one report may contain. */
export const eventsMax = 1000;

export function createReportBatches(store: Pick<Store, 'ledger'>): Batches<ReportWork, Reported> {
  return new Batches({
    store,
    together,
    sizeOf: ({ events }) => events.length,
    sizeMax: eventsMax,
    atOnceMax,
  });
}

async function together(
  tx: LedgerTransaction,
  works: readonly ReportWork[],
): Promise<readonly PromiseSettledResult<Reported>[]> {
  const refusals = works.map((work) => refusalOf(work, tx.now));
  const accepted = works.filter((_, index) => refusals[index] === undefined);
  const reported = await reportTogether(tx, accepted);
  const responses = reported.map((value) => ({ status: 'fulfilled', value }) as const).values();
  return refusals.flatMap((refusal) => refusal ?? responses.next().value ?? []);
}

function refusalOf(work: ReportWork, now: number): PromiseRejectedResult | undefined {
  try {
    work.accept(now);
    return undefined;
  } catch (reason) {
    if (reason instanceof CallError) return { status: 'rejected', reason };
    throw reason;
  }
}
