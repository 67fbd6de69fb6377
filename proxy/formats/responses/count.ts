// The counter of the Responses API (SDK type `InputTokenCountParams` of openai).
import type { CountForm } from '../count-form.ts';
import { withoutMembers } from '../splice.ts';

/** Fields of `ResponseCreateParams` that `InputTokenCountParams` lacks. */
const ofCalls: ReadonlySet<string> = new Set([
  ...['access_programs', 'background', 'context_management', 'image', 'include', 'max_output_tokens'],
  ...['max_tool_calls', 'metadata', 'moderation', 'prompt', 'prompt_cache_key', 'prompt_cache_options'],
  ...['prompt_cache_retention', 'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options'],
  ...['temperature', 'top_logprobs', 'top_p', 'user'],
]);

export const responsesCount: CountForm = {
  writeBody: (body) => withoutMembers(body, ofCalls),
  tokensIn: ({ input_tokens: tokens }) => tokens,
};
