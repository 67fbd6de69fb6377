// The usage event of one request that was dispatched.
import type { EstimateReason } from '../../proto/words/money.ts';
import type { Charge, Stamp, UsageOfKilled } from '../budgets/budgets.ts';
import type { ChatCall, Outcome } from '../call.ts';
import type { Usage } from '../conversation/usage.ts';
import type { UsageEvent } from '../usage/ledger-client.ts';

/** The values that the ledger adds. */
export interface Booking {
  readonly stamp: Stamp;
  /** Reported by the provider, or estimated. */
  readonly usage: Usage;
  readonly estimated: boolean;
  /** Why the usage is estimated. */
  readonly estimateReason?: EstimateReason | undefined;
  /** Nano-dollars of the usage that was reported before the end of an estimated request. */
  readonly reportedCost?: number | undefined;
  /** Nano-dollars. */
  readonly cost: number;
  readonly unpriced: boolean;
  readonly charges: readonly Charge[];
}

/** @param call as it was sent */
export function usageEvent(call: ChatCall, outcome: Outcome, booking: Booking): UsageEvent {
  const { stamp, usage } = booking;
  return {
    ...sourceOf(call),
    id: stamp.id,
    at: stamp.at,
    session: stamp.session,
    modelAnswered: outcome.modelAnswered ?? '',
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cacheReadTokens: usage.cacheReadTokens,
    cacheWriteTokens: usage.cacheWriteTokens,
    cacheWrite1hTokens: usage.cacheWrite1hTokens,
    reasoningTokens: usage.reasoningTokens,
    cost: booking.cost,
    unpriced: booking.unpriced,
    status: outcome.status,
    errorSource: outcome.errorSource ?? '',
    errorCode: outcome.errorCode ?? '',
    latencyMs: Math.round(outcome.latencyMs),
    firstTokenMs: outcome.firstTokenMs === undefined ? undefined : Math.round(outcome.firstTokenMs),
    attempts: outcome.attempts,
    estimated: booking.estimated,
    estimateReason: booking.estimateReason,
    reportedCost: booking.reportedCost,
    ...(usage.special !== undefined && { special: usage.special }),
    charges: booking.charges,
  };
}

/** The usage event of a request whose proxy is killed: another process adds the reserved amount. */
export function killedEvent(call: ChatCall): UsageOfKilled {
  return {
    ...sourceOf(call),
    modelAnswered: '',
    promptTokens: 0,
    completionTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
    cost: 0,
    charges: [],
    unpriced: false,
    estimated: true,
    estimateReason: 'killed',
    reportedCost: undefined,
    status: 500,
    errorSource: 'gateway',
    errorCode: 'internal_error',
    latencyMs: 0,
    firstTokenMs: undefined,
    attempts: 1,
  };
}

function sourceOf(call: ChatCall) {
  const { caller, provider, request } = call;
  const { principal, project } = caller;
  return {
    organizationId: principal.organization.id,
    keyId: principal.key.keyId,
    aiSystemId: scopeId(principal, 'ai_system'),
    personId: scopeId(principal, 'person'),
    projectKeyId: project?.key.keyId,
    projectAiSystemId: scopeId(project, 'ai_system'),
    projectPersonId: scopeId(project, 'person'),
    requestId: call.requestId,
    provider: provider.name,
    modelAsked: call.qualifiedModel,
    streamed: request.stream,
    directKey: caller.direct,
    providerKeyId: call.targets[0]?.providerKeyId,
    ...(call.guardrailId !== undefined && { guardrailId: call.guardrailId }),
    ...(call.shadowOf !== undefined && { shadow: true as const }),
    ...(caller.tags !== undefined && { tags: Object.fromEntries(caller.tags) }),
  };
}

function scopeId(principal: ChatCall['caller']['project'], kind: 'ai_system' | 'person'): string | undefined {
  return principal?.scope?.kind === kind ? principal.scope.id : undefined;
}
