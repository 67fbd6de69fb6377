// A turn that paused while the vendor ran its own tools (`stop_reason: "pause_turn"`). The model continues when it gets
// its message back unchanged, with the blocks of those tools in order. The callers' format has no field for these, so
// the message has the extension `content_blocks`: all blocks in order, texts as
// `{"type":"text","start_index","end_index"}` of the content, calls as `{"type":"tool_use","id"}` of `tool_calls`, all
// others as the vendor wrote them.
import { plainNumber } from '../../../common/exact-number.ts';
import type { JsonObject } from '../../../common/json.ts';
import { splitId } from '../../conversation/call-ids.ts';
import type { AssistantMessage, ToolCall } from '../../conversation/conversation.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';
import { type Block, textBlocks } from './content.ts';

/**
 * A call of a tool that the vendor runs, or its result (SDK types `ServerToolUseBlock`, `WebSearchToolResultBlock`…).
 */
export function isServerBlock({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || (typeof type === 'string' && /^[a-z_]+_tool_result$/.test(type));
}

/** Whether the model should continue the message instead of responding to it. */
export function isPaused(content: readonly Block[]): boolean {
  return content.some(isServerBlock);
}

// Bounds on the blocks of one message: a page of results is about ten thousand characters.
const blocksMax = 1000;
const lengthMax = 4 * 1024 * 1024;

/** Collects the blocks of a response, in order, until the stop reason shows whether the turn has paused. */
export class BlockLog {
  #blocks: JsonObject[] | undefined = [];
  #length = 0;

  add(block: JsonObject): void {
    if (this.#blocks === undefined) return;
    this.#length += JSON.stringify(block).length;
    if (this.#length > lengthMax || this.#blocks.length >= blocksMax) this.#blocks = undefined;
    else this.#blocks.push(block);
  }

  /** Undefined if there were too many blocks to send. */
  get blocks(): readonly JsonObject[] | undefined {
    return this.#blocks;
  }
}

/**
 * The message as the vendor wrote it. If the content was changed since, for example by a guardrail, the ranges in the
 * blocks no longer fit, and the text follows the tools' blocks.
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
  return [...blocks.flatMap((block) => ownBlock(block, thinks)), ...textBlocks(parts), ...calls.map(callBlock)];
}

function ownBlock(block: JsonObject, thinks: boolean): Block[] {
  const thought = readThinkingBlock(block);
  if (thought !== undefined) return thinks ? [thought] : [];
  return isServerBlock(block) ? [{ ...block, type: String(block.type) }] : [];
}
