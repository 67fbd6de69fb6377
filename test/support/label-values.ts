// The values of metric labels, from the programs' own tables and types: if a program gains or loses a value, the
// compiler or a test notices it here, not an operator on a dashboard.
import { methodNames } from '../../control-plane/api/methods.ts';
import type { LedgerMetrics } from '../../control-plane/ledger/metrics.ts';
import { callCodes } from '../../control-plane/rpc/errors.ts';
import { tryOutcomes } from '../../control-plane/webhooks/deliveries.ts';
import { reviewOutcomes } from '../../injector/telemetry/metrics.ts';
import { verbs } from '../../keeper/api/client.ts';
import { tasks, webhookWrites } from '../../keeper/telemetry/metrics.ts';
import { decisions } from '../../proto/words/guardrails.ts';
import { acquireOutcomes, estimateReasons } from '../../proto/words/money.ts';
import { requestResults } from '../../proto/words/requests.ts';
import type { CacheIgnored, LookupTier } from '../../proxy/access/record-source.ts';
import type { RefusalReason } from '../../proxy/budgets/budgets.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { errorTable } from '../../proxy/errors.ts';
import { backgroundResults } from '../../proxy/http/background-responses.ts';
import type { RequestRecord } from '../../proxy/http/exchange.ts';
import { readOnResults } from '../../proxy/http/read-on.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import { shares } from '../../proxy/shares.ts';
import { skipReasons, type UsageMetrics } from '../../proxy/usage/usage-log.ts';

/** By `metric label`, else by label. Undefined: any value is possible. */
export function valuesOf(metric: string, label: string): readonly string[] | undefined {
  return table[`${metric} ${label}`] ?? table[label];
}

/** Every value of a type; it does not compile if one is missing. */
function all<Value extends string>(values: Record<Value, true>): readonly string[] {
  return Object.keys(values);
}

type Reported = Parameters<LedgerMetrics['reported']>[0];

const sources = ['none', ...all<NonNullable<RequestRecord['errorSource']>>({ gateway: true, provider: true })];
const kinds = ['input', 'output'];

const table: Readonly<Record<string, readonly string[]>> = {
  'gateway_requests_total code': [
    ...Object.keys(errorTable),
    ...['none', 'provider_error', 'client_left', 'client_stalled'],
  ],
  'gateway_requests_total client_format': ['none', ...Object.keys(clientFormats)],
  'gateway_requests_total source': sources,
  'gateway_requests_total status': Array.from({ length: 500 }, (_, index) => String(100 + index)),
  error_type: sources,
  provider: ['none', 'other', ...providersByName.keys()],
  'gateway_tokens_total kind': kinds,
  gen_ai_token_type: kinds,
  tier: all<LookupTier>({ memory: true, redis: true, control_plane: true, negative: true, stale: true }),
  'gateway_access_cache_ignored_total reason': all<CacheIgnored>({
    ...{ unreadable: true, signature: true, outdated: true, ahead: true, clock: true },
  }),
  'gateway_budget_refusals_total reason': all<RefusalReason>({
    ...{ exceeded: true, busy: true, unavailable: true },
  }),
  'gateway_usage_events_total outcome': all<Exclude<keyof UsageMetrics, 'skipped'>>({
    ...{ reported: true, overflowed: true, drained: true, lost: true },
  }),
  'gateway_organization_requests_total outcome': requestResults.words,
  'gateway_organization_tokens_total kind': kinds,
  'gateway_usage_skipped_total reason': skipReasons,
  'gateway_background_responses_total result': backgroundResults,
  'gateway_read_on_total result': readOnResults,
  'gateway_share_used resource': Object.keys(shares),
  'gateway_share_refused_total resource': Object.keys(shares),
  'gateway_estimated_requests_total reason': estimateReasons.words,
  decision: decisions.words,
  'gateway_control_plane_calls_total code': ['OK', ...Object.keys(callCodes)],
  method: methodNames,
  'gateway_control_plane_draws_total outcome': acquireOutcomes.words,
  'gateway_control_plane_webhook_tries_total outcome': tryOutcomes,
  'gateway_control_plane_usage_events_total result': all<Exclude<keyof Reported, 'over'>>({
    ...{ recorded: true, duplicate: true, unknown: true },
  }),
  'gateway_injector_reviews_total outcome': reviewOutcomes,
  'gateway_keeper_task_failing task': tasks,
  'gateway_keeper_webhook_writes_total what': webhookWrites,
  'gateway_keeper_api_requests_total verb': verbs,
  // The names of the monitors' jobs.
  job: ['control-plane', 'egress-gateway', 'injector', 'keeper', 'sidecar'].map((name) => `model-gateway/${name}`),
  resource: ['memory', 'cpu', 'ephemeral_storage'],
};
