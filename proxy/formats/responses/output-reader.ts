// Reads the items of a response (SDK type `ResponseOutputItem` of the package openai), whole or in pieces, into the
// shape that all formats share. Items of tools that the vendor runs have no counterpart there.
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { Finish, ResponseSink } from '../../conversation/response.ts';
import { chatName } from './offered-tools.ts';

interface OpenCall {
  /** In the sink. */
  readonly index: number;
  hasArguments: boolean;
}

export class OutputReader {
  readonly #sink: ResponseSink;
  /** The open calls, by the index of their item. */
  readonly #open = new Map<unknown, OpenCall>();
  #calls = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
  }

  /** A whole item. */
  read(item: JsonObject, index: number): void {
    switch (item.type) {
      case 'message':
        for (const part of objectsOf(item.content)) this.#readPart(part);
        return;
      case 'reasoning':
        this.#sink.reasoning(reasoningText(item));
        return;
      case 'function_call':
      case 'custom_tool_call':
        this.begin(item, index);
        if (item.type === 'function_call') this.#arguments(index, item.arguments);
        this.end(item, index);
        return;
    }
  }

  /** An item has begun; its text follows in pieces. */
  begin({ type, call_id: id, name, namespace }: JsonObject, index: unknown): void {
    if (type !== 'function_call' && type !== 'custom_tool_call') return;
    this.#calls++;
    const call = this.#sink.call(textOf(id), chatName(textOf(name), namespace));
    this.#open.set(index, { index: call, hasArguments: false });
  }

  /** The item is whole. The input of a custom tool becomes JSON, so it is read here, not in pieces. */
  end({ type, input }: JsonObject, index: unknown): void {
    if (type === 'custom_tool_call') this.#arguments(index, writeJson({ input: textOf(input) }));
    // Without arguments, nothing would show that the call is complete.
    else if (this.#open.get(index)?.hasArguments === false) this.#arguments(index, '{}');
    this.#open.delete(index);
  }

  /** A piece of an open item. @param event its type without `response.` */
  delta(event: string, { delta, output_index: index }: JsonObject): void {
    const text = textOf(delta);
    switch (event) {
      case 'output_text.delta':
        this.#sink.content(text);
        return;
      case 'refusal.delta':
        this.#sink.extra({ refusal: text });
        return;
      case 'reasoning_summary_text.delta':
      case 'reasoning_text.delta':
        this.#sink.reasoning(text);
        return;
      case 'function_call_arguments.delta':
        this.#arguments(index, text);
        return;
    }
  }

  /** Parts of a summary are paragraphs. */
  beginSummary({ summary_index: index }: JsonObject): void {
    if (index !== 0) this.#sink.reasoning(paragraph);
  }

  /** @param response whole, as its last event contains it */
  finish({ status, incomplete_details: details }: JsonObject): Finish {
    if (status !== 'incomplete') {
      return { reason: this.#calls > 0 ? 'tool_calls' : 'stop', native: undefined };
    }
    const reason = isObject(details) ? details.reason : undefined;
    return { reason: reason === 'content_filter' ? 'content_filter' : 'length', native: textOf(reason) || undefined };
  }

  #readPart({ type, text, refusal }: JsonObject): void {
    if (type === 'output_text') this.#sink.content(textOf(text));
    else if (type === 'refusal') this.#sink.extra({ refusal: textOf(refusal) });
  }

  #arguments(index: unknown, args: unknown): void {
    const call = this.#open.get(index);
    const text = textOf(args);
    if (call === undefined || text === '') return;
    call.hasArguments = true;
    this.#sink.callArguments(call.index, text);
  }
}

const paragraph = '\n\n';

/** The summary, or the text of models that show it. */
function reasoningText({ summary, content }: JsonObject): string {
  const parts = objectsOf(summary).length > 0 ? objectsOf(summary) : objectsOf(content);
  return parts.map(({ text }) => textOf(text)).join(paragraph);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
