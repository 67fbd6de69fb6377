// The GPT vendor's wire format: chat completions and the model list, refused and answered as the vendor does.
import type { Behaviour } from '../behaviour.ts';
import { FieldFault, type Json } from '../checks.ts';
import { directiveIn } from '../directive.ts';
import { echoOf } from '../echo.ts';
import type { Answer, AnswerContext, Received, WireFormat } from '../wire-format.ts';
import { completionEvents, completionObject, failingEvents } from './answer.ts';
import { authorize } from './authorization.ts';
import { complete } from './completion.ts';
import { refusalOf } from './faults.ts';
import { textOf } from './messages.ts';
import { findModel, listModels, type SimulatedModel } from './models.ts';
import { Refusal, usualError, type VendorError } from './refusal.ts';
import { type ChatRequest, parseChatRequest, unknownModel } from './request.ts';

const basePath = '/v1';

export const gptProvider: WireFormat = {
  basePath,
  answer(received, context) {
    try {
      return route(received, context);
    } catch (error) {
      const refusal = error instanceof FieldFault ? refusalOf(error) : error;
      if (!(refusal instanceof Refusal)) throw error;
      return errorAnswer(refusal.status, refusal.error, context);
    }
  },
};

function route(received: Received, context: AnswerContext): Answer {
  const path = received.path.slice(basePath.length);
  const method = path === '/chat/completions' ? 'POST' : 'GET';
  const name = /^\/models\/([^/]+)$/.exec(path)?.[1];
  if (path !== '/chat/completions' && path !== '/models' && name === undefined) {
    throw new Refusal(404, { message: `Invalid URL (${received.method} ${received.path})` });
  }
  if (received.method !== method) {
    const message = `Not allowed to ${received.method} on ${received.path} .`;
    throw new Refusal(405, { message, code: 'method_not_supported' });
  }
  authorize(received.headers, context.keys);
  if (method === 'POST') return chat(received, context);
  const value = name === undefined ? modelList() : modelObject(decodedName(name));
  return jsonAnswer(200, value, context);
}

function chat(received: Received, context: AnswerContext): Answer {
  const request = parseChatRequest(parseBody(received));
  const behaviour = context.scripted() ?? directive(request) ?? {};
  const error = { ...usualError(behaviour.status ?? 500), ...behaviour.error } as VendorError;
  const limits = rateLimitHeaders(request);
  if (behaviour.status !== undefined && behaviour.status >= 400) {
    const answer = errorAnswer(behaviour.status, error, context);
    return { ...answer, headers: { ...answer.headers, ...limits }, behaviour };
  }
  const completion = complete(request, behaviour, () => echoOf(received));
  const identity = { id: `chatcmpl-simulated${context.sequence}`, created: context.now };
  const status = behaviour.status ?? 200;
  if (!request.stream) {
    const answer = jsonAnswer(status, completionObject(request, completion, identity), context);
    return { ...answer, headers: { ...answer.headers, ...limits }, behaviour };
  }
  const events = completionEvents(request, completion, identity);
  return {
    status,
    headers: { ...vendorHeaders(context), ...limits, 'content-type': 'text/event-stream; charset=utf-8' },
    parts:
      behaviour.errorAfterEvents === undefined
        ? events
        : failingEvents(events, behaviour.errorAfterEvents, error),
    behaviour,
  };
}

function parseBody({ headers, body }: Received): unknown {
  const isJson = /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '');
  // To the vendor a body of another type holds no parameters.
  if (!isJson) throw new Refusal(400, { message: 'you must provide a model parameter' });
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    const message =
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)";
    throw new Refusal(400, { message });
  }
}

function directive(request: ChatRequest): Behaviour | undefined {
  const last = request.messages.at(-1);
  if (last?.role !== 'user') return undefined;
  try {
    return directiveIn(textOf(last));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Refusal(400, { message, param: 'messages' });
  }
}

function decodedName(name: string): SimulatedModel {
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // A name that cannot be decoded is no model's either.
  }
  const model = findModel(decoded);
  if (model === undefined) throw unknownModel(decoded);
  return model;
}

function modelList(): Json {
  return { object: 'list', data: [...listModels()].map(modelObject) };
}

function modelObject({ name, created }: SimulatedModel): Json {
  return { id: name, object: 'model', created, owned_by: 'system' };
}

function jsonAnswer(status: number, value: Json, context: AnswerContext): Answer {
  const headers = { ...vendorHeaders(context), 'content-type': 'application/json' };
  return { status, headers, parts: [`${JSON.stringify(value, undefined, 2)}\n`], behaviour: {} };
}

function errorAnswer(status: number, error: VendorError, context: AnswerContext): Answer {
  return jsonAnswer(status, { error }, context);
}

function vendorHeaders({ sequence }: AnswerContext): Readonly<Record<string, string>> {
  return {
    'openai-organization': 'org-simulated',
    'openai-processing-ms': '1',
    'openai-version': '2020-10-01',
    'x-request-id': `req_simulated${sequence}`,
  };
}

function rateLimitHeaders({ promptTokens }: ChatRequest): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-limit-tokens': '30000000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-remaining-tokens': String(30_000_000 - promptTokens),
    'x-ratelimit-reset-requests': '6ms',
    'x-ratelimit-reset-tokens': '0s',
  };
}
