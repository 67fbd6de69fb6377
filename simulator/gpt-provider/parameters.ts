// The optional parameters of a chat completion, each with its own check. Follows ChatCompletionCreateParams of the
// vendor's SDK. rules.ts checks combinations, and limits of a model.
import {
  anyObject,
  anything,
  arrayOf,
  boolean,
  type Check,
  decimal,
  integer,
  type Json,
  nullable,
  object,
  oneOf,
  string,
  stringOr,
  tagged,
} from '../checks.ts';
import { badField } from './refusal.ts';
import { functionChoice, functionDefinition, responseFormat, toolChoice, tools } from './tools.ts';

const penalty = nullable(decimal(-2, 2));

export const chatParameters = {
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
} as const satisfies Readonly<Record<string, Check>>;

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
