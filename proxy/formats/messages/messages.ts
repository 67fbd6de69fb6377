// A conversation as the vendor takes it (SDK type `MessageParam` of @anthropic-ai/sdk): the user begins, neighbours of one
// role are one message, every call has its result at the start of the user's message after it, no message is empty.
import { vendorCallIds } from '../../conversation/call-ids.ts';
import type {
  AssistantMessage,
  Conversation,
  SystemTurn,
  ToolCall,
  ToolTurn,
  Turn,
} from '../../conversation/conversation.ts';
import type { Part } from '../../conversation/parts.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';
import { type Block, cacheControl, contentBlocks, textBlocks } from './content.ts';
import { isPaused, pausedBlocks } from './paused-turn.ts';
import { toolName } from './tools.ts';

export interface Message {
  /** `system`: behind a turn of the user's only, and never before another of them (SDK type `SystemMessageParam`). */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
}

/**
 * @param thinks the model takes back what it thought
 * @throws GatewayError invalid_request, unsupported_parameter
 */
export function writeMessages({ turns }: Conversation, thinks: boolean): Message[] {
  const ids = vendorCallIds(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])));
  const list = new MessageList();
  for (const turn of turns) {
    if (turn.role === 'system') list.addSystem(textBlocks(turn.parts));
    else list.add(turn.role === 'assistant' ? 'assistant' : 'user', blocksOf(turn, { ids, thinks }));
  }
  return list.end();
}

interface GrowingMessage {
  readonly role: Message['role'];
  readonly content: Block[];
}

class MessageList {
  readonly #messages: GrowingMessage[] = [];
  /** System texts wait for the end of the user's turn: before another word of the user's the vendor refuses them. */
  #system: Block[] = [];

  addSystem(blocks: readonly Block[]): void {
    // One at a time: a caller may send more of them than a call takes arguments.
    for (const block of blocks) this.#system.push(block);
  }

  add(role: 'user' | 'assistant', blocks: readonly Block[]): void {
    if (role === 'assistant' && blocks.length === 0) return;
    if (role === 'assistant') this.#placeSystem();
    const last = this.#messages.at(-1);
    if (last?.role !== role) this.#messages.push({ role, content: [...blocks] });
    else for (const block of blocks) last.content.push(block);
  }

  end(): Message[] {
    if (this.#messages[0]?.role !== 'user') this.#messages.unshift({ role: 'user', content: [] });
    this.#placeSystem();
    return this.#messages.map((message) =>
      message.content.length === 0 ? { ...message, content: [silence] } : message,
    );
  }

  #placeSystem(): void {
    if (this.#system.length === 0) return;
    if (this.#messages.at(-1)?.role !== 'user') this.#messages.push({ role: 'user', content: [] });
    this.#messages.push({ role: 'system', content: this.#system });
    this.#system = [];
  }
}

/** Where the vendor wants a message of the user's and there is none. */
const silence: Block = { type: 'text', text: '.' };

/**
 * The messages with an end that the model can respond to.
 * @param prefill the model can go on with what the assistant began
 */
export function withEnd(messages: readonly Message[], prefill: boolean): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || isPaused(last.content)) return messages;
  if (!prefill) return [...messages, { role: 'user', content: [{ type: 'text', text: 'Continue.' }] }];
  const content = last.content.map((block, index) =>
    index === last.content.length - 1 ? { ...block, text: String(block.text).trimEnd() } : block,
  );
  return [...messages.slice(0, -1), { ...last, content }];
}

interface Writing {
  readonly ids: ReadonlyMap<ToolCall, string>;
  readonly thinks: boolean;
}

function blocksOf(turn: Exclude<Turn, SystemTurn>, writing: Writing): Block[] {
  if (turn.role === 'user') return contentBlocks(turn.parts);
  if (turn.role === 'tool') return resultBlocks(turn, writing);
  return turn.blocks.length === 0
    ? assistantBlocks(turn, writing)
    : turn.messages.flatMap((message) => assistantBlocks(message, writing));
}

/** What was thought comes first. Alone it is no message. */
function assistantBlocks(message: AssistantMessage, { ids, thinks }: Writing): Block[] {
  const { parts, calls, thinking } = message;
  const callBlock = (call: ToolCall) => ({
    type: 'tool_use',
    id: ids.get(call),
    name: toolName(call.name),
    input: call.arguments.splice,
    ...cacheControl(call.cache),
  });
  if (message.blocks.length > 0) return pausedBlocks(message, thinks, callBlock);
  const content = [...textBlocks(parts), ...calls.map(callBlock)];
  const thought = thinks ? thinking.flatMap((block) => readThinkingBlock(block) ?? []) : [];
  return content.length === 0 ? [] : [...thought, ...content];
}

/** What a result is marked with for the cache marks all of it. */
function resultBlocks({ results }: ToolTurn, { ids }: Writing): Block[] {
  return results.map(({ call, parts, cache }) => {
    const content = contentBlocks(parts.map(unmarked));
    return {
      type: 'tool_result',
      tool_use_id: ids.get(call),
      ...(content.length > 0 && { content }),
      ...cacheControl(cache),
    };
  });
}

function unmarked(part: Part): Part {
  return part.kind === 'audio' ? part : { ...part, cache: undefined };
}
