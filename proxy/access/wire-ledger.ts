// The messages of the service Ledger as the proxy's own types. Money is whole nano-dollars, in decimal strings on the wire.
import type { DrawOutcome__Output } from '../../proto/generated/gateway/v1/DrawOutcome.ts';
import type { DrawRequest as WireDraw } from '../../proto/generated/gateway/v1/DrawRequest.ts';
import type { DrawResponse__Output } from '../../proto/generated/gateway/v1/DrawResponse.ts';
import type { KeepSessionResponse__Output } from '../../proto/generated/gateway/v1/KeepSessionResponse.ts';
import type { ReportUsageResponse__Output } from '../../proto/generated/gateway/v1/ReportUsageResponse.ts';
import type { ReturnRequest as WireReturn } from '../../proto/generated/gateway/v1/ReturnRequest.ts';
import type { ReturnResponse__Output } from '../../proto/generated/gateway/v1/ReturnResponse.ts';
import type { UsageCharge } from '../../proto/generated/gateway/v1/UsageCharge.ts';
import type { UsageEvent as WireEvent } from '../../proto/generated/gateway/v1/UsageEvent.ts';
import type { UsageTokens } from '../../proto/generated/gateway/v1/UsageTokens.ts';
import type {
  DrawAnswer,
  DrawRequest,
  LedgerClient,
  ReturnRequest,
  UsageEvent,
} from '../ledger/budgets/ledger-client.ts';
import { time, whole } from './wire-values.ts';

type Answer<Method extends keyof LedgerClient> = Awaited<ReturnType<LedgerClient[Method]>>;

/** @throws Error that names what is wrong with the message, as all here */
export function decodeSession({ open, now }: KeepSessionResponse__Output): Answer<'keepSession'> {
  return { open, now: clockOf(now) };
}

export function encodeDraw({ session, budgetId, window, seq, need, want }: DrawRequest): WireDraw {
  return { session, budgetId, window, seq, needNanoUsd: String(need), wantNanoUsd: String(want) };
}

export function decodeDraw({ outcome, grantedNanoUsd, now }: DrawResponse__Output): DrawAnswer {
  const known = outcomes[outcome];
  if (known === undefined) throw new Error('the control plane answered a draw in a way unknown here');
  return { outcome: known, granted: whole(grantedNanoUsd), now: clockOf(now) };
}

export function encodeReturn({ session, budgetId, window, seq, amount }: ReturnRequest): WireReturn {
  return { session, budgetId, window, seq, amountNanoUsd: String(amount) };
}

export function decodeReturn({ returnedNanoUsd, now }: ReturnResponse__Output): Answer<'giveBack'> {
  return { returned: whole(returnedNanoUsd), now: clockOf(now) };
}

export function encodeEvent(event: UsageEvent): WireEvent {
  const { aiSystemId, personId, projectKeyId, projectAiSystemId, projectPersonId, firstTokenMs } = event;
  const { session, requestId, provider, modelAsked, modelAnswered } = event;
  return {
    ...{ id: event.id, day: event.day, at: new Date(event.at).toISOString(), session },
    ...{ organizationId: event.organizationId, keyId: event.keyId },
    ...(aiSystemId !== undefined && { aiSystemId }),
    ...(personId !== undefined && { personId }),
    ...(projectKeyId !== undefined && { projectKeyId }),
    ...(projectAiSystemId !== undefined && { projectAiSystemId }),
    ...(projectPersonId !== undefined && { projectPersonId }),
    ...{ requestId, provider, modelAsked, modelAnswered },
    tokens: tokensOf(event),
    costNanoUsd: String(event.cost),
    unpriced: event.unpriced,
    status: event.status,
    errorSource: event.errorSource,
    errorCode: event.errorCode,
    latencyMs: Math.round(event.latencyMs),
    ...(firstTokenMs !== undefined && { firstTokenMs: Math.round(firstTokenMs) }),
    streamed: event.streamed,
    directKey: event.directKey,
    attempts: event.attempts,
    estimated: event.estimated,
    charges: event.charges.map(encodeCharge),
  };
}

export function decodeReport({ recorded, now }: ReportUsageResponse__Output): Answer<'report'> {
  return { recorded, now: clockOf(now) };
}

function tokensOf(event: UsageEvent): UsageTokens {
  return {
    prompt: event.promptTokens,
    completion: event.completionTokens,
    cacheRead: event.cacheReadTokens,
    cacheWrite: event.cacheWriteTokens,
    cacheWrite1h: event.cacheWrite1hTokens,
    reasoning: event.reasoningTokens,
  };
}

function encodeCharge({ budgetId, window, escrow }: UsageEvent['charges'][number]): UsageCharge {
  return { budgetId, window, escrowNanoUsd: String(escrow) };
}

const outcomes = {
  DRAW_OUTCOME_UNSPECIFIED: undefined,
  DRAW_OUTCOME_GRANTED: 'granted',
  DRAW_OUTCOME_EXCEEDED: 'exceeded',
  DRAW_OUTCOME_BUSY: 'busy',
  DRAW_OUTCOME_GONE: 'gone',
  DRAW_OUTCOME_WINDOW: 'window',
  DRAW_OUTCOME_DELETED: 'deleted',
  DRAW_OUTCOME_LOST: 'lost',
  DRAW_OUTCOME_IGNORED: 'ignored',
} as const satisfies Record<DrawOutcome__Output, DrawAnswer['outcome'] | undefined>;

function clockOf(now: string): number {
  const at = time(now);
  if (at === undefined) throw new Error('the control plane did not tell the time of its database');
  return at;
}
