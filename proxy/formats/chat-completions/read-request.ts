// Parses a chat request once, checks the fields that every provider needs, and removes leftovers that SDKs keep when
// they send responses back as history. This one parsed body is authorized, inspected and dispatched.
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, parseJson } from '../../../common/json.ts';
import { pieceEnd } from '../../../common/json-strings.ts';
import { readJsonInSteps } from '../../../common/sliced-json-reader.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import { count } from '../../conversation/usage.ts';
import type { ClientRequest, PathFields, RequestOverrides } from '../client-format.ts';
import type { FormatCall } from '../format.ts';

export interface ChatRequest {
  /**
   * The whole body (SDK type `ChatCompletionCreateParams`), messages cleaned. Its numbers keep their spelling: they are
   * all plain, or each is an ExactNumber. Never changed after parsing.
   */
  readonly body: JsonObject;
  /** As the caller sent it. */
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream: boolean;
  /** Whether the caller requested the usage chunk of a stream. */
  readonly includeUsage: boolean;
  /** Size of the body as received. */
  readonly bytes: number;
  /** The body is too large to translate in one tick of the event loop, so a worker translates it. */
  readonly isLarge?: boolean;
  /** Set for a large request while its body is unchanged. */
  readonly source?: RequestSource | undefined;
  /** The request as it came, if it came in another format. */
  readonly client?: ClientRequest | undefined;
  /** They are in the body. The client's own request does not have them, so no vendor gets that as it came. */
  readonly overrides?: RequestOverrides | undefined;
}

/** The bytes of a large request. A worker gets these, so that the body is not serialized again. */
export interface RequestSource {
  /** A reader that takes the bytes sets this to undefined, and may put them back. */
  readonly kept: { bytes: Buffer | undefined };
  readonly numbersArePlain: boolean;
  /** Set on the request after parsing. */
  readonly outputCeiling: number | undefined;
}

/** One attempt of a chat request at a vendor that uses the callers' format. */
export type ChatFormatCall = FormatCall<ChatRequest>;

export type ChatMessage = JsonObject & { readonly role: string };

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

export interface ReadBody {
  readonly bytes: Buffer;
  /** JavaScript would write every number exactly as it is in the bytes. The scanner of the body knows this already. */
  readonly numbersArePlain: boolean;
  /** The model that the path names, if it does: it replaces that of the body. */
  readonly modelInPath?: string | undefined;
  /** Number of brackets, braces, commas and colons outside of strings. Default: not counted. */
  readonly structural?: number;
  /** The format of the client, if it is another one. */
  readonly client?: ClientReading | undefined;
}

export interface ClientReading extends Pick<ClientRequest, 'translation' | 'headers' | 'store' | 'safetyIdentifier'> {
  /** The path's parts, except the model. */
  readonly path: Omit<PathFields, 'model'>;
}

/**
 * Smaller bodies with few structural characters are parsed and translated at once, which takes a few milliseconds at
 * most.
 */
export const largeBytes = 256 * 1024;
const largeStructural = 10_000;

export function isLargeBody({ bytes, structural = 0 }: ReadBody): boolean {
  return bytes.length > largeBytes || structural > largeStructural;
}

/**
 * Like parseChatRequest, in steps of far less than a millisecond.
 * @throws GatewayError invalid_request that names the field
 */
export function* parseChatRequestInSteps(read: ReadBody): Generator<void, ChatRequest> {
  const { bytes, numbersArePlain } = read;
  yield* checkUtf8InSteps(bytes);
  const parsed = parsedObject(yield* readJsonInSteps(bytes, { exact: !numbersArePlain }), bytes);
  if (read.client !== undefined) {
    yield;
    return { ...translatedRequest(parsed, read), isLarge: true, source: sourceOf(read) };
  }
  const fields = readFields(parsed, read.modelInPath);
  const messages: ChatMessage[] = [];
  for (const [index, message] of fields.messages.entries()) {
    messages.push(readMessage(message, index));
    if (index % messagesOfStep === 0) yield;
  }
  return { ...requestOf(fields, messages, bytes), isLarge: true, source: sourceOf(read) };
}

function sourceOf({ bytes, numbersArePlain }: ReadBody): RequestSource {
  return { kept: { bytes }, numbersArePlain, outputCeiling: undefined };
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
  const body = bodyOf(read);
  const { bytes, numbersArePlain, modelInPath } = body;
  checkUtf8(bytes);
  const parse = numbersArePlain ? parseJson : parseExactJson;
  const parsed = parsedObject(parse(bytes.toString()), bytes);
  if (body.client !== undefined) return translatedRequest(parsed, body);
  const fields = readFields(parsed, modelInPath);
  return requestOf(fields, fields.messages.map(readMessage), bytes);
}

/** A request of a client with another format. */
function translatedRequest(body: JsonObject, { bytes, modelInPath, client }: ReadBody): ChatRequest {
  if (client === undefined) throw new Error('the client has the format of the gateway');
  const path = { ...client.path, model: modelInPath };
  return asChat({ ...client, path, body, bytes }, bytes.length);
}

function asChat(came: Omit<ClientRequest, 'origins' | 'losses'>, bytes: number): ChatRequest {
  const { chat, ...read } = came.translation.readRequest(came.body, came.path, came.headers);
  const { body, model, isStream, messages } = readFields(chat, undefined);
  // A count is never a stream, even if the body is that of one.
  const stream = isStream && came.path.counts !== true;
  return {
    body,
    model,
    messages: messages.map(readMessage),
    stream,
    // The client's format has the usage in every stream.
    includeUsage: stream,
    bytes,
    client: { ...came, ...read },
  };
}

