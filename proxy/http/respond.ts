// The gateway's own responses: JSON bodies, and the one function that turns an error into an envelope.
import { withoutRepeatedKeys } from '../access/repeated-keys.ts';
import { clientFormats } from '../client-formats.ts';
import { type ErrorCode, GatewayError } from '../errors.ts';
import type { ClientFormat, ClientRequest, PublicError } from '../formats/client-format.ts';
import { type NativeFailure, ProviderFailure } from '../upstream/provider-failure.ts';
import { requestIdHeader } from '../upstream/response-headers.ts';
import { ClientGone, type Exchange, type RequestRecord } from './exchange.ts';
import { headerValue } from './headers.ts';
import type { InboundResponse } from './inbound.ts';

/** The parts of an error that the caller gets. */
export interface ErrorResponse {
  readonly status: number;
  readonly source: 'gateway' | 'provider';
  readonly message: string;
  readonly param: string | undefined;
  /** `param` is a path in the body that the client sent. */
  readonly isClientParam?: boolean;
  readonly code: string | undefined;
  /** See `VendorError.type`. */
  readonly type?: string | undefined;
  readonly headers: readonly string[];
  /** Further advice beside the message. */
  readonly hint?: string | undefined;
  /** The vendor's own response, for a client of its format. */
  readonly native?: NativeFailure | undefined;
}

/** Waiting cannot help. SDKs retry these by default, so the response has `x-should-retry: false`. */
const notWorthRetrying = new Set<ErrorCode>([
  'upstream_authentication_failed',
  'upstream_protocol_error',
  'request_timeout',
  'budget_exceeded',
  'stopped_by_operator',
]);

/** @param attempts that the gateway has made: after several, the caller's SDK need not retry at once */
export function errorResponse(error: unknown, attempts = 0): ErrorResponse {
  const isRetried = attempts > 1;
  if (error instanceof ProviderFailure) {
    const { status, message, param, code, type, hint } = error;
    return {
      status,
      source: 'provider',
      message,
      param,
      code,
      type,
      hint,
      native: error.native,
      headers: [...retryHeaders(error.retryAfter, error.retryable && !isRetried), ...error.headers.map(headerValue)],
    };
  }
  const own = error instanceof GatewayError ? error : new GatewayError('internal_error', { cause: error });
  const { status, message, param, isClientParam, code, hint } = own;
  const headers = retryHeaders(own.retryAfter, !notWorthRetrying.has(code) && !isRetried);
  if (own.allow !== undefined) headers.push('allow', own.allow);
  headers.push(...own.headers.map(headerValue));
  return { status, source: 'gateway', message, param, isClientParam, code, headers, hint };
}

function retryHeaders(retryAfter: number | undefined, retryable: boolean): string[] {
  const headers = retryAfter === undefined ? [] : ['retry-after', String(retryAfter)];
  return retryable ? headers : [...headers, 'x-should-retry', 'false'];
}

/** The envelope of every error, on every route and inside streams, in the client's format. */
export function envelope(error: PublicError, format: ClientFormat = clientFormats.chat_completions): string {
  return JSON.stringify(format.writeError(error));
}

/** Writes an error into the record. The response is sent by respondError or, inside a stream, by relay. */
export function recordError(exchange: Exchange, error: unknown): ErrorResponse {
  const { record } = exchange;
  const response = withoutKeys(errorResponse(error, record.attempts), exchange);
  if (error instanceof ClientGone) {
    record.status = 499;
    record.errorCode = error.code;
    return response;
  }
  record.status = response.status;
  record.errorCode = response.code;
  record.errorSource = response.source;
  record.errorMessage = response.message;
  record.errorParam = response.param;
  noteCause(record, error);
  return response;
}

/**
 * Removes the caller's keys: messages repeat parts of a request, which may contain them. Names fields as the client
 * does.
 */
function withoutKeys(response: ErrorResponse, { headers, record, client }: Exchange): ErrorResponse {
  const clean = (text: string) => withoutRepeatedKeys(text, headers, record.direct);
  const { message, param, code, hint, native } = response;
  const field = param && client && response.isClientParam !== true ? clientField(param, client) : param;
  return {
    ...response,
    message: clean(param && field ? message.replaceAll(param, field) : message),
    param: field && clean(field),
    code: code && clean(code),
    hint: hint && clean(hint),
    ...(native && { native: { ...native, body: clean(native.body) } }),
  };
}

/** The client's path for a path in the request as chat completions. */
function clientField(param: string, { translation, origins }: ClientRequest): string {
  const [, index] = /^messages\[(\d+)\]/.exec(param) ?? [];
  return (index && origins[Number(index)]) || translation.fieldOf(param);
}

function noteCause(record: RequestRecord, error: unknown): void {
  const [, upstreamId] =
    error instanceof ProviderFailure || error instanceof GatewayError ? requestIdHeader(error.headers) : [];
  record.upstreamRequestId = upstreamId;
  if (error instanceof ProviderFailure) record.cause = error.reason;
  else if (error instanceof GatewayError) {
    record.cause = error.cause;
    record.limitId = error.limitId;
    record.refusedModel = error.model;
  } else record.cause = error;
}

