// Reads the content blocks of one response (SDK types `ContentBlock`, `RawContentBlockDelta` of @anthropic-ai/sdk) and
// reports them to a sink. A whole response is read as the stream that it would have been, so that both give the same
// result.
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { type CitedSpan, documentCitation, urlCitation } from '../../conversation/annotations.ts';
import { type OutputMode, ResponseText } from '../../conversation/output-mode.ts';
import type { Finish, FinishReason, ResponseSink, ThinkingBlock } from '../../conversation/response.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';
import { callIdentity, OpenCall } from '../open-call.ts';
import { protocolError } from '../protocol-error.ts';
import { BlockLog, isServerBlock } from './paused-turn.ts';

type OpenBlock =
  | { readonly kind: 'text'; readonly from: number; readonly citations: JsonObject[] }
  | { readonly kind: 'thinking'; thinking: string; signature: string }
  | OpenCall
  /** A block of a tool that the vendor runs. Callers get it only if the turn has paused. */
  | { readonly kind: 'server'; readonly block: JsonObject; input: string }
  /** A block that callers do not get. */
  | { readonly kind: 'other' };

export class MessageReader {
  readonly #sink: ResponseSink;
  readonly #text: ResponseText;
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #thought: ThinkingBlock[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #log = new BlockLog();
  #length = 0;
  #calls = 0;

  constructor(sink: ResponseSink, form: OutputMode) {
    this.#sink = sink;
    this.#text = new ResponseText(form);
  }

  /** @throws GatewayError upstream_protocol_error */
  begin(index: unknown, block: unknown): void {
    if (!isObject(block)) throw protocolError('a content block is no object');
    this.#open.set(index, this.#opened(block));
  }

  /** @throws GatewayError upstream_protocol_error */
  delta(index: unknown, delta: unknown): void {
    const block = this.#open.get(index);
    if (block === undefined || !isObject(delta)) throw protocolError('a delta belongs to no content block');
    switch (block.kind) {
      case 'text':
        if (delta.type === 'text_delta') this.#addText(text(delta.text));
        if (delta.type === 'citations_delta' && isObject(delta.citation)) block.citations.push(delta.citation);
        return;
      case 'thinking':
        if (delta.type === 'thinking_delta') this.#think(block, text(delta.thinking));
        if (delta.type === 'signature_delta') block.signature = text(delta.signature);
        return;
      case 'call':
        if (delta.type === 'input_json_delta') block.input(text(delta.partial_json));
        return;
      case 'server':
        if (delta.type === 'input_json_delta') block.input += text(delta.partial_json);
        return;
      case 'other':
        return;
    }
  }

