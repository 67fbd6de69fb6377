// The simulated model's completion. The same request gets the same completion; its text states that it is simulated.
import type { Behaviour } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { sampleOf } from '../sample.ts';
import { beforeStop, type Speech, speechOf, withinTokens } from '../speech.ts';
import { estimateTokens, firstTokens, words } from '../tokens.ts';
import type { MessageRequest } from './message-request.ts';
import { type CitedText, citedTexts, type SearchBlock, searchBlocks } from './search.ts';
import { redactedDataFor, signatureFor } from './signature.ts';
import { interleavedThinking } from './thinking.ts';
import { callable, nameOf } from './tools.ts';
import { usageOf } from './usage.ts';

/** A content block, with the pieces in which a stream carries it. */
export type SpokenBlock =
  | { readonly type: 'thinking'; readonly pieces: readonly string[]; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | CitedText
  | SearchBlock
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      /** JSON, unless a test scripts something else. */
      readonly input: string;
    };

export interface Completion {
  readonly blocks: readonly SpokenBlock[];
  readonly stopReason: string;
  readonly stopSequence: string | null;
  readonly stopDetails: Json | null;
  /** Undefined where a test removes it. */
  readonly usage: Json | undefined;
}

export interface Wish {
  readonly behaviour: Behaviour;
  /** The received request as text, for a behaviour with `echo`. */
  readonly echo: () => string;
  /** Makes the ids of this response's calls unique: a conversation may contain calls of several responses. */
  readonly sequence: number;
}

export function complete(request: MessageRequest, wish: Wish): Completion {
  const { behaviour } = wish;
  if (behaviour.blocked !== undefined) return refusedBy(behaviour.blocked, request, behaviour);
  const query = Number(request.body.max_tokens);
  const limit = Math.min(query, request.model.contextTokens - request.prompt.total);
  const thought = thoughtOf(request, behaviour, limit);
  const calls = behaviour.toolCalls ?? requestedCalls(request);
  const speech = withinTokens(textOf(request, wish, calls.length > 0), limit - thought.tokens);
  const { deltas, tokens, stop } = beforeStop(speech, stopsOf(request.body));
  const ended = limit === query ? 'max_tokens' : 'model_context_window_exceeded';
  const cut = speech.cut || limit === 0 ? ended : 'end_turn';
  const tokensOfCalls = calls.reduce((sum, call) => sum + estimateTokens(call.name + call.arguments) + 4, 0);
  return {
    blocks: [...thought.blocks, ...textBlocks(deltas, wish), ...callBlocks(calls, wish.sequence)],
    stopReason: behaviour.finishReason ?? (calls.length > 0 ? 'tool_use' : stop ? 'stop_sequence' : cut),
    stopSequence: stop ?? null,
    stopDetails: behaviour.finishReason === 'refusal' ? refusalDetails(null) : null,
    usage: usageOf(request, behaviour, { thought: thought.tokens, textTokens: tokens + tokensOfCalls }),
  };
}

/** A refusal without any text. */
function refusedBy(category: string, request: MessageRequest, behaviour: Behaviour): Completion {
  return {
    blocks: [],
    stopReason: 'refusal',
    stopSequence: null,
    stopDetails: refusalDetails(category),
    usage: usageOf(request, behaviour, { thought: 0, textTokens: 0 }),
  };
}

function refusalDetails(category: string | null): Json {
  return { type: 'refusal', category, explanation: 'The request made the simulator refuse.' };
}

function textBlocks(deltas: readonly string[], { behaviour, sequence }: Wish): readonly SpokenBlock[] {
  if (deltas.length === 0) return [];
  const { citations = [], finishReason } = behaviour;
  // A turn pauses after a search and before the text about its results.
  if (finishReason === 'pause_turn') {
    const found = citations.length > 0 ? citations : [{ uri: 'https://example.test/', title: 'Found' }];
    return [{ type: 'text', pieces: deltas, citations: [] }, ...searchBlocks(found, sequence)];
  }
  if (citations.length === 0) return [{ type: 'text', pieces: deltas, citations: [] }];
  return [...searchBlocks(citations, sequence), ...citedTexts(deltas.join(''), citations)];
}

function callBlocks(calls: readonly Call[], sequence: number): readonly SpokenBlock[] {
  return calls.map((call, index) => ({
    type: 'tool_use',
    id: `toolu_simulated${sequence}_${index + 1}`,
    name: call.name,
    input: call.arguments,
  }));
}

function stopsOf({ stop_sequences }: Json): readonly string[] {
  return Array.isArray(stop_sequences) ? stop_sequences : [];
}

interface Call {
  readonly name: string;
  readonly arguments: string;
}

/** Makes only the calls that the request demands. With `auto` a model may respond with text, and this one does. */
function requestedCalls({ body }: MessageRequest): readonly Call[] {
  const choice = isObject(body.tool_choice) ? body.tool_choice : {};
  const tools = callable((body.tools ?? []) as readonly Json[]);
  if (choice.type === 'tool') return tools.filter((tool) => nameOf(tool) === choice.name).map(sampleCall);
  if (choice.type !== 'any') return [];
  // A request that allows parallel calls gets one call of each tool.
  return (choice.disable_parallel_tool_use === false ? tools : tools.slice(0, 1)).map(sampleCall);
}

function sampleCall(tool: Json): Call {
  return { name: nameOf(tool), arguments: JSON.stringify(sampleOf(tool.input_schema)) };
}

/** Beside calls there is no text, unless a test scripts one. */
function textOf(request: MessageRequest, { behaviour, echo }: Wish, besideCalls: boolean): Speech {
  if (request.body.max_tokens === 0) return { deltas: [], tokens: 0 };
  return speechOf(behaviour, () => {
    if (behaviour.echo) return echo();
    return behaviour.text ?? (besideCalls ? '' : ownText(request));
  });
}

function ownText({ body, model, messages }: MessageRequest): string {
  const format = isObject(body.output_config) ? body.output_config.format : undefined;
  if (isObject(format)) return JSON.stringify(sampleOf(format.schema));
  const count = messages.length === 1 ? 'one message' : `${messages.length} messages`;
  return `This is a simulated output from the gateway's simulator. No model was called: ${model.id} would have received your ${count} here.`;
}

interface Thought {
  readonly blocks: readonly SpokenBlock[];
  readonly tokens: number;
}

function thoughtOf(request: MessageRequest, behaviour: Behaviour, limit: number): Thought {
  if (!thinksNow(request) || limit === 0) return { blocks: [], tokens: 0 };
  const whole = behaviour.reasoning ?? 'This is simulated thinking: no model thought about it.';
  const tokens = Math.min(estimateTokens(whole), limit);
  const text = firstTokens(whole, tokens);
  if (behaviour.reasoningRedacted) {
    return { blocks: [{ type: 'redacted_thinking', data: redactedDataFor(text) }], tokens };
  }
  const shown = request.thinking.hidden ? '' : text;
  const signature = signatureFor(shown, text);
  return { blocks: [{ type: 'thinking', pieces: words(shown), signature }], tokens };
}

/** With a budget, a model thinks once and not again between tool calls, unless the request has the beta for that. */
function thinksNow({ thinking, messages, betas }: MessageRequest): boolean {
  if (thinking.mode !== 'manual' || betas.has(interleavedThinking)) return thinking.mode !== 'off';
  return !messages.at(-1)?.blocks.some((block) => block.type === 'tool_result');
}
