// What a request may use, before anybody has counted its tokens: a guess of its input and the most that it may be answered. What
// it really used replaces it in the end, so it is to be near, not above.
import type { ChatCall } from '../../chat/call.ts';
import { mediaOf } from '../../chat/media-parts.ts';
import { count } from '../../chat/usage.ts';

export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
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
  const ceiling = count(body.max_completion_tokens) ?? count(body.max_tokens) ?? outputTokensDefault;
  const choices = Math.max(1, count(body.n) ?? 1);
  return {
    input:
      Math.ceil(text / bytesPerToken) + messages.length * tokensPerMessage + media.length * tokensPerMedia,
    output: choices * Math.min(ceiling, catalogModel?.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY),
  };
}
