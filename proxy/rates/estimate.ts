// What a request may use, before anybody has counted its tokens: a guess of its input and the most that it may be answered. What
// it really used replaces it in the end, so it is to be near, not above.
import type { ChatCall } from '../call.ts';
import { count } from '../conversation/usage.ts';
import { mediaOf } from '../formats/chat-completions/media-parts.ts';

export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
  /** Its caller set no maximum: the output is what the gateway expects. */
  readonly outputGuessed: boolean;
}

/** Of English text; code and other scripts have fewer. */
export const bytesPerToken = 4;
/** What vendors put around a message. */
const tokensPerMessage = 16;
/** Of an image in high detail; what its bytes say is nothing of its tokens. */
const tokensPerMedia = 1500;

/** @param outputTokensDefault the most that is expected where the caller sets no maximum */
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
    input:
      Math.ceil(text / bytesPerToken) + messages.length * tokensPerMessage + media.length * tokensPerMedia,
    output: choices * Math.min(ceiling, catalogModel?.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY),
    outputGuessed: requested === undefined,
  };
}

/** A guess refuses nobody: of the output it expects no more than has room beside the input, and one token at least. */
export function fitGuess(estimate: TokenEstimate, tokensMax: number): TokenEstimate {
  const { input, output, outputGuessed } = estimate;
  return outputGuessed ? { ...estimate, output: Math.max(1, Math.min(output, tokensMax - input)) } : estimate;
}
