// Why a request ended with an error code of the gateway, who can change that, and how: one row for each code of
// docs/errors.md. A code without a row does not compile.
import type { ErrorCode } from '../../common/error-codes.ts';
import type { RequestRemedy } from '../../proto/words/requests.ts';

export interface Explanation {
  readonly cause: string;
  readonly remedy: RequestRemedy;
  readonly advice: string;
  /** What decided, if that is something that is configured: services/request-explanation.ts names it. */
  readonly decider?: Decider;
}

/** The kinds of what can decide about a request. */
export type Decider =
  | 'limit'
  | 'guardrail'
  | 'allow_list'
  | 'stop'
  | 'access'
  | 'direct_keys'
  | 'provider_keys'
  | 'provider_key';

export const explanations = {
  virtual_key_required: {
    cause: 'the request had no virtual key',
    remedy: 'caller',
    advice: 'send a virtual key as a bearer token, or in x-api-key or x-svc-vk',
  },
  access_not_found: {
    cause: 'the virtual key does not exist, or has been revoked or replaced',
    remedy: 'caller',
    advice: 'send a key that works; an owner or admin can create one',
    decider: 'access',
  },
  access_blocked: {
    cause: 'the virtual key may not be used now: it, its scope or its organization is inactive, or it has expired',
    remedy: 'admin',
    advice: 'activate it, or create another key; only operators of the platform resume a suspended organization',
    decider: 'access',
  },
  policy_access_denied: {
    cause: 'the request had a provider key of the caller, and the organization does not allow that',
    remedy: 'owner',
    advice: 'allow it with gatewayctl settings update --caller-provider-keys true, or send requests without it',
    decider: 'direct_keys',
  },
  invalid_request: {
    cause: 'the request is malformed, or could never fit into its limits',
    remedy: 'caller',
    advice: 'correct the field that the message names',
    decider: 'limit',
  },
  unsupported_parameter: {
    cause: 'the request has a parameter that this model, its provider or a setting of the organization does not allow',
    remedy: 'caller',
    advice: 'leave the parameter out; settings of the organization allow tools of vendors and options with prices',
    decider: 'limit',
  },
  model_not_supported: {
    cause: 'the model is not a chat model',
    remedy: 'caller',
    advice: 'call a chat model',
  },
  invalid_endpoint: {
    cause: 'the endpoint in the path is malformed, or the operators of the platform do not allow it',
    remedy: 'caller',
    advice: 'correct the endpoint, or have the operators of the platform allow it',
  },
  invalid_region: {
    cause: 'the region in cloud-region-name is malformed',
    remedy: 'caller',
    advice: 'send a region such as eu-west-1',
  },
  conflicting_credentials: {
    cause: 'the request had several credentials that contradict each other',
    remedy: 'caller',
    advice: 'send one of them',
  },
  model_not_priced: {
    cause: 'a budget applies, and the model has no price, so that nothing could be counted',
    remedy: 'admin',
    advice: 'set a price with gatewayctl prices create, or remove the budget',
    decider: 'limit',
  },
  guardrail_blocked: {
    cause: 'a guardrail blocked the request or its response',
    remedy: 'admin',
    advice: 'try the text with gatewayctl guardrails test; change the guardrail if it blocks what it should not',
    decider: 'guardrail',
  },
  project_key_required: {
    cause: "a provider's own route was called without a virtual key in Project-Api-Key",
    remedy: 'caller',
    advice: 'send the virtual key in Project-Api-Key',
  },
  provider_key_required: {
    cause: "a provider's own route was called without the caller's provider key",
    remedy: 'caller',
    advice: "send the provider key in the provider's header, or call the generic route",
  },
  budget_exceeded: {
    cause: 'a budget is spent',
    remedy: 'admin',
    advice: 'raise the budget with gatewayctl limits update, or wait for its next window',
    decider: 'limit',
  },
  model_not_allowed: {
    cause: 'an allow-list does not contain the model',
    remedy: 'admin',
    advice: 'add the model to the allow-list, or call another model',
    decider: 'allow_list',
  },
  stopped_by_operator: {
    cause: 'an operator has stopped the provider, the model or the use of direct keys',
    remedy: 'admin',
    advice: 'call another model, or end the stop with gatewayctl stops delete; only its makers can',
    decider: 'stop',
  },
  route_not_found: {
    cause: 'the gateway has no such path, or does not serve this format',
    remedy: 'caller',
    advice: "correct the base URL of the client; the gateway's documentation lists all paths",
  },
  model_not_found: {
    cause: 'there is no such model',
    remedy: 'caller',
    advice: 'correct the name; GET /v1/models lists what the key may call',
  },
  response_not_found: {
    cause: 'there is no such stored response, or it belongs to another scope',
    remedy: 'caller',
    advice: 'send the id of a response that a key of the same scope got',
  },
  provider_not_configured: {
    cause: 'the organization has no enabled key for the provider',
    remedy: 'admin',
    advice: 'add one with gatewayctl provider-keys create',
    decider: 'provider_keys',
  },
  method_not_allowed: {
    cause: 'the path does not take this method',
    remedy: 'caller',
    advice: 'use the method in the header allow of the response',
  },
  request_timeout: {
    cause: 'the request arrived too slowly',
    remedy: 'caller',
    advice: 'check the network of the caller; operators of the platform set the time limits',
  },
  body_too_large: {
    cause: 'the body is larger than the gateway accepts',
    remedy: 'caller',
    advice: 'send less; operators of the platform set GATEWAY_BODY_BYTES_MAX',
  },
  unsupported_media_type: {
    cause: 'the body is not plain application/json',
    remedy: 'caller',
    advice: 'send Content-Type: application/json without encoding',
  },
  upgrade_not_supported: {
    cause: 'the client requested WebSocket',
    remedy: 'caller',
    advice: 'nothing, if the client continues with HTTP; else set it to HTTP streams',
  },
  headers_too_large: {
    cause: 'the headers are larger than the gateway accepts',
    remedy: 'caller',
    advice: 'send smaller headers',
  },
  rate_limit_exceeded: {
    cause: 'a limit of requests or tokens per minute is reached',
    remedy: 'admin',
    advice: 'raise the limit with gatewayctl limits update, or send requests more slowly',
    decider: 'limit',
  },
  concurrency_limit_exceeded: {
    cause: 'a limit of concurrent requests is reached',
    remedy: 'admin',
    advice: 'raise the limit with gatewayctl limits update, or send fewer requests at a time',
    decider: 'limit',
  },
  budget_busy: {
    cause: 'requests in flight have reserved what is left of a budget',
    remedy: 'wait',
    advice: 'try again in a moment, with a lower maximum of output tokens; an admin can raise the budget',
    decider: 'limit',
  },
  internal_error: {
    cause: 'the gateway failed',
    remedy: 'platform_operator',
    advice: "look for the request id in the proxy's log",
  },
  upstream_unreachable: {
    cause: 'the provider could not be reached',
    remedy: 'platform_operator',
    advice:
      "check the provider's address and the gateway's network; a route with several targets would have tried another",
    decider: 'provider_key',
  },
  upstream_protocol_error: {
    cause: 'the provider sent a response that cannot be used',
    remedy: 'provider',
    advice: 'check the base URL and wire format of the provider',
    decider: 'provider_key',
  },
  upstream_authentication_failed: {
    cause: 'the provider refused the stored provider key',
    remedy: 'admin',
    advice: 'replace the key with gatewayctl provider-keys update',
    decider: 'provider_key',
  },
  access_unavailable: {
    cause: 'the proxy could not check the key, because neither the control plane nor Redis responded',
    remedy: 'platform_operator',
    advice: 'check the control plane: docs/runbook.md',
  },
  ledger_unavailable: {
    cause: 'the proxy could not check the budget, because the control plane did not respond',
    remedy: 'platform_operator',
    advice: 'check the control plane: docs/runbook.md',
    decider: 'limit',
  },
  guardrail_unavailable: {
    cause: 'a guardrail had no capacity to inspect the request, and nothing passes uninspected',
    remedy: 'wait',
    advice: 'try again; if it lasts, operators of the platform add proxies',
    decider: 'guardrail',
  },
  overloaded: {
    cause: "the proxy, or the organization's or key's share of it, was used up",
    remedy: 'wait',
    advice: 'try again; if it lasts, operators of the platform add proxies or raise the weight of the organization',
  },
  draining: {
    cause: 'the proxy was stopping',
    remedy: 'wait',
    advice: 'try again: another proxy serves the request',
  },
  no_healthy_target: {
    cause: 'no provider key of the organization for this model works right now',
    remedy: 'admin',
    advice: 'look at gatewayctl provider-keys list, and at the errors of the requests before this one',
    decider: 'provider_keys',
  },
  upstream_timeout: {
    cause: 'the provider did not respond in time',
    remedy: 'provider',
    advice: 'try again; a route with several targets would have tried another',
    decider: 'provider_key',
  },
} as const satisfies Record<ErrorCode, Explanation>;

/** Ends of requests that are no error of the gateway: the caller left. */
export const departures: Readonly<Record<string, Explanation>> = {
  client_left: {
    cause: 'the caller closed the connection before the response was complete',
    remedy: 'caller',
    advice: 'check the time limit of the client',
  },
  client_stalled: {
    cause: 'the caller stopped reading the response',
    remedy: 'caller',
    advice: 'check the client; operators of the platform set GATEWAY_READER_TIMEOUT',
  },
};
