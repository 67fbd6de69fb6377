// Constructs the copies of requests that routes send to other models, with their log lines.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import { type Logger, sparing } from '../common/logger.ts';
import { usdOfNano } from '../common/money.ts';
import { systemTimers } from '../common/timers.ts';
import type { ChatCall } from './call.ts';
import { GatewayError } from './errors.ts';
import type { Admission } from './http/admission.ts';
import type { TargetDeps } from './http/group-targets.ts';
import type { NotSent } from './http/shadow-results.ts';
import { type EndedShadow, Shadows } from './http/shadows.ts';
import { reasonText } from './http/shown-texts.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { Dispatch } from './routing/dispatch.ts';
import { timeLimits } from './serve.ts';
import type { ProxySettings } from './settings.ts';
import { useOf } from './shares.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';
import { ProviderFailure } from './upstream/provider-failure.ts';

export interface ShadowParts extends TargetDeps {
  readonly log: Logger;
  readonly metrics: ProxyMetrics;
  readonly background: Background;
  readonly admission: Admission;
  readonly ledger: Ledger;
  readonly dispatch: Dispatch;
}

export function openShadows(settings: ProxySettings, { log, metrics, ...parts }: ShadowParts): Shadows {
  const logNotSent = sparing<NotSentFields>((fields) => log.warn(fields, 'a route copies no requests'), systemClock);
  const shadows = new Shadows({
    ...parts,
    times: timeLimits(settings),
    clock: systemClock,
    timers: systemTimers,
    random: Math.random,
    defer: setImmediate,
    onNotSent: (reason, call) => {
      metrics.shadows.notSent(reason);
      if (mended.has(reason)) logNotSent(notSentFields(reason, call));
    },
    onEnded: (ended) => {
      metrics.shadows.ended(ended);
      if (ended.outcome.errorCode === 'internal_error')
        log.error({ ...endedFields(ended), err: ended.failure }, 'shadow');
      else log.info(endedFields(ended), 'shadow');
    },
  });
  metrics.shares.watch('shadow_requests', () => useOf(shadows.requests));
  metrics.shares.watch('shadow_bytes', () => useOf(shadows.bytes));
  return shadows;
}

/** What an operator of the organization has to mend. */
const mended: ReadonlySet<NotSent> = new Set(['no_budget', 'no_price', 'no_target']);

interface NotSentFields {
  readonly reason: NotSent;
}

function notSentFields(reason: NotSent, { route, shadowOf, caller }: ChatCall) {
  const organization_id = caller.principal.organization.id;
  return { reason, organization_id, model_route: (route ?? shadowOf)?.name };
}

/** Under the names that the log line of the request has. */
function endedFields({ call, ending, outcome, settled, failure }: EndedShadow) {
  const { requestId, caller, provider, qualifiedModel, shadowOf, request } = call;
  const { usage, target, status, errorCode, errorSource, latencyMs, firstTokenMs } = outcome;
  return {
    request_id: requestId,
    organization_id: caller.principal.organization.id,
    key_id: caller.principal.key.keyId,
    model_route: shadowOf?.name,
    provider: provider.name,
    provider_key_id: target?.providerKeyId,
    model: qualifiedModel.slice(qualifiedModel.indexOf('/') + 1),
    streamed: request.stream,
    result: ending,
    status,
    error_code: errorSource === 'gateway' ? errorCode : undefined,
    error_source: errorSource,
    reason: failureReason(failure),
    duration_ms: Math.round(latencyMs),
    first_byte_ms: firstTokenMs === undefined ? undefined : Math.round(firstTokenMs),
    estimated: settled.estimateReason,
    prompt_tokens: usage?.promptTokens,
    completion_tokens: usage?.completionTokens,
    cost_usd: usdOfNano(settled.cost),
  };
}

/** As in the log line of a request. */
function failureReason(failure: unknown): string | undefined {
  if (failure === undefined) return undefined;
  if (failure instanceof ProviderFailure) return reasonText(failure.reason);
  return reasonText(failure instanceof GatewayError ? (failure.cause ?? failure) : failure);
}
