// How the vendor gets each known field of a request: its path there (SDK type `ConverseRequest`), and which function of
// the writer reads it.
import type { OptionFields } from '../../conversation/request.ts';
import type { Family } from '../../models/families.ts';
import { type FieldContext, FieldRules, type FieldTable, type JointField, type OptionsOf } from '../fields.ts';

type Reader = 'inference' | 'outputMode' | 'tools' | 'service';

interface ConverseContext extends FieldContext {
  readonly family: Family;
}

const fields = {
  audio: 'refused',
  cache_control: 'dropped',
  cachedContent: 'dropped',
  cached_content: 'dropped',
  frequency_penalty: 'dropped',
  function_call: { readBy: 'tools', path: 'toolConfig.toolChoice' },
  functions: { readBy: 'tools', path: 'toolConfig.tools' },
  guardrailConfig: { readBy: 'service', path: 'guardrailConfig' },
  logit_bias: 'dropped',
  logprobs: 'refused',
  max_completion_tokens: { readBy: 'inference', path: 'inferenceConfig.maxTokens' },
  max_tokens: { readBy: 'inference', path: 'inferenceConfig.maxTokens' },
  metadata: { readBy: 'service', path: 'requestMetadata' },
  modalities: 'refused',
  moderation: 'dropped',
  n: 'refused',
  parallel_tool_calls: { readBy: 'tools', path: 'additionalModelRequestFields.tool_choice' },
  prediction: 'dropped',
  presence_penalty: 'dropped',
  prompt_cache_key: 'dropped',
  prompt_cache_options: 'dropped',
  prompt_cache_retention: 'dropped',
  reasoning_effort: { readBy: 'inference', path: 'additionalModelRequestFields' },
  response_format: { readBy: 'outputMode', path: 'outputConfig.textFormat' },
  safetySettings: 'dropped',
  safety_identifier: 'dropped',
  safety_settings: 'dropped',
  seed: 'dropped',
  service_tier: { readBy: 'service', path: 'serviceTier.type' },
  stop: { readBy: 'inference', path: 'inferenceConfig.stopSequences' },
  store: 'dropped',
  temperature: { readBy: 'inference', path: 'inferenceConfig.temperature' },
  thinking: {
    readBy: 'inference',
    path: 'additionalModelRequestFields.thinking',
    takes: (_value, { family }) => family.hasClaudeFields,
  },
  tool_choice: { readBy: 'tools', path: 'toolConfig.toolChoice' },
  tools: { readBy: 'tools', path: 'toolConfig.tools' },
  top_k: { readBy: 'inference', path: 'additionalModelRequestFields' },
  top_logprobs: 'refused',
  top_p: { readBy: 'inference', path: 'inferenceConfig.topP' },
  user: 'dropped',
  verbosity: 'dropped',
  web_search_options: 'dropped',
} as const satisfies FieldTable<JointField<Reader, ConverseContext>>;

export const fieldRules = new FieldRules<ConverseContext>(fields);

export type ReadBy<Name extends Reader> = OptionsOf<typeof fields, Name>;

/** The options, typed to the fields that this reader's rows list. */
export function readBy<Name extends Reader>(options: OptionFields, _reader: Name): ReadBy<Name> {
  return options;
}
