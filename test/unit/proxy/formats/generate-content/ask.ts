// One attempt at the search-company vendor without a gateway around it: the request for a body, and the result of a
// response.
import type { InlineData } from '../../../../../proxy/conversation/media.ts';
import { GatewayError } from '../../../../../proxy/errors.ts';
import { parseChatRequest } from '../../../../../proxy/formats/chat-completions/read-request.ts';
import type { StreamReader } from '../../../../../proxy/formats/format.ts';
import type { UpstreamRequest } from '../../../../../proxy/providers/credentials/credential.ts';
import type { ProviderCall } from '../../../../../proxy/providers/provider.ts';
import { buildRequest } from '../../../../../proxy/providers/provider.ts';
import { searchProvider } from '../../../../../proxy/providers/search-provider.ts';
import { type GoldenTarget, goldenCall, targetedAt } from '../../../../support/golden.ts';

export const messages = [{ role: 'user', content: 'Hi' }];

/** @param body the fields beside the model gemini-2.5-flash and one user's message */
export function callOf(body: object = {}, images: Record<string, InlineData> = {}): ProviderCall {
  const requested = { model: 'gemini-2.5-flash', messages, ...body };
  return goldenCall(searchProvider, parseChatRequest(Buffer.from(JSON.stringify(requested))), images);
}

export interface Sent extends Omit<UpstreamRequest, 'body'> {
  readonly body: {
    readonly systemInstruction?: Content;
    readonly contents: readonly Content[];
    readonly tools?: readonly Json[];
    readonly toolConfig?: Json;
    readonly generationConfig?: Json;
    readonly [name: string]: unknown;
  };
}

export type Json = { readonly [name: string]: unknown };

export interface Content {
  readonly role?: string;
  readonly parts: readonly Json[];
}

export function sent(body: object = {}, images: Record<string, InlineData> = {}, target: GoldenTarget = {}): Sent {
  const built = buildRequest(targetedAt(target, callOf(body, images)));
  if (built instanceof Promise) throw new Error('this provider signs nothing');
  return { ...built, body: JSON.parse(built.body) };
}

/** The code and the field with which a request is refused. */
export function refusal(body: object): { code: string; param: string | undefined } {
  try {
    sent(body);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
    throw error;
  }
  throw new Error('the request was accepted');
}

export interface Completion {
  readonly id: string;
  readonly choices: readonly {
    readonly finish_reason: string;
    readonly message: {
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls: readonly { id: string; function: { name: string; arguments: string } }[];
      readonly annotations?: readonly { url_citation: Json }[];
    };
  }[];
  readonly usage: Json;
  readonly [name: string]: unknown;
}

/** The response that the caller gets for this response of the vendor. */
export function responseTo(response: unknown, body: object = {}): Completion {
  const bytes = Buffer.from(typeof response === 'string' ? response : JSON.stringify(response));
  return JSON.parse(searchProvider.format.readResponse(callOf(body), { head: {}, body: bytes }).body.toString());
}

/** A response with one candidate. */
export function candidate(parts: readonly Json[], fields: Json = {}): Json {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0, ...fields }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'r-1',
  };
}

export interface Streamed {
  readonly reader: StreamReader;
  /** The stream as text. */
  readonly parsed: string;
  /** The parsed chunks without the end marker. */
  readonly chunks: readonly Chunk[];
}

export interface Chunk {
  readonly choices: readonly {
    readonly delta: Json;
    readonly finish_reason: string | null;
  }[];
  readonly [name: string]: unknown;
}

/** The stream that the caller gets for these bytes, in pieces of this size. */
export function streamed(stream: string | Buffer, body: object = {}, pieceBytes = 1_000_000): Streamed {
  const bytes = Buffer.from(stream);
  const call = callOf({ stream: true, ...body });
  const reader = searchProvider.format.openStream(call, {}, { eventBytesMax: 1_000_000 });
  const parsed: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    parsed.push(reader.push(bytes.subarray(at, at + pieceBytes)));
  }
  parsed.push(reader.end());
  const text = Buffer.concat(parsed).toString();
  const frames = text.split('\n\n').filter((frame) => frame !== '' && frame !== 'data: [DONE]');
  return { reader, parsed: text, chunks: frames.map((frame) => JSON.parse(frame.replace('data: ', ''))) };
}

/** Frames events as the vendor does. */
export function events(...values: readonly unknown[]): string {
  return values.map((value) => `data: ${JSON.stringify(value)}\r\n\r\n`).join('');
}
