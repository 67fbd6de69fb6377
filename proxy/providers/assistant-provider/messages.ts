// A conversation as the vendor takes it (SDK type `MessageParam` of @anthropic-ai/sdk): the user begins, neighbours of one
// role are one message, every call is answered at the start of the user's message after it, no message is empty.
import { vendorCallIds } from '../../chat/call-ids.ts';
import type { AssistantTurn, Conversation, ToolCall, ToolTurn, Turn } from '../../chat/conversation.ts';
import { readThinkingBlock } from '../claude/thinking-blocks.ts';
import { type Block, contentBlocks, textBlocks } from './content.ts';
import { toolName } from './tools.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/**
 * @param thinks the model takes back what it thought
 * @throws GatewayError invalid_request, unsupported_parameter
 */
export function writeMessages({ turns }: Conversation, thinks: boolean): Message[] {
  const ids = vendorCallIds(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])));
  const messages: { readonly role: Message['role']; readonly content: Block[] }[] = [];
  for (const turn of turns) {
    const role = turn.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(turn, { ids, thinks });
    const last = messages.at(-1);
    if (last?.role === role) {
      for (const block of blocks) last.content.push(block);
    } else if (role === 'user' || blocks.length > 0) messages.push({ role, content: blocks });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [] });
  return messages.map((message) =>
    message.content.length === 0 ? { ...message, content: [silence] } : message,
  );
}

/** Where the vendor wants the user to speak and the user said nothing. */
const silence: Block = { type: 'text', text: '.' };

/**
 * The end of a conversation that the model is to answer.
 * @param prefill the model can go on with what the assistant began
 */
export function withEnd(messages: readonly Message[], prefill: boolean): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return messages;
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

function blocksOf(turn: Turn, writing: Writing): Block[] {
  switch (turn.role) {
    case 'user':
      return contentBlocks(turn.parts);
    case 'assistant':
      return assistantBlocks(turn, writing);
    case 'tool':
      return resultBlocks(turn, writing);
  }
}

/** What was thought comes first. Alone it is no message. */
function assistantBlocks({ parts, calls, thinking }: AssistantTurn, { ids, thinks }: Writing): Block[] {
  const said = [
    ...textBlocks(parts),
    ...calls.map((call) => ({
      type: 'tool_use',
      id: ids.get(call),
      name: toolName(call.name),
      input: call.arguments.splice,
    })),
  ];
  const thought = thinks ? thinking.flatMap((block) => readThinkingBlock(block) ?? []) : [];
  return said.length === 0 ? [] : [...thought, ...said];
}

function resultBlocks({ results }: ToolTurn, { ids }: Writing): Block[] {
  return results.map(({ call, parts }) => {
    const content = textBlocks(parts);
    return { type: 'tool_result', tool_use_id: ids.get(call), ...(content.length > 0 && { content }) };
  });
}
