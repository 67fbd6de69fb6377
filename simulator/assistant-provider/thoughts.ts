// Thinking blocks in the history. The simulator must have issued them; thinking within a budget requires them at
// certain positions.
import { isThinking, type PlacedBlock, type Turn } from './messages.ts';
import { badRequest } from './refusal.ts';
import { checkSignature, isIssuedData } from './signature.ts';
import type { Thinking } from './thinking.ts';

/** @throws Refusal */
export function checkThoughts(turns: readonly Turn[], thinking: Thinking): void {
  const latest = turns.findLast((turn) => turn.role === 'assistant');
  for (const turn of turns) {
    for (const one of turn.blocks) checkIssued(one, turn === latest);
  }
  // In the other modes the caller may send thinking blocks anywhere or leave them out.
  if (thinking.mode !== 'manual') return;
  for (const turn of turns) if (turn.role === 'assistant') thinkingFirst(turn);
  thinkingKept(turns);
}

function checkIssued({ block, at }: PlacedBlock, inLatest: boolean): void {
  if (block.type === 'redacted_thinking') {
    if (isIssuedData(String(block.data))) return;
    throw badRequest(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
  if (block.type !== 'thinking') return;
  const verdict = checkSignature(String(block.signature), String(block.thinking));
  if (verdict === 'foreign') throw badRequest(`${at}: Invalid \`signature\` in \`thinking\` block`);
  if (verdict === 'issued' || !inLatest) return;
  throw badRequest(
    `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

function thinkingFirst({ messages }: Turn): void {
  const wrong = messages.find(({ blocks }) => blocks.some(isThinking) && !isThinking(blocks[0]));
  if (wrong === undefined) return;
  throw badRequest(
    `messages.${wrong.index}.content.0: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${String(wrong.blocks[0]?.type)}\`.`,
  );
}

/** The first assistant turn after the latest user turn without tool results must begin with its thinking block. */
function thinkingKept(turns: readonly Turn[]): void {
  const begun = turns.findLastIndex((turn) => turn.role === 'user' && !turn.blocks.some(isResult));
  const first = turns.slice(begun + 1).find((turn) => turn.role === 'assistant')?.blocks[0];
  if (first === undefined || isThinking(first.block)) return;
  throw badRequest(
    `${first.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.block.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  );
}

function isResult({ block }: PlacedBlock): boolean {
  return block.type === 'tool_result';
}
