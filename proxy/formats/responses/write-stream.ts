// Writes a stream for clients of the Responses API (SDK type `ResponseStreamEvent` of the package openai): one output
// item after another, then the whole response.
import { type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Finish, ResponseIdentity, ThinkingBlock } from '../../conversation/response.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import type { Usage } from '../../conversation/usage.ts';
import { wrappedValue } from '../../models/claude/wrapped-thinking.ts';
import type { ClientRequest } from '../client-format.ts';
import type { StreamWriter } from '../format.ts';
import { OrderedCalls, type StreamedCall } from '../ordered-calls.ts';
import { calledTool, type ToolNames, toolNames } from './offered-tools.ts';
import {
  callItem,
  endOf,
  itemId,
  itemStatus,
  messageItem,
  namedCall,
  type ResponseState,
  reasoningItem,
  responseObject,
  summaryPart,
  textPart,
  usageFields,
} from './write-response.ts';

type TextKind = 'text' | 'refusal' | 'reasoning';

/** A message or the reasoning. */
interface OpenText {
  readonly kind: TextKind;
  /** The parts of the same message that are complete: a text before a refusal. */
  readonly before: readonly JsonObject[];
  /** So far. */
  text: string;
  readonly logprobs: JsonObject[];
  /** What only the vendor can read. */
  encrypted?: string;
}

type OpenItem = OpenText | { readonly kind: 'call'; readonly call: StreamedCall };

export class ResponsesWriter implements StreamWriter {
  readonly #request: JsonObject;
  readonly #names: ToolNames;
  #written = '';
  #sequence = 0;
  #identity: ResponseIdentity | undefined;
  #open: OpenItem | undefined;
  /** The items that are complete. */
  readonly #output: JsonObject[] = [];
  readonly #calls = new OrderedCalls();
  #finish: Finish = { reason: 'stop', native: undefined };
  textTokens = 0;

  constructor({ body }: ClientRequest) {
    this.#request = body;
    this.#names = toolNames(body);
  }

  get started(): boolean {
    return this.#identity !== undefined;
  }

  get calls(): number {
    return this.#calls.count;
  }

