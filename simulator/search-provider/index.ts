// The search company's wire format: generateContent in its three forms, countTokens and the model list, under /v1 and
// /v1beta, with the vendor's refusals.
import type { Behaviour } from '../behaviour.ts';
import { FieldFault, type Json } from '../checks.ts';
import { directiveIn } from '../directive.ts';
import { echoOf } from '../echo.ts';
import type { Received, ResponseContext, SimulatedResponse, WireFormat } from '../wire-format.ts';
import { authorize } from './authorization.ts';
import { complete } from './completion.ts';
import { isModel, textOf } from './content.ts';
import { refusalOf, unknownName } from './faults.ts';
import { type Framing, frontPage, jsonResponse, streamHeaders, streamParts, wholeError } from './framing.ts';
import { modelObject, modelPage } from './listing.ts';
import { findModel, type Version } from './models.ts';
import { FrontRefusal, invalidArgument, Refusal, scriptedError } from './refusal.ts';
import { type Call, type GenerateRequest, parseCount, parseGenerate } from './request.ts';
import { blockedResponse, partialResponses, wholeResponse } from './response.ts';

const basePath = '/search-provider';

export const searchProvider: WireFormat = {
  basePath,
  respond(received, context) {
    const route = routeOf(received);
    if (route === undefined) return frontPage();
    try {
      return respond(route, received, context);
    } catch (error) {
      const refusal = error instanceof FieldFault ? refusalOf(error, route.version) : error;
      if (!(refusal instanceof Refusal)) throw error;
      const isFront = refusal instanceof FrontRefusal && route.framing === 'events';
      return wholeError(refusal.error, isFront ? 'whole' : route.framing);
    }
  },
};

interface Route {
  readonly version: Version;
  /** Undefined for the list. */
  readonly model: string | undefined;
  /** A name such as `generateContent`. */
  readonly method: string;
  readonly framing: Framing;
  readonly query: URLSearchParams;
}

/** Undefined for unknown paths. The vendor's front responds to those before authentication. */
function routeOf(received: Received): Route | undefined {
  const [, version, name, method] =
    /^\/(v1|v1beta)\/models(?:\/([^/:]+)(?::([a-zA-Z]+))?)?$/.exec(
      received.path.slice(basePath.length).replace(/%3a/gi, ':'),
    ) ?? [];
  if (version !== 'v1' && version !== 'v1beta') return undefined;
  const isGet = method === undefined;
  if (received.method !== (isGet ? 'GET' : 'POST')) return undefined;
  if (!isGet && !methods.has(method)) return undefined;
  const query = new URLSearchParams(received.query);
  const streamed = method === 'streamGenerateContent';
  const framing = streamed ? (query.get('alt') === 'sse' ? 'events' : 'list') : 'whole';
  return {
    version,
    model: name === undefined ? undefined : decoded(name),
    method: method ?? (name === undefined ? 'ListModels' : 'GetModel'),
    framing,
    query,
  };
}

const methods: ReadonlySet<string> = new Set(['generateContent', 'streamGenerateContent', 'countTokens']);

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // Returns a name that cannot be decoded unchanged: no model has it.
    return name;
  }
}

function respond(route: Route, received: Received, context: ResponseContext): SimulatedResponse {
  authorize(received, context.keys);
  checkQuery(route);
  const { model, version, method } = route;
  if (model === undefined) return jsonResponse(200, modelPage(route.query, version));
  if (method === 'GetModel') {
    const found = findModel(model, version);
    if (found === undefined) throw new Refusal(404, `Model is not found: models/${model} for api version ${version}`);
    return jsonResponse(200, modelObject(found));
  }
  const json = parseBody(received);
  const call = { version, model, method };
  return method === 'countTokens' ? count(json, call, context) : generate({ json, call, route, received }, context);
}

const systemParameters = ['key', 'alt', '$alt', 'prettyPrint', '$prettyPrint', 'fields', '$fields', 'quotaUser'];
const pageParameters = ['pageSize', 'page_size', 'pageToken', 'page_token', 'filter'];

