// Why a response ended (SDK type `FinishReason`), in the callers' words. An unknown reason is a stop: clients need some reason.
import type { Finish, FinishReason } from '../../conversation/response.ts';

/**
 * @param message what the vendor says about it (`finishMessage`)
 * @param called whether the response holds a function call: the vendor reports a stop then too
 */
export function finishOf(native: string | undefined, message: string | undefined, called: boolean): Finish {
  const mapped = reasons.get(native ?? '') ?? 'stop';
  return { reason: mapped === 'stop' && called ? 'tool_calls' : mapped, native, message };
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
  // There is no response, or none that can be used: no stop.
  ['MALFORMED_FUNCTION_CALL', 'error'],
  ['UNEXPECTED_TOOL_CALL', 'error'],
  ['TOO_MANY_TOOL_CALLS', 'error'],
  ['MALFORMED_RESPONSE', 'error'],
  ['MISSING_THOUGHT_SIGNATURE', 'error'],
]);
