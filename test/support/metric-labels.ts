// The labels of the proxy's metrics, with all of their values.
import { isUuid } from '../../common/uuid.ts';
import { estimateReasons } from '../../proto/words/money.ts';
import { requestResults } from '../../proto/words/requests.ts';
import { listModels } from '../../proxy/catalog/models.ts';
import { errorTable } from '../../proxy/errors.ts';
import { clientFormatNames } from '../../proxy/formats/client-format.ts';
import { backgroundResults } from '../../proxy/http/background-responses.ts';
import { readOnResults } from '../../proxy/http/read-on.ts';
import { notSent, shadowEndings } from '../../proxy/http/shadow-results.ts';
import { ignoredReasons, lookupResults, notStoredReasons } from '../../proxy/response-cache/results.ts';
import { failureCauses } from '../../proxy/routing/health-events.ts';
import { hedgeResults, hintResults, recoveryResults } from '../../proxy/routing/results.ts';
import { shares } from '../../proxy/shares.ts';
import { skipReasons } from '../../proxy/usage/usage-log.ts';

const catalog = new Set(listModels().map(({ name }) => name));
/** Whether a metric of the proxy may have the value, by the label. */
export const knownLabels: Readonly<Record<string, (value: string) => boolean>> = {
  route: oneOf('none', 'chat', 'count', 'models', 'model'),
  client_format: oneOf('none', ...clientFormatNames),
  provider: oneOf('none', 'gpt-provider'),
  gen_ai_provider_name: oneOf('gpt-provider'),
  status: (value) => /^[1-5]\d\d$/.test(value),
  code: oneOf(...Object.keys(errorTable), 'none', 'provider_error', 'client_left', 'client_stalled'),
  source: oneOf('none', 'gateway', 'provider'),
  canary: oneOf('true', 'false', 'failed'),
  error_type: oneOf('none', 'gateway', 'provider'),
  model: (value) => value === 'other' || catalog.has(value),
  kind: oneOf(...['input', 'output', 'settled', 'killed'], ...['host', 'host_for_all', 'key', 'rate_limit', 'full']),
  cause: oneOf(...failureCauses, 'other'),
  followed: oneOf('true', 'false'),
  gen_ai_token_type: oneOf('input', 'output'),
  outcome: oneOf('reported', 'overflowed', 'drained', 'lost', ...requestResults.words),
  organization_id: (value) => value === 'other' || isUuid(value),
  reason: oneOf(...skipReasons, ...estimateReasons.words, ...notStoredReasons, ...ignoredReasons),
  resource: oneOf(...Object.keys(shares)),
  request: oneOf('caller', 'shadow'),
  result: oneOf(
    ...[...readOnResults, ...backgroundResults, ...recoveryResults, ...lookupResults, ...hintResults, ...hedgeResults],
    ...[...shadowEndings, ...notSent, 'reported', 'recorded', 'dropped'],
  ),
  tier: oneOf('memory', 'redis', 'control_plane', 'negative', 'stale'),
  version: (value) => /^\d+\.\d+\.\d+$/.test(value),
  by: oneOf('platform', 'organization'),
  stage: oneOf('input', 'output'),
  le: (value) => value === '+Inf' || Number.isFinite(Number(value)),
};

function oneOf(...values: readonly string[]) {
  return (value: string) => values.includes(value);
}
