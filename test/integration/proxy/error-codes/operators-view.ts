// What operators see of a refusal with each code: a code without a row does not compile.
import { expect } from 'vitest';
import { uuidv7 } from '../../../../common/uuid.ts';
import type { RequestRemedy } from '../../../../proto/words/requests.ts';
import { type ErrorCode, errorTable } from '../../../../proxy/errors.ts';
import { GrpcCaller, responseOf } from '../../../support/operators.ts';
import { blockFruit } from './guardrails.ts';
import type { World } from './world.ts';

/** Of `gatewayctl requests get`. */
interface Explained {
  readonly remedy: RequestRemedy;
  /** What decided, where something that is configured did. */
  readonly decidedBy?: string | RegExp;
}

export type View =
  | (Explained & {
      /** Why no request here can end so; then a proxy's report of such a request is explained. */
      readonly reported?: string;
    })
  /** Why such a request is of no known key, and so of no organization that could look at it. */
  | { readonly keyless: string };

const budget = /^the budget of \$[\d.]+ (a day|a month|in all) of the virtual key key-\d+$/;
const noKeyRead = 'it is refused before its key is looked up';

export const operatorsView: Readonly<Record<ErrorCode, View>> = {
  virtual_key_required: { keyless: 'it has no key' },
  access_not_found: { keyless: 'its key does not exist, or exists no more' },
  access_blocked: { remedy: 'admin', decidedBy: /^the virtual key key-\d+, which is (inactive|expired)$/ },
  policy_access_denied: { remedy: 'owner', decidedBy: "the organization's setting for provider keys of callers" },
  invalid_request: { remedy: 'caller' },
  unsupported_parameter: { remedy: 'caller', decidedBy: budget },
  model_not_supported: { remedy: 'caller' },
  invalid_endpoint: { remedy: 'caller' },
  invalid_region: { remedy: 'caller' },
  conflicting_credentials: { remedy: 'caller' },
  model_not_priced: { remedy: 'admin', decidedBy: budget },
  guardrail_blocked: { remedy: 'admin', decidedBy: 'the guardrail no-fruit' },
  project_key_required: { keyless: noKeyRead },
  provider_key_required: { remedy: 'caller' },
  budget_exceeded: { remedy: 'admin', decidedBy: budget },
  model_not_allowed: { remedy: 'admin', decidedBy: /^the allow-list of the virtual key key-\d+$/ },
  stopped_by_operator: { remedy: 'admin', decidedBy: /^the stop [0-9a-f-]{36} of the organization$/ },
  route_not_found: { remedy: 'caller' },
  model_not_found: { remedy: 'caller' },
  response_not_found: { remedy: 'caller' },
  provider_not_configured: { remedy: 'admin', decidedBy: "the organization's provider keys for gpt-provider" },
  method_not_allowed: { remedy: 'caller' },
  request_timeout: { remedy: 'caller' },
  body_too_large: { remedy: 'caller' },
  unsupported_media_type: { remedy: 'caller' },
  upgrade_not_supported: { keyless: noKeyRead },
  headers_too_large: { keyless: noKeyRead },
  rate_limit_exceeded: {
    remedy: 'admin',
    decidedBy: /^the limit of 1 requests per minute of the virtual key key-\d+$/,
  },
  concurrency_limit_exceeded: {
    remedy: 'admin',
    decidedBy: /^the limit of 1 concurrent requests of the virtual key key-\d+$/,
  },
  budget_busy: { remedy: 'wait', decidedBy: budget },
  internal_error: { remedy: 'platform_operator', reported: 'a defect cannot be planted in a whole proxy' },
  upstream_unreachable: { remedy: 'platform_operator', decidedBy: 'the provider key stored' },
  upstream_protocol_error: { remedy: 'provider', decidedBy: 'the provider key stored' },
  upstream_authentication_failed: { remedy: 'admin', decidedBy: 'the provider key stored' },
  access_unavailable: { keyless: 'its key cannot be looked up' },
  ledger_unavailable: { remedy: 'platform_operator', decidedBy: budget },
  guardrail_unavailable: {
    ...{ remedy: 'wait', decidedBy: 'the guardrail no-fruit' },
    reported: 'it takes a flood of long texts',
  },
  overloaded: { remedy: 'wait' },
  draining: { remedy: 'wait' },
  no_healthy_target: {
    remedy: 'admin',
    decidedBy: "the organization's provider keys for gpt-provider",
    reported: 'the control plane stores no key that lacks what its provider needs',
  },
  upstream_timeout: { remedy: 'provider', decidedBy: 'the provider key stored' },
};

export interface FoundBy {
  readonly id: string;
  readonly organizationId: string;
}

/** Reports a request that ended so, as a proxy does. @returns the row */
export async function reportRequest({ gateway }: World, errorCode: ErrorCode): Promise<FoundBy> {
  const organization = await gateway.createOrganization(errorCode);
  const { id: organizationId, createKey } = organization;
  const id = uuidv7();
  const source = { organizationId, keyId: (await createKey()).id, model: 'gpt-provider/gpt-4o-mini' };
  const guardrailId = errorCode === 'guardrail_unavailable' ? await blockFruit(organization) : '';
  const { status } = errorTable[errorCode];
  const facts = { status, errorCode, errorSource: 'gateway', guardrailId, represents: 1 };
  const caller = new GrpcCaller(`127.0.0.1:${gateway.controlPlane.grpcPort}`);
  const request = { requests: [{ id, source: 0, facts }], sources: [source] };
  const reported = await caller.call('Requests.Report', gateway.proxyToken, request);
  caller.close();
  expect(responseOf(reported)).toEqual({ recorded: 1, dropped: 0 });
  return { id, organizationId };
}
