// A chat-completion request as the vendor takes it: parameters, then what they may not be together or for this model.
// Follows ChatCompletionCreateParams of the vendor's SDK; the order of the rules is ours, the vendor tells one mistake at a time.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  decimal,
  integer,
  isObject,
  type Json,
  nullable,
  object,
  oneOf,
  string,
  stringOr,
  tagged,
} from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import { type Message, messages, textOf } from './messages.ts';
import { findModel, type SimulatedModel } from './models.ts';
import { badField, Refusal } from './refusal.ts';
import { functionChoice, functionDefinition, nameOf, responseFormat, toolChoice, tools } from './tools.ts';

/** A request that passed every check. Fields are as sent; `body` holds the rest. */
export interface ChatRequest {
  readonly body: Json;
  readonly model: SimulatedModel;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly promptTokens: number;
}

/** @throws Refusal */
export function parseChatRequest(body: unknown): ChatRequest {
  if (!isObject(body) || body.model === undefined) {
    throw new Refusal(400, { message: 'you must provide a model parameter' });
  }
  checkParameters(body, '');
  const model = findModel(body.model as string);
  if (model === undefined) throw unknownModel(body.model as string);
  if (!model.chat) {
    const message =
      'This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?';
    throw new Refusal(404, { message, param: 'model' });
  }
  const request = {
    body,
    model,
    messages: body.messages as readonly Message[],
    stream: body.stream === true,
    promptTokens: promptTokens(body.messages as readonly Message[]),
  };
  for (const rule of rules) rule(request);
  return request;
}

export function unknownModel(name: string): Refusal {
  const message = `The model \`${name}\` does not exist or you do not have access to it.`;
  return new Refusal(404, { message, code: 'model_not_found' });
}

const penalty = nullable(decimal(-2, 2));

