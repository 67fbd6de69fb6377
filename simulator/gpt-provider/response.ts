// A completion in the vendor's two forms: one object, or the chunks of a stream (ChatCompletion, ChatCompletionChunk).
// This file writes the fields common to all services of these models; a service adds its own afterwards.
import { isObject, type Json } from '../checks.ts';
import { words } from '../tokens.ts';
import type { Completion, ToolCall } from './completion.ts';
import type { ChatRequest } from './request.ts';

export interface Identity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
}

export function completionObject(request: ChatRequest, completion: Completion, identity: Identity): Json {
  const choices = indexes(request).map((index) => ({
    index,
    message: {
      role: 'assistant',
      content: completion.refused ? null : (completion.deltas?.join('') ?? null),
      ...(completion.thought !== '' && { reasoning_content: completion.thought }),
      ...(completion.toolCalls.length > 0 && { tool_calls: completion.toolCalls.map(wholeCall) }),
      ...(completion.functionCall && { function_call: completion.functionCall }),
      refusal: completion.refused ? (completion.deltas?.join('') ?? null) : null,
      annotations: [],
    },
    logprobs: logprobsOf(request, completion.deltas ?? []),
    finish_reason: completion.finishReason,
  }));
  return {
    id: identity.id,
    object: 'chat.completion',
    created: identity.created,
    model: request.model.snapshot,
    choices,
    ...(completion.usage && { usage: completion.usage }),
    system_fingerprint: fingerprint,
  };
}

/** The last chunk has the usage and no choices, if the request wants usage. */
export function* completionChunks(request: ChatRequest, completion: Completion, identity: Identity): Generator<Json> {
  const head = {
    id: identity.id,
    object: 'chat.completion.chunk',
    created: identity.created,
    model: request.model.snapshot,
    system_fingerprint: fingerprint,
  };
  const chunk = (index: number, delta: Json, finish_reason: string | null) => {
    const logprobs =
      typeof delta.content === 'string' && delta.content !== '' ? logprobsOf(request, [delta.content]) : null;
    return { ...head, choices: [{ index, delta, logprobs, finish_reason }] };
  };
  for (const delta of deltasOf(completion)) for (const index of indexes(request)) yield chunk(index, delta, null);
  for (const index of indexes(request)) yield chunk(index, {}, completion.finishReason);
  if (wantsUsage(request) && completion.usage) yield { ...head, choices: [], usage: completion.usage };
}

export function wantsUsage({ body }: ChatRequest): boolean {
  return isObject(body.stream_options) && body.stream_options.include_usage === true;
}

function* deltasOf({ deltas, functionCall, refused, thought, toolCalls }: Completion): Generator<Json> {
  if (deltas !== undefined) {
    yield { role: 'assistant', content: '', refusal: null };
    for (const reasoning_content of words(thought)) yield { reasoning_content };
    for (const text of deltas) yield refused ? { refusal: text } : { content: text };
  } else if (functionCall) {
    yield {
      role: 'assistant',
      content: null,
      function_call: { name: functionCall.name, arguments: '' },
      refusal: null,
    };
    for (const piece of halves(functionCall.arguments)) yield { function_call: { arguments: piece } };
  } else {
    yield { role: 'assistant', content: null };
    for (const reasoning_content of words(thought)) yield { reasoning_content };
    for (const [index, call] of toolCalls.entries()) yield* callDeltas(index, call);
  }
}

function* callDeltas(index: number, call: ToolCall): Generator<Json> {
  yield { tool_calls: [{ index, ...wholeCall({ ...call, arguments: '' }) }] };
  for (const piece of halves(call.arguments)) {
    const more = call.type === 'custom' ? { custom: { input: piece } } : { function: { arguments: piece } };
    yield { tool_calls: [{ index, ...more }] };
  }
}

function wholeCall({ id, type, name, arguments: text }: ToolCall): Json {
  return type === 'custom'
    ? { id, type, custom: { name, input: text } }
    : { id, type, function: { name, arguments: text } };
}

/** Arguments come in several deltas, so that clients must join them. */
export function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

function indexes(request: ChatRequest): readonly number[] {
  return Array.from({ length: Number(request.body.n ?? 1) }, (_, index) => index);
}

function logprobsOf(request: ChatRequest, tokens: readonly string[]): Json | null {
  if (request.body.logprobs !== true) return null;
  return { content: logprobEntries(tokens, Number(request.body.top_logprobs ?? 0)), refusal: null };
}

/** @param top the number of alternatives beside each token */
export function logprobEntries(tokens: readonly string[], top: number): readonly Json[] {
  return tokens.map((token) => {
    const entry = { token, logprob: -0.01, bytes: [...Buffer.from(token)] };
    return { ...entry, top_logprobs: Array.from({ length: top }, () => entry) };
  });
}

const fingerprint = 'fp_simulated';
