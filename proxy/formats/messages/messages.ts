// Writes a conversation as the vendor expects it (SDK type `MessageParam` of @anthropic-ai/sdk): the user begins,
// adjacent messages of one role are merged, every call has its result at the start of the next user message, and no
// message is empty.
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
  /** `system`: only after a user turn, and never directly before another one (SDK type `SystemMessageParam`). */
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: readonly Block[];
}

/**
 * @param thinks whether the model accepts its earlier thinking
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
  /** System texts wait until the user turn ends, because the vendor refuses them before another user message. */
  #system: Block[] = [];

  addSystem(blocks: readonly Block[]): void {
    // Pushed one at a time: a caller may send more blocks than a function call accepts as arguments.
    for (const block of blocks) this.#system.push(block);
  }

  add(role: 'user' | 'assistant', blocks: readonly Block[]): void {
    if (role === 'assistant' && blocks.length === 0) return;
    if (role === 'assistant') this.#insertSystem();
    const last = this.#messages.at(-1);
    if (last?.role !== role) this.#messages.push({ role, content: [...blocks] });
    else for (const block of blocks) last.content.push(block);
  }

  end(): Message[] {
    if (this.#messages[0]?.role !== 'user') this.#messages.unshift({ role: 'user', content: [] });
    this.#insertSystem();
    return this.#messages.map((message) =>
      message.content.length === 0 ? { ...message, content: [silence] } : message,
    );
  }

  #insertSystem(): void {
    if (this.#system.length === 0) return;
    if (this.#messages.at(-1)?.role !== 'user') this.#messages.push({ role: 'user', content: [] });
    this.#messages.push({ role: 'system', content: this.#system });
    this.#system = [];
  }
}

/** Content of a user message that the vendor requires and the caller has not sent. */
const silence: Block = { type: 'text', text: '.' };

/**
 * The messages, with an end that the model can respond to.
 * @param prefill whether the model can continue what the assistant began
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

/** Thinking comes first. Without other content it is not sent: it is no message alone. */
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

/** Cache marks inside of a result apply to the whole result. */
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
