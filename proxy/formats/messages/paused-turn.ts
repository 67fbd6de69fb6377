// A turn that paused while the vendor ran tools of its own (`stop_reason: "pause_turn"`): the model goes on when its message comes
// back as it was, the blocks of those tools in their places. The callers' format has no place for these, so the message carries the
// extension `content_blocks`: all blocks in their order, words as `{"type":"text","start_index","end_index"}` of the content, calls
// as `{"type":"tool_use","id"}` of `tool_calls`, all others as the vendor wrote them.
import { plainNumber } from '../../../common/exact-number.ts';
import type { JsonObject } from '../../../common/json.ts';
import { splitId } from '../../conversation/call-ids.ts';
import type { AssistantMessage, ToolCall } from '../../conversation/conversation.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';
import { type Block, textBlocks } from './content.ts';

/** A call of a tool that the vendor runs, or what came of it (SDK types `ServerToolUseBlock`, `WebSearchToolResultBlock`…). */
export function isServerBlock({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || (typeof type === 'string' && /^[a-z_]+_tool_result$/.test(type));
}

/** Whether the model is to continue the message rather than respond to it. */
export function isPaused(content: readonly Block[]): boolean {
  return content.some(isServerBlock);
}

// What one message may carry back: a page of results is some ten thousand characters.
const blocksMax = 1000;
const lengthMax = 4 * 1024 * 1024;

/** The blocks of a response, in their order, until it is known whether the turn has paused. */
export class BlockLog {
  #blocks: JsonObject[] | undefined = [];
  #length = 0;

  add(block: JsonObject): void {
    if (this.#blocks === undefined) return;
    this.#length += JSON.stringify(block).length;
    if (this.#length > lengthMax || this.#blocks.length >= blocksMax) this.#blocks = undefined;
    else this.#blocks.push(block);
  }

  /** Undefined where there were too many to be carried. */
  get blocks(): readonly JsonObject[] | undefined {
    return this.#blocks;
  }
}

/**
 * The message as the vendor wrote it. Where its words are not those that the blocks count, because somebody rewrote them, they
 * follow what the tools did.
 */
export function pausedBlocks(
  message: AssistantMessage,
  thinks: boolean,
  callBlock: (call: ToolCall) => Block,
): Block[] {
  const { blocks, parts, calls } = message;
  const content = parts.map(({ text }) => text).join('');
  const byId = new Map(calls.map((call) => [call.id, call]));
  const written: Block[] = [];
  let writtenLength = 0;
  let called = 0;
  for (const block of blocks) {
    if (block.type === 'text') {
      const [start, end] = [plainNumber(block.start_index), plainNumber(block.end_index)];
      if (start !== writtenLength || end === undefined || end < writtenLength) break;
      writtenLength = end;
      written.push(...textBlocks([{ kind: 'text', text: content.slice(start, end), cache: undefined }]));
    } else if (block.type === 'tool_use') {
      const call = typeof block.id === 'string' ? byId.get(splitId(block.id).id) : undefined;
      if (call === undefined) break;
      called++;
      written.push(callBlock(call));
    } else written.push(...ownBlock(block, thinks));
  }
  if (writtenLength === content.length && called === calls.length) return written;
  return [
    ...blocks.flatMap((block) => ownBlock(block, thinks)),
    ...textBlocks(parts),
    ...calls.map(callBlock),
  ];
}

function ownBlock(block: JsonObject, thinks: boolean): Block[] {
  const thought = readThinkingBlock(block);
  if (thought !== undefined) return thinks ? [thought] : [];
  return isServerBlock(block) ? [{ ...block, type: String(block.type) }] : [];
}
