// A streamed response, step by step, in the format of each kind of client: through the writers and readers that a vendor's
// response passes in the proxy.
import { writeJson } from '../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';
import { clientFormats } from '../../proxy/client-formats.ts';
import { issuerOf } from '../../proxy/conversation/opaque.ts';
import {
  type Finish,
  type ResponseIdentity,
  ResponseParts,
  type ThinkingBlock,
} from '../../proxy/conversation/response.ts';
import { noUsage, type SpecialUsage, special, type Usage } from '../../proxy/conversation/usage.ts';
import { clientThinking, formOfThought } from '../../proxy/formats/chat-completions/client-thinking.ts';
import { ChunkReader } from '../../proxy/formats/chat-completions/read-chunks.ts';
import { messageOf } from '../../proxy/formats/chat-completions/read-message.ts';
import { completionBody } from '../../proxy/formats/chat-completions/write-response.ts';
import { ChunkWriter } from '../../proxy/formats/chat-completions/write-stream.ts';
import type {
  ClientFormatName,
  ClientRequest,
  ClientTranslation,
  Framing,
  PublicError,
} from '../../proxy/formats/client-format.ts';
import { LossList } from '../../proxy/formats/client-losses.ts';
import { failedResponse } from '../../proxy/http/client-response.ts';

/** A call of a stream's writer; `fail` is the failure of the stream, instead of its end. */
export type Step =
  | { readonly start: ResponseIdentity }
  | { readonly reasoning: string }
  | { readonly thought: ThinkingBlock }
  | { readonly content: string }
  | { readonly call: { readonly id: string; readonly name: string } }
  | { readonly arguments: readonly [call: number, json: string] }
  | { readonly extra: JsonObject }
  | { readonly logprobs: JsonObject }
  | { readonly finish: Finish }
  | { readonly end: Partial<Omit<Usage, 'special'>> & { readonly special?: Partial<SpecialUsage> } }
  | { readonly fail: Pick<PublicError, 'status' | 'message' | 'code'> };

export interface ClientKind {
  readonly format: ClientFormatName;
  readonly framing: Framing | undefined;
  /** Of its golden files. */
  readonly file: string;
}

export const clientKinds: readonly ClientKind[] = [
  { format: 'chat_completions', framing: undefined, file: 'chat-completions.sse' },
  { format: 'messages', framing: undefined, file: 'messages.sse' },
  { format: 'responses', framing: undefined, file: 'responses.sse' },
  { format: 'generate_content', framing: undefined, file: 'generate-content.sse' },
  { format: 'generate_content', framing: 'json_array', file: 'generate-content.json' },
  { format: 'converse', framing: undefined, file: 'converse.jsonl' },
  { format: 'invoke', framing: undefined, file: 'invoke.jsonl' },
];

/** @param body of the client's request */
export function clientRequestOf(
  translation: ClientTranslation,
  { framing }: Pick<ClientKind, 'framing'>,
  body: JsonObject = { model: 'm' },
): ClientRequest {
  const path = { model: 'm', stream: true, framing };
  return { translation, body, bytes: undefined, path, headers: [], origins: [], losses: new LossList() };
}

/** Turns the bytes of a stream of chat completions into those of the client's. */
export type Rewrite = (bytes: Buffer) => Buffer;

export const elapsedMs = 7;

export function rewriteFor(kind: ClientKind, isGuarded = false): Rewrite {
  const reader = readerFor(kind, undefined, isGuarded);
  return reader === undefined ? (bytes) => bytes : (bytes) => reader.push(bytes);
}

/** Undefined for clients of chat completions. */
function readerFor(kind: ClientKind, body?: JsonObject, isGuarded = false): ChunkReader | undefined {
  const { translation } = clientFormats[kind.format];
  if (translation === undefined) return undefined;
  const writer = translation.openWriter(clientRequestOf(translation, kind, body), () => elapsedMs);
  return new ChunkReader(writer, { ...translation, isGuarded });
}

export interface WrittenStream {
  /** As they are written to the connection; none if the failure came before all of them. */
  readonly pieces: readonly Buffer[];
  /** The response instead of a stream. */
  readonly refusal: { readonly status: number; readonly headers: readonly string[]; readonly body: object } | undefined;
}

