// How the model samples and how much it reasons: the vendor's `inferenceConfig`, and in additionalModelRequestFields
// the fields of each model family (the vendor's pages on its models' parameters).
import { atMost, type JsonNumber } from '../../../common/exact-number.ts';
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { type Effort, readEffort, readMaxTokens, readStop } from '../../conversation/options.ts';
import { readSampling } from '../../models/claude/sampling.ts';
import { noThinking, readThinking, type Thinking } from '../../models/claude/thinking.ts';
import type { Family } from '../../models/families.ts';
import type { ReadBy } from './fields.ts';

export interface InferenceContext {
  readonly family: Family;
  readonly capabilities: ModelCapabilities;
  /** The model's maximum of output tokens, if known. */
  readonly outputTokensMax: number | undefined;
  /** Whether the response is the input of a forced tool call. No model can reason then. */
  readonly respondsByTool: boolean;
  /** Whether thinking within a budget can continue. */
  readonly keepsThinking: boolean;
}

export interface Inference {
  readonly config: JsonObject;
  /** For additionalModelRequestFields. */
  readonly fields: JsonObject;
  /** Whether the request makes the model reason. */
  readonly reasons: boolean;
  /** The output limit that the gateway chose because the caller gave none. */
  readonly chosenMaxTokens: number | undefined;
  readonly dropped: readonly string[];
}

/** @throws GatewayError invalid_request */
export function readInference(options: ReadBy<'inference'>, context: InferenceContext): Inference {
  const requested = requestedMaxTokens(options, context);
  const reasoning = readReasoning(options, requested === undefined ? undefined : Number(requested), context);
  const chosen = requested === undefined ? chosenMaxTokens(reasoning.on, context) : undefined;
  const { temperature, topP, topK, dropped } = readSampling(options, context.capabilities, reasoning.samplesAlone);
  const requestedStop = readStop(options);
  const { stops, topK: topKPath } = context.family;
  // No model supports a blank stop text.
  const stop = stops ? requestedStop.filter((one) => one.trim() !== '') : [];
  const maxTokens = requested ?? chosen;
  return {
    config: {
      ...(maxTokens !== undefined && { maxTokens }),
      ...(temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(stop.length > 0 && { stopSequences: stop }),
    },
    fields: { ...reasoning.fields, ...(topK !== undefined && nested(topKPath, topK)) },
    reasons: reasoning.on,
    chosenMaxTokens: chosen,
    dropped: [
      ...dropped,
      ...(topK !== undefined && topKPath.length === 0 ? ['top_k'] : []),
      ...(stop.length < requestedStop.length ? ['stop'] : []),
      ...reasoning.dropped,
    ],
  };
}

/** Lowers the limit to the model's maximum for the assistant-model vendor's models, which refuse a higher one. */
function requestedMaxTokens(
  options: ReadBy<'inference'>,
  { family, outputTokensMax }: InferenceContext,
): JsonNumber | undefined {
  const requested = readMaxTokens(options);
  if (requested === undefined || outputTokensMax === undefined || !family.hasClaudeFields) return requested;
  return atMost(requested, outputTokensMax);
}

const plainTokens = 8_192;
const reasoningTokens = 32_768;

/**
 * The service reserves quota for the whole output limit, and the assistant-model vendor's models have a very high
 * default limit: one request without a limit would use the quota of many.
 */
function chosenMaxTokens(reasons: boolean, context: InferenceContext): number | undefined {
  const { family, capabilities, outputTokensMax } = context;
  if (!family.hasClaudeFields) return undefined;
  const mayReason = reasons || (capabilities.reasoning !== 'none' && !capabilities.reasoningOff);
  const sensible = mayReason ? reasoningTokens : plainTokens;
  return outputTokensMax === undefined ? undefined : Math.min(outputTokensMax, sensible);
}

interface Reasoning {
  readonly fields: JsonObject;
  readonly on: boolean;
  /** The model accepts no sampling options while it reasons. */
  readonly samplesAlone: boolean;
  readonly dropped: readonly string[];
}

const none: Reasoning = { fields: {}, on: false, samplesAlone: false, dropped: [] };

function readReasoning(
  options: ReadBy<'inference'>,
  requested: number | undefined,
  context: InferenceContext,
): Reasoning {
  const { capabilities, outputTokensMax } = context;
  if (context.respondsByTool) return claudeReasoning(noThinking(options));
  switch (capabilities.reasoning) {
    case 'budget':
      if (!context.keepsThinking) return claudeReasoning(noThinking(options));
      return claudeReasoning(
        readThinking(options, capabilities, requested ?? Math.min(outputTokensMax ?? plainTokens, reasoningTokens)),
      );
    case 'adaptive':
      return claudeReasoning(readThinking(options, capabilities, requested ?? reasoningTokens));
    case 'level':
      return novaReasoning(readEffort(options), requested);
    case 'effort':
      return effortReasoning(readEffort(options));
    case 'none':
      return withoutReasoning(readEffort(options));
  }
}

function claudeReasoning({ config, effort, on, dropped }: Thinking): Reasoning {
  const fields = { ...(config && { thinking: config }), ...(effort && { output_config: { effort } }) };
  return { fields, on, samplesAlone: on, dropped };
}

/**
 * Off unless requested. The highest effort excludes a limit and sampling options; the caller's limit has priority over
 * it.
 */
function novaReasoning(effort: Effort | undefined, requested: number | undefined): Reasoning {
  if (effort === undefined || effort === 'none') return none;
  const wanted = inThree[effort];
  const maxReasoningEffort = wanted === 'high' && requested !== undefined ? 'medium' : wanted;
  const fields = { reasoningConfig: { type: 'enabled', maxReasoningEffort } };
  return { fields, on: true, samplesAlone: maxReasoningEffort === 'high', dropped: [] };
}

/** These models always reason; the effort only changes how much. */
function effortReasoning(effort: Effort | undefined): Reasoning {
  if (effort === undefined) return none;
  if (effort === 'none') return { ...none, dropped: ['reasoning_effort'] };
  return { ...none, fields: { reasoning_effort: inThree[effort] } };
}

function withoutReasoning(effort: Effort | undefined): Reasoning {
  return effort === undefined || effort === 'none' ? none : { ...none, dropped: ['reasoning_effort'] };
}

const inThree = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const satisfies Record<Exclude<Effort, 'none'>, string>;

/** `['a', 'b']`, 1 → `{ a: { b: 1 } }` */
function nested(path: readonly string[], value: unknown): JsonObject {
  const [last, ...outer] = path.toReversed();
  if (last === undefined) return {};
  return outer.reduce<JsonObject>((inner, name) => ({ [name]: inner }), { [last]: value });
}
