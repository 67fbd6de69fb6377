// Reads the content blocks of one response (SDK types `ContentBlock`, `ContentBlockDelta`) and reports them to a sink.
// A whole response is read as the stream that it would have been.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { type CitedSpan, documentCitation, urlCitation } from '../../conversation/annotations.ts';
import { type OutputMode, ResponseText } from '../../conversation/output-mode.ts';
import type { Finish, FinishReason, ResponseSink, ThinkingBlock } from '../../conversation/response.ts';
import { imageExtra } from '../../conversation/response.ts';
import { callIdentity, OpenCall } from '../open-call.ts';
import { protocolError } from '../protocol-error.ts';

type OpenBlock =
  | { readonly kind: 'thought'; thought: string }
  | OpenCall
  /** Pieces of the image, each in base64. */
  | { readonly kind: 'image'; readonly format: string; readonly pieces: string[] }
  /** Text that may have sources. */
  | { readonly kind: 'text'; readonly from: number; readonly citations: JsonObject[] }
  /** A call whose result the service has made. */
  | { readonly kind: 'other' };

export class MessageReader {
  readonly #sink: ResponseSink;
  readonly #text: ResponseText;
  /** Open blocks by index in the response. Text blocks have no start event. */
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #thinking: ThinkingBlock[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #images: JsonObject[] = [];
  #length = 0;
  #calls = 0;

  constructor(sink: ResponseSink, form: OutputMode) {
    this.#sink = sink;
    this.#text = new ResponseText(form);
  }

  /** Reads a whole block. @throws GatewayError upstream_protocol_error */
  block(index: number, { text, citationsContent, reasoningContent, toolUse, image }: JsonObject): void {
    if (text !== undefined) this.delta(index, { text });
    if (isObject(citationsContent)) {
      this.delta(index, { text: textOf(citationsContent.content) });
      for (const citation of objectsOf(citationsContent.citations)) this.delta(index, { citation });
    }
    if (isObject(image)) {
      this.begin(index, { image });
      this.delta(index, { image });
    }
    if (isObject(reasoningContent)) this.#thoughtBlock(index, reasoningContent);
    if (isObject(toolUse)) {
      this.begin(index, { toolUse });
      const { input } = toolUse;
      this.delta(index, { toolUse: { input: isObject(input) ? JSON.stringify(input) : '' } });
    }
    this.end(index);
  }

  /** Only calls and images have a start event. @throws GatewayError upstream_protocol_error */
  begin(index: unknown, start: unknown): void {
    const { toolUse, image } = isObject(start) ? start : {};
    if (isObject(toolUse)) this.#open.set(index, this.#called(toolUse));
    if (isObject(image)) this.#open.set(index, { kind: 'image', format: asText(image.format), pieces: [] });
  }

  /** @throws GatewayError upstream_protocol_error */
  delta(index: unknown, delta: unknown): void {
    if (!isObject(delta)) throw protocolError('a delta of the response is no object');
    const { text, toolUse, reasoningContent, citation, image } = delta;
    if (text !== undefined) this.#addText(index, asText(text));
    if (isObject(citation)) this.#textBlock(index).citations.push(citation);
    if (isObject(image)) this.#addImage(this.#open.get(index), image);
    if (isObject(toolUse)) this.#input(this.#open.get(index), asText(toolUse.input));
    if (isObject(reasoningContent)) this.#think(index, reasoningContent);
  }

  end(index: unknown): void {
    const block = this.#open.get(index);
    this.#open.delete(index);
    switch (block?.kind) {
      case 'call':
        block.end();
        return;
      case 'image': {
        const data = Buffer.concat(block.pieces.map((piece) => Buffer.from(piece, 'base64')));
        this.#images.push(imageExtra(`data:image/${block.format};base64,${data.toString('base64')}`));
        return;
      }
      case 'text':
        this.#cite(block);
        return;
      default:
        return;
    }
  }

