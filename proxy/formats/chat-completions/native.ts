// A vendor's format for clients of the same format. Requests pass as they came, and so do responses; the format's own
// readers only read their usage. If output guardrails apply, responses become chat completions instead, which are
// guarded and then written in the client's format again.
import { type JsonObject, parseJson } from '../../../common/json.ts';
import type { ResponseMessage } from '../../conversation/response.ts';
import { textTokensMax } from '../../conversation/text-tokens.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ClientRequest, PassedRequest } from '../client-format.ts';
import { CountingWriter } from '../counting-writer.ts';
import {
  commonHeaders,
  type EventSplitter,
  type Format,
  type FormatCall,
  type ReadableFormat,
  type StreamReader,
  type TranslatedCall,
  type VendorError,
  type WrittenRequest,
} from '../format.ts';
import { SseSplitter } from '../sse.ts';
import type { ChatRequest } from './read-request.ts';
import { toConversation } from './to-conversation.ts';
import { completionBody } from './write-response.ts';
import { ChunkWriter } from './write-stream.ts';

export interface NativeFormats {
  /** Responses as the vendor sent them. */
  readonly passed: Format<ChatRequest>;
  /** Responses as chat completions. */
  readonly guarded: Format<ChatRequest>;
}

/**
 * Writes the client's own request for the vendor.
 * @throws GatewayError unsupported_parameter
 */
export type WriteNative = (client: ClientRequest, call: NativeCall) => PassedRequest;

export interface NativeCall extends FormatCall<ChatRequest> {
  /** Output guardrails apply, or its stream may be recovered: the client gets a response that was written again. */
  readonly isGuarded?: boolean;
}

export interface NativeOptions {
  /** Fields of chat completions that change how the vendor's response is read, above all its usage. */
  readonly read?: (client: ClientRequest, call: FormatCall<ChatRequest>) => JsonObject;
  /** Splits a stream that the client gets as the vendor sent it. Default: into server-sent events. */
  readonly openSplitter?: (eventBytesMax: number) => EventSplitter;
  /**
   * The text of an event that contains one piece of text and nothing else that its reader needs, as a JSON string
   * without its quotes. Most events are such, and they pass unread.
   */
  readonly onlyText?: OnlyText;
}

export type OnlyText = (event: Buffer) => string | undefined;

export function forNativeClients(
  format: ReadableFormat,
  write: WriteNative,
  options: NativeOptions = {},
): NativeFormats {
  const { read = () => ({}), openSplitter = (bytesMax) => new SseSplitter(bytesMax), onlyText = noText } = options;
  const plainCall = (call: FormatCall<ChatRequest>) => {
    const { client } = call.request;
    return readCall(call, client === undefined ? {} : read(client, call));
  };
  const shared = {
    name: format.name,
    streamType: format.streamType,
    readError: format.readError,
    writeRequest: (call: NativeCall): WrittenRequest => {
      const { client, stream } = call.request;
      if (client === undefined) throw new Error('the client has another format');
      const { headers, ...written } = write(client, call);
      return { ...written, headers: [...headers, ...commonHeaders(stream, format.streamType)] };
    },
  };
  return {
    passed: {
      ...shared,
      readResponse: (call, response) => {
        const plain = plainCall(call);
        const facts = format.readPassed?.(plain, response);
        if (facts !== undefined) return { body: response.body, ...facts, textTokens: 0 };
        const { usage, model, message } = format.readResponse(plain, response);
        const textTokens = usage === undefined ? tokensOf(message) : 0;
        return { body: response.body, usage, model, textTokens, responseId: message.id };
      },
      openStream: (call, head, limits) => {
        const reader = format.openStream(plainCall(call), { head, limits, writer: new CountingWriter() });
        return new PassedStream(reader, openSplitter(limits.eventBytesMax), onlyText);
      },
    },
    guarded: {
      ...shared,
      readResponse: (call, response) => {
        const { message, usage, model } = format.readResponse(plainCall(call), response);
        return { body: completionBody(message, { noCalls: 'null', asFunctions: false }), usage, model };
      },
      openStream: (call, head, limits) => {
        const options = { includeUsage: true, asFunctions: false, separateThoughts: true };
        return format.openStream(plainCall(call), { head, limits, writer: new ChunkWriter(options) });
      },
    },
  };
}

