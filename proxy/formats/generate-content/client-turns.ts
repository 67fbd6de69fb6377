// Reads the contents of a client's request (SDK type `Content` of @google/genai) into messages of chat completions.
// Contents of one role in a row are one message: a client that folds a stream sends each of its pieces back.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ThinkingBlock } from '../../conversation/response.ts';
import type { ChatTurn } from '../client-format.ts';
import type { LossList } from '../client-losses.ts';
import { camelNames } from './client-names.ts';
import { type ClientPart, chatParts, madeImage, partsOf } from './client-parts.ts';
import { ThoughtReader, thoughtsAtCall, wrappedIn } from './client-thoughts.ts';

/** @throws GatewayError invalid_request that names the field */
export function chatTurns(contents: unknown, losses: LossList): readonly ChatTurn[] {
  const calls = new CallIds();
  return groupsOf(contents).flatMap((group) =>
    group.isModel ? [modelTurn(group, calls, losses)] : userTurns(group, calls, losses),
  );
}

/** Text of the system, as a content, its parts or a string. @throws GatewayError invalid_request */
export function systemTurns(system: unknown, losses: LossList): readonly ChatTurn[] {
  if (!isGiven(system)) return [];
  const at = 'systemInstruction';
  const turn = (content: unknown): ChatTurn[] => [{ message: { role: 'system', content }, at }];
  if (typeof system === 'string') return turn(system);
  if (!isObject(system)) throw invalid(at, `${at} must be a content with parts`);
  return turn(partsOf(camelNames(system, at).parts, `${at}.parts`).flatMap((part) => chatParts(part, losses)));
}

interface Group {
  readonly isModel: boolean;
  readonly at: string;
  readonly parts: ClientPart[];
}

const roles: ReadonlySet<unknown> = new Set(['user', 'model', 'function', 'tool', undefined, null, '']);

function groupsOf(contents: unknown): readonly Group[] {
  if (!Array.isArray(contents) || contents.length === 0) {
    throw invalid('contents', 'contents must be a non-empty array');
  }
  const groups: Group[] = [];
  contents.forEach((content: unknown, index) => {
    const at = `contents[${index}]`;
    if (!isObject(content)) throw invalid(at, `${at} must be an object with a role and parts`);
    const { role, parts } = camelNames(content, at);
    if (!roles.has(role)) throw invalid(`${at}.role`, `${at}.role must be user or model`);
    const isModel = role === 'model';
    const read = partsOf(parts, `${at}.parts`);
    const last = groups.at(-1);
    if (last?.isModel === isModel) last.parts.push(...read);
    else groups.push({ isModel, at, parts: read });
  });
  return groups;
}

/** Ids of the calls of one turn. Older clients send none: a result belongs to the first open call of its name. */
class CallIds {
  #open: { readonly id: string; readonly name: string; readonly isMade: boolean }[] = [];
  #count = 0;

  begin(): void {
    this.#open = [];
  }

  call(given: unknown, name: string): string {
    const isMade = !isId(given);
    const id = isId(given) ? given : `call_of_turn_${++this.#count}`;
    this.#open.push({ id, name, isMade });
    return id;
  }

  result(given: unknown, name: unknown): string {
    const open = this.#open;
    const named = open.findIndex((call) => call.name === name && (call.isMade || !isId(given)));
    const own = isId(given) ? open.findIndex(({ id }) => id === given) : -1;
    const [call] = own === -1 && named === -1 ? [] : open.splice(own === -1 ? named : own, 1);
    if (call !== undefined) return call.id;
    return isId(given) ? given : `call_of_turn_${++this.#count}`;
  }
}

function isId(given: unknown): given is string {
  return typeof given === 'string' && given !== '';
}

