// The service Ledger as the proxy calls it, in the proxy's own types. Amounts are nano-dollars; times are milliseconds
// since 1970 by the database's clock. `now` is the time of this response, also if it repeats an earlier result. Every
// call fails with an error if no replica has responded in time; the operation may have happened then.
import type { AcquireOutcome, EstimateReason } from '../../proto/words/money.ts';
import type { SpecialUsage } from '../conversation/usage.ts';

export interface LedgerClient {
  keepSession(session: string): Promise<SessionResponse>;
  acquire(request: AcquireRequest): Promise<AcquireResponse>;
  release(request: ReturnRequest): Promise<LedgerResponse & { readonly returned: number }>;
  report(events: readonly UsageEvent[]): Promise<LedgerResponse & { readonly recorded: number }>;
  /** The caller ensures that no more reservations are made in the session. */
  closeSession(end: SessionEnd): Promise<LedgerResponse & { readonly freed: number }>;
}

export interface LedgerResponse {
  readonly now: number;
  /** Incarnation and timeline of the database; empty if the control plane does not report them. */
  readonly epoch: string;
}

export interface SessionResponse extends LedgerResponse {
  readonly open: boolean;
  /**
   * Sessions that called within a minute, including this one. 0 if the control plane does not report them: then it does
   * not support `shut`.
   */
  readonly sessions: number;
  /** The rest of all open leases of the session; undefined if the control plane does not report it. */
  readonly leased: number | undefined;
}

export interface SessionEnd {
  readonly session: string;
  /** Of its leases, at most 1,000. */
  readonly outstanding: readonly {
    readonly budgetId: string;
    readonly window: string;
    readonly amount: number;
  }[];
  /** Leases that are not named stay unchanged; if false, nothing of them is outstanding. */
  readonly andOthers: boolean;
}

/**
 * The control plane has responded that it will never do this: the call is `invalid`, or this proxy may not make it
 * (`denied`), or it is about something that the control plane does not have (`unknown`). Every other error may be
 * temporary.
 */
export class LedgerRefusedError extends Error {
  readonly reason: 'invalid' | 'denied' | 'unknown';

  constructor(reason: LedgerRefusedError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LedgerRefusedError';
    this.reason = reason;
  }
}

/** No response was read in time because this process stood still: nothing is known about the control plane. */
export class LedgerStalledError extends Error {
  constructor(cause: unknown) {
    super('this process was stalled for longer than the call may take', { cause });
    this.name = 'LedgerStalledError';
  }
}

/** The lease and the number of an operation. Sent again unchanged, the operation gets the same result. */
export interface Operation {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  /** From 1; acquire and release operations of a lease share the numbers. */
  readonly seq: number;
  /** The part of the lease that is not used before another operation reduces it. */
  readonly shut: number;
}

export interface AcquireRequest extends Operation {
  /** Of the lease of a counter: the value that it counts. */
  readonly value?: string | undefined;
  /** Both are 0 if the operation only reduces `shut`. */
  readonly need: number;
  readonly want: number;
}

export interface AcquireResponse extends LedgerResponse {
  readonly outcome: AcquireOutcome;
  readonly granted: number;
  /** For `busy`: the free money and the leases of other sessions; undefined if the control plane does not report it. */
  readonly attainable: number | undefined;
  /** For `exceeded` and `busy`: the budget's amount with raises; undefined if the control plane does not report it. */
  readonly amount?: number | undefined;
}

export interface ReturnRequest extends Operation {
  readonly amount: number;
}

/** One request that was dispatched: `UsageEvent` of ledger.proto, which documents the fields. */
export interface UsageEvent {
  readonly id: string;
  readonly at: number;
  readonly session: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly aiSystemId: string | undefined;
  readonly personId: string | undefined;
  readonly projectKeyId: string | undefined;
  readonly projectAiSystemId: string | undefined;
  readonly projectPersonId: string | undefined;
  readonly requestId: string;
  readonly provider: string;
  readonly modelAsked: string;
  readonly modelAnswered: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly reasoningTokens: number;
  /** Nano-dollars. */
  readonly cost: number;
  readonly unpriced: boolean;
  readonly status: number;
  readonly errorSource: string;
  readonly errorCode: string;
  readonly latencyMs: number;
  readonly firstTokenMs: number | undefined;
  readonly streamed: boolean;
  readonly directKey: boolean;
  readonly providerKeyId: string | undefined;
  /** The guardrail that called the model; absent for a request of a caller. */
  readonly guardrailId?: string | undefined;
  /** A copy of a request, for another model. */
  readonly shadow?: true;
  /** Of the request, by name; absent if it has none. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly attempts: number;
  readonly estimated: boolean;
  /** Why the usage is estimated; undefined if it is not. */
  readonly estimateReason: EstimateReason | undefined;
  /** Counts the events of a session, from 1. Undefined without a session, and from older proxies. */
  readonly ordinal?: number | undefined;
  /** Nano-dollars that the provider reported before the end of an estimated request; undefined if it reported none. */
  readonly reportedCost: number | undefined;
  /** Usage with prices of its own beside plain tokens; absent if there is none. */
  readonly special?: SpecialUsage;
  readonly charges: readonly {
    readonly budgetId: string;
    readonly window: string;
    readonly escrow: number;
  }[];
}