  /** Ends all blocks, then writes fields of the whole message, once, because clients keep only the latest value. */
  finish(stopReason: unknown): Finish {
    for (const index of this.#open.keys()) this.end(index);
    this.#write(this.#text.end());
    if (this.#annotations.length > 0) this.#sink.extra({ annotations: this.#annotations });
    if (this.#images.length > 0) this.#sink.extra({ images: this.#images });
    if (this.#thinking.length > 0) this.#sink.extra({ thinking_blocks: this.#thinking });
    const native = typeof stopReason === 'string' ? stopReason : undefined;
    const reason = finishReasons.get(stopReason) ?? 'stop';
    if (reason !== 'stop' && reason !== 'tool_calls') return { reason, native };
    return { reason: this.#calls > 0 ? 'tool_calls' : 'stop', native };
  }

  #addText(index: unknown, text: string): void {
    this.#textBlock(index);
    this.#write(this.#text.push(text));
  }

  #write(content: string): void {
    this.#length += content.length;
    this.#sink.content(content);
  }

  #textBlock(index: unknown): Extract<OpenBlock, { kind: 'text' }> {
    const open = this.#open.get(index);
    if (open?.kind === 'text') return open;
    const block = { kind: 'text' as const, from: this.#length, citations: [] };
    this.#open.set(index, block);
    return block;
  }

  #addImage(block: OpenBlock | undefined, { source }: JsonObject): void {
    const bytes = isObject(source) ? source.bytes : undefined;
    if (block?.kind === 'image' && typeof bytes === 'string') block.pieces.push(bytes);
  }

  #cite({ from, citations }: Extract<OpenBlock, { kind: 'text' }>): void {
    for (const citation of citations) {
      const annotation = annotationOf(citation, { start_index: from, end_index: this.#length });
      if (annotation !== undefined) this.#annotations.push(annotation);
    }
  }

  #called({ toolUseId, name, type }: JsonObject): OpenBlock {
    const identity = callIdentity(toolUseId, name);
    if (type === 'server_tool_use') return { kind: 'other' };
    const call = new OpenCall(identity, {
      sink: this.#sink,
      text: this.#text,
      content: (content) => this.#write(content),
    });
    if (call.isReported) this.#calls += 1;
    return call;
  }

  #input(block: OpenBlock | undefined, json: string): void {
    if (block === undefined) throw protocolError('the response gives input to a call that did not begin');
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
      this.#remember({ type: 'thinking', thinking: block.thought, signature });
    }
    if (typeof redactedContent === 'string' && redactedContent !== '') {
      this.#remember({ type: 'redacted_thinking', data: redactedContent });
    }
  }

  #remember(thought: ThinkingBlock): void {
    this.#thinking.push(thought);
    this.#sink.thought?.(thought);
  }
}

/** SDK type `StopReason`. */
const finishReasons: ReadonlyMap<unknown, FinishReason> = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['malformed_model_output', 'error'],
  ['malformed_tool_use', 'error'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
]);

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw protocolError('a field of the response is no text');
}

function textOf(blocks: unknown): string {
  return objectsOf(blocks)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

// Sources of a response's text (SDK types `Citation`, `CitationsDelta`, `CitationLocation`), as annotations of the
// message.
/** The vendor's kinds of document locations, and the suffix of their fields in annotations. */
const inDocuments = [
  ['documentChar', 'char_index'],
  ['documentPage', 'page_number'],
  ['documentChunk', 'block_index'],
] as const;

/** Undefined for a source of a kind that callers cannot locate. */
function annotationOf(citation: JsonObject, span: CitedSpan): JsonObject | undefined {
  const { title, source, location, sourceContent } = citation;
  const known = isObject(location) ? location : {};
  const { web, searchResultLocation } = known;
  if (isObject(web) && typeof web.url === 'string') return urlCitation(span, web.url, title ?? web.domain);
  if (isObject(searchResultLocation) && typeof source === 'string') return urlCitation(span, source, title);
  const quoted: readonly unknown[] = Array.isArray(sourceContent) ? sourceContent : [];
  const quote = quoted.map((one) => (isObject(one) && typeof one.text === 'string' ? one.text : '')).join('');
  for (const [name, unit] of inDocuments) {
    const found = known[name];
    if (!isObject(found)) continue;
    const { documentIndex: index, start, end } = found;
    const ends = { [`start_${unit}`]: start, [`end_${unit}`]: end };
    return documentCitation(span, { index, title, quote: quote === '' ? undefined : quote, location: ends });
  }
  return undefined;
}
