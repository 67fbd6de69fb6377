// Writes a stream for clients of Converse (SDK type `ConverseStreamOutput`): frames, one content block after another,
// then the stop reason, then the usage. Only calls and images have a start event.
import { type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Finish, ThinkingBlock } from '../../conversation/response.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { StreamWriter } from '../format.ts';
import { OrderedCalls, type StreamedCall } from '../ordered-calls.ts';
import { imageOf, metricsOf, stopReason, usageFields } from './client-response.ts';
import { eventFrame } from './frames.ts';

type OpenBlock = { readonly kind: 'text' | 'thought' } | { readonly kind: 'call'; readonly call: StreamedCall };

export class ConverseWriter implements StreamWriter {
  readonly #elapsedMs: () => number;
  #written: Buffer[] = [];
  #isStarted = false;
  #open: OpenBlock | undefined;
  /** The number of blocks begun. */
  #blocks = 0;
  readonly #calls = new OrderedCalls();
  textTokens = 0;

  /** @param elapsedMs returns the milliseconds since the request arrived */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  get started(): boolean {
    return this.#isStarted;
  }

  get calls(): number {
    return this.#calls.count;
  }

  take(): Buffer {
    const frames = this.#written;
    this.#written = [];
    return Buffer.concat(frames);
  }

  start(): void {
    this.#isStarted = true;
    this.#event('messageStart', { role: 'assistant' });
  }

  content(text: string): void {
    this.#text('text', text);
  }

  reasoning(text: string): void {
    this.#text('thought', text);
  }

  thought(block: ThinkingBlock): void {
    if (block.type === 'redacted_thinking') {
      this.#begin({ kind: 'thought' });
      this.#delta({ reasoningContent: { redactedContent: block.data } });
    } else {
      // Thinking that was omitted has a signature only.
      if (this.#open?.kind !== 'thought') this.#begin({ kind: 'thought' });
      this.#delta({ reasoningContent: { signature: block.signature } });
    }
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
    if (this.#open?.kind === 'call' && this.#open.call === call) this.#delta({ toolUse: { input: args } });
  }

  /** A refusal is text here. The format has none of the other fields, or they came as thoughts before. */
  extra({ refusal, images }: JsonObject): void {
    if (typeof refusal === 'string') this.content(refusal);
    for (const { format, bytes } of objectsOf(images).flatMap(imageOf)) {
      this.#begin({ kind: 'text' }, { image: { format } });
      this.#delta({ image: { source: { bytes } } });
      this.#close();
    }
  }

  logprobs(): void {}

  finish(finish: Finish): void {
    this.#close();
    for (const call of this.#calls.takeWaiting()) {
      this.#openCall(call);
      if (call.arguments !== '') this.#delta({ toolUse: { input: call.arguments } });
      this.#close();
    }
    this.#event('messageStop', { stopReason: stopReason(finish) });
  }

  end(usage: Usage): void {
    this.#event('metadata', { usage: usageFields(usage), metrics: metricsOf(this.#elapsedMs()) });
  }

  #text(kind: 'text' | 'thought', text: string): void {
    if (text === '') return;
    this.textTokens += textTokensMax(text);
    if (this.#open?.kind !== kind) this.#begin({ kind });
    this.#delta(kind === 'text' ? { text } : { reasoningContent: { text } });
  }

  #openCall(call: StreamedCall): void {
    this.#begin({ kind: 'call', call }, { toolUse: { toolUseId: call.id, name: call.name } });
  }

  /** @param start SDK type `ContentBlockStart` */
  #begin(block: OpenBlock, start?: JsonObject): void {
    this.#close();
    this.#open = block;
    const contentBlockIndex = this.#blocks++;
    if (start !== undefined) this.#event('contentBlockStart', { contentBlockIndex, start });
  }

  #delta(delta: JsonObject): void {
    this.#event('contentBlockDelta', { contentBlockIndex: this.#blocks - 1, delta });
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    this.#event('contentBlockStop', { contentBlockIndex: this.#blocks - 1 });
  }

  #event(type: string, payload: JsonObject): void {
    this.#written.push(eventFrame(type, JSON.stringify(payload)));
  }
}
