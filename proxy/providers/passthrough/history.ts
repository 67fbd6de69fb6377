// Messages of a conversation for a vendor that speaks the callers' format: as the caller sent them, but for what answers of
// other providers have brought into them, which this vendor would refuse.

import { isObject } from '../../../common/json.ts';
import { hasSignature, splitId } from '../../chat/call-ids.ts';
import type { ChatMessage } from '../../chat/request.ts';

/** The very list where nothing is to be taken out of it, which is nearly always. */
export function ownHistory(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return messages.some(isForeign) ? messages.map((one) => (isForeign(one) ? asOwn(one) : one)) : messages;
}

function isForeign(message: ChatMessage): boolean {
  const { thinking_blocks, reasoning_content, tool_calls, tool_call_id } = message;
  if (thinking_blocks !== undefined || reasoning_content !== undefined) return true;
  if (Array.isArray(tool_calls))
    return tool_calls.some((call: unknown) => isObject(call) && isSigned(call.id));
  return isSigned(tool_call_id);
}

function isSigned(id: unknown): id is string {
  return typeof id === 'string' && hasSignature(id);
}

function asOwn(message: ChatMessage): ChatMessage {
  const { thinking_blocks, reasoning_content, ...own } = message;
  if (isSigned(own.tool_call_id)) return { ...own, tool_call_id: splitId(own.tool_call_id).id };
  if (!Array.isArray(own.tool_calls)) return own;
  const calls = own.tool_calls.map((call: unknown) =>
    isObject(call) && isSigned(call.id) ? { ...call, id: splitId(call.id).id } : call,
  );
  return { ...own, tool_calls: calls };
}
