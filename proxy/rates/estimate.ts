// The usage that a request may have, before its tokens are counted: a guess of its input, and the greatest length of
// its output. The real usage replaces it in the end, so the estimate should be near, not above.
import type { ChatCall } from '../call.ts';
import { count } from '../conversation/usage.ts';
import { mediaOf } from '../formats/chat-completions/media-parts.ts';

export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
  /** The caller set no maximum: the output is the gateway's expectation. */
  readonly outputGuessed: boolean;
}

/** In English text; code and other scripts have fewer. */
export const bytesPerToken = 4;
/** Tokens that vendors put around a message. */
const tokensPerMessage = 16;
/** Tokens of an image in high detail. Its bytes show nothing about its tokens. */
const tokensPerMedia = 1500;

/** @param outputTokensDefault the most output that is expected if the caller sets no maximum */
export function estimateTokens(
  { request, catalogModel }: Pick<ChatCall, 'request' | 'catalogModel'>,
  outputTokensDefault: number,
): TokenEstimate {
  const { body, bytes, messages } = request;
  const media = mediaOf(messages);
  const text = Math.max(
    0,
    media.reduce((left, { data }) => left - data.length, bytes),
  );
  const requested = count(body.max_completion_tokens) ?? count(body.max_tokens);
  const ceiling = requested ?? outputTokensDefault;
  const choices = Math.max(1, count(body.n) ?? 1);
  return {
    input: Math.ceil(text / bytesPerToken) + messages.length * tokensPerMessage + media.length * tokensPerMedia,
    output: choices * Math.min(ceiling, catalogModel?.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY),
    outputGuessed: requested === undefined,
  };
}

/**
 * A guess must not refuse a request: the output is at most the room that is left beside the input, and at least one
 * token.
 */
export function fitGuess(estimate: TokenEstimate, tokensMax: number): TokenEstimate {
  const { input, output, outputGuessed } = estimate;
  return outputGuessed ? { ...estimate, output: Math.max(1, Math.min(output, tokensMax - input)) } : estimate;
}
