// How much a Claude model thinks, with any provider: `reasoning_effort` and the vendor's own `thinking`, as the fields
// that this model accepts (SDK types `ThinkingConfigParam` and `OutputConfig` of @anthropic-ai/sdk).
import { atMost, isNumber, isWhole, type JsonNumber } from '../../../common/exact-number.ts';
import { isObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Options } from '../../conversation/fields.ts';
import { invalid } from '../../conversation/invalid.ts';
import { type Effort, readEffort } from '../../conversation/options.ts';

export type ThinkingConfig =
  | { readonly type: 'enabled'; readonly budget_tokens: JsonNumber; readonly display?: Display }
  | { readonly type: 'adaptive'; readonly display?: Display }
  | { readonly type: 'disabled' }
  | { readonly type: 'between_tools' };

type Display = 'summarized' | 'omitted';

export type ClaudeEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

export interface Thinking {
  /** `thinking` of the request. */
  readonly config: ThinkingConfig | undefined;
  /** `output_config.effort` of the request. */
  readonly effort: ClaudeEffort | undefined;
  /**
   * Thinking is requested: then no tool can be forced, no response can be begun, and the model samples by its own
   * rules.
   */
  readonly on: boolean;
  /** Fields that this model does not get. */
  readonly dropped: readonly string[];
}

export type ThinkingOptions = Options<'thinking' | 'reasoning_effort'>;

/**
 * @param maxTokens maximum of output tokens, including thinking
 * @throws GatewayError invalid_request
 */
export function readThinking(options: ThinkingOptions, capabilities: ModelCapabilities, maxTokens: number): Thinking {
  const wish = readWish(options);
  if (wish === undefined) return nothing;
  switch (capabilities.reasoning) {
    case 'adaptive':
      return wish.on ? adaptive(wish, capabilities) : least(wish, capabilities);
    case 'budget':
      // These models do not think unless the request enables it.
      return wish.on ? withinBudget(wish, maxTokens) : nothing;
    default:
      return wish.on ? noThinking(options) : nothing;
  }
}

/** No thinking, even if the request wants it: for options that exclude it. */
export function noThinking(options: ThinkingOptions): Thinking {
  const wish = readWish(options);
  return wish?.on === true ? { ...nothing, dropped: wish.fields } : nothing;
}

const nothing: Thinking = { config: undefined, effort: undefined, on: false, dropped: [] };

interface Wish {
  readonly on: boolean;
  readonly effort: Exclude<Effort, 'none'> | undefined;
  readonly budget: JsonNumber | undefined;
  readonly display: Display | undefined;
  /** The fields that express it. */
  readonly fields: readonly string[];
}

/** The vendor's own field decides whether the model thinks, and the other one how much. */
function readWish(options: ThinkingOptions): Wish | undefined {
  const config = readConfig(options.thinking);
  const effort = readEffort(options);
  if (config === undefined && effort === undefined) return undefined;
  const on = config === undefined ? effort !== 'none' : config.type === 'enabled' || config.type === 'adaptive';
  return {
    on,
    effort: effort === 'none' ? undefined : effort,
    budget: config?.type === 'enabled' ? config.budget_tokens : undefined,
    display: config !== undefined && 'display' in config ? config.display : undefined,
    fields: [...(effort === undefined ? [] : ['reasoning_effort']), ...(config === undefined ? [] : ['thinking'])],
  };
}

/** The vendor's minimum. */
const budgetMin = 1024;

function readConfig(value: unknown): ThinkingConfig | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalid('thinking', 'thinking must be an object');
  const { type } = value;
  switch (type) {
    case 'disabled':
    case 'between_tools':
      return { type };
    case 'adaptive':
      return { type, ...readDisplay(value.display) };
    case 'enabled':
      return { type, budget_tokens: readBudget(value.budget_tokens), ...readDisplay(value.display) };
    default:
      throw invalid('thinking.type', 'thinking.type must be enabled, adaptive, disabled or between_tools');
  }
}

function readBudget(value: unknown): JsonNumber {
  const fits = isNumber(value) && isWhole(value) && Number(value) >= budgetMin;
  if (fits && Number.isSafeInteger(Number(value))) return value;
  throw invalid('thinking.budget_tokens', `thinking.budget_tokens must be a whole number from ${budgetMin}`);
}

function readDisplay(value: unknown): { readonly display?: Display } {
  if (value === undefined || value === null) return {};
  if (value === 'summarized' || value === 'omitted') return { display: value };
  throw invalid('thinking.display', 'thinking.display must be summarized or omitted');
}

function adaptive({ effort, budget, display }: Wish, capabilities: ModelCapabilities): Thinking {
  return {
    // Newer models omit their thinking unless the request wants it.
    config: { type: 'adaptive', display: display ?? 'summarized' },
    effort: effort && effortOf(effort, capabilities),
    on: true,
    dropped: budget === undefined ? [] : ['thinking.budget_tokens'],
  };
}

function effortOf(effort: Exclude<Effort, 'none'>, { effortXhigh }: ModelCapabilities): ClaudeEffort {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' && !effortXhigh ? 'high' : effort;
}

/** Off, or as little thinking as this model allows. An effort beside it would contradict it. */
function least({ effort, fields }: Wish, capabilities: ModelCapabilities): Thinking {
  const dropped = effort === undefined ? [] : ['reasoning_effort'];
  if (capabilities.reasoningOff) return { ...nothing, config: { type: 'disabled' }, dropped };
  if (capabilities.reasoningBetweenTools) return { ...nothing, config: { type: 'between_tools' }, dropped };
  return { ...nothing, effort: 'low', dropped: fields };
}

/** Shares of the maximum of output tokens, in hundredths. */
const shares = { minimal: 2, low: 10, medium: 30, high: 60, xhigh: 90, max: 90 } as const;

function withinBudget({ effort = 'medium', budget, display, fields }: Wish, maxTokens: number): Thinking {
  if (maxTokens <= budgetMin) return { ...nothing, dropped: fields };
  const share = (hundredths: number) => Math.max(budgetMin, Math.floor((maxTokens * hundredths) / 100));
  const tokens = atMost(budget ?? share(shares[effort]), share(shares.max));
  return {
    config: { type: 'enabled', budget_tokens: tokens, ...(display && { display }) },
    effort: undefined,
    on: true,
    dropped: [],
  };
}
