// Why an answer ended (SDK type `FinishReason`), in the callers' words. An unknown reason is a stop: clients need some reason.
import type { FinishReason } from '../../chat/completion.ts';

/** @param called whether the answer holds a function call: the vendor tells a stop then too */
export function finishReasonFor(reason: string | undefined, called: boolean): FinishReason {
  const mapped = reasons.get(reason ?? '') ?? 'stop';
  return mapped === 'stop' && called ? 'tool_calls' : mapped;
}

const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['OTHER', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
  ['IMAGE_RECITATION', 'content_filter'],
  ['IMAGE_OTHER', 'content_filter'],
  ['NO_IMAGE', 'content_filter'],
  ['MALFORMED_FUNCTION_CALL', 'stop'],
  ['UNEXPECTED_TOOL_CALL', 'stop'],
  ['TOO_MANY_TOOL_CALLS', 'stop'],
  ['MALFORMED_RESPONSE', 'stop'],
  ['MISSING_THOUGHT_SIGNATURE', 'stop'],
]);
