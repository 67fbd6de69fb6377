// The service's form of a completion: its headers, the filter's results, and fields in which models of other makes
// differ from a GPT model.
import type { Behaviour } from '../behaviour.ts';
import type { Json } from '../checks.ts';
import type { ChatForm } from '../gpt-provider/chat.ts';
import type { Completion } from '../gpt-provider/completion.ts';
import type { ChatRequest } from '../gpt-provider/request.ts';
import { completionChunks, completionObject, type Identity } from '../gpt-provider/response.ts';
import { words } from '../tokens.ts';
import type { ResponseContext, SimulatedResponse } from '../wire-format.ts';
import type { Deployment } from './deployments.ts';
import { type ErrorWords, retryAfterSeconds, scriptedError } from './errors.ts';
import { filteredChunks, filteredObject } from './filters.ts';
import type { Make } from './makes.ts';

export interface Served {
  readonly request: ChatRequest;
  readonly behaviour: Behaviour;
  readonly context: ResponseContext;
  readonly deployment: Deployment;
  readonly words: ErrorWords;
  /** Whether the response contains the content filter's results; the inference API has them only for GPT models. */
  readonly filtered: boolean;
}

export function formOf({ request, behaviour, context, deployment, words: errors, filtered }: Served): ChatForm {
  const { make, filter } = deployment;
  const withStatedModel = (completion: Completion) =>
    make === undefined ? completion : spokenBy(make, completion, behaviour);
  const thought = make === undefined || make.thinks === 'hidden' ? '' : thoughtOf(behaviour);
  return {
    thought,
    headers: (status) => ({
      ...commonHeaders(context),
      'x-ms-deployment-name': deployment.name,
      ...limitHeaders(request, status),
    }),
    stringify: (value) => JSON.stringify(value),
    object: (completion, identity) => {
      const object = objectOf(request, { make, completion: withStatedModel(completion), identity });
      return filtered ? filteredObject(object, filter) : object;
    },
    chunks: (completion, identity) => {
      const chunks = chunksOf(request, { make, completion: withStatedModel(completion), identity });
      return filtered ? filteredChunks(request, chunks, filter) : chunks;
    },
    error: (status, scripted) => scriptedError(status, scripted, errors),
  };
}

function commonHeaders({ sequence }: ResponseContext): Readonly<Record<string, string>> {
  return {
    'apim-request-id': `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`,
    'strict-transport-security': 'max-age=31536000; includeSubDomains; preload',
    'x-content-type-options': 'nosniff',
    'x-ms-region': 'Simulated',
    'x-request-id': `req_simulated${sequence}`,
  };
}

export function jsonResponse(status: number, value: Json, context: ResponseContext): SimulatedResponse {
  const headers = { ...commonHeaders(context), 'content-type': 'application/json' };
  return { status, headers, parts: [JSON.stringify(value)], behaviour: {} };
}

function limitHeaders({ promptTokens }: ChatRequest, status: number): Readonly<Record<string, string>> {
  if (status === 429) {
    return {
      'retry-after': String(retryAfterSeconds),
      'retry-after-ms': String(retryAfterSeconds * 1000),
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': String(retryAfterSeconds),
    };
  }
  return {
    'x-ms-rai-invoked': 'true',
    'x-ratelimit-limit-requests': '1000',
    'x-ratelimit-limit-tokens': '1000000',
    'x-ratelimit-remaining-requests': '999',
    'x-ratelimit-remaining-tokens': String(Math.max(0, 1_000_000 - promptTokens)),
  };
}

interface StatedResponse {
  readonly make: Make | undefined;
  readonly completion: Completion;
  readonly identity: Identity;
}

function objectOf(request: ChatRequest, { make, completion, identity }: StatedResponse): Json {
  const object = completionObject(request, completion, identity);
  if (make === undefined) return object;
  const choices = (object.choices as readonly Json[]).map(({ message, ...choice }) => {
    const { refusal, annotations, ...own } = message as Json;
    return { ...choice, message: { tool_calls: [], ...own } };
  });
  const { system_fingerprint, ...rest } = object;
  return { ...rest, choices };
}

function* chunksOf(request: ChatRequest, { make, completion, identity }: StatedResponse): Generator<Json> {
  const chunks = completionChunks(request, completion, identity);
  if (make === undefined) yield* chunks;
  else for (const chunk of chunks) yield otherChunk(chunk, make.alwaysReportsUsage ? completion.usage : undefined);
}

/** @param usage added to the last choice */
function otherChunk({ system_fingerprint, ...chunk }: Json, usage: Json | undefined): Json {
  const all = chunk.choices as readonly Json[];
  const choices = all.map(({ delta, ...choice }) => {
    const { refusal, ...own } = delta as Json;
    return { ...choice, delta: own };
  });
  const ends = all.some((choice) => choice.finish_reason !== null);
  return { ...chunk, choices, ...(ends && usage && { usage }) };
}

function thoughtOf({ reasoning }: Behaviour): string {
  return reasoning ?? 'This is simulated thinking: no model thought.';
}

/** Ids in the make's form, thinking where the make shows it, and the three usage fields that all makes have. */
function spokenBy(make: Make, completion: Completion, behaviour: Behaviour): Completion {
  const { deltas, thought, toolCalls, usage } = completion;
  const inline = make.thinks === 'inline' && thought !== '' && deltas !== undefined;
  // Thinking that the token limit cut stays without its end tag, as on a real model.
  const close = thought === thoughtOf(behaviour) ? '\n</think>\n\n' : '';
  return {
    ...completion,
    thought: make.thinks === 'field' ? thought : '',
    deltas: inline ? [...words(`<think>\n${thought}${close}`), ...deltas] : deltas,
    toolCalls: make.strictCalls
      ? toolCalls.map((call, index) => ({ ...call, id: `sim${String(index + 1).padStart(6, '0')}` }))
      : toolCalls,
    usage: usage && { ...withoutDetails(usage), ...behaviour.usage },
  };
}

function withoutDetails({ completion_tokens_details, prompt_tokens_details, ...usage }: Json): Json {
  return usage;
}