/** The request was not written from a conversation, so nothing of the response stands for something else. */
function readCall(call: FormatCall<ChatRequest>, body: JsonObject): TranslatedCall {
  const { stream, bytes } = call.request;
  const request = { body, model: call.model, messages: [], stream, includeUsage: stream, bytes };
  return { ...call, request: toConversation(request) };
}

function tokensOf({ choices }: ResponseMessage): number {
  const texts = choices.flatMap(({ content = '', reasoning = '', calls }) => [
    content,
    reasoning,
    ...calls.flatMap((call) => [call.name, call.arguments]),
  ]);
  return texts.reduce((sum, text) => sum + textTokensMax(text), 0);
}

const noText: OnlyText = () => undefined;

/** Passes each event once its reader has read it or has no need to, and nothing from an error on. */
class PassedStream implements StreamReader {
  readonly #reader: StreamReader;
  readonly #events: EventSplitter;
  readonly #onlyText: OnlyText;
  /** The latest event that was not read. Some vendors repeat the usage in every event, so the last one counts. */
  #unread: { readonly event: Buffer; readonly text: string } | undefined;
  #unreadTokens = 0;

  constructor(reader: StreamReader, events: EventSplitter, onlyText: OnlyText) {
    this.#reader = reader;
    this.#events = events;
    this.#onlyText = onlyText;
  }

  get complete(): boolean {
    return this.#reader.complete;
  }

  get failure(): VendorError | undefined {
    return this.#reader.failure;
  }

  get usage(): Usage | undefined {
    this.#readPassed();
    return this.#reader.usage;
  }

  get usageIsComplete(): boolean {
    return this.#reader.usageIsComplete;
  }

  get model(): string | undefined {
    this.#readPassed();
    return this.#reader.model;
  }

  get textTokens(): number {
    this.#readPassed();
    return this.#reader.textTokens + this.#unreadTokens;
  }

  get responseId(): string | undefined {
    return this.#reader.responseId;
  }

  push(chunk: Buffer): Buffer {
    return this.#pass(this.#events.push(chunk));
  }

  end(): Buffer {
    const bytes = this.#pass(this.#events.end());
    this.#readLatest();
    this.#reader.end();
    return bytes;
  }

  #pass(events: readonly Buffer[]): Buffer {
    const passed: Buffer[] = [];
    for (const event of events) {
      if (this.complete) break;
      this.#read(event);
      if (this.failure !== undefined) break;
      passed.push(event);
    }
    return passed.length === 1 && passed[0] !== undefined ? passed[0] : Buffer.concat(passed);
  }

  #read(event: Buffer): void {
    const text = this.#onlyText(event);
    if (text === undefined) {
      this.#readLatest();
      this.#reader.push(event);
      return;
    }
    if (this.#unread !== undefined) this.#count(this.#unread.text);
    this.#unread = { event, text };
  }

  #readLatest(): void {
    const { event } = this.#unread ?? {};
    this.#unread = undefined;
    if (event !== undefined) this.#reader.push(event);
  }

  /** The client has the latest event already. If the event breaks the format, settling must not fail: its text counts. */
  #readPassed(): void {
    const { text } = this.#unread ?? {};
    try {
      this.#readLatest();
    } catch {
      this.#count(text ?? '');
    }
  }

  #count(text: string): void {
    this.#unreadTokens += textTokensMax(unescaped(text));
  }
}

function unescaped(text: string): string {
  return text.includes('\\') ? String(parseJson(`"${text}"`)) : text;
}
