// Maps the reason why a response ended (SDK type `FinishReason`) to the callers' format. An unknown reason becomes a
// stop: clients need a reason.
import type { Finish, FinishReason } from '../../conversation/response.ts';

/**
 * @param message the vendor's explanation (`finishMessage`)
 * @param called whether the response contains a function call: the vendor reports a stop in that case too
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
  // There is no usable response, so this is not a stop.
  ['MALFORMED_FUNCTION_CALL', 'error'],
  ['UNEXPECTED_TOOL_CALL', 'error'],
  ['TOO_MANY_TOOL_CALLS', 'error'],
  ['MALFORMED_RESPONSE', 'error'],
  ['MISSING_THOUGHT_SIGNATURE', 'error'],
]);
