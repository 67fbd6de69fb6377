// Tables of the ledger: a part of schema.ts.

/** The money of a budget's window that a session has acquired. Key: (session_id, budget_id, window_start). */
export interface LeasesTable {
  session_id: string;
  budget_id: string;
  window_start: string;
  /** Nano-dollars; part of the window's `leased` while the lease is open, of its `unsettled` once expired. */
  remaining: number;
  state: LeaseState;
  /** The number of the newest operation. */
  seq: number;
  /** The stored response of that operation, as JSON. */
  answer: string;
  /** The shut part in nano-dollars, as of the newest operation. */
  shut: number;
  /**
   * Nano-dollars that became free when the lease expired, and that its proxy may still release. They must not be taken
   * twice.
   */
  back: number;
}

/** One run of a proxy. A closed session never opens again. */
export interface LedgerSessionsTable {
  id: string;
  /** Id of the proxy's token, or the name in its certificate. */
  proxy: string;
  /** The organization of a bound proxy. */
  organization_id: string | null;
  open: 0 | 1;
  seen_at: number;
  /** When its leases became unconfirmed, after it was closed. */
  expired_at: number | null;
  /** The epoch in which it was opened; null if an older version opened it. */
  epoch: string | null;
}

/** The ordinals of a session's recorded events. Key: session_id. */
export interface BookedOrdinalsTable {
  session_id: string;
  /** JSON, [[first, last], …] in order. Of very many ranges only the highest are stored. */
  ranges: string;
  updated_at: number;
}

/** The histories that this database has been part of, as far as they are recorded. Key: epoch. */
export interface EpochsTable {
  epoch: string;
  /** The number of the epoch, counted from 1. */
  number: number;
  /** `first`: nothing is known of the time before. */
  kind: EpochKind;
  /** The epoch that a `restarted` one continues. */
  continues_epoch: string | null;
  continues_revision: number | null;
  /** When it was found that the last commits may be lost; null if nothing shows that. */
  restored_at: number | null;
}

export type LeaseState = 'open' | 'expired';
export type EpochKind = 'first' | 'restarted' | 'restored';