function bodyOf(read: Buffer | ReadBody): ReadBody {
  return Buffer.isBuffer(read) ? { bytes: read, numbersArePlain: false } : read;
}

interface RequestFields {
  readonly body: JsonObject;
  readonly model: string;
  readonly isStream: boolean;
  readonly messages: readonly unknown[];
}

function readFields(body: JsonObject, modelInPath: string | undefined): RequestFields {
  const { stream, messages } = body;
  const model = modelInPath ?? body.model;
  if (typeof model !== 'string' || model === '') throw invalid('model', 'model must be a non-empty string');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') {
    throw invalid('stream', 'stream must be true or false');
  }
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('messages', 'messages must be a non-empty array');
  }
  return { body, model, isStream: stream === true, messages };
}

/** @param messages cleaned in place, which is safe because nothing else refers to the parsed body */
function requestOf(
  { body, model, isStream: stream }: RequestFields,
  messages: readonly ChatMessage[],
  bytes: Buffer,
): ChatRequest {
  const includeUsage = readIncludeUsage(body);
  return { body, model, messages, stream, includeUsage, bytes: bytes.length };
}

/** Adds a maximum of output tokens for each choice, which the caller has not set. */
export function withOutputCeiling(request: ChatRequest, tokens: number): ChatRequest {
  const { source } = request;
  return {
    ...request,
    body: { ...request.body, max_completion_tokens: tokens },
    ...(source && { source: { ...source, outputCeiling: tokens } }),
  };
}

/** The changes of a route, which are made once: a caller's lower limit of output tokens stays. */
export function withOverrides(request: ChatRequest, overrides: RequestOverrides): ChatRequest {
  const { maxOutputTokens, reasoningEffort } = overrides;
  const { thinking: _replaced, ...others } = request.body;
  const body = {
    ...(reasoningEffort === undefined ? request.body : { ...others, reasoning_effort: reasoningEffort }),
    ...(maxOutputTokens !== undefined && limitedTo(maxOutputTokens, request.body)),
  };
  return { ...request, body, overrides };
}

/**
 * The request for the rest of a response whose beginning the caller has: it ends with the assistant's turn. No vendor gets
 * the client's own request, which does not have this turn.
 * @param text without blanks at its end
 * @param tokens the most that the text can be: they count against a limit of the caller
 * @returns undefined if the limit is reached
 */
export function withBeginning(request: ChatRequest, text: string, tokens: number): ChatRequest | undefined {
  const { body, overrides = { maxOutputTokens: undefined, reasoningEffort: undefined } } = request;
  const messages: readonly ChatMessage[] = [...request.messages, { role: 'assistant', content: text }];
  const limits: JsonObject = {};
  for (const name of ['max_completion_tokens', 'max_tokens']) {
    const limit = count(body[name]);
    if (limit !== undefined && limit <= tokens) return undefined;
    if (limit !== undefined) limits[name] = limit - tokens;
  }
  return { ...request, body: { ...body, ...limits, messages }, messages, overrides };
}

/** A vendor reads only one of the two fields, so the limit is in both where the caller sent both. */
function limitedTo(most: number, { max_completion_tokens: newer, max_tokens: older }: JsonObject): JsonObject {
  const limited = (sent: unknown) => (count(sent) === undefined || Number(sent) > most ? most : sent);
  if (!isGiven(newer) && isGiven(older)) return { max_tokens: limited(older) };
  return { max_completion_tokens: limited(newer), ...(isGiven(older) && { max_tokens: limited(older) }) };
}

/** The body as the client wrote it, in the client's format. */
export function clientBody({ client, body }: ChatRequest): JsonObject {
  return client?.body ?? body;
}

/**
 * Replaces the body that `clientBody` returns. It must have the same fields, and messages of the same number and roles.
 */
export function withBody(request: ChatRequest, body: JsonObject): ChatRequest {
  const { client, bytes, isLarge } = request;
  if (client !== undefined) {
    const changed = asChat({ ...client, body, bytes: undefined }, bytes);
    return { ...changed, ...(isLarge !== undefined && { isLarge }) };
  }
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

/** Removes empty leftovers of a response and fields that SDK helpers add. Vendors refuse both in a request. */
function removeLeftovers(message: ChatMessage): void {
  const { tool_calls: calls } = message;
  if (calls === null || (Array.isArray(calls) && calls.length === 0)) delete message.tool_calls;
  else if (Array.isArray(calls)) for (const call of calls) removeParsed(call);
  if (message.function_call === null) delete message.function_call;
  if (message.refusal === null) delete message.refusal;
  if (message.parsed !== undefined) delete message.parsed;
}

/** Removes what the SDK adds to a parsed call (type `ParsedFunctionToolCall`). */
function removeParsed(call: unknown): void {
  const called = isObject(call) ? call.function : undefined;
  if (isObject(called) && called.parsed_arguments !== undefined) delete called.parsed_arguments;
}

function readIncludeUsage(body: JsonObject): boolean {
  const options = body.stream_options;
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw invalid('stream_options', 'stream_options must be an object');
  if (body.stream !== true) throw invalid('stream_options', 'stream_options is only allowed when stream is true');
  return options.include_usage === true;
}
