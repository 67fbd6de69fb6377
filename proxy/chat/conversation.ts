// The messages of a request as vendors other than the callers' take them: system texts apart, turns with typed parts, every
// tool result tied to its call. Built from the one parsed body, which stays as it is.
import { JsonText } from '../../common/exact-json.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { splitId } from './call-ids.ts';
import { type Part, readParts, type TextPart } from './content.ts';
import { invalid } from './invalid.ts';
import type { ChatMessage, ChatRequest } from './request.ts';

export interface Conversation {
  /** Of system and developer messages, in order, wherever they stood. */
  readonly system: readonly TextPart[];
  /** Neighbours of one role are merged. */
  readonly turns: readonly Turn[];
}

export type Turn = UserTurn | AssistantTurn | ToolTurn;

export interface UserTurn {
  readonly role: 'user';
  readonly parts: readonly Part[];
}

export interface AssistantTurn {
  readonly role: 'assistant';
  readonly parts: readonly TextPart[];
  readonly calls: readonly ToolCall[];
  /** Extension `thinking_blocks`: as the gateway sent them; opaque to all but the vendor they came from. */
  readonly thinking: readonly JsonObject[];
}

/** The results of the calls of the assistant turn before it: one for each, in their order. */
export interface ToolTurn {
  readonly role: 'tool';
  readonly results: readonly ToolResult[];
}

export interface ToolCall {
  /** Without a signature that rode on it. Not necessarily unique in a conversation. */
  readonly id: string;
  readonly name: string;
  /** As its model wrote them. */
  readonly arguments: JsonText;
  /** What the vendor gave with the call and wants back with it. */
  readonly signature: string | undefined;
}

export interface ToolResult {
  readonly call: ToolCall;
  readonly parts: readonly TextPart[];
}

/** @throws GatewayError invalid_request that names the message */
export function readConversation(request: ChatRequest): Conversation {
  const builder = new Builder();
  request.messages.forEach((message, index) => {
    builder.add(message, `messages[${index}]`);
  });
  return builder.end();
}

/** Turns while they are built: what comes from a caller may be thousands of messages, and none is copied for the next. */
type GrowingTurn =
  | { readonly role: 'user'; readonly parts: Part[] }
  | {
      readonly role: 'assistant';
      readonly parts: TextPart[];
      readonly calls: ToolCall[];
      readonly thinking: JsonObject[];
    }
  | ToolTurn;

class Builder {
  readonly #system: TextPart[] = [];
  readonly #turns: GrowingTurn[] = [];
  #open = new OpenCalls([]);

  add(message: ChatMessage, at: string): void {
    switch (message.role) {
      case 'system':
      case 'developer':
        append(this.#system, textParts(message, at));
        return;
      case 'tool':
        this.#open.answer(this.#callOf(message, at), textParts(message, at));
        return;
      case 'function':
        this.#open.answer(this.#legacyCallOf(message, at), textParts(message, at));
        return;
      case 'assistant':
        this.#closeCalls(at);
        this.#addAssistant(message, at);
        return;
      default:
        this.#closeCalls(at);
        this.#addUser(readParts(message.content, `${at}.content`));
    }
  }

  end(): Conversation {
    this.#closeCalls('messages');
    return { system: this.#system, turns: this.#turns };
  }

  #addUser(parts: Part[]): void {
    const last = this.#turns.at(-1);
    if (last?.role === 'user') append(last.parts, parts);
    else this.#turns.push({ role: 'user', parts });
  }

  #addAssistant(message: ChatMessage, at: string): void {
    const calls = readCalls(message, at);
    const parts = textParts(message, at);
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      parts.push({ kind: 'text', text: message.refusal, cache: undefined });
    }
    const blocks: unknown[] = Array.isArray(message.thinking_blocks) ? message.thinking_blocks : [];
    const thinking = blocks.filter(isObject);
    this.#open = new OpenCalls(calls);
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant') {
      append(last.parts, parts);
      append(last.calls, calls);
      append(last.thinking, thinking);
    } else this.#turns.push({ role: 'assistant', parts, calls, thinking });
  }

  #callOf(message: ChatMessage, at: string): ToolCall {
    if (typeof message.tool_call_id !== 'string') {
      throw invalid(`${at}.tool_call_id`, `${at}.tool_call_id must be a string`);
    }
    const call = this.#open.takeById(splitId(message.tool_call_id).id);
    if (call !== undefined) return call;
    throw invalid(
      `${at}.tool_call_id`,
      `${at}.tool_call_id answers no tool call of the assistant message before it`,
    );
  }

  #legacyCallOf(message: ChatMessage, at: string): ToolCall {
    const call = this.#open.takeByName(message.name);
    if (call !== undefined) return call;
    throw invalid(`${at}.name`, `${at}.name answers no function call of the assistant message before it`);
  }

  /** Vendors want every call answered, all results together and in the calls' order. */
  #closeCalls(at: string): void {
    const results = this.#open.results((call) =>
      invalid(at, `the tool call ${JSON.stringify(call.id)} has no tool message with its result`),
    );
    if (results.length > 0) this.#turns.push({ role: 'tool', results });
    this.#open = new OpenCalls([]);
  }
}

