// Messages of a conversation for a vendor that speaks the callers' format: as the caller sent them, but for what answers of
// other providers have brought into them, which this vendor would refuse.
import { isObject } from '../../../common/json.ts';
import { hasSignature, splitId } from '../../chat/call-ids.ts';
import type { ChatMessage } from '../../chat/request.ts';

/** The very list where nothing is to be taken out of it, which is nearly always. */
export function ownHistory(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.some(isForeign) ? messages.map((one) => (isForeign(one) ? asOwn(one) : one)) : messages;
}

/** Said without a list of names: this is asked of every message of every request. */
function isForeign(message: ChatMessage): boolean {
  const { thinking_blocks, reasoning_content, images, tool_calls, tool_call_id } = message;
  if (thinking_blocks !== undefined || reasoning_content !== undefined || images !== undefined) return true;
  if (Array.isArray(tool_calls))
    return tool_calls.some((call: unknown) => isObject(call) && isSigned(call.id));
  return isSigned(tool_call_id);
}

function isSigned(id: unknown): id is string {
  return typeof id === 'string' && hasSignature(id);
}

function asOwn({ thinking_blocks, reasoning_content, images, ...own }: ChatMessage): ChatMessage {
  const { tool_call_id, tool_calls } = own;
  return {
    ...own,
    ...(isSigned(tool_call_id) && { tool_call_id: splitId(tool_call_id).id }),
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.map(unsigned) }),
  };
}

function unsigned(call: unknown): unknown {
  return isObject(call) && isSigned(call.id) ? { ...call, id: splitId(call.id).id } : call;
}
