// The GPT vendor's wire format: chat completions, the Responses API, moderations and the model list, with the vendor's refusals.
import { FieldFault, isObject, type Json } from '../checks.ts';
import type { Received, ResponseContext, SimulatedResponse, WireFormat } from '../wire-format.ts';
import { authorize } from './authorization.ts';
import { behaviourFor, bodyOf, respondToChat } from './chat.ts';
import { refusalOf } from './faults.ts';
import { jsonResponse, rateLimitHeaders, stringify, vendorHeaders } from './json-response.ts';
import { findModel, listModels, type SimulatedModel } from './models.ts';
import { moderate } from './moderation.ts';
import { parseChatRequest, unknownModel } from './parse.ts';
import { Refusal, usualError } from './refusal.ts';
import type { ChatRequest } from './request.ts';
import { completionChunks, completionObject, wantsUsage } from './response.ts';
import { responsesMethods } from './responses/index.ts';

const basePath = '/v1';

export const gptProvider: WireFormat = {
  basePath,
  respond(received, context) {
    try {
      return route(received, context);
    } catch (error) {
      const refusal = error instanceof FieldFault ? refusalOf(error) : error;
      if (!(refusal instanceof Refusal)) throw error;
      return jsonResponse(refusal.status, { error: refusal.error }, context);
    }
  },
};

function route(received: Received, context: ResponseContext): SimulatedResponse {
  const path = received.path.slice(basePath.length);
  const methods = responsesMethods(path);
  if (methods !== undefined) {
    const respond = methods[received.method];
    if (respond === undefined) throw notAllowed(received);
    authorize(received.headers, context.keys);
    return respond(received, context);
  }
  const post = posts[path];
  const method = post === undefined ? 'GET' : 'POST';
  const name = /^\/models\/([^/]+)$/.exec(path)?.[1];
  if (post === undefined && path !== '/models' && name === undefined) {
    throw new Refusal(404, { message: `Invalid URL (${received.method} ${received.path})` });
  }
  if (received.method !== method) throw notAllowed(received);
  authorize(received.headers, context.keys);
  if (post !== undefined) return post(received, context);
  const value = name === undefined ? modelList() : modelObject(decodedName(name));
  return jsonResponse(200, value, context);
}

function notAllowed({ method, path }: Received): Refusal {
  return new Refusal(405, { message: `Not allowed to ${method} on ${path} .`, code: 'method_not_supported' });
}

const posts: Readonly<Record<string, typeof chat>> = {
  '/chat/completions': chat,
  '/moderations': moderation,
};

function chat(received: Received, context: ResponseContext): SimulatedResponse {
  const request = parseChatRequest(bodyOf(received));
  const behaviour = behaviourFor(request, context);
  return respondToChat(
    { request, behaviour, received, context },
    {
      headers: () => ({ ...vendorHeaders(context), ...rateLimitHeaders(request) }),
      stringify,
      object: (completion, identity) => ({
        ...completionObject(request, completion, identity),
        service_tier: serviceTier(request),
      }),
      chunks: (completion, identity) => ownChunks(request, completionChunks(request, completion, identity)),
      error: (status, scripted) => ({ error: { ...usualError(status), ...scripted } }),
    },
  );
}

function moderation(received: Received, context: ResponseContext): SimulatedResponse {
  const response = moderate(bodyOf(received), context.sequence);
  const behaviour = context.scripted() ?? {};
  const { status = 200 } = behaviour;
  const value = status >= 400 ? { error: { ...usualError(status), ...behaviour.error } } : response;
  return { ...jsonResponse(status, value, context), behaviour };
}

/** Adds the vendor's padding, which prevents guessing tokens by packet sizes. `usage` is null before the last chunk. */
function* ownChunks(request: ChatRequest, chunks: Iterable<Json>): Generator<Json> {
  const { stream_options: options } = request.body;
  const obfuscated = !isObject(options) || options.include_obfuscation !== false;
  const withUsage = wantsUsage(request);
  let count = 0;
  for (const chunk of chunks) {
    const own = { ...chunk, service_tier: serviceTier(request) };
    if ('usage' in chunk) yield own;
    else {
      count += 1;
      yield {
        ...own,
        ...(withUsage && { usage: null }),
        ...(obfuscated && { obfuscation: padding(count) }),
      };
    }
  }
}

function padding(count: number): string {
  return 'Xk3Zq9aLw0Rt5Vb1'.slice((count * 7) % 17);
}

function serviceTier({ body }: ChatRequest): string {
  return typeof body.service_tier === 'string' && body.service_tier !== 'auto' ? body.service_tier : 'default';
}

function decodedName(name: string): SimulatedModel {
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // A name that cannot be decoded is no model's name.
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