function modelTurn({ parts, at }: Group, ids: CallIds, losses: LossList): ChatTurn {
  ids.begin();
  const content: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const images: JsonObject[] = [];
  const thoughts = new ThoughtReader(losses);
  const atCalls: ThinkingBlock[] = [];
  let signature: unknown;
  for (const one of parts) {
    const { part } = one;
    if (isGiven(part.functionCall)) {
      calls.push(toolCall(one, ids, losses));
      atCalls.push(...thoughtsAtCall(part.thoughtSignature));
    } else if (isGiven(part.inlineData) && part.thought !== true) images.push(madeImage(one));
    else if (part.thought === true && typeof part.text === 'string') thoughts.add(one, part.text);
    else {
      content.push(...chatParts(one, losses));
      if (part.thought !== true) signature = part.thoughtSignature ?? signature;
    }
  }
  thoughts.end();
  // A client that keeps its thoughts sends them twice.
  const blocks = atCalls.length > thoughts.blocks.length ? atCalls : thoughts.blocks;
  const message = {
    role: 'assistant',
    content: content.length === 0 ? null : content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(images.length > 0 && { images }),
    ...(blocks.length > 0 && { thinking_blocks: blocks }),
    ...signed(signature),
  };
  return { message, at };
}

/** The field where the vendor's own API in the form of chat completions has the signature. */
function signed(signature: unknown): JsonObject {
  if (typeof signature !== 'string' || signature === '') return {};
  return { extra_content: { google: { thought_signature: signature } } };
}

const callFields: ReadonlySet<string> = new Set(['id', 'name', 'args']);
const resultFields: ReadonlySet<string> = new Set(['id', 'name', 'response', 'parts']);

function toolCall({ part, at }: ClientPart, ids: CallIds, losses: LossList): JsonObject {
  const where = `${at}.functionCall`;
  if (!isObject(part.functionCall)) throw invalid(where, `${where} must be an object with a name`);
  const call = camelNames(part.functionCall, where);
  const { id, name, args } = call;
  if (typeof name !== 'string') throw invalid(`${where}.name`, `${where}.name must be a string`);
  if (isGiven(args) && !isObject(args)) throw invalid(`${where}.args`, `${where}.args must be an object`);
  losses.dropOthers(call, callFields, where);
  const called = { name, arguments: isGiven(args) ? writeJson(args) : '{}' };
  const { thoughtSignature: signature } = part;
  const own = wrappedIn(signature) === undefined ? signed(signature) : {};
  return { id: ids.call(id, name), type: 'function', function: called, ...own };
}

/** Results of calls are messages of their own, before the rest. */
function userTurns({ parts, at }: Group, ids: CallIds, losses: LossList): readonly ChatTurn[] {
  const results: ChatTurn[] = [];
  const rest: JsonObject[] = [];
  for (const one of parts) {
    if (isGiven(one.part.functionResponse)) results.push(resultTurn(one, ids, losses));
    else rest.push(...chatParts(one, losses));
  }
  if (rest.length === 0 && results.length > 0) return results;
  return [...results, { message: { role: 'user', content: rest }, at }];
}

function resultTurn({ part, at }: ClientPart, ids: CallIds, losses: LossList): ChatTurn {
  const where = `${at}.functionResponse`;
  if (!isObject(part.functionResponse)) throw invalid(where, `${where} must be an object with name and response`);
  const result = camelNames(part.functionResponse, where);
  const { id, name, response, parts } = result;
  if (typeof name !== 'string') throw invalid(`${where}.name`, `${where}.name must be a string`);
  if (isGiven(response) && !isObject(response)) {
    throw invalid(`${where}.response`, `${where}.response must be an object`);
  }
  losses.dropOthers(result, resultFields, where);
  const media = partsOf(parts, `${where}.parts`).flatMap((one) => chatParts(one, losses));
  const text = isGiven(response) ? resultText(response) : '';
  const content = media.length === 0 ? text : [{ type: 'text', text }, ...media];
  return { message: { role: 'tool', tool_call_id: ids.result(id, name), content }, at };
}

/** A text alone is the result itself. SDKs and the gateway wrap it under one of these names. */
function resultText(response: JsonObject): string {
  const [name = '', ...others] = Object.keys(response);
  const text = response[name];
  const isPlain = others.length === 0 && (name === 'output' || name === 'result') && typeof text === 'string';
  return isPlain ? text : writeJson(response);
}
