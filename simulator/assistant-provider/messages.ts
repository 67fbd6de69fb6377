// The form of a request's messages, and functions that read them. Adjacent messages of one role are one turn.
import { arrayOf, type Check, FieldFault, isObject, type Json, object, stringOr, wrongType } from '../checks.ts';
import { contentBlock } from './blocks.ts';
import { choice, vendorPath } from './fields.ts';
import { badRequest } from './refusal.ts';

export type Role = 'user' | 'assistant' | 'system';

export interface Message {
  readonly role: Role;
  /** A string content is one text block; an empty string is no block. */
  readonly blocks: readonly Json[];
  /** Index in the request's `messages`. */
  readonly index: number;
}

/** Adjacent messages of one role. */
export interface Turn {
  readonly role: Role;
  readonly blocks: readonly PlacedBlock[];
  readonly messages: readonly Message[];
}

export interface PlacedBlock {
  readonly block: Json;
  /** A path such as `messages.0.content.1`. */
  readonly at: string;
  readonly message: Message;
}

const messagesMax = 100_000;

const message: Check = (value, path) => {
  if (!isObject(value)) throw wrongType(path, 'an object', value);
  if (value.role === undefined) throw new FieldFault(`${path}.role`, { kind: 'missing' }, undefined);
  if (value.role !== 'user' && value.role !== 'assistant' && value.role !== 'system') {
    const found = typeof value.role === 'string' ? value.role : JSON.stringify(value.role);
    throw badRequest(`messages: Unexpected role "${found}". Allowed roles are "user" or "assistant"`);
  }
  object({ role: choice('user', 'assistant', 'system'), content: stringOr(arrayOf(contentBlock)) })(value, path);
};

export const messages: Check = (value, path) => {
  if (Array.isArray(value) && value.length === 0) {
    throw badRequest(`${vendorPath(path)}: at least one message is required`);
  }
  arrayOf(message, { max: messagesMax })(value, path);
};

/** @param list messages that passed the checks */
export function readMessages(list: readonly Json[]): readonly Message[] {
  return list.map(({ role, content }, index) => ({
    role: role as Role,
    blocks: typeof content === 'string' ? textBlocks(content) : (content as readonly Json[]),
    index,
  }));
}

function textBlocks(text: string): readonly Json[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

export function turnsOf(list: readonly Message[]): readonly Turn[] {
  const turns: { role: Role; blocks: PlacedBlock[]; messages: Message[] }[] = [];
  for (const one of list) {
    let turn = turns.at(-1);
    if (turn?.role !== one.role) {
      turn = { role: one.role, blocks: [], messages: [] };
      turns.push(turn);
    }
    turn.messages.push(one);
    one.blocks.forEach((block, position) => {
      turn.blocks.push({ block, at: `messages.${one.index}.content.${position}`, message: one });
    });
  }
  return turns;
}

/** The texts of a message, joined. Blocks of other types are skipped. */
export function textOf({ blocks }: Message): string {
  return blocks.map((block) => (block.type === 'text' ? String(block.text) : '')).join('');
}

export function isThinking(block: Json | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}
