// How a server of this format gets each known field of a request: its path there (SDK type `ResponseCreateParams` of the
// package openai), and how it is read.
import type { FieldName, Options } from '../../conversation/fields.ts';
import { isGiven, type NumberRange, readMaxTokens, readNumber } from '../../conversation/options.ts';
import type { OptionFields } from '../../conversation/request.ts';
import {
  type FieldContext,
  FieldRules,
  type FieldTable,
  type JointField,
  type OptionsOf,
  type ScalarField,
  scalarsBelow,
} from '../fields.ts';

type Reader = 'tools' | 'text' | 'reasoning';

type Row = ScalarField | JointField<Reader>;

const outputLimit: Row = { path: 'max_output_tokens', read: readMaxTokens };

const fields = {
  audio: 'refused',
  cache_control: 'dropped',
  cachedContent: 'dropped',
  cached_content: 'dropped',
  frequency_penalty: 'dropped',
  function_call: { readBy: 'tools', path: 'tool_choice' },
  functions: { readBy: 'tools', path: 'tools' },
  guardrailConfig: 'dropped',
  logit_bias: 'dropped',
  logprobs: 'refused',
  max_completion_tokens: outputLimit,
  max_tokens: outputLimit,
  metadata: 'dropped',
  modalities: 'refused',
  moderation: 'dropped',
  n: 'refused',
  parallel_tool_calls: { readBy: 'tools', path: 'parallel_tool_calls' },
  prediction: 'dropped',
  presence_penalty: 'dropped',
  prompt_cache_key: same('prompt_cache_key'),
  prompt_cache_options: same('prompt_cache_options'),
  prompt_cache_retention: same('prompt_cache_retention'),
  reasoning_effort: {
    readBy: 'reasoning',
    path: 'reasoning.effort',
    takes: takesEffort,
  },
  response_format: { readBy: 'text', path: 'text.format' },
  safetySettings: 'dropped',
  safety_identifier: same('safety_identifier'),
  safety_settings: 'dropped',
  seed: 'dropped',
  service_tier: same('service_tier'),
  stop: 'dropped',
  store: 'dropped',
  temperature: { path: 'temperature', needs: 'sampling', read: number('temperature', { min: 0, max: 2 }) },
  thinking: 'dropped',
  tool_choice: { readBy: 'tools', path: 'tool_choice' },
  tools: { readBy: 'tools', path: 'tools' },
  top_k: 'dropped',
  top_logprobs: 'refused',
  top_p: { path: 'top_p', needs: 'sampling', read: number('top_p', { min: 0, max: 1 }) },
  user: same('user'),
  verbosity: { readBy: 'text', path: 'text.verbosity' },
  web_search_options: 'dropped',
} as const satisfies FieldTable<Row>;

export const fieldRules = new FieldRules<FieldContext>(fields);

/** Fields that are read alone. */
export const scalars = scalarsBelow(fields, '');

export type ReadBy<Name extends Reader> = OptionsOf<typeof fields, Name>;

/** The options, typed to the fields that this reader's rows list. */
export function readBy<Name extends Reader>(options: OptionFields, _reader: Name): ReadBy<Name> {
  return options;
}

/** Without reasoning there is nothing that an effort of none would turn off. */
function takesEffort(effort: unknown, { capabilities: { reasoning, reasoningOff } }: FieldContext): boolean {
  return effort === 'none' ? reasoning === 'none' || reasoningOff : reasoning !== 'none';
}

function same(name: FieldName): Row {
  return { path: name, read: (options) => (isGiven(options[name]) ? options[name] : undefined) };
}

function number<Name extends FieldName>(name: Name, range: NumberRange) {
  return (options: Options<Name>) => readNumber(options, name, range);
}

/** All fields of a request of this format: SDK type `ResponseCreateParams`, and what coding agents send. */
export const formatFields: ReadonlySet<string> = new Set([
  ...['access_programs', 'background', 'client_metadata', 'context_management', 'conversation', 'image', 'include'],
  ...['input', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'model', 'moderation'],
  ...['parallel_tool_calls', 'previous_response_id', 'prompt', 'prompt_cache_key', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options'],
  ...['temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'truncation', 'user'],
]);
