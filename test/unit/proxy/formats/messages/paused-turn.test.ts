// The blocks of a paused turn, which a caller sends back so that the model continues.
import { expect, it } from 'vitest';
import { BlockLog } from '../../../../../proxy/formats/messages/paused-turn.ts';

const result = (length: number) => ({ type: 'web_search_tool_result', content: 'a'.repeat(length) });

function logOf(blocks: readonly ReturnType<typeof result>[]): BlockLog {
  const log = new BlockLog();
  for (const block of blocks) log.add(block);
  return log;
}

it.each([
  ['a thousand blocks', Array.from({ length: 1000 }, () => result(1))],
  ['a million characters', [result(1_000_000)]],
])('a caller gets all blocks of a turn with %s', (_what, blocks) => {
  expect(logOf(blocks).blocks).toEqual(blocks);
});

it.each([
  ['more blocks', Array.from({ length: 1001 }, () => result(1))],
  ['more than four million characters', [...Array.from({ length: 5 }, () => result(1_000_000)), result(1)]],
])('a caller gets none of a turn with %s, since some alone would continue another turn', (_what, blocks) => {
  expect(logOf(blocks).blocks).toBeUndefined();
});
