// Writes the conversation as the vendor expects it (SDK type `Message`): user and assistant alternate, the user first
// and last. Tool results are in the user turn, all results of one turn's calls together and before any text.
import { nineLetterIds, vendorCallIds } from '../../conversation/call-ids.ts';
import type { AssistantTurn, Conversation, ToolCall, Turn } from '../../conversation/conversation.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';
import type { Family } from '../../models/families.ts';
import {
  type Block,
  type BlockContext,
  cachePoint,
  placeholder,
  resultBlocks,
  textBlocks,
  userBlocks,
} from './blocks.ts';
import { vendorToolName } from './tools.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

export interface MessageContext extends BlockContext {
  readonly family: Family;
  /** Whether the caller may write the beginning of the response. */
  readonly prefill: boolean;
  /** Whether the model gets its earlier thinking back. */
  readonly thoughts: boolean;
}

/** @param opening user blocks before all others */
export function vendorMessages(
  { turns }: Conversation,
  opening: readonly Block[],
  context: MessageContext,
): readonly Message[] {
  const ids = callIdsOf(turns, context.family);
  const written = turns.flatMap((turn) => messagesOf(turn, ids, context));
  const messages = byTurns([{ role: 'user', content: opening }, ...written], context.family);
  return withEnd(messages.map(spoken), context.prefill);
}

/** Ids of tool calls as this model family accepts them. A call and its result have the same id. */
function callIdsOf(turns: readonly Turn[], family: Family): ReadonlyMap<ToolCall, string> {
  const ids = vendorCallIds(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])));
  return family.nineLetterIds ? nineLetterIds(ids) : ids;
}

function messagesOf(turn: Turn, ids: ReadonlyMap<ToolCall, string>, context: MessageContext): Message[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: userBlocks(turn.parts, context) }];
    case 'system':
      // System texts in a conversation have become notes in the user role.
      return [{ role: 'user', content: textBlocks(turn.parts, context) }];
    case 'tool': {
      const content = turn.results.flatMap(({ call, parts, cache }) => [
        { toolResult: { toolUseId: ids.get(call), content: resultBlocks(parts, context) } },
        ...cachePoint(cache, context.promptCache),
      ]);
      return [{ role: 'user', content }];
    }
    case 'assistant': {
      const words = textBlocks(turn.parts, context);
      const calls = turn.calls.flatMap((call) => [
        {
          toolUse: {
            toolUseId: ids.get(call),
            name: vendorToolName(call.name),
            input: call.arguments.splice,
          },
        },
        ...cachePoint(call.cache, context.promptCache),
      ]);
      // Thinking without text or calls is not sent: it is no message alone.
      const thoughts = context.thoughts && words.length + calls.length > 0 ? thoughtBlocks(turn) : [];
      return [
        { role: 'assistant', content: [...thoughts, ...words] },
        { role: 'assistant', content: calls },
      ];
    }
  }
}

function thoughtBlocks({ thinking }: AssistantTurn): Block[] {
  return thinking.flatMap((one) => {
    const block = readThinkingBlock(one);
    if (block === undefined) return [];
    const reasoningContent =
      block.type === 'thinking'
        ? { reasoningText: { text: block.thinking, signature: block.signature } }
        : { redactedContent: block.data };
    return [{ reasoningContent }];
  });
}

/** A message under construction. A caller may send thousands that are merged into one. */
interface GrowingMessage {
  readonly role: Message['role'];
  readonly content: Block[];
  ofTools: boolean;
}

/**
 * Merges adjacent messages of one role and drops empty assistant messages. Where text and tool blocks cannot be merged,
 * a placeholder in the other role separates them.
 */
function byTurns(messages: readonly Message[], { mixesTools }: Family): readonly Message[] {
  const written: GrowingMessage[] = [];
  for (const { role, content } of messages) {
    const last = written.at(-1);
    if (role === 'assistant' && content.length === 0) continue;
    const ofTools = content.some(isOfTools);
    if (last?.role !== role) written.push({ role, content: [...content], ofTools });
    else if (mixesTools || content.length === 0 || last.ofTools === ofTools) {
      for (const block of content) last.content.push(block);
      last.ofTools ||= ofTools;
    } else {
      const other = role === 'user' ? 'assistant' : 'user';
      written.push({ role: other, content: [placeholder], ofTools: false }, { role, content: [...content], ofTools });
    }
  }
  return written;
}

function isOfTools({ toolUse, toolResult }: Block): boolean {
  return toolUse !== undefined || toolResult !== undefined;
}

function spoken({ role, content }: Message): Message {
  return { role, content: content.length === 0 ? [placeholder] : content };
}

/** If the model cannot continue what the assistant began, adds a user message that requests it. */
function withEnd(messages: readonly Message[], prefill: boolean): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return messages;
  if (!prefill) return [...messages, { role: 'user', content: [{ text: 'Continue.' }] }];
  const content = last.content.map((block, index) =>
    index === last.content.length - 1 && typeof block.text === 'string' ? { text: block.text.trimEnd() } : block,
  );
  return [...messages.slice(0, -1), { role: 'assistant', content }];
}
