// Reads the messages of a request into a conversation for vendors with another format: the opening system texts are
// separate, turns have typed parts, and every tool result refers to its call. The parsed body stays unchanged.
import { JsonText } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { markOf, readCacheMark, withMarks } from '../../conversation/cache-marks.ts';
import { splitId } from '../../conversation/call-ids.ts';
import type {
  AssistantMessage,
  AssistantTurn,
  Conversation,
  MadeImage,
  ToolCall,
  ToolResult,
  ToolTurn,
} from '../../conversation/conversation.ts';
import { invalid, unsupported } from '../../conversation/invalid.ts';
import type { Part, TextPart } from '../../conversation/parts.ts';
import { readImage, readParts } from './read-content.ts';
import type { ChatMessage, ChatRequest } from './read-request.ts';

/** @throws GatewayError invalid_request that names the message */
export function readConversation(request: ChatRequest): Conversation {
  const builder = new Builder();
  request.messages.forEach((message, index) => {
    builder.add(message, `messages[${index}]`);
  });
  return builder.end();
}

/**
 * Turns under construction. They are mutable, because a caller may send thousands of messages and copying would be
 * quadratic.
 */
type GrowingTurn =
  | { readonly role: 'user'; readonly parts: Part[] }
  | { readonly role: 'system'; readonly parts: TextPart[] }
  | GrowingAssistantTurn
  | ToolTurn;

interface GrowingAssistantTurn extends AssistantTurn {
  readonly parts: TextPart[];
  readonly images: MadeImage[];
  readonly calls: ToolCall[];
  readonly thinking: JsonObject[];
  readonly blocks: JsonObject[];
  readonly messages: AssistantMessage[];
  /** The last signature among its messages. */
  signature: string | undefined;
}

class Builder {
  readonly #system: TextPart[] = [];
  readonly #turns: GrowingTurn[] = [];
  #open = new OpenCalls([]);
  /** System texts between calls and their results. They are added after the results. */
  #waiting: TextPart[] = [];
  #lostMarks = false;

  add(message: ChatMessage, at: string): void {
    switch (message.role) {
      case 'system':
      case 'developer':
        this.#addSystem(this.#marked(textParts(message, at), message));
        return;
      case 'tool':
        this.#open.settle(this.#callOf(message, at), readResult(message, at));
        return;
      case 'function':
        this.#open.settle(this.#legacyCallOf(message, at), readResult(message, at));
        return;
      case 'assistant':
        this.#closeCalls(at);
        this.#addAssistant(message, at);
        return;
      default:
        this.#closeCalls(at);
        this.#addUser(this.#marked(readParts(message.content, `${at}.content`), message));
    }
  }

  end(): Conversation {
    this.#closeCalls('messages');
    return { system: this.#system, turns: this.#turns, lostMarks: this.#lostMarks };
  }

  #marked<P extends Part>(parts: readonly P[], message: ChatMessage): P[] {
    const { marked, isLost } = withMarks(parts, readCacheMark(message));
    this.#lostMarks ||= isLost;
    return marked;
  }

  #addSystem(parts: TextPart[]): void {
    if (this.#turns.length === 0) append(this.#system, parts);
    else if (this.#open.isEmpty) this.#addTurn({ role: 'system', parts });
    else append(this.#waiting, parts);
  }

  #addUser(parts: Part[]): void {
    this.#addTurn({ role: 'user', parts });
  }

  #addTurn(turn: Extract<GrowingTurn, { readonly role: 'user' | 'system' }>): void {
    const last = this.#turns.at(-1);
    if (last?.role === 'user' && turn.role === 'user') append(last.parts, turn.parts);
    else if (last?.role === 'system' && turn.role === 'system') append(last.parts, turn.parts);
    else this.#turns.push(turn);
  }

  #addAssistant(message: ChatMessage, at: string): void {
    const read = readAssistantMessage(message, at);
    // In a message with calls, the last call gets the mark.
    const mark = read.calls.length > 0 ? undefined : readCacheMark(message);
    const { marked: parts, isLost } = withMarks(read.parts, mark);
    this.#lostMarks ||= isLost;
    const one: AssistantMessage = { ...read, parts };
    this.#open = new OpenCalls(one.calls);
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant') {
      append(last.parts, one.parts);
      append(last.images, one.images);
      append(last.calls, one.calls);
      append(last.thinking, one.thinking);
      append(last.blocks, one.blocks);
      last.signature = one.signature ?? last.signature;
      last.messages.push(one);
      return;
    }
    this.#turns.push({
      role: 'assistant',
      parts: [...one.parts],
      images: [...one.images],
      calls: [...one.calls],
      thinking: [...one.thinking],
      blocks: [...one.blocks],
      signature: one.signature,
      messages: [one],
    });
  }

  #callOf(message: ChatMessage, at: string): ToolCall {
    if (typeof message.tool_call_id !== 'string') {
      throw invalid(`${at}.tool_call_id`, `${at}.tool_call_id must be a string`);
    }
    const call = this.#open.takeById(splitId(message.tool_call_id).id);
    if (call !== undefined) return call;
    throw invalid(`${at}.tool_call_id`, `${at}.tool_call_id matches no tool call of the assistant message before it`);
  }

  #legacyCallOf(message: ChatMessage, at: string): ToolCall {
    const call = this.#open.takeByName(message.name);
    if (call !== undefined) return call;
    throw invalid(`${at}.name`, `${at}.name matches no function call of the assistant message before it`);
  }

  /** Vendors want one result for every call, all results together, in the order of the calls. */
  #closeCalls(at: string): void {
    const results = this.#open.results((call) =>
      invalid(at, `the tool call ${JSON.stringify(call.id)} has no tool message with its result`),
    );
    if (results.length > 0) this.#turns.push({ role: 'tool', results });
    this.#open = new OpenCalls([]);
    if (this.#waiting.length === 0) return;
    this.#addTurn({ role: 'system', parts: this.#waiting });
    this.#waiting = [];
  }
}