  end(index: unknown): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    switch (block.kind) {
      case 'text':
        this.#cite(block.citations, { start_index: block.from, end_index: this.#length });
        this.#log.add({ type: 'text', start_index: block.from, end_index: this.#length });
        return;
      case 'thinking':
        this.#remember({ type: 'thinking', thinking: block.thinking, signature: block.signature });
        return;
      case 'call':
        block.end();
        if (block.isReported) this.#log.add({ type: 'tool_use', id: block.id });
        return;
      case 'server':
        this.#log.add(block.input === '' ? block.block : { ...block.block, input: parseExactJson(block.input) });
        return;
      case 'other':
        return;
    }
  }

  /** Ends all blocks, then writes fields of the whole message, once, because clients keep only the latest value. */
  finish({ stop_reason: stopReason, stop_details: details, stop_sequence: sequence }: JsonObject): Finish {
    for (const index of this.#open.keys()) this.end(index);
    this.#write(this.#text.end());
    if (this.#annotations.length > 0) this.#sink.extra({ annotations: this.#annotations });
    if (this.#thought.length > 0) this.#sink.extra({ thinking_blocks: this.#thought });
    if (stopReason === 'refusal') this.#sink.extra({ refusal: explanation(details) });
    const { blocks } = this.#log;
    if (stopReason === 'pause_turn' && blocks !== undefined) this.#sink.extra({ content_blocks: blocks });
    const known = finishReasons.get(stopReason) ?? 'stop';
    const reason = known === 'tool_calls' && this.#calls === 0 ? 'stop' : known;
    const stopSequence = typeof sequence === 'string' ? sequence : undefined;
    return { reason, native: typeof stopReason === 'string' ? stopReason : undefined, stopSequence };
  }

  #opened(block: JsonObject): OpenBlock {
    switch (block.type) {
      case 'text': {
        const opened: OpenBlock = { kind: 'text', from: this.#length, citations: objectsOf(block.citations) };
        this.#addText(text(block.text));
        return opened;
      }
      case 'thinking': {
        const opened: OpenBlock = { kind: 'thinking', thinking: '', signature: text(block.signature ?? '') };
        this.#think(opened, text(block.thinking));
        return opened;
      }
      case 'redacted_thinking':
        this.#remember(block);
        return { kind: 'other' };
      case 'tool_use':
        return this.#called(block);
      default:
        return isServerBlock(block) ? { kind: 'server', block, input: '' } : { kind: 'other' };
    }
  }

  #called({ id, name }: JsonObject): OpenCall {
    const call = new OpenCall(callIdentity(text(id), text(name)), {
      sink: this.#sink,
      text: this.#text,
      content: (content) => this.#write(content),
    });
    if (call.isReported) this.#calls += 1;
    return call;
  }

  #addText(piece: string): void {
    this.#write(this.#text.push(piece));
  }

  #write(content: string): void {
    if (content === '') return;
    this.#length += content.length;
    this.#sink.content(content);
  }

  #think(block: Extract<OpenBlock, { kind: 'thinking' }>, thought: string): void {
    if (thought === '') return;
    block.thinking += thought;
    this.#sink.reasoning(thought);
  }

  #remember(block: JsonObject): void {
    const thought = readThinkingBlock(block);
    if (thought === undefined) return;
    this.#thought.push(thought);
    this.#sink.thought?.(thought);
    this.#log.add(thought);
  }

  #cite(citations: readonly JsonObject[], span: CitedSpan): void {
    for (const citation of citations) {
      const annotation = annotationOf(citation, span);
      if (annotation !== undefined) this.#annotations.push(annotation);
    }
  }
}

const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  // The turn is not finished: the model continues it when the client sends the message back.
  ['pause_turn', 'length'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

function explanation(details: unknown): string {
  const reason = isObject(details) ? details.explanation : undefined;
  return typeof reason === 'string' && reason !== '' ? reason : 'The model refused to respond.';
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw protocolError('a field of a content block is no text');
}

// Sources of a response's text (SDK type `TextCitation` of @anthropic-ai/sdk), as annotations of the message.
/** Undefined for a source of a kind that callers cannot locate. */
function annotationOf(citation: JsonObject, span: CitedSpan): JsonObject | undefined {
  const { type, url, title, source } = citation;
  switch (type) {
    case 'web_search_result_location':
      return typeof url === 'string' ? urlCitation(span, url, title) : undefined;
    case 'search_result_location':
      return typeof source === 'string' ? urlCitation(span, source, title) : undefined;
    case 'char_location':
      return ofDocument(citation, span, ['start_char_index', 'end_char_index']);
    case 'page_location':
      return ofDocument(citation, span, ['start_page_number', 'end_page_number']);
    case 'content_block_location':
      return ofDocument(citation, span, ['start_block_index', 'end_block_index']);
    default:
      return undefined;
  }
}

function ofDocument(citation: JsonObject, span: CitedSpan, names: readonly string[]): JsonObject {
  const location = Object.fromEntries(names.map((name) => [name, citation[name]]));
  const { document_index: index, document_title: title, cited_text: quote } = citation;
  return documentCitation(span, { index, title, quote, location });
}
