// The chat request in common shape: parsed once, checked as far as every provider needs it, cleaned of what SDKs leave in
// responses that are sent back as history. What is authorised, inspected and dispatched is this one parsed body.
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { pieceEnd } from '../../../common/json-strings.ts';
import { readJsonInSteps } from '../../../common/sliced-json-reader.ts';
import { invalid } from '../../conversation/invalid.ts';
import type { FormatCall } from '../format.ts';

export interface ChatRequest {
  /**
   * The whole body, SDK type `ChatCompletionCreateParams`; messages cleaned. Its numbers are as they were written: plain ones, or each
   * an ExactNumber. Never changed after parsing.
   */
  readonly body: JsonObject;
  /** As sent. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  /** Whether the caller requested the usage chunk of a stream. */
  readonly includeUsage: boolean;
  /** Of the body, as it came. */
  readonly bytes: number;
  /** Too much of it for one turn of the event loop: it is translated in a worker. */
  readonly isLarge?: boolean;
  /** Of a large one whose body is as it was read. */
  readonly source?: RequestSource | undefined;
}

/** The bytes that a large request was read from, so that they need not be written again for who reads them elsewhere. */
export interface RequestSource {
  /** Whoever takes them leaves undefined, and may put them back. */
  readonly kept: { bytes: Buffer | undefined };
  readonly numbersArePlain: boolean;
  /** What was set since. */
  readonly outputCeiling: number | undefined;
}

/** One attempt of a chat request at a vendor that speaks the callers' format. */
export type ChatFormatCall = FormatCall<ChatRequest>;

export type ChatMessage = JsonObject & { readonly role: string };

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

export interface ReadBody {
  readonly bytes: Buffer;
  /** JavaScript would write all numbers as they are written: known to whoever has passed over the bytes already. */
  readonly numbersArePlain: boolean;
  /** Brackets, braces, commas and colons outside of strings. Default: not counted. */
  readonly structural?: number;
}

/** Bodies of fewer bytes and structural characters are parsed, and translated, at once: that takes a few milliseconds at most. */
export const largeBytes = 256 * 1024;
const largeStructural = 10_000;

export function isLargeBody({ bytes, structural = 0 }: ReadBody): boolean {
  return bytes.length > largeBytes || structural > largeStructural;
}

/**
 * As parseChatRequest, in steps of far less than a millisecond.
 * @throws GatewayError invalid_request that names the field
 */
export function* parseChatRequestInSteps({ bytes, numbersArePlain }: ReadBody): Generator<void, ChatRequest> {
  yield* checkUtf8InSteps(bytes);
  const parsed = yield* readJsonInSteps(bytes, { exact: !numbersArePlain });
  const fields = readFields(parsedObject(parsed, bytes));
  const messages: ChatMessage[] = [];
  for (const [index, message] of fields.messages.entries()) {
    messages.push(readMessage(message, index));
    if (index % messagesOfStep === 0) yield;
  }
  const source = { kept: { bytes }, numbersArePlain, outputCeiling: undefined };
  return { ...requestOf(fields, messages, bytes), isLarge: true, source };
}

const messagesOfStep = 256;
const utf8OfStep = 1024 * 1024;

function* checkUtf8InSteps(bytes: Buffer): Generator<void, void> {
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(start + utf8OfStep, bytes.length);
    const cut = end === bytes.length ? end : pieceEnd(bytes, start, end);
    checkUtf8(bytes.subarray(start, cut));
    start = cut;
    yield;
  }
}

/** @throws GatewayError invalid_request that names the field */
export function parseChatRequest(read: Buffer | ReadBody): ChatRequest {
  const { bytes, numbersArePlain } = Buffer.isBuffer(read) ? { bytes: read, numbersArePlain: false } : read;
  checkUtf8(bytes);
  const parse = numbersArePlain ? parseJson : parseExactJson;
  const fields = readFields(parsedObject(parse(bytes.toString()), bytes));
  return requestOf(fields, fields.messages.map(readMessage), bytes);
}