/** The calls of an assistant message, with the results received so far. */
class OpenCalls {
  readonly #calls: readonly ToolCall[];
  readonly #results = new Map<ToolCall, ToolResult>();
  /** Calls without a result. Each list is reversed, so that `pop` returns its first call. */
  readonly #byId: ReadonlyMap<unknown, ToolCall[]>;
  readonly #byName: ReadonlyMap<unknown, ToolCall[]>;

  constructor(calls: readonly ToolCall[]) {
    this.#calls = calls;
    const waiting = calls.toReversed();
    this.#byId = Map.groupBy(waiting, ({ id }) => id);
    this.#byName = Map.groupBy(waiting, ({ name }) => name);
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  takeById(id: unknown): ToolCall | undefined {
    return this.#take(this.#byId.get(id));
  }

  takeByName(name: unknown): ToolCall | undefined {
    return this.#take(this.#byName.get(name));
  }

  settle(call: ToolCall, result: Omit<ToolResult, 'call'>): void {
    this.#results.set(call, { call, ...result });
  }

  /** Results in the order of the calls. @throws the error that `missing` creates for a call without a result */
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

/** `push` for a list of any length: spread arguments have a limit. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one);
}

function textParts(message: ChatMessage, at: string): TextPart[] {
  return readParts(message.content, `${at}.content`).map((part, i) => {
    if (part.kind === 'text') return part;
    throw invalid(`${at}.content[${i}]`, `${at}.content of role ${message.role} may contain text only`);
  });
}

function readResult(message: ChatMessage, at: string): Omit<ToolResult, 'call'> {
  const parts = readParts(message.content, `${at}.content`);
  return { parts, cache: readCacheMark(message) ?? parts.map(markOf).findLast((mark) => mark !== undefined) };
}

function readAssistantMessage(message: ChatMessage, at: string): AssistantMessage {
  const parts: TextPart[] = [];
  const images: MadeImage[] = [];
  for (const [i, part] of readParts(message.content, `${at}.content`).entries()) {
    if (part.kind === 'text') parts.push(part);
    else if (part.kind === 'image') images.push({ image: part, signature: undefined });
    else {
      const where = `${at}.content[${i}]`;
      throw invalid(where, `${at}.content of role assistant may contain text and images only`);
    }
  }
  if (typeof message.refusal === 'string' && message.refusal !== '') {
    parts.push({ kind: 'text', text: message.refusal, cache: undefined });
  }
  append(
    images,
    objectsOf(message.images).flatMap((one, i) => readMade(one, `${at}.images[${i}]`)),
  );
  return {
    parts,
    images,
    calls: readCalls(message, at),
    thinking: objectsOf(message.thinking_blocks),
    blocks: objectsOf(message.content_blocks),
    signature: googleSignature(message),
  };
}

/** Reads an image as the gateway wrote it into `images` of a response. */
function readMade(made: JsonObject, at: string): MadeImage[] {
  const image = readImage(made.image_url, at, undefined);
  if (image.kind !== 'image') return [];
  return [{ image, signature: textOf(made.thought_signature) }];
}

/** The signature where the search company's own API in the callers' format puts it, in a message or a call. */
function googleSignature({ extra_content }: JsonObject): string | undefined {
  const google = isObject(extra_content) ? extra_content.google : undefined;
  return isObject(google) ? textOf(google.thought_signature) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readCalls(message: ChatMessage, at: string): ToolCall[] {
  const mark = readCacheMark(message);
  if (isObject(message.function_call)) {
    return [{ ...readCall(legacyId, message.function_call, `${at}.function_call`), cache: mark }];
  }
  const calls = message.tool_calls;
  if (calls === undefined) return [];
  if (!Array.isArray(calls)) throw invalid(`${at}.tool_calls`, `${at}.tool_calls must be an array`);
  return calls.map((call: unknown, index) => {
    const where = `${at}.tool_calls[${index}]`;
    if (!isObject(call) || typeof call.id !== 'string') throw invalid(where, `${where} must have an id`);
    if (call.type === 'custom') throw unsupported(where, 'custom tools are not supported by this provider');
    // The mark of the message applies to its last call.
    const cache = readCacheMark(call) ?? (index === calls.length - 1 ? mark : undefined);
    const read = readCall(call.id, call.function, `${where}.function`);
    return { ...read, ownSignature: googleSignature(call), cache };
  });
}

/** The deprecated form has no ids, so all its calls get this one. */
const legacyId = 'call_function';

function readCall(signedId: string, called: unknown, at: string): ToolCall {
  if (!isObject(called) || typeof called.name !== 'string') throw invalid(at, `${at} must have a name`);
  const { id, signature } = splitId(signedId);
  const args = readArguments(called.arguments);
  return { id, name: called.name, arguments: args, signature, ownSignature: undefined, cache: undefined };
}

/** A model wrote these arguments. They may be empty or no object, which is no reason to refuse the whole history. */
function readArguments(value: unknown): JsonText {
  // Some clients send the object instead of its JSON text.
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return JsonText.ofObject(text) ?? JsonText.emptyObject;
}
