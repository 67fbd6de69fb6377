// The simulated model's completion. The same request gets the same completion; its text states that it is simulated.
import type { Behaviour } from '../behaviour.ts';
import { isObject, type Json } from '../checks.ts';
import { sampleOf } from '../sample.ts';
import { beforeStop, type Speech, speechOf, spoken, withinTokens } from '../speech.ts';
import { estimateTokens } from '../tokens.ts';
import { citationsOf, webCitation } from './citations.ts';
import { sum } from './limits.ts';
import { type ConverseRequest, inferenceOf, responseSchemaOf, toolChoiceOf, toolSpecsOf } from './request.ts';
import { redactedThought, signThought, thinks } from './thinking.ts';
import { usageOf } from './usage.ts';

export type Block =
  | {
      readonly kind: 'thought';
      readonly deltas: readonly string[];
      /** Undefined for a model family without signatures, and for a thought that was cut. */
      readonly signature: string | undefined;
    }
  | { readonly kind: 'redactedThought'; readonly data: string }
  | {
      readonly kind: 'text';
      readonly deltas: readonly string[];
      /** Empty unless the request enabled citations. */
      readonly citations: readonly Json[];
    }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      /** A text, because scripted input need not be JSON. */
      readonly input: string;
    };

export interface Completion {
  readonly blocks: readonly Block[];
  readonly stopReason: string;
  /** The stop sequence that ended the text. */
  readonly stopSequence: string | undefined;
  /** Undefined where a test removes it. */
  readonly usage: Json | undefined;
}

/** @param echo the received request as text, for a behaviour with `echo` */
export function complete(request: ConverseRequest, behaviour: Behaviour, echo: () => string): Completion {
  if (behaviour.blocked !== undefined) return blockedBy(request, behaviour, behaviour.blocked);
  const { maxTokens: limit = request.model.outputTokensMax, stopSequences = [] } = inferenceOf(request);
  const thought = withinTokens(thoughtOf(request, behaviour), limit);
  const query = behaviour.toolCalls ?? requestedCalls(request);
  const silent = query.length > 0 && behaviour.text === undefined;
  const whole = silent ? spoken('') : textOf(request, behaviour, echo);
  const limited = withinTokens(whole, limit - thought.tokens);
  const text = beforeStop(limited, stopSequences);
  const stopped = text.stop !== undefined;
  const cut = thought.cut || (limited.cut && !stopped);
  const calls = cut || stopped ? [] : query.map((call, index) => callBlock(request, call, index));
  const end = { cut, stopped, called: calls.length > 0 };
  const callTokens = calls.map(({ name, input }) => 4 + estimateTokens(name + input));
  return {
    blocks: [...thoughtBlocks(request, behaviour, thought), ...textBlocks(request, behaviour, text.deltas), ...calls],
    stopReason: behaviour.finishReason ?? stopReasonOf(end),
    stopSequence: text.stop,
    usage: usageFor(request, behaviour, thought.tokens + text.tokens + sum(callTokens)),
  };
}

/** The response of a guardrail: its text replaces the model's. */
function blockedBy(request: ConverseRequest, behaviour: Behaviour, stopReason: string): Completion {
  const { deltas, tokens } = spoken(behaviour.text ?? 'Sorry, the simulated guardrail blocked this.');
  return {
    blocks: [{ kind: 'text', deltas, citations: [] }],
    stopReason,
    stopSequence: undefined,
    usage: usageFor(request, behaviour, tokens),
  };
}

function usageFor(request: ConverseRequest, { usage }: Behaviour, textTokens: number): Json | undefined {
  return usage === null ? undefined : { ...usageOf(request, textTokens), ...usage };
}

function stopReasonOf(end: { readonly cut: boolean; readonly stopped: boolean; readonly called: boolean }): string {
  if (end.cut) return 'max_tokens';
  if (end.stopped) return 'stop_sequence';
  return end.called ? 'tool_use' : 'end_turn';
}

function thoughtOf(request: ConverseRequest, { reasoning }: Behaviour): Speech {
  if (reasoning !== undefined) return spoken(reasoning);
  if (!thinks(request)) return spoken('');
  // This family shows one word instead of its thinking.
  return spoken(request.model.family === 'nova' ? '[REDACTED]' : 'A simulated thought: no model was used.');
}

function thoughtBlocks(
  { model }: ConverseRequest,
  { reasoningRedacted }: Behaviour,
  { deltas, cut }: Speech & { readonly cut: boolean },
): readonly Block[] {
  const text = deltas.join('');
  if (reasoningRedacted) return [{ kind: 'redactedThought', data: redactedThought(text) }];
  if (text === '') return [];
  const signature = model.family === 'claude' && !cut ? signThought(text) : undefined;
  return [{ kind: 'thought', deltas, signature }];
}

function textBlocks(request: ConverseRequest, { citations }: Behaviour, deltas: readonly string[]): readonly Block[] {
  if (deltas.length === 0) return [];
  return [{ kind: 'text', deltas, citations: citations?.map(webCitation) ?? citationsOf(request) }];
}

function textOf(request: ConverseRequest, behaviour: Behaviour, echo: () => string): Speech {
  return speechOf(behaviour, () => (behaviour.echo ? echo() : (behaviour.text ?? ownText(request))));
}

function ownText(request: ConverseRequest): string {
  const schema = responseSchemaOf(request);
  if (schema !== undefined) return JSON.stringify(sampleOf(schema));
  const { length } = request.messages;
  const count = length === 1 ? 'one message' : `${length} messages`;
  return `This is a simulated output from the gateway's simulator. No model was called: ${request.model.name} would have received your ${count} here.`;
}

type Call = NonNullable<Behaviour['toolCalls']>[number];

/**
 * Makes only the calls that the request demands. With `auto` a model may respond with text, and this one does. Several
 * calls are made only if the request explicitly allows them, although that is the default.
 */
function requestedCalls(request: ConverseRequest): readonly Call[] {
  const choice = toolChoiceOf(request);
  const specs = toolSpecsOf(request);
  switch (choice.kind) {
    case 'any':
      return specs.slice(0, choice.parallel ? undefined : 1).map(sampleCall);
    case 'tool':
      return specs.filter(({ name }) => name === choice.name).map(sampleCall);
    case 'auto':
    case 'none':
      return [];
  }
}

function sampleCall({ name, inputSchema }: Json): Call {
  const { json = {} } = isObject(inputSchema) ? inputSchema : {};
  return { name: String(name), arguments: JSON.stringify(sampleOf(json)) };
}

/** Ids differ within a conversation: some models require it of the whole history. */
function callBlock({ model, messages }: ConverseRequest, call: Call, index: number): Block & { readonly kind: 'call' } {
  const number = (count: number) => String(count).padStart(3, '0');
  const id =
    model.family === 'mistral'
      ? `sim${number(messages.length)}${number(index + 1)}`
      : `tooluse_simulated_${messages.length}_${index + 1}`;
  return { kind: 'call', id, name: call.name, input: call.arguments };
}
