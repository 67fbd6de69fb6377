// How much the model thinks: `reasoning_effort`, or the extension `thinking` with a budget, as SDK type
// `ThinkingConfig`. Budget and level are never sent together: the vendor refuses that.
import { isNumber, isWhole, type JsonNumber } from '../../../common/exact-number.ts';
import { isObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import type { Options } from '../../conversation/fields.ts';
import { invalid } from '../../conversation/invalid.ts';
import { type Effort, readEffort } from '../../conversation/options.ts';

export interface ThinkingConfig {
  readonly includeThoughts?: true;
  /** In tokens; 0 is off, -1 lets the model decide. */
  readonly thinkingBudget?: JsonNumber;
  readonly thinkingLevel?: Level;
}

export interface Thinking {
  /** Undefined if nothing is requested, or if the model does not think. */
  readonly config: ThinkingConfig | undefined;
  /** The request's fields that it was read from. */
  readonly fields: readonly string[];
}

/** @throws GatewayError invalid_request */
export function readThinking(
  options: Options<'thinking' | 'reasoning_effort'>,
  capabilities: ModelCapabilities,
): Thinking {
  const effort = readEffort(options);
  if (effort !== undefined) {
    const config = configOfEffort(effort, capabilities);
    // A model that does not think fulfils the effort none.
    const done = config !== undefined || effort === 'none';
    return { config, fields: done ? ['reasoning_effort'] : [] };
  }
  const wish = readWish(options);
  if (wish === undefined) return nothing;
  const config = asDisplayed(configOfWish(wish, capabilities), options);
  return { config, fields: config !== undefined || wish === 'off' ? ['thinking'] : [] };
}

const nothing: Thinking = Object.freeze({ config: undefined, fields: Object.freeze([]) });

/** The values of the vendor's own API in the callers' format. */
const budgets: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** The minimum for a model whose thinking cannot be turned off. */
const budgetMin = 128;

function configOfEffort(effort: Effort, capabilities: ModelCapabilities): ThinkingConfig | undefined {
  switch (capabilities.reasoning) {
    case 'budget':
      if (effort !== 'none') return { thinkingBudget: budgets[effort], includeThoughts: true };
      return { thinkingBudget: capabilities.reasoningOff ? 0 : budgetMin };
    case 'level': {
      const thinkingLevel = levelOf(effort, capabilities);
      return effort === 'none' ? { thinkingLevel } : { thinkingLevel, includeThoughts: true };
    }
    default:
      return undefined;
  }
}

type Level = 'minimal' | 'low' | 'medium' | 'high';

const levels: readonly Level[] = ['minimal', 'low', 'medium', 'high'];

const wanted: Readonly<Record<Effort, Level>> = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** The wanted level, or the next higher one that the model has. */
function levelOf(effort: Effort, { reasoningLevels }: ModelCapabilities): Level {
  const known = reasoningLevels.split('-');
  const enough = levels.slice(levels.indexOf(wanted[effort]));
  return enough.find((level) => known.includes(level)) ?? 'high';
}

/** The assistant vendor's `thinking`: off, up to the model, or a budget in tokens. */
type Wish = 'off' | 'adaptive' | JsonNumber;

function configOfWish(wish: Wish, capabilities: ModelCapabilities): ThinkingConfig | undefined {
  if (wish === 'off') return configOfEffort('none', capabilities);
  switch (capabilities.reasoning) {
    case 'budget':
      return { thinkingBudget: wish === 'adaptive' ? -1 : wish, includeThoughts: true };
    case 'level':
      // Without a level the model decides. These models still accept budgets.
      return wish === 'adaptive' ? { includeThoughts: true } : { thinkingBudget: wish, includeThoughts: true };
    default:
      return undefined;
  }
}

/** Thinking whose text the client does not want is not returned. */
function asDisplayed(config: ThinkingConfig | undefined, { thinking }: Options<'thinking'>) {
  if (config === undefined || !isObject(thinking) || thinking.display !== 'omitted') return config;
  const { includeThoughts: _, ...rest } = config;
  return rest;
}

function readWish({ thinking }: Options<'thinking'>): Wish | undefined {
  if (thinking === undefined || thinking === null) return undefined;
  if (!isObject(thinking)) throw invalid('thinking', 'thinking must be an object');
  const { type, budget_tokens: budget } = thinking;
  if (type === 'disabled') return 'off';
  // Thinking between calls alone is up to this model too.
  if (type === 'adaptive' || type === 'between_tools') return 'adaptive';
  if (type !== 'enabled') {
    throw invalid('thinking.type', 'thinking.type must be enabled, adaptive or disabled');
  }
  const fits = isNumber(budget) && isWhole(budget) && Number(budget) > 0 && Number(budget) < 2 ** 31;
  if (fits) return budget;
  throw invalid('thinking.budget_tokens', 'thinking.budget_tokens must be a whole number above 0');
}