/** The calls of an assistant's message, each waiting for its result. */
class OpenCalls {
  readonly #calls: readonly ToolCall[];
  readonly #results = new Map<ToolCall, ToolResult>();
  /** Those that wait, the first of each id and name last. */
  readonly #byId: ReadonlyMap<unknown, ToolCall[]>;
  readonly #byName: ReadonlyMap<unknown, ToolCall[]>;

  constructor(calls: readonly ToolCall[]) {
    this.#calls = calls;
    const waiting = calls.toReversed();
    this.#byId = Map.groupBy(waiting, ({ id }) => id);
    this.#byName = Map.groupBy(waiting, ({ name }) => name);
  }

  takeById(id: unknown): ToolCall | undefined {
    return this.#take(this.#byId.get(id));
  }

  takeByName(name: unknown): ToolCall | undefined {
    return this.#take(this.#byName.get(name));
  }

  answer(call: ToolCall, parts: readonly TextPart[]): void {
    this.#results.set(call, { call, parts });
  }

  /** In the order of the calls. @throws what `missing` makes of a call without a result */
  results(missing: (call: ToolCall) => Error): readonly ToolResult[] {
    return this.#calls.map((call) => {
      const result = this.#results.get(call);
      if (result === undefined) throw missing(call);
      return result;
    });
  }

  #take(waiting: ToolCall[] = []): ToolCall | undefined {
    let call = waiting.pop();
    while (call !== undefined && this.#results.has(call)) call = waiting.pop();
    return call;
  }
}

/** As `push` of all of them, however many they are. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one);
}

function textParts(message: ChatMessage, at: string): TextPart[] {
  return readParts(message.content, `${at}.content`).map((part, i) => {
    if (part.kind === 'text') return part;
    throw invalid(`${at}.content[${i}]`, `${at}.content of role ${message.role} may hold text only`);
  });
}

function readCalls(message: ChatMessage, at: string): ToolCall[] {
  if (isObject(message.function_call)) {
    return [readCall(legacyId, message.function_call, `${at}.function_call`)];
  }
  const calls = message.tool_calls;
  if (calls === undefined) return [];
  if (!Array.isArray(calls)) throw invalid(`${at}.tool_calls`, `${at}.tool_calls must be an array`);
  return calls.map((call: unknown, index) => {
    const where = `${at}.tool_calls[${index}]`;
    if (!isObject(call) || typeof call.id !== 'string') throw invalid(where, `${where} must have an id`);
    return readCall(call.id, call.function, `${where}.function`);
  });
}

/** The deprecated form has no ids. */
const legacyId = 'call_function';

function readCall(signedId: string, called: unknown, at: string): ToolCall {
  if (!isObject(called) || typeof called.name !== 'string') throw invalid(at, `${at} must have a name`);
  const { id, signature } = splitId(signedId);
  return { id, name: called.name, arguments: readArguments(called.arguments), signature };
}

/** What a model once wrote: an empty text or no object at all is possible, and no reason to refuse the whole history. */
function readArguments(value: unknown): JsonText {
  // Some clients send the object itself in place of its text.
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return JsonText.ofObject(text) ?? JsonText.emptyObject;
}
