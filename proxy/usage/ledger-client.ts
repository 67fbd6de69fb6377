// The service Ledger as the proxy calls it, in the proxy's own types. Amounts are nano-dollars, times milliseconds since 1970 by
// the database's clock; `now` is when this call was answered, also where it repeats an older answer. Every call fails with an
// error where no replica has answered in time; it may then have happened.
import type { DrawOutcome, EstimateReason } from '../../proto/words/money.ts';
import type { SpecialUsage } from '../conversation/usage.ts';

export interface LedgerClient {
  keepSession(session: string): Promise<SessionResponse>;
  draw(request: DrawRequest): Promise<AcquireResponse>;
  giveBack(request: ReturnRequest): Promise<LedgerResponse & { readonly returned: number }>;
  report(events: readonly UsageEvent[]): Promise<LedgerResponse & { readonly recorded: number }>;
  /** Whoever calls it sees to it that no hold is taken in the session any more. */
  closeSession(end: SessionEnd): Promise<LedgerResponse & { readonly freed: number }>;
}

export interface LedgerResponse {
  readonly now: number;
  /** Incarnation and timeline of the database; empty where the control plane does not say. */
  readonly epoch: string;
}

export interface SessionResponse extends LedgerResponse {
  readonly open: boolean;
  /** That were heard within a minute, this one too; 0 where the control plane does not say: then it knows nothing of `shut`. */
  readonly sessions: number;
  /** What open leases of the session have left together; undefined where the control plane does not say. */
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
  /** Leases that are not named stay as they are; else nothing is outstanding of them. */
  readonly andOthers: boolean;
}

/**
 * The control plane has answered that it will not do this however often it is asked: what was sent is `invalid`, or is not this
 * proxy's to send (`denied`), or is about what the control plane does not have (`unknown`). Every other error may pass.
 */
export class LedgerRefusedError extends Error {
  readonly reason: 'invalid' | 'denied' | 'unknown';

  constructor(reason: LedgerRefusedError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LedgerRefusedError';
    this.reason = reason;
  }
}

/** No response was read in time because this process itself stood still: nothing is known of the control plane. */
export class LedgerStalledError extends Error {
  constructor(cause: unknown) {
    super('this process stood still for longer than the call may take', { cause });
    this.name = 'LedgerStalledError';
  }
}

/** Whose slice an operation is of, and its number: sent again unchanged it is answered the same. */
export interface Operation {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  /** From 1; draws and returns of a slice share it. */
  readonly seq: number;
  /** What of the lease is not taken before another operation says less. */
  readonly shut: number;
}

export interface DrawRequest extends Operation {
  /** Both 0: nothing is asked for but that `shut` is less. */
  readonly need: number;
  readonly want: number;
}

export interface AcquireResponse extends LedgerResponse {
  readonly outcome: DrawOutcome;
  readonly granted: number;
  /** Of `busy`: what is free and what other sessions hold; undefined where the control plane does not say. */
  readonly attainable: number | undefined;
}

export interface ReturnRequest extends Operation {
  readonly amount: number;
}

/** One request that was dispatched: `UsageEvent` of ledger.proto, which says what the fields mean. */
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
  /** Of a question that a guardrail asks a model; absent: of a request. */
  readonly guardrailId?: string | undefined;
  readonly attempts: number;
  readonly estimated: boolean;
  /** Why; undefined where it is not. */
  readonly estimateReason: EstimateReason | undefined;
  /** Counts the events of a session, from 1; undefined without one, and of older proxies. */
  readonly ordinal?: number | undefined;
  /** Nano-dollars that the provider reported before the end of an estimated one; undefined where it reported none. */
  readonly reportedCost: number | undefined;
  /** What has prices of its own beside plain tokens; absent where there is nothing of it. */
  readonly special?: SpecialUsage;
  readonly charges: readonly {
    readonly budgetId: string;
    readonly window: string;
    readonly escrow: number;
  }[];
}
