// A completion in the vendor's two forms: one object, or the events of a stream (ChatCompletion, ChatCompletionChunk).
import type { Json } from '../checks.ts';
import type { Completion, ToolCall } from './completion.ts';
import type { VendorError } from './refusal.ts';
import type { ChatRequest } from './request.ts';

export interface Identity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
}

export function completionObject(request: ChatRequest, completion: Completion, identity: Identity): Json {
  const content = completion.deltas?.join('') ?? null;
  const choices = indexes(request).map((index) => ({
    index,
    message: {
      role: 'assistant',
      content,
      ...(completion.toolCalls.length > 0 && { tool_calls: completion.toolCalls.map(wholeCall) }),
      ...(completion.functionCall && { function_call: completion.functionCall }),
      refusal: null,
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
    service_tier: serviceTier(request),
    system_fingerprint: fingerprint,
  };
}

/** The events of a stream, one string each, the closing `[DONE]` included. */
export function* completionEvents(
  request: ChatRequest,
  completion: Completion,
  identity: Identity,
): Generator<string> {
  const options = (request.body.stream_options ?? {}) as Json;
  const withUsage = options.include_usage === true;
  const obfuscated = options.include_obfuscation !== false;
  const head = {
    id: identity.id,
    object: 'chat.completion.chunk',
    created: identity.created,
    model: request.model.snapshot,
    service_tier: serviceTier(request),
    system_fingerprint: fingerprint,
  };
  let count = 0;
  const event = (index: number, delta: Json, finish_reason: string | null) => {
    count += 1;
    const logprobs =
      typeof delta.content === 'string' && delta.content !== '' ? logprobsOf(request, [delta.content]) : null;
    return frame({
      ...head,
      choices: [{ index, delta, logprobs, finish_reason }],
      ...(withUsage && { usage: null }),
      ...(obfuscated && { obfuscation: padding(count) }),
    });
  };
  for (const delta of deltasOf(completion))
    for (const index of indexes(request)) yield event(index, delta, null);
  for (const index of indexes(request)) yield event(index, {}, completion.finishReason);
  if (withUsage && completion.usage) yield frame({ ...head, choices: [], usage: completion.usage });
  yield 'data: [DONE]\n\n';
}

/** The events up to so many, then the vendor's error event, and no `[DONE]`. */
export function* failingEvents(
  events: Iterable<string>,
  after: number,
  error: VendorError,
): Generator<string> {
  let count = 0;
  for (const event of events) {
    if (count >= after) break;
    count += 1;
    yield event;
  }
  yield frame({ error });
}

function* deltasOf(completion: Completion): Generator<Json> {
  const { deltas, functionCall, toolCalls } = completion;
  if (deltas !== undefined) {
    yield { role: 'assistant', content: '', refusal: null };
    for (const content of deltas) yield { content };
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
    for (const [index, call] of toolCalls.entries()) {
      yield { tool_calls: [{ index, ...wholeCall({ ...call, arguments: '' }) }] };
      for (const piece of halves(call.arguments)) {
        yield {
          tool_calls: [
            {
              index,
              ...(call.type === 'custom' ? { custom: { input: piece } } : { function: { arguments: piece } }),
            },
          ],
        };
      }
    }
  }
}

function wholeCall({ id, type, name, arguments: text }: ToolCall): Json {
  return type === 'custom'
    ? { id, type, custom: { name, input: text } }
    : { id, type, function: { name, arguments: text } };
}

/** Arguments come in several deltas, so that who joins them is put to the test. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

function indexes(request: ChatRequest): readonly number[] {
  return Array.from({ length: Number(request.body.n ?? 1) }, (_, index) => index);
}

function logprobsOf(request: ChatRequest, tokens: readonly string[]): Json | null {
  if (request.body.logprobs !== true) return null;
  const top = Number(request.body.top_logprobs ?? 0);
  const content = tokens.map((token) => {
    const entry = { token, logprob: -0.01, bytes: [...Buffer.from(token)] };
    return { ...entry, top_logprobs: Array.from({ length: top }, () => entry) };
  });
  return { content, refusal: null };
}

function serviceTier({ body }: ChatRequest): string {
  return typeof body.service_tier === 'string' && body.service_tier !== 'auto'
    ? body.service_tier
    : 'default';
}

const fingerprint = 'fp_simulated';

/** Padding of varying length, as the vendor sends against guessing tokens by the sizes of packets. */
function padding(count: number): string {
  return 'Xk3Zq9aLw0Rt5Vb1'.slice((count * 7) % 17);
}

function frame(value: Json | { readonly error: VendorError }): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
