// The thinking of a Claude model, with any provider. It is returned in the extension `thinking_blocks`, and sent back
// unchanged with the calls that followed it (SDK types `ThinkingBlockParam`, `RedactedThinkingBlockParam` of
// @anthropic-ai/sdk).
import type { JsonObject } from '../../../common/json.ts';
import type { Turn } from '../../conversation/conversation.ts';
import type { ThinkingBlock } from '../../conversation/response.ts';

/** Undefined for a block that no such model issued: a block without the vendor's signature is not accepted. */
export function readThinkingBlock({ type, thinking, signature, data }: JsonObject): ThinkingBlock | undefined {
  if (type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string') {
    return signature === '' ? undefined : { type, thinking, signature };
  }
  return type === 'redacted_thinking' && typeof data === 'string' && data !== '' ? { type, data } : undefined;
}

/**
 * Whether thinking within a budget can continue: the response with the latest calls must still begin with the model's
 * thinking, which callers may have dropped.
 */
export function keepsThinking(turns: readonly Turn[]): boolean {
  const speaking = turns.filter(saysSomething);
  const config = speaking.findLastIndex((turn, at) => turn.role === 'user' && !carriesOn(speaking, at));
  const response = speaking.slice(config + 1).find((turn) => turn.role === 'assistant');
  if (response === undefined || response.calls.length === 0) return true;
  return response.thinking.some((block) => readThinkingBlock(block) !== undefined);
}

/** An assistant message without text and calls is not sent, so the messages around it become one user turn. */
function saysSomething(turn: Turn): boolean {
  // The vendor ignores system texts in between.
  if (turn.role === 'system') return false;
  if (turn.role !== 'assistant') return true;
  return turn.calls.length > 0 || turn.blocks.length > 0 || turn.parts.some(({ text }) => text.trim() !== '');
}

/** Whether the user turn that this one is part of begins with results of calls. */
function carriesOn(turns: readonly Turn[], at: number): boolean {
  const before = turns.slice(0, at).findLast(({ role }) => role !== 'user');
  return before?.role === 'tool';
}
