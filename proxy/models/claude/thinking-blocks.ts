// What a Claude model thought, wherever it is served: returned in the extension `thinking_blocks`, and sent back unchanged with
// the calls that came of it (SDK types `ThinkingBlockParam`, `RedactedThinkingBlockParam` of @anthropic-ai/sdk).
import type { JsonObject } from '../../../common/json.ts';
import type { Turn } from '../../conversation/conversation.ts';

export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

/** Undefined for what such a model did not issue: without its signature nothing is taken back. */
export function readThinkingBlock({
  type,
  thinking,
  signature,
  data,
}: JsonObject): ThinkingBlock | undefined {
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string') {
    return signature === '' ? undefined : { type, thinking, signature };
  }
  return type === 'redacted_thinking' && typeof data === 'string' && data !== '' ? { type, data } : undefined;
}

/**
 * Whether thinking within a budget can go on: the response that the latest calls belong to must still begin with what the model
 * thought. Callers may have dropped that.
 */
export function keepsThinking(turns: readonly Turn[]): boolean {
  const speaking = turns.filter(saysSomething);
  const config = speaking.findLastIndex((turn, at) => turn.role === 'user' && !carriesOn(speaking, at));
  const response = speaking.slice(config + 1).find((turn) => turn.role === 'assistant');
  if (response === undefined || response.calls.length === 0) return true;
  return response.thinking.some((block) => readThinkingBlock(block) !== undefined);
}

/** A response without words and calls is not sent, and the messages around it become one turn of the user's. */
function saysSomething(turn: Turn): boolean {
  // The vendor reads on past what the system says in between.
  if (turn.role === 'system') return false;
  if (turn.role !== 'assistant') return true;
  return turn.calls.length > 0 || turn.blocks.length > 0 || turn.parts.some(({ text }) => text.trim() !== '');
}

/** Whether the results of calls begin the turn of the user's that this one is part of. */
function carriesOn(turns: readonly Turn[], at: number): boolean {
  const before = turns.slice(0, at).findLast(({ role }) => role !== 'user');
  return before?.role === 'tool';
}
