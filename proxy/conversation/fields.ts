// The request fields that the gateway knows by name, under their names in chat completions. Every format has a table
// with a row for each field: a new name does not compile until every format defines what happens to it.
import { plainNumber } from '../../common/exact-number.ts';

/** Fields that the gateway handles, whatever the format. */
export const gatewayFields = ['model', 'messages', 'stream', 'stream_options'] as const;

const gatewayNames: ReadonlySet<string> = new Set(gatewayFields);

export function isGatewayField(name: string): boolean {
  return gatewayNames.has(name);
}

/** All other fields of the callers' format, type `ChatCompletionCreateParams` of the package openai. */
export const chatFields = [
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
] as const;

/** Extensions: fields of other vendors' formats, under their names there. */
export const extensionFields = [
  'cache_control',
  'cachedContent',
  'cached_content',
  'guardrailConfig',
  'safetySettings',
  'safety_settings',
  'thinking',
  'top_k',
] as const;

export type ChatField = (typeof chatFields)[number];
export type FieldName = ChatField | (typeof extensionFields)[number];

/** Some of the known fields. All of them can be read: a field that the request lacks is undefined. */
export type Options<Name extends FieldName> = { readonly [Field in Name]: unknown };

/**
 * Fields whose absence changes the shape of the response, each with a test for the values that request nothing. No
 * format drops these fields silently.
 */
const shaping = {
  n: (value) => plainNumber(value) === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => plainNumber(value) === 0,
  modalities: (value) => Array.isArray(value) && value.every((one) => one === 'text'),
  audio: () => false,
} as const satisfies Partial<Record<FieldName, (value: unknown) => boolean>>;

export type ShapingField = keyof typeof shaping;

export function isShaping(name: string): name is ShapingField {
  return Object.hasOwn(shaping, name);
}

/** Whether the response would be the same without the field. */
export function isNeutral(name: string, value: unknown): boolean {
  return isShaping(name) && shaping[name](value);
}
