// The counter of the Messages API (SDK type `MessageCountTokensParams` of @anthropic-ai/sdk, page "Count tokens in a
// Message").
import type { CountForm } from '../count-form.ts';
import { withoutMembers } from '../splice.ts';

/** Fields of `MessageCreateParams` that `MessageCountTokensParams` lacks, those of the beta types too. */
const ofCalls: ReadonlySet<string> = new Set([
  ...['container', 'diagnostics', 'fallback_credit_token', 'fallbacks', 'inference_geo', 'max_tokens', 'metadata'],
  ...['service_tier', 'stop_sequences', 'stream', 'temperature', 'thread', 'top_k', 'top_p'],
]);

export const messagesCount: CountForm = {
  writeBody: (body) => withoutMembers(body, ofCalls),
  tokensIn: ({ input_tokens: tokens }) => tokens,
};
