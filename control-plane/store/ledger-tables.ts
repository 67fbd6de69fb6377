// Tables of the ledger, as schema.ts has them.

/** What a session holds of a budget's window. Key: (session_id, budget_id, window_start). */
export interface LeasesTable {
  session_id: string;
  budget_id: string;
  window_start: string;
  /** Nano-dollars; part of the window's leased while open, of its unsettled once expired. */
  remaining: number;
  state: LeaseState;
  /** Of the newest operation. */
  seq: number;
  /** What that operation was answered, as JSON. */
  answer: string;
  /** Nano-dollars that the session will not take, by its newest operation. */
  shut: number;
  /** Nano-dollars that were freed when it expired and that its proxy may still return: they are not taken twice. */
  back: number;
}

/** Which events of a session are booked. Key: session_id. */
export interface BookedOrdinalsTable {
  session_id: string;
  /** As JSON, [[first, last], …] in order; of very many the highest. */
  ranges: string;
  updated_at: number;
}

/** The histories that this database has been part of, as far as it remembers. Key: epoch. */
export interface EpochsTable {
  epoch: string;
  /** Counts them. */
  number: number;
  /** `first`: nothing is known of what was before. */
  kind: EpochKind;
  /** What it goes on from: of `restarted`. */
  continues_epoch: string | null;
  continues_revision: number | null;
  /** When it was found that what was committed last may be gone; null where nothing says so. */
  restored_at: number | null;
}

export type LeaseState = 'open' | 'expired';
export type EpochKind = 'first' | 'restarted' | 'restored';