/** Sends an error response, before any other response has begun. */
export function respondError(exchange: Exchange, error: unknown): void {
  const response = recordError(exchange, error);
  if (error instanceof ClientGone) return void exchange.response.destroy();
  const { message, param, code, type, hint, native } = response;
  const status = native?.status ?? response.status;
  const shown = { status, message, param, code, type, hint, requestId: exchange.id };
  send(exchange, status, Buffer.from(native?.body ?? envelope(shown, exchange.format)), [
    'x-svc-error-source',
    response.source,
    ...(code === undefined ? [] : ['x-svc-error-code', headerValue(code)]),
    ...(exchange.format.errorHeaders?.(shown) ?? []),
    ...response.headers,
  ]);
}

export function respondJson(exchange: Exchange, value: object): void {
  respondText(exchange, JSON.stringify(value));
}

/** @param json text of an object */
export function respondText(exchange: Exchange, json: string): void {
  exchange.record.status = 200;
  send(exchange, 200, Buffer.from(json), []);
}

/** Sends a whole JSON response with its length. */
export function send(exchange: Exchange, status: number, body: Buffer, headers: readonly string[]): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  const closes = closesAfter(exchange, status);
  const lingers = closes ? !exchange.request.complete : mustLinger(exchange);
  response.writeHead(status, [
    'content-type',
    'application/json',
    'content-length',
    String(body.length),
    ...commonHeaders(exchange),
    ...headers,
    ...(closes || lingers ? ['connection', 'close'] : []),
  ]);
  if (lingers) {
    response.write(body);
    linger(exchange);
  } else if (body.length <= sliceBytes) endTogether(response, body);
  else endInSlices(exchange, body);
}

const sliceBytes = 64 * 1024;

interface Ending {
  readonly response: InboundResponse;
  readonly body: Buffer;
}

let endings: Ending[] = [];

/**
 * Responses that are completed in one tick of the event loop are written together at its end. Each write wakes the
 * process at the other end, and a wake-up for each response cost as much CPU as all of the gateway's checks. A single
 * response is not delayed.
 */
function endTogether(response: InboundResponse, body: Buffer): void {
  if (endings.push({ response, body }) === 1) setImmediate(endAll);
}

/** Whether the response leaves at the end of this tick. Its caller cannot have read any of it yet. */
export function isLeaving(response: InboundResponse): boolean {
  return !response.destroyed && endings.some((ending) => ending.response === response);
}

function endAll(): void {
  const ready = endings;
  endings = [];
  for (const { response, body } of ready) {
    // Its client may have left meanwhile.
    if (!response.destroyed) response.end(body);
  }
}

/** Writes a large body in slices, so that a slow reader can be distinguished from one that does not read. */
function endInSlices(exchange: Exchange, body: Buffer): void {
  const { response } = exchange;
  let sent = 0;
  const more = () => {
    exchange.waitFor('reader');
    while (sent < body.length) {
      const slice = body.subarray(sent, sent + sliceBytes);
      sent += slice.length;
      if (!response.write(slice)) return;
    }
    response.end();
  };
  response.on('drain', more);
  more();
}

/** Headers of every response: the request id, and how the request was handled. */
export function commonHeaders(exchange: Exchange): string[] {
  const { record, format } = exchange;
  const headers = ['x-request-id', exchange.id];
  if (format.requestIdHeader !== undefined) headers.push(format.requestIdHeader, exchange.id);
  if (record.provider !== undefined) headers.push('x-svc-provider', record.provider);
  if (record.model !== undefined) headers.push('x-svc-model', headerValue(record.model));
  if (record.modelRoute !== undefined) headers.push('x-svc-route', headerValue(record.modelRoute));
  if (record.cache !== undefined) headers.push('x-svc-cache', record.cache);
  if (record.attempts > 0) headers.push('x-svc-attempts', String(record.attempts));
  if (record.limitHeaders.length > 0) headers.push(...record.limitHeaders);
  if (record.isCaptured) headers.push('x-svc-captured', 'true');
  if (record.guardrailHeader !== undefined) headers.push('x-svc-guardrails', headerValue(record.guardrailHeader));
  return headers;
}

/** A caller that is refused before authentication keeps no connection, because it could keep many at no cost. */
function closesAfter({ isRefused, record }: Exchange, status: number): boolean {
  return isRefused || (record.keyId === undefined && status >= 400 && status < 500);
}

const smallRestBytes = 256 * 1024;
const lingerMs = 1000;

/** Whether too much of the body is outstanding, so that the connection must close with the response, see linger. */
export function mustLinger(exchange: Exchange): boolean {
  return !exchange.request.complete && !isSmallRest(exchange);
}

/** An unread body of known, small length. Node discards it, and the connection can be reused. */
function isSmallRest({ headers, expectsContinue }: Exchange): boolean {
  if (expectsContinue) return false;
  const announced = headers.get('content-length');
  if (announced === undefined) return headers.get('transfer-encoding') === undefined;
  return Number(announced) <= smallRestBytes;
}

/**
 * Closes a connection on which a body is still arriving. Closing at once would reset it, and the client might never see
 * the response. So the body is discarded for a moment before the connection ends.
 */
export function linger({ request, response }: Exchange): void {
  const finish = () => {
    clearTimeout(timer);
    response.end(() => request.socket.destroySoon());
  };
  const timer = setTimeout(finish, lingerMs);
  request.once('end', finish);
  response.once('close', () => clearTimeout(timer));
  request.on('data', () => undefined);
  request.resume();
}