/** @param body of the client's request */
export function writeSteps(kind: ClientKind, steps: readonly Step[], body?: JsonObject): WrittenStream {
  const { translation, ...format } = clientFormats[kind.format];
  const reader = readerFor(kind, body);
  const chunks = new ChunkWriter({
    ...{ includeUsage: true, asFunctions: false, separateThoughts: translation !== undefined },
    ...(translation?.wrapsThinking === true && { formOfThought: formOfThought(issuer) }),
  });
  const thoughts: ThinkingBlock[] = [];
  const pieces: Buffer[] = [];
  for (const step of steps) {
    if ('fail' in step) {
      const error = { ...step.fail, param: undefined, requestId: 'req_1' };
      if (chunks.started) return failedAfter(pieces, kind, error);
      const headers = format.errorHeaders?.(error) ?? [];
      return { pieces, refusal: { status: error.status, headers, body: format.writeError(error) } };
    }
    play(step, chunks, thoughts);
    const bytes = chunks.take();
    const written = reader === undefined ? bytes : reader.push(bytes);
    if (written.length > 0) pieces.push(written);
  }
  const { failed } = reader ?? {};
  if (failed === undefined) return { pieces, refusal: undefined };
  const { status, message, code, param } = failedResponse(failed);
  return failedAfter(pieces, kind, { status, message, code, param, requestId: 'req_1' });
}

function failedAfter(pieces: readonly Buffer[], { format, framing }: ClientKind, error: PublicError): WrittenStream {
  const path = { model: 'm', stream: true, framing };
  const soFar = { path, first: pieces[0], last: pieces.at(-1) };
  const written = clientFormats[format].writeStreamError(error, soFar);
  return { pieces: [...pieces, Buffer.from(written)], refusal: undefined };
}

/** A response that failed although its status was a success, where the format has no word for it. */
export function isFailure({ format }: ClientKind, steps: readonly Step[]): boolean {
  const ended = steps.some((step) => 'finish' in step && step.finish.reason === 'error');
  return ended && clientFormats[format].translation?.lacksFailures === true;
}

const issuer = issuerOf('assistant-provider', 'golden');

function play(step: Exclude<Step, { readonly fail: unknown }>, to: ChunkWriter, thoughts: ThinkingBlock[]): void {
  if ('start' in step) to.start(step.start);
  else if ('reasoning' in step) to.reasoning(step.reasoning);
  else if ('content' in step) to.content(step.content);
  else if ('call' in step) to.call(step.call.id, step.call.name);
  else if ('arguments' in step) to.callArguments(...step.arguments);
  else if ('extra' in step) to.extra(step.extra);
  else if ('logprobs' in step) to.logprobs(step.logprobs);
  else if ('thought' in step) {
    thoughts.push(step.thought);
    to.thought(step.thought);
  } else if ('finish' in step) {
    // Vendors' readers write all thoughts again, as a field of the whole message.
    if (thoughts.length > 0) to.extra({ thinking_blocks: thoughts });
    to.finish(step.finish);
  } else to.end(usageOf(step.end));
}

/** The same response, complete: as chat completions, which the client's format is then written from. */
export function wholeOfSteps({ format, framing }: ClientKind, steps: readonly Step[], body?: JsonObject): JsonObject {
  const { translation } = clientFormats[format];
  const parts = new ResponseParts();
  const thoughts: ThinkingBlock[] = [];
  let identity: ResponseIdentity = { id: '', created: 0, model: '' };
  let finish: Finish = { reason: 'stop', native: undefined };
  let usage = noUsage;
  for (const step of steps) {
    if ('start' in step) identity = step.start;
    else if ('finish' in step) finish = step.finish;
    else if ('end' in step) usage = usageOf(step.end);
    else if ('thought' in step) thoughts.push(step.thought);
    else playPart(step, parts);
  }
  if (thoughts.length > 0) parts.extra({ thinking_blocks: thoughts });
  const message = { ...identity, choices: [{ finish, ...parts.build() }], usage };
  const wrapped = translation?.wrapsThinking === true ? clientThinking(message, issuer) : message;
  const completion = JSON.parse(completionBody(wrapped, { noCalls: 'null', asFunctions: false }).toString());
  if (translation === undefined) return completion;
  const request = clientRequestOf(translation, { framing }, body);
  return JSON.parse(writeJson(translation.writeResponse(messageOf(completion), request, elapsedMs)));
}

function playPart(step: Step, to: ResponseParts): void {
  if ('reasoning' in step) to.reasoning(step.reasoning);
  else if ('content' in step) to.content(step.content);
  else if ('call' in step) to.call(step.call.id, step.call.name);
  else if ('arguments' in step) to.callArguments(...step.arguments);
  else if ('extra' in step) to.extra(step.extra);
}

function usageOf({ special: fields = {}, ...counts }: Extract<Step, { readonly end: unknown }>['end']): Usage {
  return { ...noUsage, ...counts, ...special(fields) };
}

/** The events of a stream, as its golden file has them: an error within an array leaves that without an end. */
export function eventsIn(text: string): readonly JsonObject[] {
  if (text.startsWith('[')) return objectsOf(JSON.parse(text.endsWith(']') ? text : `${text}]`));
  return text.split('\n').flatMap((line) => {
    const json = line.startsWith('{') ? line : line.replace(/^data: /, '');
    if (!json.startsWith('{')) return [];
    const event: unknown = JSON.parse(json);
    return isObject(event) ? [event] : [];
  });
}
