// The kind prompt_size: what a request comes to, before anybody has counted its tokens.
import type { PromptSizeCheck } from '../../guardrails/definition.ts';
import type { ChatCall } from '../call.ts';
import { mediaOf } from '../formats/chat-completions/media-parts.ts';
import { estimateTokens } from '../rates/estimate.ts';

export function exceeds(
  { tokensMax, messagesMax, imagesMax }: PromptSizeCheck,
  call: Pick<ChatCall, 'request' | 'catalogModel'>,
): boolean {
  const { messages } = call.request;
  return (
    isAbove(messages.length, messagesMax) ||
    (imagesMax !== undefined &&
      isAbove(mediaOf(messages).filter(({ kind }) => kind === 'image').length, imagesMax)) ||
    (tokensMax !== undefined && isAbove(estimateTokens(call, 0).input, tokensMax))
  );
}

function isAbove(size: number, max: number | undefined): boolean {
  return max !== undefined && size > max;
}