const checkParameters = object(
  { model: string(), messages },
  {
    audio: nullable(
      object({
        voice: anything,
        format: oneOf('wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'),
      }),
    ),
    frequency_penalty: penalty,
    function_call: functionChoice,
    functions: arrayOf(functionDefinition, { min: 1, max: 128 }),
    logit_bias: nullable(mapOf(decimal(-100, 100))),
    logprobs: nullable(boolean),
    max_completion_tokens: nullable(integer(1)),
    max_tokens: nullable(integer(1)),
    metadata: nullable(metadata),
    modalities: nullable(arrayOf(oneOf('text', 'audio'), { min: 1 })),
    moderation: nullable(anyObject),
    n: nullable(integer(1, 128)),
    parallel_tool_calls: boolean,
    prediction: nullable(
      object({ type: oneOf('content'), content: stringOr(arrayOf(tagged('type', { text: anyObject }))) }),
    ),
    presence_penalty: penalty,
    prompt_cache_key: nullable(string()),
    prompt_cache_options: object({}, { mode: oneOf('implicit', 'explicit'), ttl: anything }),
    prompt_cache_retention: nullable(oneOf('in_memory', '24h')),
    reasoning_effort: nullable(oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    response_format: responseFormat,
    safety_identifier: nullable(string({ max: 64 })),
    seed: nullable(integer(Number.MIN_SAFE_INTEGER)),
    service_tier: nullable(oneOf('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
    stop: nullable(stringOr(arrayOf(string(), { max: 4 }))),
    store: nullable(boolean),
    stream: nullable(boolean),
    stream_options: nullable(object({}, { include_usage: boolean, include_obfuscation: boolean })),
    temperature: nullable(decimal(0, 2)),
    tool_choice: toolChoice,
    tools,
    top_logprobs: nullable(integer(0, 20)),
    top_p: nullable(decimal(0, 1)),
    user: string(),
    verbosity: nullable(oneOf('low', 'medium', 'high')),
    web_search_options: object(
      {},
      { search_context_size: oneOf('low', 'medium', 'high'), user_location: nullable(anyObject) },
    ),
  },
);

function mapOf(check: Check): Check {
  return (value, path) => {
    anyObject(value, path);
    for (const [key, item] of Object.entries(value as Json)) check(item, `${path}.${key}`);
  };
}

function metadata(value: unknown, path: string): void {
  mapOf(string({ max: 512 }))(value, path);
  const keys = Object.keys(value as Json);
  if (keys.length > 16) {
    const message = `Invalid '${path}': too many properties. Expected an object with at most 16 properties, but got an object with ${keys.length} properties instead.`;
    throw badField(path, message, 'object_above_max_properties');
  }
  for (const key of keys) string({ max: 64 })(key, path);
}

type Rule = (request: ChatRequest) => void;

const given = (value: unknown) => value !== undefined && value !== null;

function onlyWith(field: string, other: string, phrase: string): Rule {
  return ({ body }) => {
    if (!given(body[field]) || (given(body[other]) && body[other] !== false)) return;
    throw badField(field, `The '${field}' parameter is only allowed when '${other}' ${phrase}.`);
  };
}

// What needs something else, then what this model does not take, then what does not fit into it.
const rules: readonly Rule[] = [
  onlyWith('stream_options', 'stream', 'is enabled'),
  onlyWith('metadata', 'store', 'is enabled'),
  onlyWith('top_logprobs', 'logprobs', 'is enabled'),
  onlyWith('tool_choice', 'tools', 'are specified'),
  onlyWith('parallel_tool_calls', 'tools', 'are specified'),
  onlyWith('function_call', 'functions', 'are specified'),
  chosenToolExists,
  jsonIsMentioned,
  oneTokenLimit,
  reasoningLimits,
  effortIsKnown,
  toolsWithoutEffort,
  modelAbilities,
  outputFits,
  contextFits,
];

function chosenToolExists({ body }: ChatRequest): void {
  const choice = body.tool_choice;
  if (!isObject(choice) || choice.type === 'allowed_tools') return;
  const name = nameOf(choice);
  if ((body.tools as readonly Json[]).some((tool) => tool.type === choice.type && nameOf(tool) === name))
    return;
  throw badField(
    'tool_choice',
    `Invalid value for 'tool_choice': tool '${name}' not found in 'tools' parameter.`,
  );
}

function jsonIsMentioned({ body, messages: list }: ChatRequest): void {
  if (!isObject(body.response_format) || body.response_format.type !== 'json_object') return;
  if (list.some((one) => /json/i.test(textOf(one)))) return;
  const message =
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
  throw badField('messages', message);
}

function oneTokenLimit({ body, model }: ChatRequest): void {
  if (!given(body.max_tokens)) return;
  if (model.efforts.length > 0) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw badField('max_tokens', message, 'unsupported_parameter');
  }
  if (!given(body.max_completion_tokens)) return;
  throw badField(
    'max_tokens',
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    'invalid_parameter_combination',
  );
}

function reasoningLimits({ body, model }: ChatRequest): void {
  if (model.efforts.length === 0) return;
  const samples = model.efforts.includes('none') && body.reasoning_effort === 'none';
  for (const field of ['temperature', 'top_p']) {
    if (samples || !given(body[field]) || body[field] === 1) continue;
    const message = `Unsupported value: '${field}' does not support ${String(body[field])} with this model. Only the default (1) value is supported.`;
    throw badField(field, message, 'unsupported_value');
  }
  for (const field of [
    'frequency_penalty',
    'presence_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'stop',
  ]) {
    if (!given(body[field]) || body[field] === 0 || body[field] === false) continue;
    if (samples && field.includes('logprobs')) continue;
    const message = `Unsupported parameter: '${field}' is not supported with this model.`;
    throw badField(field, message, 'unsupported_parameter');
  }
}

function effortIsKnown({ body, model }: ChatRequest): void {
  const effort = body.reasoning_effort;
  if (typeof effort !== 'string' || model.efforts.includes(effort)) return;
  if (model.efforts.length === 0) {
    const message = 'Unrecognized request argument supplied: reasoning_effort';
    throw badField('reasoning_effort', message, 'unsupported_parameter');
  }
  const known = model.efforts.map((name) => `'${name}'`).join(', ');
  const message = `Unsupported value: 'reasoning_effort' does not support '${effort}' with this model. Supported values are: ${known}.`;
  throw badField('reasoning_effort', message, 'unsupported_value');
}

function toolsWithoutEffort({ body, model }: ChatRequest): void {
  if (!model.toolsWithoutEffort || !Array.isArray(body.tools) || body.reasoning_effort === 'none') return;
  if (!body.tools.some((tool: Json) => tool.type === 'function')) return;
  const message = `Function tools with reasoning_effort are not supported for ${model.name} in /v1/chat/completions. Please use /v1/responses or set reasoning_effort to 'none'.`;
  throw badField('reasoning_effort', message);
}

function modelAbilities({ body, model }: ChatRequest): void {
  const wantsAudio = Array.isArray(body.modalities) && body.modalities.includes('audio');
  if ((wantsAudio || given(body.audio)) && !model.audio) {
    throw badField(
      'modalities',
      `The model '${model.name}' does not support audio output.`,
      'unsupported_value',
    );
  }
  if (given(body.web_search_options) && !model.webSearch) {
    throw badField('web_search_options', 'Web search options not supported with this model.');
  }
  if (given(body.verbosity) && body.verbosity !== 'medium' && !model.verbosity) {
    const message = `Unsupported value: 'verbosity' does not support '${String(body.verbosity)}' with this model. Supported values are: 'medium'.`;
    throw badField('verbosity', message, 'unsupported_value');
  }
}

function outputFits({ body, model }: ChatRequest): void {
  for (const field of ['max_tokens', 'max_completion_tokens']) {
    const wanted = body[field];
    if (typeof wanted !== 'number' || wanted <= model.outputTokensMax) continue;
    const message = `${field} is too large: ${wanted}. This model supports at most ${model.outputTokensMax} completion tokens, whereas you provided ${wanted}.`;
    throw badField(field, message, 'invalid_value');
  }
}

function contextFits({ model, promptTokens: tokens }: ChatRequest): void {
  if (tokens <= model.contextTokens) return;
  const message = `This model's maximum context length is ${model.contextTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  throw badField('messages', message, 'context_length_exceeded');
}

/** The vendor adds about three tokens a message and three for the answer's start. */
function promptTokens(list: readonly Message[]): number {
  return list.reduce((sum, one) => sum + 3 + estimateTokens(textOf(one)), 3);
}
