// The service Ledger as the proxy calls it, in the proxy's own types. Amounts are nano-dollars, times milliseconds since 1970 by
// the database's clock; `now` is when this call was answered, also where it repeats an older answer. Every call fails with an
// error where no replica has answered in time; it may then have happened.

import type { SpecialUsage } from '../../chat/usage.ts';

export interface LedgerClient {
  keepSession(session: string): Promise<{ readonly open: boolean; readonly now: number }>;
  draw(request: DrawRequest): Promise<DrawAnswer>;
  giveBack(request: ReturnRequest): Promise<{ readonly returned: number; readonly now: number }>;
  report(events: readonly UsageEvent[]): Promise<{ readonly recorded: number; readonly now: number }>;
}

/**
 * The control plane has answered that it will not do this however often it is asked: what was sent is `invalid`, or is not this
 * proxy's to send (`denied`). Every other error may pass.
 */
export class LedgerRefusedError extends Error {
  readonly reason: 'invalid' | 'denied';

  constructor(reason: 'invalid' | 'denied', message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'LedgerRefusedError';
    this.reason = reason;
  }
}

/** Whose slice an operation is of, and its number: sent again unchanged it is answered the same. */
export interface Operation {
  readonly session: string;
  readonly budgetId: string;
  readonly window: string;
  /** From 1; draws and returns of a slice share it. */
  readonly seq: number;
}

export interface DrawRequest extends Operation {
  readonly need: number;
  readonly want: number;
}

export interface DrawAnswer {
  readonly outcome: 'granted' | 'exceeded' | 'busy' | 'gone' | 'window' | 'deleted' | 'lost' | 'ignored';
  readonly granted: number;
  readonly now: number;
}

export interface ReturnRequest extends Operation {
  readonly amount: number;
}

/** `EstimateReason` of ledger.proto, which says what they mean. */
export type EstimateReason =
  | 'left'
  | 'cut'
  | 'reset'
  | 'timed_out'
  | 'not_read'
  | 'shutdown'
  | 'killed'
  | 'no_usage';

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
  readonly attempts: number;
  readonly estimated: boolean;
  /** Why; undefined where it is not. */
  readonly estimateReason: EstimateReason | undefined;
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