function checkQuery({ query, method, framing }: Route): void {
  const known = [...systemParameters, ...(method === 'ListModels' ? pageParameters : [])];
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) throw unbindable(unknown);
  const alt = query.get('alt');
  if (alt === null || alt === 'json' || framing === 'events') return;
  throw invalidArgument(`Invalid value at 'alt', "${alt}"`);
}

function unbindable(name: string): Refusal {
  return unknownName(name, '', `Cannot bind query parameter. Field '${name}' could not be found in request message.`);
}

/** The limit on the vendor's newest pages; older pages have a fifth of it. */
const bodyBytesMax = 100 * 1024 * 1024;

function parseBody({ headers, body }: Received): unknown {
  if (body.length > bodyBytesMax) {
    throw invalidArgument(`Request payload size exceeds the limit: ${bodyBytesMax} bytes.`);
  }
  const text = body.toString('utf8');
  // The vendor reads another content type as a form; the JSON text is then the name of its only field.
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) throw unbindable(text.slice(0, 64));
  try {
    return JSON.parse(text);
  } catch {
    const what = text.trim() === '' ? 'Expected a value.' : 'Unexpected token.';
    throw invalidArgument(`Invalid JSON payload received. ${what}\n${text.slice(0, 64)}\n^`, '');
  }
}

function count(json: unknown, call: Call, context: ResponseContext): SimulatedResponse {
  const { text, image, cached } = parseCount(json, call);
  const behaviour = context.scripted() ?? {};
  const { status = 200, error = {} } = behaviour;
  if (status >= 400) return { ...wholeError(scriptedError(status, error), 'whole'), behaviour };
  const details = [
    { modality: 'TEXT', tokenCount: text },
    { modality: 'IMAGE', tokenCount: image },
  ];
  const response = jsonResponse(200, {
    totalTokens: text + image,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    promptTokensDetails: details.filter((one) => one.tokenCount > 0),
  });
  return { ...response, behaviour };
}

interface ChatExchange {
  readonly json: unknown;
  readonly call: Call;
  readonly route: Route;
  readonly received: Received;
}

function generate({ json, call, route, received }: ChatExchange, context: ResponseContext): SimulatedResponse {
  const request = parseGenerate(json, call);
  const behaviour = context.scripted() ?? directive(request) ?? {};
  const { framing } = route;
  const { status = 200, error = {}, errorAfterEvents } = behaviour;
  if (status >= 400) return { ...wholeError(scriptedError(status, error), framing), behaviour };
  const { sequence } = context;
  const tier = request.body.serviceTier ?? 'STANDARD';
  const served = { 'x-gemini-service-tier': tier === 'UNSPECIFIED' ? 'standard' : tier.toLowerCase() };
  const made = {
    request,
    completion: complete(request, behaviour, () => echoOf(received)),
    behaviour,
    sequence,
  };
  const { blocked } = behaviour;
  if (framing === 'whole') {
    const value = blocked === undefined ? wholeResponse(made) : blockedResponse(blocked, made);
    return { ...jsonResponse(status, value, served), behaviour };
  }
  const responses = blocked === undefined ? partialResponses(made) : [blockedResponse(blocked, made)];
  const failure = { error: scriptedError(503, error) };
  const given = errorAfterEvents === undefined ? responses : broken(responses, errorAfterEvents, failure);
  const headers = { ...streamHeaders(framing), ...served };
  return { status, headers, parts: streamParts(given, framing), behaviour };
}

/** Yields this many responses, then the error instead of the rest. */
function* broken(responses: Iterable<Json>, after: number, error: Json): Generator<Json> {
  let given = 0;
  for (const response of responses) {
    if (given >= after) break;
    given += 1;
    yield response;
  }
  yield error;
}

function directive({ contents }: GenerateRequest): Behaviour | undefined {
  const last = contents.at(-1);
  if (last === undefined || isModel(last)) return undefined;
  try {
    return directiveIn(textOf(last));
  } catch (error) {
    throw invalidArgument(error instanceof Error ? error.message : String(error));
  }
}
