// A completion in the vendor's two forms: one object, or the named events of a stream (Message, RawMessageStreamEvent).
import { isObject, type Json } from '../checks.ts';
import type { Completion, SpokenBlock } from './completion.ts';
import type { VendorError } from './refusal.ts';
import { endingUsage, startingUsage } from './usage.ts';

export interface Identity {
  readonly id: string;
  readonly model: string;
}

export function messageObject(completion: Completion, { id, model }: Identity): Json {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: completion.blocks.map(wholeBlock),
    stop_reason: completion.stopReason,
    stop_sequence: completion.stopSequence,
    stop_details: completion.stopDetails,
    ...(completion.usage && { usage: completion.usage }),
  };
}

/** The events of a stream, one string each. The first ping follows the start of the first block. */
export function* messageEvents(completion: Completion, identity: Identity): Generator<string> {
  const empty = { ...completion, blocks: [], stopSequence: null, stopDetails: null };
  yield event('message_start', {
    message: {
      ...messageObject(empty, identity),
      stop_reason: null,
      ...(completion.usage && { usage: startingUsage(completion.usage) }),
    },
  });
  for (const [index, block] of completion.blocks.entries()) {
    yield event('content_block_start', { index, content_block: begunBlock(block) });
    if (index === 0) yield event('ping', {});
    for (const delta of deltasOf(block)) yield event('content_block_delta', { index, delta });
    yield event('content_block_stop', { index });
  }
  yield event('message_delta', {
    delta: {
      stop_reason: completion.stopReason,
      stop_sequence: completion.stopSequence,
      stop_details: completion.stopDetails,
    },
    ...(completion.usage && { usage: endingUsage(completion.usage) }),
  });
  yield event('message_stop', {});
}

/** Yields at most `after` events (0 is possible), then the vendor's error event as the last. */
export function* failingEvents(
  events: Iterable<string>,
  after: number,
  failure: { readonly error: VendorError; readonly request_id: string },
): Generator<string> {
  let count = 0;
  for (const one of events) {
    if (count >= after) break;
    count += 1;
    yield one;
  }
  yield event('error', { ...failure });
}

function event(type: string, value: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
}

// The model calls the tools, not code that it runs.
const caller = { type: 'direct' };

function wholeBlock(block: SpokenBlock): Json {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: block.pieces.join(''), signature: block.signature };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'text':
      return {
        type: 'text',
        text: block.pieces.join(''),
        ...(block.citations.length > 0 && { citations: block.citations }),
      };
    case 'server_tool_use':
      return {
        type: 'server_tool_use',
        id: block.id,
        name: 'web_search',
        input: inputOf(block.input),
        caller,
      };
    case 'web_search_tool_result':
      return { ...block, caller };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: inputOf(block.input), caller };
  }
}

function begunBlock(block: SpokenBlock): Json {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'text':
      return { type: 'text', text: '', ...(block.citations.length > 0 && { citations: [] }) };
    case 'server_tool_use':
      return { type: 'server_tool_use', id: block.id, name: 'web_search', input: {}, caller };
    case 'web_search_tool_result':
      return { ...block, caller };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {}, caller };
  }
}

function deltasOf(block: SpokenBlock): readonly Json[] {
  switch (block.type) {
    case 'thinking':
      return [
        ...block.pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'redacted_thinking':
    case 'web_search_tool_result':
      return [];
    case 'text':
      return [
        ...block.citations.map((citation) => ({ type: 'citations_delta', citation })),
        ...block.pieces.map((text) => ({ type: 'text_delta', text })),
      ];
    case 'server_tool_use':
    case 'tool_use':
      return inputPieces(block.input).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  }
}

/** The first piece is empty, as the vendor sends it. A call without input has no pieces. */
function inputPieces(input: string): readonly string[] {
  if (input === '') return [];
  const middle = Math.ceil(input.length / 2);
  return ['', input.slice(0, middle), input.slice(middle)];
}

/** Outside a stream the input is always an object; other JSON and invalid JSON become an empty one. */
function inputOf(input: string): Json {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