  take(): Buffer {
    const bytes = Buffer.from(this.#written);
    this.#written = '';
    return bytes;
  }

  start(identity: ResponseIdentity): void {
    this.#identity = identity;
    const state: ResponseState = {
      ...{ status: 'in_progress', incomplete_details: null, error: null },
      ...{ output: [], usage: null },
    };
    this.#event('response.created', { response: this.#response(state) });
    this.#event('response.in_progress', { response: this.#response(state) });
  }

  content(text: string): void {
    this.#text('text', text);
  }

  reasoning(text: string): void {
    this.#text('reasoning', text);
  }

  /** Redacted thinking, and thinking that was omitted, have no text. */
  thought(block: ThinkingBlock): void {
    const encrypted = wrappedValue(block);
    if (encrypted === undefined) return;
    if (block.type === 'thinking' && this.#open?.kind === 'reasoning') {
      this.#open.encrypted = encrypted;
      this.#close();
      return;
    }
    this.#close();
    this.#added(reasoningItem(this.#id, ''));
    this.#done(reasoningItem(this.#id, '', encrypted));
  }

  call(id: string, name: string, args = ''): number {
    this.textTokens += textTokensMax(name);
    const open = this.#open?.kind === 'call' ? this.#open.call : undefined;
    const { index, call, waits } = this.#calls.begin({ id, name }, open);
    if (!waits) this.#openCall(call);
    this.callArguments(index, args);
    return index;
  }

  callArguments(index: number, args: string): void {
    const call = this.#calls.add(index, args);
    if (call === undefined) return;
    this.textTokens += textTokensMax(args);
    if (this.#open?.kind === 'call' && this.#open.call === call) this.#arguments(call, args);
  }

  /** The format has none of the other fields. */
  extra({ refusal }: JsonObject): void {
    if (typeof refusal === 'string') this.#text('refusal', refusal);
  }

  /** They come after their text, so they are in the events of the whole text. */
  logprobs({ content }: JsonObject): void {
    if (this.#open?.kind === 'text') this.#open.logprobs.push(...objectsOf(content));
  }

  finish(finish: Finish): void {
    this.#finish = finish;
    const waiting = this.#calls.takeWaiting();
    const last = itemStatus(endOf(finish).status);
    this.#close(waiting.length === 0 ? last : 'completed');
    for (const [index, call] of waiting.entries()) {
      this.#openCall(call);
      if (call.arguments !== '') this.#arguments(call, call.arguments);
      this.#close(index === waiting.length - 1 ? last : 'completed');
    }
  }

  end(usage: Usage): void {
    const end = endOf(this.#finish);
    const state = { ...end, output: this.#output, usage: usageFields(usage) };
    this.#event(`response.${end.status}`, { response: this.#response(state) });
  }

  #response(state: ResponseState): JsonObject {
    return responseObject(this.#request, this.#identity ?? { id: '', created: 0, model: '' }, state);
  }

  #text(kind: TextKind, text: string): void {
    if (text === '') return;
    this.textTokens += textTokensMax(text);
    const open = this.#textOf(kind);
    open.text += text;
    this.#item(`${eventsOf[kind].text}.delta`, {
      ...this.#part(open, {}),
      delta: text,
      ...(kind === 'text' && { logprobs: [] }),
    });
  }

  #textOf(kind: TextKind): OpenText {
    const last = this.#open;
    if (last?.kind === kind) return last;
    const before = this.#partsBefore(kind);
    if (before === undefined) this.#close();
    const open: OpenText = { kind, before: before ?? [], text: '', logprobs: [] };
    this.#open = open;
    if (before === undefined) {
      this.#added(kind === 'reasoning' ? reasoningItem(this.#id, '') : messageItem(this.#id, 'in_progress', []));
    }
    this.#item(`${eventsOf[kind].part}.added`, this.#part(open, { part: partOf(open) }));
    return open;
  }

  /** Ends the open part of a message that the text belongs to. Undefined if it begins an item of its own. */
  #partsBefore(kind: TextKind): readonly JsonObject[] | undefined {
    const last = this.#open;
    if (last === undefined || last.kind === 'call' || last.kind === 'reasoning' || kind === 'reasoning')
      return undefined;
    return [...last.before, this.#closePart(last)];
  }

  #part({ kind, before }: OpenText, fields: JsonObject): JsonObject {
    const { prefix, index } = eventsOf[kind];
    return { item_id: this.#id(prefix), [index]: before.length, ...fields };
  }

  #openCall(call: StreamedCall): void {
    this.#close();
    this.#open = { kind: 'call', call };
    const named = { ...namedCall(this.#names, call), input: '' };
    this.#added(callItem(this.#id, 'in_progress', named));
  }

  /** The text of a custom tool is inside JSON, so it is written once that is complete. */
  #arguments(call: StreamedCall, delta: string): void {
    if (calledTool(this.#names, call.name).isCustom) return;
    this.#item('function_call_arguments.delta', { item_id: this.#id('fc'), delta });
  }

  #close(status = 'completed'): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#done(open.kind === 'call' ? this.#closeCall(open.call, status) : this.#closeText(open, status));
  }

  #done(item: JsonObject): void {
    this.#item('output_item.done', { item });
    this.#output.push(item);
  }

  #closeText(open: OpenText, status: string): JsonObject {
    const { kind, text, before, encrypted } = open;
    const part = this.#closePart(open);
    return kind === 'reasoning'
      ? reasoningItem(this.#id, text, encrypted)
      : messageItem(this.#id, status, [...before, part]);
  }

  #closePart(open: OpenText): JsonObject {
    const { kind, text, logprobs } = open;
    const part = partOf(open);
    const field = kind === 'refusal' ? { refusal: text } : { text };
    const { text: name, part: partName } = eventsOf[kind];
    this.#item(`${name}.done`, { ...this.#part(open, field), ...(kind === 'text' && { logprobs }) });
    this.#item(`${partName}.done`, this.#part(open, { part }));
    return part;
  }

  #closeCall(call: StreamedCall, status: string): JsonObject {
    const named = namedCall(this.#names, call);
    const { isCustom, input, name } = named;
    if (isCustom) {
      const item = { item_id: this.#id('ctc') };
      if (input !== '') this.#item('custom_tool_call_input.delta', { ...item, delta: input });
      this.#item('custom_tool_call_input.done', { ...item, input });
    } else {
      const item = { item_id: this.#id('fc') };
      // A call without arguments has none of its pieces yet.
      if (call.arguments === '') this.#item('function_call_arguments.delta', { ...item, delta: input });
      this.#item('function_call_arguments.done', { ...item, name, arguments: input });
    }
    return callItem(this.#id, status, named);
  }

  /** The id of the open item. */
  readonly #id = (prefix: string): string => itemId(prefix, this.#identity?.id ?? '', this.#output.length);

  #added(item: JsonObject): void {
    this.#item('output_item.added', { item });
  }

  /** An event of the open item. */
  #item(name: string, fields: JsonObject): void {
    this.#event(`response.${name}`, { output_index: this.#output.length, ...fields });
  }

  #event(type: string, fields: JsonObject): void {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields });
    this.#written += `event: ${type}\ndata: ${data}\n\n`;
  }
}

/** Names of the events of a text and of the part around it, without `response.`, and where the part is. */
const eventsOf = {
  text: { text: 'output_text', part: 'content_part', prefix: 'msg', index: 'content_index' },
  refusal: { text: 'refusal', part: 'content_part', prefix: 'msg', index: 'content_index' },
  reasoning: {
    ...{ text: 'reasoning_summary_text', part: 'reasoning_summary_part' },
    ...{ prefix: 'rs', index: 'summary_index' },
  },
} as const;

function partOf({ kind, text, logprobs }: OpenText): JsonObject {
  return kind === 'reasoning' ? summaryPart(text) : textPart(kind, text, logprobs);
}
