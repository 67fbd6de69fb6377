// A response in the terms that all formats share: readers fill it in, and writers write it. The parts of a message go
// to a ResponseSink, whole or in pieces, so that both ways of reading have the same result.
import type { JsonObject } from '../../common/json.ts';
import type { Usage } from './usage.ts';

/**
 * `error`: the response failed, although its status was a success. The GPT vendor has no such word; OpenRouter uses it
 * too.
 */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error';

/** Why a response ended. */
export interface Finish {
  readonly reason: FinishReason;
  /** The vendor's word for the reason, if it sent one. */
  readonly native: string | undefined;
  /** The stop text of the request at which the model stopped, if the vendor reports it. */
  readonly stopSequence?: string | undefined;
  /** The vendor's message about the reason. */
  readonly message?: string | undefined;
}

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** The fields that every event of a stream may repeat. */
export interface ResponseIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The model that responded. */
  readonly model: string;
}

export interface ResponseMessage extends ResponseIdentity {
  readonly choices: readonly ResponseChoice[];
  readonly usage: Usage;
  /** Fields of `usage` beyond the common ones. */
  readonly usageExtras?: JsonObject;
  /** Further fields at the top. */
  readonly extras?: JsonObject;
}

export interface ResponseChoice {
  readonly finish: Finish;
  /** Undefined if there is none. */
  readonly content: string | undefined;
  readonly reasoning?: string | undefined;
  readonly refusal?: string | undefined;
  readonly calls: readonly CalledTool[];
  readonly logprobs?: JsonObject;
  /** Further fields of the message: `annotations`, `thinking_blocks`… */
  readonly extras?: JsonObject;
}

/** A block of thinking as a Claude model signed it. */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

export interface ResponseSink {
  content(text: string): void;
  reasoning(text: string): void;
  /** Begins a call; its arguments may follow in pieces. @returns its index for `callArguments` */
  call(id: string, name: string, args?: string): number;
  callArguments(index: number, args: string): void;
  /** Further fields of the message. */
  extra(fields: JsonObject): void;
  /** A block of thinking has ended; its text came before. Absent where only the whole message has them, as a field. */
  thought?(block: ThinkingBlock): void;
}

export class ResponseParts implements ResponseSink {
  #content = '';
  #reasoning = '';
  readonly #calls: CalledTool[] = [];
  readonly #extras: JsonObject = {};

  /** The parts so far, as fields of a choice. */
  build(): Omit<ResponseChoice, 'finish'> {
    return {
      content: this.#content === '' ? undefined : this.#content,
      reasoning: this.#reasoning,
      calls: this.#calls,
      extras: this.#extras,
    };
  }

  content(text: string): void {
    this.#content += text;
  }

  reasoning(text: string): void {
    this.#reasoning += text;
  }

  call(id: string, name: string, args = ''): number {
    return this.#calls.push({ id, name, arguments: args }) - 1;
  }

  callArguments(index: number, args: string): void {
    const called = this.#calls[index];
    if (called !== undefined) this.#calls[index] = { ...called, arguments: called.arguments + args };
  }

  extra(fields: JsonObject): void {
    Object.assign(this.#extras, fields);
  }
}

/**
 * An image that a model made, as an entry of `images` of a message, a de-facto extension.
 * @param signature the vendor requires it back with the image
 */
export function imageExtra(url: string, signature?: string): JsonObject {
  const image = { type: 'image_url', image_url: { url } };
  return signature === undefined ? image : { ...image, thought_signature: signature };
}
