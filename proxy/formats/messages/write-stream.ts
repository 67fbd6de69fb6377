// Writes a stream for clients of the Messages API (SDK type `RawMessageStreamEvent` of @anthropic-ai/sdk): one content
// block after another, then the stop reason with the usage.
import type { JsonObject } from '../../../common/json.ts';
import type { Finish, ResponseIdentity, ThinkingBlock } from '../../conversation/response.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import { noUsage, type Usage } from '../../conversation/usage.ts';
import type { StreamWriter } from '../format.ts';
import { OrderedCalls, type StreamedCall } from '../ordered-calls.ts';
import { messageId, stopFields, usageFields } from './write-response.ts';

type OpenBlock = { readonly kind: 'text' | 'thinking' } | { readonly kind: 'call'; readonly call: StreamedCall };

export class MessagesWriter implements StreamWriter {
  #written = '';
  #isStarted = false;
  #open: OpenBlock | undefined;
  /** The number of blocks begun. */
  #blocks = 0;
  readonly #calls = new OrderedCalls();
  #finish: Finish | undefined;
  textTokens = 0;

  get started(): boolean {
    return this.#isStarted;
  }

  get calls(): number {
    return this.#calls.count;
  }

  take(): Buffer {
    const bytes = Buffer.from(this.#written);
    this.#written = '';
    return bytes;
  }

  start({ id, model }: ResponseIdentity): void {
    this.#isStarted = true;
    const message = {
      ...{ id: messageId(id), type: 'message', role: 'assistant', model, content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: usageFields(noUsage) },
    };
    this.#event('message_start', { message });
  }

  content(text: string): void {
    this.#text('text', text);
  }

  reasoning(text: string): void {
    this.#text('thinking', text);
  }

  thought(block: ThinkingBlock): void {
    if (block.type === 'redacted_thinking') {
      this.#close();
      this.#begin(block);
      this.#event('content_block_stop', { index: this.#blocks - 1 });
      return;
    }
    // Thinking that was omitted has a signature only.
    if (this.#open?.kind !== 'thinking') this.#openText('thinking');
    this.#delta({ type: 'signature_delta', signature: block.signature });
    this.#close();
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
    if (this.#open?.kind === 'call' && this.#open.call === call) this.#input(args);
  }

  /** A refusal is text here. The format has none of the other fields, or they came as thoughts before. */
  extra({ refusal }: JsonObject): void {
    if (typeof refusal === 'string') this.content(refusal);
  }

  logprobs(): void {}

  finish(finish: Finish): void {
    this.#finish = finish;
    this.#close();
    for (const call of this.#calls.takeWaiting()) {
      this.#openCall(call);
      this.#input(call.arguments);
      this.#close();
    }
  }

  end(usage: Usage): void {
    const finish = this.#finish ?? { reason: 'stop', native: undefined };
    this.#event('message_delta', { delta: stopFields(finish), usage: usageFields(usage) });
    this.#event('message_stop', {});
  }

  #text(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return;
    this.textTokens += textTokensMax(text);
    if (this.#open?.kind !== kind) this.#openText(kind);
    this.#delta(kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text });
  }

  #openText(kind: 'text' | 'thinking'): void {
    this.#close();
    this.#open = { kind };
    this.#begin(kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' });
  }

  #openCall(call: StreamedCall): void {
    this.#close();
    this.#open = { kind: 'call', call };
    this.#begin({ type: 'tool_use', id: call.id, name: call.name, input: {} });
  }

  #input(json: string): void {
    if (json !== '') this.#delta({ type: 'input_json_delta', partial_json: json });
  }

  #begin(block: object): void {
    this.#event('content_block_start', { index: this.#blocks++, content_block: block });
  }

  #delta(delta: JsonObject): void {
    this.#event('content_block_delta', { index: this.#blocks - 1, delta });
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    this.#event('content_block_stop', { index: this.#blocks - 1 });
  }

  #event(type: string, fields: object): void {
    this.#written += `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  }
}
