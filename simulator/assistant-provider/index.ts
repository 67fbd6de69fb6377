// The assistant vendor's wire format: messages, token counts and the model list, with the vendor's refusals.
import type { Behaviour } from '../behaviour.ts';
import { FieldFault, type Json } from '../checks.ts';
import { directiveIn } from '../directive.ts';
import { echoOf } from '../echo.ts';
import type { Received, ResponseContext, SimulatedResponse, WireFormat } from '../wire-format.ts';
import { authorize, betasOf, versionOf } from './authorization.ts';
import { complete } from './completion.ts';
import { refusalOf } from './fields.ts';
import type { MessageRequest } from './message-request.ts';
import { textOf } from './messages.ts';
import { modelInfo, modelPage } from './model-list.ts';
import { badRequest, Refusal, scriptedError, type VendorError } from './refusal.ts';
import { knownModel, parseRequest } from './request.ts';
import { failingEvents, messageEvents, messageObject } from './response.ts';

const basePath = '/assistant-provider';
const bodyBytesMax = 32 * 1024 * 1024;

export const assistantProvider: WireFormat = {
  basePath,
  respond(received, context) {
    try {
      return route(received, context);
    } catch (error) {
      const refusal = error instanceof FieldFault ? refusalOf(error) : error;
      if (!(refusal instanceof Refusal)) throw error;
      return errorResponse(refusal.status, refusal.error, context);
    }
  },
};

function route(received: Received, context: ResponseContext): SimulatedResponse {
  const path = received.path.slice(basePath.length);
  const name = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
  const endpoint = endpoints[path];
  if (endpoint === undefined && path !== '/v1/models' && name === undefined) {
    throw new Refusal(404, 'Not Found');
  }
  if (received.method !== (endpoint === undefined ? 'GET' : 'POST')) {
    throw new Refusal(405, 'Method Not Allowed');
  }
  authorize(received.headers, context.keys);
  const version = versionOf(received.headers);
  const betas = betasOf(received.headers);
  if (endpoint === undefined) {
    const value = name === undefined ? modelPage(received.query) : modelInfo(knownModel(decoded(name)));
    return jsonResponse(200, value, context);
  }
  const request = parseRequest(bodyOf(received), { endpoint, version, betas });
  if (endpoint === 'count') return respondToCount(request, context);
  return respondToMessage(request, received, context);
}

const endpoints: Readonly<Record<string, 'message' | 'count'>> = {
  '/v1/messages': 'message',
  '/v1/messages/count_tokens': 'count',
};

function respondToCount(request: MessageRequest, context: ResponseContext): SimulatedResponse {
  const behaviour = context.scripted() ?? {};
  const { status = 200, error } = behaviour;
  if (status >= 400) return { ...errorResponse(status, scriptedError(status, error), context), behaviour };
  return { ...jsonResponse(200, { input_tokens: request.prompt.total }, context), behaviour };
}

function respondToMessage(request: MessageRequest, received: Received, context: ResponseContext): SimulatedResponse {
  const behaviour = context.scripted() ?? directive(request) ?? {};
  const limits = rateLimitHeaders(request, context);
  const status = behaviour.status ?? 200;
  if (status >= 400) {
    return withHeaders(errorResponse(status, scriptedError(status, behaviour.error), context), limits, behaviour);
  }
  const completion = complete(request, {
    behaviour,
    echo: () => echoOf(received),
    sequence: context.sequence,
  });
  const identity = { id: `msg_simulated${context.sequence}`, model: request.model.id };
  if (request.body.stream !== true) {
    return withHeaders(jsonResponse(status, messageObject(completion, identity), context), limits, behaviour);
  }
  const events = messageEvents(completion, identity);
  const failure = { error: scriptedError(529, behaviour.error), request_id: requestId(context) };
  return {
    status,
    headers: {
      ...vendorHeaders(context),
      ...limits,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    },
    parts:
      behaviour.errorAfterEvents === undefined ? events : failingEvents(events, behaviour.errorAfterEvents, failure),
    behaviour,
  };
}

function withHeaders(
  response: SimulatedResponse,
  limits: SimulatedResponse['headers'],
  behaviour: Behaviour,
): SimulatedResponse {
  return { ...response, headers: { ...response.headers, ...limits }, behaviour };
}

/** @throws Refusal */
function bodyOf({ headers, body }: Received): unknown {
  if (body.length > bodyBytesMax) throw new Refusal(413, 'Request exceeds the maximum size');
  // The vendor's error for another content type is unknown. It is known to accept only JSON.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw badRequest('content-type: must be application/json');
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
}

function directive(request: MessageRequest): Behaviour | undefined {
  const last = request.messages.at(-1);
  if (last?.role !== 'user') return undefined;
  try {
    return directiveIn(textOf(last));
  } catch (error) {
    throw badRequest(`messages: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns a name that cannot be decoded unchanged: no model has it. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function jsonResponse(status: number, value: Json, context: ResponseContext): SimulatedResponse {
  const headers = { ...vendorHeaders(context), 'content-type': 'application/json' };
  return { status, headers, parts: [JSON.stringify(value)], behaviour: {} };
}

function errorResponse(status: number, error: VendorError, context: ResponseContext): SimulatedResponse {
  return jsonResponse(status, { type: 'error', error, request_id: requestId(context) }, context);
}

function requestId({ sequence }: ResponseContext): string {
  return `req_simulated${sequence}`;
}

function vendorHeaders(context: ResponseContext): Readonly<Record<string, string>> {
  return {
    'request-id': requestId(context),
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000000',
  };
}

const inputLimit = 2_000_000;
const outputLimit = 400_000;

function rateLimitHeaders(request: MessageRequest, context: ResponseContext): Readonly<Record<string, string>> {
  const input = inputLimit - request.prompt.uncached;
  const reset = new Date(context.now * 1000).toISOString().replace('.000Z', 'Z');
  const rows: readonly (readonly [string, number, number])[] = [
    ['requests', 4_000, 3_999],
    ['input-tokens', inputLimit, input],
    ['output-tokens', outputLimit, outputLimit],
    ['tokens', inputLimit + outputLimit, input + outputLimit],
  ];
  return Object.fromEntries(
    rows.flatMap(([name, limit, remaining]) => [
      [`anthropic-ratelimit-${name}-limit`, String(limit)],
      [`anthropic-ratelimit-${name}-remaining`, String(Math.max(0, remaining))],
      [`anthropic-ratelimit-${name}-reset`, reset],
    ]),
  );
}
