// Fields of a request that the inference API does not know. It passes them to the model where it is told to, so which of them
// go along depends on what the model's makers take. What is no field of the callers' format, the caller means for the model.
import type { JsonObject } from '../../../../common/json.ts';
import type { ModelCapabilities } from '../../../catalog/capabilities.ts';
import { asksForNothing } from '../../fields.ts';
import { keepsMetadata } from '../pass-request.ts';

/** What the API itself knows. */
export const apiFields: ReadonlySet<string> = new Set([
  'frequency_penalty',
  'max_tokens',
  'messages',
  'model',
  'presence_penalty',
  'response_format',
  'seed',
  'stop',
  'stream',
  'temperature',
  'tool_choice',
  'tools',
  'top_p',
]);

/** Of the callers' format, what the translator reads. */
export const mappedFields: ReadonlySet<string> = new Set([
  ...apiFields,
  'function_call',
  'functions',
  'max_completion_tokens',
  'stream_options',
]);

/** @returns those given that go to the model as they are */
export function extraFields(body: JsonObject, capabilities: ModelCapabilities): JsonObject {
  const taken = takenBy[capabilities.family];
  const goes = (name: string) => {
    if (mappedFields.has(name)) return false;
    if (name === 'metadata' && !keepsMetadata(body)) return false;
    if (name === 'reasoning_effort' && capabilities.reasoning === 'effort') return true;
    return taken.has(name) || !formatFields.has(name);
  };
  const says = (name: string, value: unknown) =>
    value !== null && value !== undefined && !asksForNothing(name, value);
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => goes(name) && says(name, value)));
}

/** A GPT model takes what its vendor takes, and refuses in its vendor's words. */
const gptFields = [
  'audio',
  'logit_bias',
  'logprobs',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'service_tier',
  'store',
  'top_logprobs',
  'user',
  'verbosity',
] as const;

/** As the vendor's SDK has them, type `ChatCompletionCreateParams`, less those of `mappedFields`. */
const formatFields: ReadonlySet<string> = new Set([...gptFields, 'web_search_options']);

/** What servers of open models take. */
const other: ReadonlySet<string> = new Set<(typeof gptFields)[number]>([
  'logit_bias',
  'logprobs',
  'n',
  'parallel_tool_calls',
  'top_logprobs',
  'user',
]);

const takenBy: Readonly<Record<ModelCapabilities['family'], ReadonlySet<string>>> = {
  gpt: new Set(gptFields),
  mistral: new Set<(typeof gptFields)[number]>(['n', 'parallel_tool_calls']),
  claude: other,
  nova: other,
  command: other,
  other,
};