interface RequestFields {
  readonly body: JsonObject;
  readonly model: string;
  readonly isStream: boolean;
  readonly messages: readonly unknown[];
}

function readFields(body: JsonObject): RequestFields {
  const { model, stream, messages } = body;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'model must be a non-empty string');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalid('stream', 'stream must be true or false');
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages', 'messages must be a non-empty array');
  }
  return { body, model, isStream: stream === true, messages };
}

/** @param messages cleaned in place: the parsed body is nobody else's */
function requestOf(
  { body, model, isStream: stream }: RequestFields,
  messages: readonly ChatMessage[],
  bytes: Buffer,
): ChatRequest {
  const includeUsage = readIncludeUsage(body);
  return { body, model, messages, stream, includeUsage, bytes: bytes.length };
}

/** The request with a maximum of output tokens, of each choice, that its caller has not set. */
export function withOutputCeiling(request: ChatRequest, tokens: number): ChatRequest {
  const { source } = request;
  return {
    ...request,
    body: { ...request.body, max_completion_tokens: tokens },
    ...(source && { source: { ...source, outputCeiling: tokens } }),
  };
}

/** The request with its body rewritten in places: the same fields, the same messages in number and role. */
export function withBody(request: ChatRequest, body: JsonObject): ChatRequest {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isMessage) : [];
  return { ...request, body, messages, source: undefined };
}

function checkUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw invalid(undefined, 'the body is not valid UTF-8');
}

function parsedObject(parsed: unknown, bytes: Buffer): JsonObject {
  if (parsed === undefined) {
    throw invalid(
      undefined,
      bytes.length === 0 ? 'the body is empty; send a JSON object' : 'the body is not valid JSON',
    );
  }
  if (!isObject(parsed)) throw invalid(undefined, 'the body must be a JSON object');
  return parsed;
}

function readMessage(value: unknown, index: number): ChatMessage {
  if (isMessage(value)) {
    checkContent(value.content, index);
    removeLeftovers(value);
    return value;
  }
  const at = `messages[${index}]`;
  if (!isObject(value)) throw invalid(at, `${at} must be an object`);
  throw invalid(`${at}.role`, `${at}.role must be one of ${[...roles].join(', ')}`);
}

function isMessage(value: unknown): value is ChatMessage {
  return isObject(value) && typeof value.role === 'string' && roles.has(value.role);
}

function checkContent(content: unknown, message: number): void {
  if (content === undefined || content === null || typeof content === 'string') return;
  const at = `messages[${message}].content`;
  if (!Array.isArray(content)) throw invalid(at, `${at} must be a string, an array of parts or null`);
  for (const [index, part] of content.entries()) {
    if (!isObject(part) || typeof part.type !== 'string') {
      throw invalid(`${at}[${index}]`, `${at}[${index}] must be an object with a type`);
    }
  }
}

/** Empty remains of a response, and what the SDK's own helpers add to one, which vendors refuse in a request. */
function removeLeftovers(message: ChatMessage): void {
  const { tool_calls: calls } = message;
  if (calls === null || (Array.isArray(calls) && calls.length === 0)) delete message.tool_calls;
  else if (Array.isArray(calls)) for (const call of calls) removeParsed(call);
  if (message.function_call === null) delete message.function_call;
  if (message.refusal === null) delete message.refusal;
  if (message.parsed !== undefined) delete message.parsed;
}

/** SDK type `ParsedFunctionToolCall`. */
function removeParsed(call: unknown): void {
  const called = isObject(call) ? call.function : undefined;
  if (isObject(called) && called.parsed_arguments !== undefined) delete called.parsed_arguments;
}

function readIncludeUsage(body: JsonObject): boolean {
  const options = body.stream_options;
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw invalid('stream_options', 'stream_options must be an object');
  if (body.stream !== true)
    throw invalid('stream_options', 'stream_options is only allowed when stream is true');
  return options.include_usage === true;
}
