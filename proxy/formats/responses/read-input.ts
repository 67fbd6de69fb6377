// Reads the input of a client's request (SDK type `ResponseInputItem` of the package openai) into messages of chat
// completions. Everything that the model wrote between two inputs is one message there.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { ThinkingBlock } from '../../conversation/response.ts';
import { wrappedBlock } from '../../models/claude/wrapped-thinking.ts';
import type { ChatTurn } from '../client-format.ts';
import type { LossList } from '../client-losses.ts';
import { chatName } from './offered-tools.ts';
import { chatContent } from './read-content.ts';

/** @throws GatewayError invalid_request that names the item */
export function chatTurns(input: unknown, losses: LossList): readonly ChatTurn[] {
  if (typeof input === 'string') return [{ message: { role: 'user', content: input }, at: 'input' }];
  if (!Array.isArray(input) || input.length === 0) {
    throw invalid('input', 'input must be a string or a non-empty array of items');
  }
  const turns = new Turns(losses);
  input.forEach((item: unknown, index) => {
    const at = `input[${index}]`;
    if (!isObject(item)) throw invalid(at, `${at} must be an object`);
    turns.add(item, at);
  });
  return turns.end();
}

/** The parts of the open message of the model. */
interface ModelTurn {
  readonly at: string;
  readonly contents: unknown[];
  readonly calls: JsonObject[];
  readonly thinking: ThinkingBlock[];
}

class Turns {
  readonly #losses: LossList;
  readonly #turns: ChatTurn[] = [];
  #open: ModelTurn | undefined;

  constructor(losses: LossList) {
    this.#losses = losses;
  }

  end(): readonly ChatTurn[] {
    this.#close();
    return this.#turns;
  }

  /** An item without a type is a message. */
  add(item: JsonObject, at: string): void {
    switch (item.type ?? 'message') {
      case 'message':
        this.#addMessage(item, at);
        return;
      case 'function_call':
        this.#dropCaller(item);
        this.#model(at).calls.push(functionCall(item, at, argumentsOf(item.arguments, at)));
        return;
      case 'custom_tool_call':
        this.#dropCaller(item);
        this.#model(at).calls.push(functionCall(item, at, customArguments(item.input, at)));
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#dropCaller(item);
        this.#addMessageOf({ role: 'tool', ...this.#result(item, at) }, at);
        return;
      case 'reasoning':
        this.#addReasoning(item, at);
        return;
      case 'additional_tools':
        return;
      case 'configuration_update':
        this.#losses.dropOthers(item, updateFields, at);
        return;
      default:
        this.#losses.refuse(at);
    }
  }

  /** Only the gateway's own form comes from a vendor of another format; the rest means nothing there. */
  #addReasoning(item: JsonObject, at: string): void {
    const block = wrappedBlock(item.encrypted_content, summaryOf(item));
    if (block !== undefined) this.#model(at).thinking.push(block);
    else if (saysSomething(item)) this.#losses.drop('input.reasoning');
  }

  #addMessage({ role, content, phase }: JsonObject, at: string): void {
    if (isGiven(phase)) this.#losses.drop('input.phase');
    if (role === 'assistant') {
      this.#model(at).contents.push(chatContent(content, `${at}.content`, this.#losses));
      return;
    }
    if (role !== 'user' && role !== 'system' && role !== 'developer') {
      throw invalid(`${at}.role`, `${at}.role must be user, assistant, system or developer`);
    }
    this.#addMessageOf({ role, content: chatContent(content, `${at}.content`, this.#losses) }, at);
  }

  /** Nobody but the model calls functions elsewhere, and each call waits for its output. */
  #dropCaller({ caller, async: isAsync }: JsonObject): void {
    if (isObject(caller) && caller.type !== 'direct') this.#losses.drop('input.caller');
    if (isAsync === true) this.#losses.drop('input.async');
  }

  #addMessageOf(message: JsonObject, at: string): void {
    this.#close();
    this.#turns.push({ message, at });
  }

  #result({ call_id: id, output }: JsonObject, at: string): JsonObject {
    if (typeof id !== 'string') throw invalid(`${at}.call_id`, `${at}.call_id must be a string`);
    return { tool_call_id: id, content: chatContent(output, `${at}.output`, this.#losses) };
  }

  #model(at: string): ModelTurn {
    this.#open ??= { at, contents: [], calls: [], thinking: [] };
    return this.#open;
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { at, contents, calls, thinking } = this.#open;
    this.#open = undefined;
    if (contents.length + calls.length === 0) {
      // Reasoning alone is no message.
      this.#losses.drop('input.reasoning');
      return;
    }
    const message = {
      role: 'assistant',
      content: joinedContent(contents),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(thinking.length > 0 && { thinking_blocks: thinking }),
    };
    this.#turns.push({ message, at });
  }
}

/** Those that are folded into the options of the request: see read-request.ts. */
const updateFields: ReadonlySet<string> = new Set(['type', 'id', 'reasoning', 'text']);

function saysSomething({ summary, content, encrypted_content: encrypted }: JsonObject): boolean {
  return isGiven(encrypted) || [summary, content].some((list) => Array.isArray(list) && list.length > 0);
}

function summaryOf({ summary }: JsonObject): string {
  return objectsOf(summary)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

function joinedContent(contents: readonly unknown[]): unknown {
  const [first] = contents;
  if (contents.length <= 1) return first ?? null;
  return contents.flatMap((one) => (typeof one === 'string' ? [{ type: 'text', text: one }] : one));
}

function functionCall({ call_id: id, name, namespace }: JsonObject, at: string, args: string): JsonObject {
  if (typeof id !== 'string') throw invalid(`${at}.call_id`, `${at}.call_id must be a string`);
  if (typeof name !== 'string') throw invalid(`${at}.name`, `${at}.name must be a string`);
  return { id, type: 'function', function: { name: chatName(name, namespace), arguments: args } };
}

function argumentsOf(args: unknown, at: string): string {
  if (typeof args !== 'string') throw invalid(`${at}.arguments`, `${at}.arguments must be a string`);
  return args;
}

function customArguments(input: unknown, at: string): string {
  if (typeof input !== 'string') throw invalid(`${at}.input`, `${at}.input must be a string`);
  return writeJson({ input });
}
