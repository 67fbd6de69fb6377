// The simulated model's completion. The same request gets the same completion; its text states that it is simulated.
import type { Behaviour } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { sampleOf } from '../sample.ts';
import { beforeStop, speechOf, withinTokens } from '../speech.ts';
import { estimateTokens, firstTokens } from '../tokens.ts';
import type { ChatRequest } from './request.ts';
import { nameOf } from './tools.ts';

export interface ToolCall {
  readonly id: string;
  readonly type: 'function' | 'custom';
  readonly name: string;
  readonly arguments: string;
}

export interface Completion {
  /** The thinking that the model shows; empty for most models. */
  readonly thought: string;
  /** The text as the events of a stream carry it; undefined beside calls. */
  readonly deltas: readonly string[] | undefined;
  /** Whether the text declines the request. */
  readonly refused: boolean;
  readonly toolCalls: readonly ToolCall[];
  /** The deprecated form, for a request with `functions`. */
  readonly functionCall: { readonly name: string; readonly arguments: string } | undefined;
  readonly finishReason: string;
  /** Undefined where a test removes it. */
  readonly usage: Json | undefined;
}

export interface Wish {
  readonly behaviour: Behaviour;
  /** The received request as text, for a behaviour with `echo`. */
  readonly echo: () => string;
  /** The thinking of a model that shows it. */
  readonly thought?: string;
}

export function complete(request: ChatRequest, { behaviour, echo, thought = '' }: Wish): Completion {
  const limit = Number(request.body.max_completion_tokens ?? request.body.max_tokens ?? request.model.outputTokensMax);
  const reasoning = Math.min(thought === '' ? reasoningTokens(request) : estimateTokens(thought), limit);
  const shown = firstTokens(thought, reasoning);
  const calls = behaviour.toolCalls ?? requestedCalls(request);
  if (calls.length > 0) {
    return { ...completeCalls(request, behaviour, { calls, reasoning }), thought: shown };
  }
  const stated = behaviour.refusal ?? behaviour.text;
  const whole = speechOf(behaviour, () => (behaviour.echo ? echo() : (stated ?? ownText(request))));
  const limited = withinTokens(whole, limit - reasoning);
  const stops = [request.body.stop].flat().filter((stop) => typeof stop === 'string');
  const { deltas, tokens, stop } = beforeStop(limited, stops);
  return {
    thought: shown,
    deltas,
    refused: behaviour.refusal !== undefined,
    toolCalls: [],
    functionCall: undefined,
    finishReason: behaviour.finishReason ?? (limited.cut && stop === undefined ? 'length' : 'stop'),
    usage: usageOf(request, behaviour, { textTokens: tokens, reasoning }),
  };
}

interface Call {
  readonly name: string;
  readonly arguments: string;
  readonly custom?: boolean;
  readonly deprecated?: boolean;
}

function completeCalls(
  request: ChatRequest,
  behaviour: Behaviour,
  made: { readonly calls: readonly Call[]; readonly reasoning: number },
): Omit<Completion, 'thought'> {
  const textTokens = made.calls.reduce((sum, call) => sum + estimateTokens(call.name + call.arguments) + 4, 0);
  const deprecated = made.calls.find((call) => call.deprecated);
  // As the vendor documents, a call that the caller forced by name ends with `stop`.
  const forced = isObject(request.body.tool_choice) && request.body.tool_choice.type !== 'allowed_tools';
  return {
    deltas: undefined,
    refused: false,
    toolCalls: deprecated
      ? []
      : made.calls.map((call, index) => ({
          id: `call_simulated_${index + 1}`,
          type: call.custom ? 'custom' : 'function',
          name: call.name,
          arguments: call.arguments,
        })),
    functionCall: deprecated && { name: deprecated.name, arguments: deprecated.arguments },
    finishReason: behaviour.finishReason ?? (forced || deprecated ? 'stop' : 'tool_calls'),
    usage: usageOf(request, behaviour, { textTokens, reasoning: made.reasoning }),
  };
}

/** Makes only the calls that the request demands. With `auto` a model may respond with text, and this one does. */
function requestedCalls({ body }: ChatRequest): readonly Call[] {
  if (isObject(body.function_call)) {
    const wanted = (body.functions as readonly Json[]).find((one) => one.name === (body.function_call as Json).name);
    return wanted ? [{ ...sampleCall({ type: 'function', function: wanted }), deprecated: true }] : [];
  }
  const choice = body.tool_choice;
  const tools = (body.tools ?? []) as readonly Json[];
  // Several calls only if the request sets `parallel_tool_calls`, although the vendor allows them by default.
  if (choice === 'required') return tools.slice(0, body.parallel_tool_calls === true ? undefined : 1).map(sampleCall);
  if (!isObject(choice)) return [];
  const allowed = isObject(choice.allowed_tools) ? choice.allowed_tools : undefined;
  if (allowed?.mode === 'auto') return [];
  const wanted = nameOf(allowed ? ((allowed.tools as readonly Json[])[0] ?? {}) : choice);
  return tools.filter((tool) => nameOf(tool) === wanted).map(sampleCall);
}

function sampleCall(tool: Json): Call {
  if (tool.type === 'custom') return { name: nameOf(tool), arguments: 'simulated', custom: true };
  const { parameters = {} } = tool.function as Json;
  return { name: nameOf(tool), arguments: JSON.stringify(sampleOf(parameters)) };
}

function ownText({ body, model, messages }: ChatRequest): string {
  const format = isObject(body.response_format) ? body.response_format : {};
  if (format.type === 'json_object') return JSON.stringify({ simulated: true, model: model.name });
  if (format.type === 'json_schema') {
    const { schema = {} } = format.json_schema as Json;
    return JSON.stringify(sampleOf(schema));
  }
  const count = messages.length === 1 ? 'one message' : `${messages.length} messages`;
  return `This is a simulated output from the gateway's simulator. No model was called: ${model.name} would have received your ${count} here.`;
}

const tokensOfEffort: Readonly<Record<string, number>> = {
  low: 16,
  medium: 64,
  high: 256,
  xhigh: 512,
  max: 1_024,
};

/** Estimated by the effort; 0 for a model that does not reason. */
export function reasoningTokens({ body, model }: ChatRequest): number {
  if (model.efforts.length === 0) return 0;
  return tokensOfEffort[String(body.reasoning_effort ?? 'medium')] ?? 0;
}

function usageOf(
  request: ChatRequest,
  behaviour: Behaviour,
  spent: { readonly textTokens: number; readonly reasoning: number },
): Json | undefined {
  if (behaviour.usage === null) return undefined;
  const completion = spent.textTokens * Number(request.body.n ?? 1) + spent.reasoning;
  return {
    prompt_tokens: request.promptTokens,
    completion_tokens: completion,
    total_tokens: request.promptTokens + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: spent.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...behaviour.usage,
  };
}
