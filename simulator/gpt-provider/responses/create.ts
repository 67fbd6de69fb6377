// POST /responses: the response whole, as a stream, or queued in the background, and stored unless the caller refuses.
import type { Behaviour } from '../../behaviour.ts';
import { isObject, type Json } from '../../checks.ts';
import { echoOf } from '../../echo.ts';
import type { Received, ResponseContext, SimulatedResponse } from '../../wire-format.ts';
import { behaviourFor, bodyOf, broken } from '../chat.ts';
import { jsonResponse, rateLimitHeaders, vendorHeaders } from '../json-response.ts';
import { Refusal, usualError } from '../refusal.ts';
import type { Account } from './conversation.ts';
import { eventsOf, frame } from './events.ts';
import { idOf } from './ids.ts';
import { inputItems } from './input-items.ts';
import { endedResponse, openResponse } from './object.ts';
import { makeOutput, type OutputItem } from './output.ts';
import { parseCreate, type ResponsesRequest } from './request.ts';

export function create(received: Received, context: ResponseContext, account: Account): SimulatedResponse {
  const request = parseCreate(jsonBody(received), account);
  const behaviour = behaviourFor(request.chat, context, 'input');
  const headers = rateLimitHeaders(request.chat);
  const refused = scriptedError(behaviour, context);
  if (refused !== undefined) return { ...refused, headers: { ...refused.headers, ...headers } };
  const made = makeResponse(request, { behaviour, received, context });
  if (request.body.store !== false) {
    account.store.add(made.stored, received.body.length + JSON.stringify(made.stored.response).length);
  }
  if (request.body.stream === true) {
    return streamed(made.events(), { behaviour, headers: { ...vendorHeaders(context), ...headers } });
  }
  const whole = jsonResponse(behaviour.status ?? 200, made.first, context);
  return { ...whole, headers: { ...whole.headers, ...headers }, behaviour };
}

/** The body as JSON. @throws Refusal for another content type, or malformed JSON */
export function jsonBody(received: Received): unknown {
  const body = bodyOf(received);
  if (body !== undefined) return body;
  const type = received.headers['content-type'] ?? '';
  const message = `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: ${type}'. Please try again with a supported content type.`;
  throw new Refusal(400, { message, code: 'unsupported_content_type' });
}

/** The response of a behaviour with an error status. */
export function scriptedError(behaviour: Behaviour, context: ResponseContext): SimulatedResponse | undefined {
  const { error, status = 200 } = behaviour;
  if (status < 400) return undefined;
  return { ...jsonResponse(status, { error: { ...usualError(status), ...error } }, context), behaviour };
}

export function streamed(
  events: Iterable<Json>,
  { behaviour, headers }: { readonly behaviour: Behaviour; readonly headers: Readonly<Record<string, string>> },
): SimulatedResponse {
  const { errorAfterEvents: after, error } = behaviour;
  const frames = framed(events);
  const { type: _type, ...usual } = usualError(500);
  const broke = { type: 'error', ...usual, ...error, ...(error && { type: 'error' }), sequence_number: after };
  return {
    status: behaviour.status ?? 200,
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
    parts: after === undefined ? frames : broken(frames, after, frame(broke)),
    behaviour,
  };
}

function* framed(events: Iterable<Json>): Generator<string> {
  for (const event of events) yield frame(event);
}

interface Exchange {
  readonly behaviour: Behaviour;
  readonly received: Received;
  readonly context: ResponseContext;
}

function makeResponse(request: ResponsesRequest, { behaviour, received, context }: Exchange) {
  const { now, sequence } = context;
  const { body } = request;
  const identity = { id: idOf('resp', sequence), created: now };
  const background = body.background === true;
  const queued = openResponse(request, identity, 'queued');
  const opened = openResponse(request, identity, 'in_progress');
  const output = makeOutput({ request, behaviour, echo: () => echoOf(received), sequence });
  const ended = endedResponse(opened, output, behaviour);
  const options = isObject(body.stream_options) ? body.stream_options : {};
  const frames = { queued, opened, background, obfuscated: options.include_obfuscation !== false };
  // Encrypted content is in the first response only.
  const kept = output.items.map(withoutEncrypted);
  const response = { ...ended, output: kept.map(({ item }) => item) };
  const whole = background ? queued : ended;
  return {
    first: whole,
    events: () => eventsOf(output.items, { ...frames, ended }),
    stored: {
      id: identity.id,
      account: request.account,
      background,
      opened,
      response,
      input: inputItems(request.items, sequence),
      events: () => eventsOf(kept, { ...frames, ended: response }),
      // A stream in the background ends before anyone can retrieve it.
      status: body.stream === true ? ended.status : whole.status,
      readsLeft: behaviour.backgroundReads ?? usualReads,
    },
  };
}

const usualReads = 2;

function withoutEncrypted({ item, deltas }: OutputItem): OutputItem {
  const { encrypted_content: _encrypted, ...rest } = item;
  return { item: rest, deltas };
}
