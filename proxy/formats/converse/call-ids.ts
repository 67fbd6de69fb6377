// Ids of tool calls as this model's family takes them; the same on a call and on its result.

import { nineLetterIds, vendorCallIds } from '../../conversation/call-ids.ts';
import type { ToolCall, Turn } from '../../conversation/conversation.ts';
import type { Family } from '../../models/families.ts';

export function callIdsOf(turns: readonly Turn[], family: Family): ReadonlyMap<ToolCall, string> {
  const ids = vendorCallIds(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])));
  return family.nineLetterIds ? nineLetterIds(ids) : ids;
}
