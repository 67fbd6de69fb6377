// Every error that the proxy itself returns: one table from code to status and message. Codes and the specification's
// messages are public API (docs/errors.md). Thrown as GatewayError anywhere on the request path, caught once in
// http/handler.ts.
import type { ErrorCode } from '../common/error-codes.ts';

interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

export const errorTable = {
  // Refusals of the specification, letter for letter.
  virtual_key_required: {
    status: 401,
    message: 'virtual key is required; send it as a bearer token, or in the `x-api-key` or `x-svc-vk` header',
  },
  access_not_found: {
    status: 401,
    message: 'access not found; the credential does not exist or has been revoked',
  },
  access_blocked: { status: 403, message: 'virtual key is inactive' },
  policy_access_denied: {
    status: 403,
    message:
      'direct provider keys are not enabled for this organization; an owner can turn them on in the gateway settings',
  },
  // The request.
  invalid_request: { status: 400, message: 'the request is malformed' },
  unsupported_parameter: { status: 400, message: 'a parameter is not supported by this model' },
  model_not_supported: { status: 400, message: 'this model is not a chat model; only chat models work here' },
  invalid_endpoint: {
    status: 400,
    message: 'the endpoint in the path is malformed or not one that the operator allows',
  },
  invalid_region: {
    status: 400,
    message: 'the region in `cloud-region-name` is malformed; send for example eu-west-1',
  },
  conflicting_credentials: { status: 400, message: 'credentials contradict each other; send one of them' },
  model_not_priced: {
    status: 400,
    message: 'a budget applies and this model has no price; ask an operator to set one',
  },
  guardrail_blocked: { status: 400, message: 'a guardrail refused this request' },
  project_key_required: {
    status: 401,
    message: 'this route needs a virtual key in the `Project-Api-Key` header',
  },
  provider_key_required: { status: 401, message: 'a provider key is required' },
  budget_exceeded: { status: 402, message: 'the budget is spent' },
  stopped_by_operator: { status: 403, message: 'an operator has stopped this' },
  model_not_allowed: { status: 403, message: 'this virtual key may not call this model' },
  route_not_found: {
    status: 404,
    message: 'no such route; chat is POST /v1/chat/completions, models are GET /v1/models',
  },
  model_not_found: { status: 404, message: 'no such model' },
  response_not_found: { status: 404, message: 'no such response, or it belongs to another scope' },
  provider_not_configured: {
    status: 404,
    message: 'the organization has no key for this provider; an owner or admin can add one',
  },
  method_not_allowed: { status: 405, message: 'this route does not take this method' },
  request_timeout: { status: 408, message: 'the request arrived too slowly' },
  body_too_large: { status: 413, message: 'the body is larger than the gateway accepts' },
  unsupported_media_type: {
    status: 415,
    message: 'send the body as Content-Type: application/json without encoding',
  },
  upgrade_not_supported: {
    status: 426,
    message: 'WebSocket is not served here; send the request over HTTP/1.1, with stream: true for a stream',
  },
  headers_too_large: { status: 431, message: 'the headers are larger than the gateway accepts' },
  rate_limit_exceeded: { status: 429, message: 'too many requests' },
  concurrency_limit_exceeded: { status: 429, message: 'too many requests at a time' },
  budget_busy: { status: 429, message: 'requests in flight have reserved what is left of the budget' },
  // The gateway and the services behind it.
  internal_error: { status: 500, message: 'the gateway failed; the request id finds the cause in its log' },
  upstream_unreachable: { status: 502, message: 'the provider cannot be reached' },
  upstream_protocol_error: {
    status: 502,
    message: 'the provider sent a response in a form that cannot be used',
  },
  upstream_authentication_failed: {
    status: 502,
    message: 'the provider refused the key that is stored for this organization; an owner or admin can replace it',
  },
  access_unavailable: { status: 503, message: 'the key cannot be checked right now; try again' },
  ledger_unavailable: { status: 503, message: 'the budget cannot be checked right now; try again' },
  guardrail_unavailable: {
    status: 503,
    message: 'a guardrail cannot inspect this right now, so it goes no further; try again',
  },
  overloaded: { status: 503, message: 'the gateway is at its limit; try again' },
  draining: { status: 503, message: 'this gateway is stopping; try again' },
  no_healthy_target: {
    status: 503,
    message: 'no provider key of the organization works right now; try again',
  },
  upstream_timeout: { status: 504, message: 'the provider did not respond in time' },
} as const satisfies Record<ErrorCode, ErrorRow>;

export type { ErrorCode };

/** Codes of the specification that cover two cases: the message of the second case. */
export const specificMessages = {
  expired: 'virtual key has expired',
  directKeyNeedsVirtualKey:
    'a direct provider key must be sent with a virtual key in `x-svc-vk` so the organization is known',
} as const;

export interface GatewayErrorOptions {
  /** Default: that of the table. */
  readonly message?: string;
  /** Default: that of the table. */
  readonly status?: number;
  /** The request's field at fault. */
  readonly param?: string;
  /** `param` is a path in the body that the client sent, not in its form as chat completions. */
  readonly isClientParam?: boolean;
  /** Seconds; sent as `retry-after`. */
  readonly retryAfter?: number;
  /** `Allow` of a 405. */
  readonly allow?: string;
  /** Further headers of the response: names and values alternate. */
  readonly headers?: readonly string[];
  /** Advice that is sent beside the message. It contains nothing that could be a credential of the caller. */
  readonly hint?: string | undefined;
  /** Id of the limit or budget that decided; logged, never sent. */
  readonly limitId?: string | undefined;
  /** `<provider>/<model>` that the request's name means, if it is refused for its model; recorded, never sent. */
  readonly model?: string;
  /** Logged, never sent. */
  readonly cause?: unknown;
}

/** A refusal or failure of one request, returned in the envelope of the API. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly param: string | undefined;
  readonly isClientParam: boolean;
  /** Seconds. Of several attempts, the shortest. */
  retryAfter: number | undefined;
  readonly allow: string | undefined;
  readonly headers: readonly string[];
  readonly hint: string | undefined;
  readonly limitId: string | undefined;
  readonly model: string | undefined;

  constructor(code: ErrorCode, options: GatewayErrorOptions = {}) {
    super(options.message ?? errorTable[code].message, { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.status = options.status ?? errorTable[code].status;
    this.param = options.param;
    this.isClientParam = options.isClientParam === true;
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
    this.headers = options.headers ?? [];
    this.hint = options.hint;
    this.limitId = options.limitId;
    this.model = options.model;
  }
}

/** The error if there is no room for a request now. */
export function overloaded(cause?: unknown): GatewayError {
  return new GatewayError('overloaded', { retryAfter: 1, cause });
}

/** The gateway has waited long enough for the provider. */
export function isUpstreamTimeout(error: Error): error is GatewayError {
  return error instanceof GatewayError && error.code === 'upstream_timeout';
}
