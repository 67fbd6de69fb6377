// A response in its other form: a stream as the whole chat completion that it amounts to, and a whole one as a stream of
// a few chunks. Only where nothing is lost: a response with fields that the two forms write differently has no other form.

import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { readJsonInSteps } from '../../../common/sliced-json-reader.ts';
import type { ResponseChoice, ResponseMessage, ThinkingBlock } from '../../conversation/response.ts';
import { SseSplitter } from '../sse.ts';
import { MessageCollector } from './message-collector.ts';
import { ChunkReader } from './read-chunks.ts';
import { messageOf } from './read-message.ts';
import { completionBody } from './write-response.ts';
import { ChunkWriter } from './write-stream.ts';

/** Events that are read in one step. */
const eventsOfStep = 64;

/**
 * @param stream whole events, from the first to the end mark
 * @returns undefined if there is none
 */
export function* wholeOfStream(stream: Buffer): Generator<void, Buffer | undefined> {
  const collector = new MessageCollector();
  const reader = new ChunkReader(collector);
  for (const [index, event] of new SseSplitter(Number.POSITIVE_INFINITY).push(stream).entries()) {
    reader.push(event);
    if (index % eventsOfStep === eventsOfStep - 1) yield;
  }
  const { message, isKnown } = collector;
  return message === undefined || !isKnown
    ? undefined
    : completionBody(message, { noCalls: 'null', asFunctions: false });
}

/** Fields of a message that a stream writes in the same words. */
const known: ReadonlySet<string> = new Set(['annotations', 'images', 'extra_content', 'thinking_blocks']);

/**
 * @param completion a whole chat completion
 * @param separateThoughts as the streams of the client have them, see ChunkOptions
 * @returns a stream with its usage chunk; undefined if there is none
 */
export function* streamOfWhole(completion: Buffer, separateThoughts: boolean): Generator<void, Buffer | undefined> {
  const read = yield* readJsonInSteps(completion, { exact: true });
  if (!isObject(read)) return undefined;
  const message = messageOf(read);
  const [choice, ...others] = message.choices;
  if (choice === undefined || others.length > 0) return undefined;
  const extras = Object.entries(choice.extras ?? {}).filter(([, value]) => isSomething(value));
  if (extras.some(([name]) => !known.has(name))) return undefined;
  yield;
  return writtenStream(message, { ...choice, extras: Object.fromEntries(extras) }, read.usage, separateThoughts);
}

function isSomething(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function writtenStream(
  message: ResponseMessage,
  choice: ResponseChoice,
  usage: unknown,
  separateThoughts: boolean,
): Buffer {
  const writer = new ChunkWriter({ includeUsage: true, asFunctions: false, separateThoughts });
  const { thinking_blocks: thinking, ...extras } = choice.extras ?? {};
  const blocks = objectsOf(thinking).filter(isThinking);
  writer.start(message);
  writeReasoning(writer, choice.reasoning ?? '', separateThoughts ? blocks : []);
  if (!separateThoughts && blocks.length > 0) writer.extra({ thinking_blocks: blocks });
  writer.content(choice.content ?? '');
  if (choice.logprobs !== undefined) writer.logprobs(choice.logprobs);
  if (choice.refusal !== undefined && choice.refusal !== '') writer.extra({ refusal: choice.refusal });
  for (const { id, name, arguments: args } of choice.calls) writer.call(id, name, args);
  if (Object.keys(extras).length > 0) writer.extra(extras);
  writer.finish(choice.finish);
  writer.end(message.usage, isObject(usage) ? usage : {});
  return writer.take();
}

/** The text of blocks is that of the reasoning, unless the vendor has omitted it. */
function writeReasoning(writer: ChunkWriter, reasoning: string, blocks: readonly ThinkingBlock[]): void {
  if (blocks.length === 0) writer.reasoning(reasoning);
  for (const block of blocks) {
    if (block.type === 'thinking') writer.reasoning(block.thinking);
    writer.thought(block);
  }
}

function isThinking(block: JsonObject): block is ThinkingBlock {
  const { type, thinking, signature, data } = block;
  if (type === 'redacted_thinking') return typeof data === 'string';
  return type === 'thinking' && typeof thinking === 'string' && typeof signature === 'string';
}
