// How the vendor gets each known field of a request: its path there (SDK type `MessageCreateParams` of
// @anthropic-ai/sdk), and which function of the writer reads it.
import type { OptionFields } from '../../conversation/request.ts';
import { FieldRules, type FieldTable, type JointField, type OptionsOf } from '../fields.ts';

type Reader =
  | 'outputLimit'
  | 'outputMode'
  | 'sampling'
  | 'thinking'
  | 'tools'
  | 'stops'
  | 'userId'
  | 'serviceTier'
  | 'cacheOfAll';

const fields = {
  audio: 'refused',
  cache_control: { readBy: 'cacheOfAll', path: 'cache_control' },
  cachedContent: 'dropped',
  cached_content: 'dropped',
  frequency_penalty: 'dropped',
  function_call: { readBy: 'tools', path: 'tool_choice' },
  functions: { readBy: 'tools', path: 'tools' },
  guardrailConfig: 'dropped',
  logit_bias: 'dropped',
  logprobs: 'refused',
  max_completion_tokens: { readBy: 'outputLimit', path: 'max_tokens' },
  max_tokens: { readBy: 'outputLimit', path: 'max_tokens' },
  metadata: 'dropped',
  modalities: 'refused',
  moderation: 'dropped',
  n: 'refused',
  parallel_tool_calls: { readBy: 'tools', path: 'tool_choice.disable_parallel_tool_use' },
  prediction: 'dropped',
  presence_penalty: 'dropped',
  prompt_cache_key: 'dropped',
  prompt_cache_options: 'dropped',
  prompt_cache_retention: 'dropped',
  reasoning_effort: { readBy: 'thinking', path: 'output_config.effort' },
  response_format: { readBy: 'outputMode', path: 'output_config.format' },
  safetySettings: 'dropped',
  safety_identifier: { readBy: 'userId', path: 'metadata.user_id' },
  safety_settings: 'dropped',
  seed: 'dropped',
  service_tier: { readBy: 'serviceTier', path: 'service_tier' },
  stop: { readBy: 'stops', path: 'stop_sequences' },
  store: 'dropped',
  temperature: { readBy: 'sampling', path: 'temperature' },
  thinking: { readBy: 'thinking', path: 'thinking' },
  tool_choice: { readBy: 'tools', path: 'tool_choice' },
  tools: { readBy: 'tools', path: 'tools' },
  top_k: { readBy: 'sampling', path: 'top_k' },
  top_logprobs: 'refused',
  top_p: { readBy: 'sampling', path: 'top_p' },
  user: { readBy: 'userId', path: 'metadata.user_id' },
  verbosity: 'dropped',
  web_search_options: { readBy: 'tools', path: 'tools' },
} as const satisfies FieldTable<JointField<Reader>>;

export const fieldRules = new FieldRules(fields);

export type ReadBy<Name extends Reader> = OptionsOf<typeof fields, Name>;

/** The options, typed to the fields that this reader's rows list. */
export function readBy<Name extends Reader>(options: OptionFields, _reader: Name): ReadBy<Name> {
  return options;
}
