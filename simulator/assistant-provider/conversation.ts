// The rules of a conversation: order of roles, blocks of each role, tool calls and their results, the last message.
// Follows the vendor's guide for tool use, and refusals that its users quoted or measured.
import { isObject, type Json } from '../checks.ts';
import type { Version } from './authorization.ts';
import { isThinking, type Message, type PlacedBlock, type Turn } from './messages.ts';
import type { SimulatedModel } from './models.ts';
import { badRequest } from './refusal.ts';
import type { Thinking } from './thinking.ts';
import { checkThoughts } from './thoughts.ts';

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly model: SimulatedModel;
  readonly version: Version;
  readonly thinking: Thinking;
}

/** @throws Refusal */
export function checkConversation(conversation: Conversation): void {
  for (const rule of rules) rule(conversation);
}

const rules: readonly ((conversation: Conversation) => void)[] = [
  systemMessages,
  userBegins,
  placement,
  userSpeaks,
  texts,
  callsHaveResults,
  ({ turns, thinking }) => checkThoughts(turns, thinking),
  ending,
];

function systemMessages({ turns, model }: Conversation): void {
  turns.forEach((turn, index) => {
    if (turn.role !== 'system') return;
    for (const one of turn.messages) {
      if (one.blocks.length === 0) {
        throw badRequest(`messages.${one.index}: system content must contain at least one block`);
      }
      if (one.blocks.some((block) => block.type !== 'text')) {
        throw badRequest(
          `messages.${one.index}: role 'system' supports text, tool_addition, and tool_removal blocks only`,
        );
      }
    }
    checkSystemTurn(turn, { before: turns[index - 1], after: turns[index + 1], model });
  });
}

const directives = 'the directive-only form (content: [] with output_config) is accepted at any position';

function checkSystemTurn(
  turn: Turn,
  around: { before: Turn | undefined; after: Turn | undefined; model: SimulatedModel },
): void {
  const last = turn.messages.at(-1)?.index ?? 0;
  if (around.before === undefined) {
    throw badRequest(`messages.0: use the top-level 'system' parameter for the initial system prompt; ${directives}`);
  }
  if (!around.model.systemMessages) throw badRequest("role 'system' is not supported on this model");
  if (around.before.role !== 'user') {
    throw badRequest(`messages.${last}: role 'system' must follow a 'user' message; ${directives}`);
  }
  if (around.after?.role === 'user') {
    throw badRequest(
      `messages.${last}: role 'system' must precede an 'assistant' message or end the array; ${directives}`,
    );
  }
  const blank = turn.blocks.find(({ block }) => isBlank(block));
  if (blank !== undefined) {
    throw badRequest(`messages.${blank.message.index}: system text blocks must contain non-whitespace text`);
  }
}

function userBegins({ turns }: Conversation): void {
  if (turns[0]?.role === 'assistant') throw badRequest('messages: first message must use the "user" role');
}

const userOnly = ['image', 'search_result', 'tool_result'];

function placement({ turns, version }: Conversation): void {
  const forUser = version === '2026-10-21' ? [...userOnly, 'document'] : userOnly;
  for (const { role, blocks } of turns) {
    for (const { block, at } of blocks) {
      const kind = String(block.type);
      const forAssistant = isThinking(block) || /_use$|_tool_result$/.test(kind);
      if (role === 'assistant' && forUser.includes(kind)) {
        throw badRequest(`${at}: \`${kind}\` blocks can only be in \`user\` messages`);
      }
      if (role === 'user' && forAssistant) {
        throw badRequest(`${at}: \`${kind}\` blocks can only be in \`assistant\` messages`);
      }
      if (role !== 'user' || version === '2023-06-01' || !Array.isArray(block.citations)) continue;
      if (block.citations.length > 0) {
        throw badRequest(`${at}.text.citations: citations are not permitted on text blocks in user messages`);
      }
    }
  }
}

function userSpeaks({ turns }: Conversation): void {
  const empty = turns.find(({ role, blocks }) => role === 'user' && blocks.length === 0);
  if (empty === undefined) return;
  throw badRequest(`messages.${empty.messages[0]?.index ?? 0}: user messages must have non-empty content`);
}

/** No text may be empty. A blank text is accepted beside other texts of its message. */
function texts({ turns }: Conversation): void {
  for (const one of turns.flatMap((turn) => turn.messages)) {
    const inOthers = one.blocks.flatMap(partsOf);
    const inMessage = one.blocks.filter((block) => block.type === 'text');
    if ([...inMessage, ...inOthers].some((block) => block.type === 'text' && block.text === '')) {
      throw badRequest('messages: text content blocks must be non-empty');
    }
    if (inMessage.length > 0 && inMessage.every(isBlank)) {
      throw badRequest('messages: text content blocks must contain non-whitespace text');
    }
  }
}

/** The blocks inside a tool result, a search result or a document. */
function partsOf({ content, source }: Json): readonly Json[] {
  const inner = isObject(source) ? source.content : content;
  return Array.isArray(inner) ? inner : [];
}

function isBlank(block: Json): boolean {
  return String(block.text).trim() === '';
}

/** Every call has exactly one result, at the beginning of the next user turn, and every result has its call. */
function callsHaveResults({ turns }: Conversation): void {
  const everyId = new Set<unknown>();
  turns.forEach((turn, index) => {
    const calls = turn.blocks.filter(({ block }) => block.type === 'tool_use');
    for (const { block, at } of calls) {
      if (everyId.has(block.id)) throw badRequest(`${at}: \`tool_use\` ids must be unique`);
      everyId.add(block.id);
    }
    if (turn.role === 'assistant') checkCallResults(calls, turns[index + 1]);
    if (turn.role === 'user') checkResults(turn, turns[index - 1]);
  });
}

function checkCallResults(calls: readonly PlacedBlock[], next: Turn | undefined): void {
  const blocks = next?.role === 'user' ? next.blocks : [];
  const end = blocks.findIndex(({ block }) => block.type !== 'tool_result');
  const withResults = blocks.slice(0, end < 0 ? blocks.length : end).map(({ block }) => block.tool_use_id);
  const open = calls.filter(({ block }) => !withResults.includes(block.id));
  if (open[0] === undefined) return;
  const ids = open.map(({ block }) => block.id).join(', ');
  throw badRequest(
    `messages.${open[0].message.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, before: Turn | undefined): void {
  const calls = (before?.blocks ?? []).filter(({ block }) => block.type === 'tool_use');
  const request = new Set(calls.map(({ block }) => block.id));
  const seen = new Set<unknown>();
  for (const { block, at } of turn.blocks) {
    if (block.type !== 'tool_result') continue;
    const id = block.tool_use_id;
    if (!request.has(id)) {
      throw badRequest(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      throw badRequest(
        `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
      );
    }
    seen.add(id);
  }
}

function ending({ turns, model }: Conversation): void {
  const last = turns.at(-1)?.messages.at(-1);
  const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
  if (last === undefined || block === undefined) return;
  if (isThinking(block)) {
    throw badRequest(`messages.${last.index}: The final block in an assistant message cannot be \`thinking\`.`);
  }
  // The caller sends a turn back unchanged if it paused while the vendor ran its own tools.
  if (last.blocks.some((one) => /^server_tool_use$|[a-z]_tool_result$/.test(String(one.type)))) return;
  if (!model.prefill && hasText(last)) {
    throw badRequest(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  if (isObject(block) && block.type === 'text' && /\s$/.test(String(block.text))) {
    throw badRequest('messages: final assistant content cannot end with trailing whitespace');
  }
}

function hasText({ blocks }: Message): boolean {
  return blocks.some((block) => block.type === 'text');
}
