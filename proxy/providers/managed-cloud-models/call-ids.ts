// Ids of tool calls as this model's family takes them; the same on a call and on its result.
import { createHash } from 'node:crypto';
import { vendorCallIds } from '../../chat/call-ids.ts';
import type { ToolCall, Turn } from '../../chat/conversation.ts';
import type { Family } from './families.ts';

export function callIdsOf(turns: readonly Turn[], { nineLetterIds }: Family): ReadonlyMap<ToolCall, string> {
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  const ids = vendorCallIds(calls);
  return nineLetterIds ? new Map([...ids].map(([call, id]) => [call, inNineLetters(id)])) : ids;
}

/** Ids that differ have different digests. */
function inNineLetters(id: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(id)) return id;
  return createHash('sha256')
    .update(id)
    .digest('base64')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 9);
}
