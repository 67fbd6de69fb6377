// The items of a conversation: which belong together, and what they are as messages of chat completions, so that both
// APIs count the same tokens and read the same directives.
import type { Json } from '../../checks.ts';
import type { Message } from '../messages.ts';
import { badField, Refusal } from '../refusal.ts';
import { checkEncrypted } from './encrypted.ts';
import { typeOf } from './items.ts';
import type { ResponseStore } from './store.ts';

export interface Account {
  /** The API key. */
  readonly account: string;
  readonly store: ResponseStore;
}

/** Replaces references by the stored items. @throws Refusal 404 */
export function resolved(items: readonly Json[], { account, store }: Account): readonly Json[] {
  return items.map((item) => {
    const isReference = typeOf(item) === 'item_reference';
    // Reasoning without its encrypted content is a reference too.
    if (!isReference && (typeOf(item) !== 'reasoning' || item.encrypted_content != null)) return item;
    if (!isReference && item.id == null) return item;
    const id = String(item.id);
    const found = store.findItem(account, id);
    if (found !== undefined) return isReference ? found : item;
    const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
    throw new Refusal(404, { message, param: 'input' });
  });
}

/** @throws Refusal 400 or 404 */
export function checkItems(items: readonly Json[], { account }: Account): void {
  for (const { encrypted_content: content } of items) {
    if (typeof content === 'string') checkEncrypted(account, content);
  }
  checkDuplicates(items);
  checkCalls(items);
  checkReasoning(items);
}

function checkDuplicates(items: readonly Json[]): void {
  const ids = new Set<string>();
  for (const { id } of items) {
    if (typeof id !== 'string') continue;
    if (ids.has(id)) {
      const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      throw badField('input', message);
    }
    ids.add(id);
  }
}

const calls: Readonly<Record<string, string>> = {
  function_call: 'function call',
  custom_tool_call: 'custom tool call',
  computer_call: 'computer call',
  shell_call: 'shell call',
  apply_patch_call: 'apply patch call',
};

/** Every output comes after its call, and every call has its output. */
function checkCalls(items: readonly Json[]): void {
  const open = new Map<string, string>();
  for (const item of items) {
    const type = typeOf(item);
    const id = String(item.call_id);
    const call = calls[type];
    if (call !== undefined) open.set(`${type} ${id}`, `${call} ${id}`);
    const called = type.replace(/_output$/, '');
    const name = calls[called];
    if (called === type || name === undefined) continue;
    if (open.delete(`${called} ${id}`)) continue;
    throw badField('input', `No tool call found for ${name} output with call_id ${id}.`);
  }
  for (const call of open.values()) throw badField('input', `No tool output found for ${call}.`);
}

/** What the model made after its reasoning follows it. */
function checkReasoning(items: readonly Json[]): void {
  items.forEach((item, index) => {
    if (typeOf(item) !== 'reasoning') return;
    const next = items.slice(index + 1).find((one) => typeOf(one) !== 'reasoning');
    const follows = next !== undefined && (typeOf(next).endsWith('_call') || next.role === 'assistant');
    if (follows) return;
    const message = `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
    throw badField('input', message);
  });
}

/** The messages of chat completions with the same content. Reasoning and items of hosted tools have none. */
export function chatMessages(instructions: unknown, items: readonly Json[]): readonly Message[] {
  const messages: Message[] = [];
  if (typeof instructions === 'string') messages.push({ role: 'system', content: instructions });
  let turnCalls: Json[] | undefined;
  for (const item of items) {
    const type = typeOf(item);
    if (type === 'function_call' || type === 'custom_tool_call') {
      if (turnCalls === undefined) {
        turnCalls = [];
        messages.push({ role: 'assistant', content: null, tool_calls: turnCalls });
      }
      turnCalls.push(chatCall(item));
      continue;
    }
    if (type === 'message') messages.push({ role: String(item.role), content: item.content });
    else if (/^(function|custom_tool)_call_output$/.test(type)) {
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: item.output });
    } else continue;
    turnCalls = undefined;
  }
  return messages;
}

function chatCall({ type, call_id: id, name, input, arguments: text }: Json): Json {
  return type === 'custom_tool_call'
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: text } };
}
