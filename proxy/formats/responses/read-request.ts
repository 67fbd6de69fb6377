// Reads a client's request (SDK type `ResponseCreateParams` of the package openai) into chat completions. What needs a
// store, or belongs to the vendor's account, only the vendor of this format can have.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { invalid, unsupported } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import { count } from '../../conversation/usage.ts';
import type { GatewayError } from '../../errors.ts';
import type { ChatTurn, PathFields, ReadClientRequest } from '../client-format.ts';
import { givenOf, LossList } from '../client-losses.ts';
import { comparedResponse, withoutComparison } from './account-fields.ts';
import { chatTurns } from './read-input.ts';
import { chatTools } from './read-tools.ts';

/** @throws GatewayError invalid_request that names the field, unsupported_parameter */
export function readResponsesRequest(body: JsonObject, path: PathFields): ReadClientRequest {
  const model = path.model ?? body.model;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'model must be a non-empty string');
  if (isGiven(body.conversation)) throw noConversations();
  const losses = new LossList();
  if (path.compacts === true) losses.refuse('model', 'only the vendor of this format compacts conversations');
  noteState(body, losses);
  const turns = turnsOf(body, losses);
  noteLosses(body, losses);
  const chat = {
    model,
    messages: turns.map(({ message }) => message),
    ...givenOf(body, same),
    ...cacheOptions(body, losses),
    ...chatTools(body, losses),
    ...reasoning(updated(body, 'reasoning', 'effort'), losses),
    ...textFields(updated(body, 'text', 'format'), losses),
    ...logprobs(body),
    // A path that compacts has no stream.
    ...(path.stream !== undefined && { stream: path.stream }),
    ...(isGiven(body.max_output_tokens) && { max_completion_tokens: body.max_output_tokens }),
    // Priced: the conversation before it is not in the body.
    ...(isGiven(body.previous_response_id) && { previous_response_id: body.previous_response_id }),
  };
  return { chat, origins: turns.map(({ at }) => at), losses };
}

function noConversations(): GatewayError {
  return unsupported(
    'conversation',
    'conversation is not supported; continue with previous_response_id, or send the whole conversation',
  );
}

/** What only a store, or the vendor's account, can have. */
function noteState(body: JsonObject, losses: LossList): void {
  for (const name of stateFields) {
    if (!isGiven(body[name]) || body[name] === false) continue;
    losses.refuse(name, `${name} is only supported by the vendor of this format; send the whole conversation instead`);
  }
}

const stateFields = ['previous_response_id', 'prompt', 'background'] as const;

/** Stored content counts as a message without text. */
function turnsOf(body: JsonObject, losses: LossList): readonly ChatTurn[] {
  const { input, instructions } = body;
  const isStored = losses.refusal !== undefined && !isGiven(input);
  const turns = [...instructionTurns(instructions), ...(isStored ? [] : chatTurns(input, losses))];
  if (turns.length > 0) return turns;
  if (losses.refusal === undefined) {
    throw invalid('input', 'input must contain a message or the output of a call');
  }
  return [{ message: { role: 'user', content: '' }, at: 'input' }];
}

function noteLosses(body: JsonObject, losses: LossList): void {
  for (const name of Object.keys(body)) if (isGiven(body[name]) && !readFields.has(name)) losses.drop(name);
  if (isGiven(body.truncation) && body.truncation !== 'disabled') losses.refuse('truncation');
}

/** Names that mean the same in chat completions. */
const same = [
  ...['stream', 'temperature', 'top_p', 'service_tier', 'user', 'safety_identifier'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options'],
] as const;

const readFields: ReadonlySet<string> = new Set([
  ...same,
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning', 'text'],
  ...['max_output_tokens', 'truncation', 'top_logprobs', 'include'],
  // The response repeats it. Vendors accept it only to store it.
  'metadata',
  // Every response is as if these had their usual values.
  ...['store', 'background', 'previous_response_id', 'prompt', 'stream_options', 'client_metadata'],
]);

/** Only the account that has stored a response can compare the request with it. */
function cacheOptions({ prompt_cache_options: given }: JsonObject, losses: LossList): JsonObject {
  const options = withoutComparison(given);
  if (options === undefined) return {};
  losses.drop(comparedResponse);
  return { prompt_cache_options: options };
}

function instructionTurns(instructions: unknown): readonly ChatTurn[] {
  if (!isGiven(instructions) || instructions === '') return [];
  if (typeof instructions !== 'string') throw invalid('instructions', 'instructions must be a string');
  return [{ message: { role: 'system', content: instructions }, at: 'instructions' }];
}

/**
 * A field of the request, with what items `configuration_update` of the input replace. The last one applies, because
 * the response comes after all of them.
 * @param member the only one that such an item may set
 */
function updated(body: JsonObject, name: 'reasoning' | 'text', member: string): unknown {
  const updates = objectsOf(body.input).filter(({ type }) => type === 'configuration_update');
  const values = objectsOf(updates.map((update) => update[name])).map((update) => update[member]);
  const last = values.findLast(isGiven);
  if (last === undefined) return body[name];
  const given = body[name];
  return { ...(isObject(given) && given), [member]: last };
}

function reasoning(value: unknown, losses: LossList): JsonObject {
  if (!isGiven(value)) return {};
  if (!isObject(value)) throw invalid('reasoning', 'reasoning must be an object');
  const { effort, ...others } = value;
  dropOthers(others, 'reasoning', losses);
  return isGiven(effort) ? { reasoning_effort: effort } : {};
}

function textFields(value: unknown, losses: LossList): JsonObject {
  if (!isGiven(value)) return {};
  if (!isObject(value)) throw invalid('text', 'text must be an object');
  const { format, verbosity, ...others } = value;
  dropOthers(others, 'text', losses);
  return { ...responseFormat(format), ...(isGiven(verbosity) && { verbosity }) };
}

/** The number alone requests them too, unless it is 0. */
function logprobs({ include, top_logprobs: top }: JsonObject): JsonObject {
  const isIncluded = Array.isArray(include) && include.includes('message.output_text.logprobs');
  const isCounted = isGiven(top) && count(top) !== 0;
  if (!isIncluded && !isCounted) return {};
  return { logprobs: true, ...(isGiven(top) && { top_logprobs: top }) };
}

function dropOthers(others: JsonObject, at: string, losses: LossList): void {
  for (const name of Object.keys(others)) if (isGiven(others[name])) losses.drop(`${at}.${name}`);
}

/** SDK type `ResponseFormatTextConfig`. */
function responseFormat(format: unknown): JsonObject {
  if (!isGiven(format)) return {};
  const { type, name, schema, description, strict } = isObject(format) ? format : {};
  switch (type) {
    case 'text':
      return {};
    case 'json_object':
      return { response_format: { type } };
    case 'json_schema':
      break;
    default:
      throw invalid('text.format.type', 'text.format.type must be text, json_object or json_schema');
  }
  if (!isObject(schema)) throw invalid('text.format.schema', 'text.format.schema must be a JSON Schema object');
  const json = {
    name: typeof name === 'string' ? name : 'response',
    schema,
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  };
  return { response_format: { type, json_schema: json } };
}
