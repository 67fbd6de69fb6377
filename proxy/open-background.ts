// Constructs what follows responses that vendors generate after their request has ended.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Logger } from '../common/logger.ts';
import { systemTimers } from '../common/timers.ts';
import type { Admission } from './http/admission.ts';
import { BackgroundResponses, type SettledResponse } from './http/background-responses.ts';
import type { FetchStored } from './http/stored-request.ts';
import type { ProxySettings } from './settings.ts';
import { useOf } from './shares.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';

export interface BackgroundParts {
  readonly log: Logger;
  readonly metrics: ProxyMetrics;
  readonly background: Background;
  readonly admission: Admission;
  readonly fetchStored: FetchStored;
}

export function openBackgroundResponses(
  { backgroundMax: max, organizationShare }: ProxySettings,
  { log, metrics, background, admission, fetchStored }: BackgroundParts,
): BackgroundResponses {
  const responses = new BackgroundResponses(
    { max, organizationShare: organizationShare / 100 },
    {
      fetchStored,
      bytes: admission.bytes,
      clock: systemClock,
      timers: systemTimers,
      random: Math.random,
      background,
      onSettled: (settled) => {
        metrics.backgroundSettled(settled.result, settled.record);
        log.info(fieldsOf(settled), 'response in the background');
      },
    },
  );
  metrics.shares.watch('background_responses', () => useOf(responses.responses));
  return responses;
}

/** Under the names that the log line of the request has. */
function fieldsOf({ requestId, record, result, status, polls, durationMs }: SettledResponse) {
  const { organizationId, keyId, provider, providerKeyId, model, usage, estimateReason } = record;
  return {
    request_id: requestId,
    organization_id: organizationId,
    key_id: keyId,
    provider,
    provider_key_id: providerKeyId,
    model,
    result,
    response_status: status !== undefined && /^[a-z_]{1,40}$/.test(status) ? status : undefined,
    polls,
    duration_ms: Math.round(durationMs),
    estimated: estimateReason,
    prompt_tokens: usage?.promptTokens,
    completion_tokens: usage?.completionTokens,
  };
}
