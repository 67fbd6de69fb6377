// Reads the content blocks of one answer (SDK types `ContentBlock`, `ContentBlockDelta`) and tells them in the common shape.
// A complete answer is read as the stream it would have been.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { AnswerSink } from '../../chat/answer-parts.ts';
import type { FinishReason } from '../../chat/completion.ts';
import { type AnswerForm, AnswerText } from '../answer-form.ts';
import type { ThinkingBlock } from '../claude/thinking-blocks.ts';
import { callIdentity, OpenCall } from '../open-call.ts';
import { protocolError } from '../protocol-error.ts';

type OpenBlock =
  | { readonly kind: 'thought'; thought: string }
  | OpenCall
  /** A call that the service has answered itself. */
  | { readonly kind: 'other' };

export class MessageReader {
  readonly #sink: AnswerSink;
  readonly #text: AnswerText;
  /** By index in the answer; words need no beginning, and none is kept of them. */
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #thinking: ThinkingBlock[] = [];
  #calls = 0;

  constructor(sink: AnswerSink, form: AnswerForm) {
    this.#sink = sink;
    this.#text = new AnswerText(form);
  }

  /** A whole block. @throws GatewayError upstream_protocol_error */
  block(index: number, { text, citationsContent, reasoningContent, toolUse }: JsonObject): void {
    if (text !== undefined) this.delta(index, { text });
    if (isObject(citationsContent)) this.delta(index, { text: textOf(citationsContent.content) });
    if (isObject(reasoningContent)) this.#thoughtBlock(index, reasoningContent);
    if (isObject(toolUse)) {
      this.begin(index, { toolUse });
      const { input } = toolUse;
      this.delta(index, { toolUse: { input: isObject(input) ? JSON.stringify(input) : '' } });
    }
    this.end(index);
  }

  /** Only a call has a beginning of its own. @throws GatewayError upstream_protocol_error */
  begin(index: unknown, start: unknown): void {
    const toolUse = isObject(start) ? start.toolUse : undefined;
    if (isObject(toolUse)) this.#open.set(index, this.#called(toolUse));
  }

  /** @throws GatewayError upstream_protocol_error */
  delta(index: unknown, delta: unknown): void {
    if (!isObject(delta)) throw protocolError('a delta of the answer is no object');
    const { text, toolUse, reasoningContent } = delta;
    if (text !== undefined) this.#sink.content(this.#text.said(asText(text)));
    if (isObject(toolUse)) this.#input(this.#open.get(index), asText(toolUse.input));
    if (isObject(reasoningContent)) this.#think(index, reasoningContent);
  }

  end(index: unknown): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (block?.kind === 'call') block.end();
  }

  /** All blocks are told; what belongs to the message as a whole follows, once: clients keep the latest of it. */
  finish(stopReason: unknown): FinishReason {
    for (const index of this.#open.keys()) this.end(index);
    this.#sink.content(this.#text.end());
    if (this.#thinking.length > 0) this.#sink.extra({ thinking_blocks: this.#thinking });
    const reason = finishReasons.get(stopReason) ?? 'stop';
    if (reason !== 'stop' && reason !== 'tool_calls') return reason;
    return this.#calls > 0 ? 'tool_calls' : 'stop';
  }

  #called({ toolUseId, name, type }: JsonObject): OpenBlock {
    const identity = callIdentity(toolUseId, name);
    if (type === 'server_tool_use') return { kind: 'other' };
    const call = new OpenCall(identity, {
      sink: this.#sink,
      text: this.#text,
      content: (content) => this.#sink.content(content),
    });
    if (call.isTold) this.#calls += 1;
    return call;
  }

  #input(block: OpenBlock | undefined, json: string): void {
    if (block === undefined) throw protocolError('the answer gives input to a call that did not begin');
    if (block.kind === 'call') block.input(json);
  }

  #thoughtBlock(index: number, { reasoningText, redactedContent }: JsonObject): void {
    if (isObject(reasoningText)) {
      const { text, signature } = reasoningText;
      this.delta(index, { reasoningContent: { text, signature } });
    }
    if (redactedContent !== undefined) this.delta(index, { reasoningContent: { redactedContent } });
  }

  #think(index: unknown, { text, signature, redactedContent }: JsonObject): void {
    const open = this.#open.get(index);
    const block = open?.kind === 'thought' ? open : { kind: 'thought' as const, thought: '' };
    this.#open.set(index, block);
    if (text !== undefined) {
      block.thought += asText(text);
      this.#sink.reasoning(asText(text));
    }
    if (typeof signature === 'string' && signature !== '') {
      this.#thinking.push({ type: 'thinking', thinking: block.thought, signature });
    }
    if (typeof redactedContent === 'string' && redactedContent !== '') {
      this.#thinking.push({ type: 'redacted_thinking', data: redactedContent });
    }
  }
}

/** SDK type `StopReason`. */
const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['malformed_model_output', 'stop'],
  ['malformed_tool_use', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
]);

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw protocolError('a field of the answer is no text');
}

function textOf(blocks: unknown): string {
  const list: readonly unknown[] = Array.isArray(blocks) ? blocks : [];
  return list.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : '')).join('');
}
