// The chat request in common shape: parsed once, checked as far as every provider needs it, cleaned of what SDKs leave in
// answers that are sent back as history. What is authorised, inspected and dispatched is this one parsed body.
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../common/json.ts';
import { invalid } from './invalid.ts';

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
  /** Whether the caller asked for the usage chunk of a stream. */
  readonly includeUsage: boolean;
  /** Of the body, as it came. */
  readonly bytes: number;
}

export type ChatMessage = JsonObject & { readonly role: string };

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

export interface ReadBody {
  readonly bytes: Buffer;
  /** JavaScript would write all numbers as they are written: known to whoever has passed over the bytes already. */
  readonly numbersArePlain: boolean;
}

/** @throws GatewayError invalid_request that names the field */
export function parseChatRequest(read: Buffer | ReadBody): ChatRequest {
  const { bytes, numbersArePlain } = Buffer.isBuffer(read) ? { bytes: read, numbersArePlain: false } : read;
  const body = parseObject(bytes, numbersArePlain ? parseJson : parseExactJson);
  const { model, stream } = body;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'model must be a non-empty string');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalid('stream', 'stream must be true or false');
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    throw invalid('messages', 'messages must be a non-empty array');
  }
  const messages = body.messages.map(readMessage);
  // Cleaned in place: the parsed body is nobody else's.
  const includeUsage = readIncludeUsage(body);
  return { body, model, messages, stream: stream === true, includeUsage, bytes: bytes.length };
}

/** The request with a maximum of output tokens, of each choice, that its caller has not set. */
export function withOutputCeiling(request: ChatRequest, tokens: number): ChatRequest {
  return { ...request, body: { ...request.body, max_completion_tokens: tokens } };
}

/** The request with its body rewritten in places: the same fields, the same messages in number and role. */
export function withBody(request: ChatRequest, body: JsonObject): ChatRequest {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isMessage) : [];
  return { ...request, body, messages };
}

function parseObject(bytes: Buffer, parse: (text: string) => unknown): JsonObject {
  if (!isUtf8(bytes)) throw invalid(undefined, 'the body is not valid UTF-8');
  const parsed = parse(bytes.toString());
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

/** Empty remains of an answer, and what the SDK's own helpers add to one, which vendors refuse in a request. */
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
