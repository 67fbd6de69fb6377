// The charge of a request: the usage that its provider reported if that is complete, nothing if nothing was used, and
// otherwise an estimate that no caller can lower by leaving early. The estimate is the reservation if the usage cannot
// be known. It follows the received text only if the provider stopped with it, if the response came whole, or if the
// organization has chosen so. It is never above the reservation, unless the provider reported more.
import { isObject } from '../../common/json.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import { type ChatCall, isInBackground, type Outcome } from '../call.ts';
import { isGiven } from '../conversation/options.ts';
import { noUsage, type Usage } from '../conversation/usage.ts';
import { estimateTokens } from '../rates/estimate.ts';
import type { CostBound } from './bound.ts';
import type { Prices } from './prices.ts';

/** The inputs of an estimate; computed only if one is made. */
export interface Terms {
  readonly bound: CostBound;
  /** Nano-dollars reserved in each budget; without a budget, the amount that would have been reserved. */
  readonly reserved: number;
  /** The model may think, and not all of its thoughts are in the response. */
  readonly thinksUnseen: boolean;
  /** The organization's choice: unreported usage is charged by its reservation or by its text. */
  readonly unknownCost: 'hold' | 'text';
}

export interface Charged {
  readonly usage: Usage;
  /** Nano-dollars. */
  readonly cost: number;
  /** Undefined if the cost is that of complete usage. */
  readonly estimateReason: EstimateReason | undefined;
  /** Nano-dollars of the usage that was reported, if the cost is estimated. */
  readonly reportedCost: number | undefined;
}

export interface Priced {
  readonly prices: Prices;
  terms(): Terms;
}

export function chargeOf(outcome: Outcome, { prices, terms }: Priced): Charged {
  const { usage, usageIsComplete, ending } = outcome;
  if (usage !== undefined && usageIsComplete) return known(usage, prices.costOf(usage));
  if (ending === 'unused') return known(noUsage, 0);
  return estimated(outcome, prices, terms());
}

/** Why the cost is unknown; undefined if it is known. */
export function estimateReasonOf({ usageIsComplete, ending }: Outcome): EstimateReason | undefined {
  if (usageIsComplete || ending === 'unused') return undefined;
  return ending === 'whole' ? 'no_usage' : ending;
}

function known(usage: Usage, cost: number): Charged {
  return { usage, cost, estimateReason: undefined, reportedCost: undefined };
}

function estimated(outcome: Outcome, prices: Prices, terms: Terms): Charged {
  const { bound, reserved, unknownCost, thinksUnseen } = terms;
  const { ending, usage: reported } = outcome;
  const ceiling = bound.outputTokens(reserved);
  const byText = ending === 'left' || unknownCost === 'text' || (ending === 'whole' && !thinksUnseen);
  const text = outputByText(outcome);
  const completionTokens = !byText || thinksUnseen ? Math.max(text, ceiling) : text;
  const promptTokens = reported?.promptTokens || bound.promptTokens;
  const usage: Usage = { ...(reported ?? noUsage), promptTokens, completionTokens };
  const cost = reported?.promptTokens ? prices.costOf(usage) : bound.costWith(completionTokens);
  return {
    usage,
    cost: byText ? Math.min(cost, reserved) : reserved,
    estimateReason: estimateReasonOf(outcome),
    reportedCost: reported && prices.costOf(reported),
  };
}

/**
 * Output tokens of the response, and those that its provider may have generated before it noticed that the response is
 * no longer read.
 */
function outputByText({ ending, usage, textTokens, latencyMs, firstTokenMs = latencyMs }: Outcome): number {
  const text = textTokens();
  const reported = usage?.completionTokens ?? 0;
  if (ending === 'whole') return Math.max(reported, text);
  const pace = text / Math.max(1, (latencyMs - firstTokenMs) / 1000);
  return Math.max(reported, text + tailTokens + Math.ceil(pace * tailSeconds));
}

const tailTokens = 64;
const tailSeconds = 2;

/**
 * Whether a model may think in a request without all of its thoughts being in the response: then the received text does
 * not show how much was generated.
 */
type ThinkingCall = Pick<ChatCall, 'request' | 'capabilities' | 'catalogModel' | 'qualifiedModel'>;

/**
 * Summaries are not all thoughts, and no vendor documents which models send more: every model that thinks counts as
 * thinking unseen.
 */
export function mayThinkUnseen(call: ThinkingCall): boolean {
  // What it generates after its request does not reach the gateway before its end.
  if (isInBackground(call)) return true;
  const { capabilities, catalogModel, request } = call;
  const canThink = capabilities.reasoning !== 'none' || catalogModel?.capabilities.includes('reasoning') === true;
  if (!canThink) return false;
  const { thinking, reasoning_effort: effort } = request.body;
  if (thinksOnRequest(call)) {
    return isObject(thinking) ? thinking.type !== 'disabled' : isGiven(effort) && effort !== 'none';
  }
  return !(capabilities.reasoningOff && effort === 'none' && !isGiven(thinking));
}

/** Claude models with a budget for their thoughts do not think without one. */
function thinksOnRequest({ capabilities, qualifiedModel }: ThinkingCall): boolean {
  return capabilities.reasoning === 'budget' && qualifiedModel.includes('claude');
}

/**
 * The usage that is assumed for a request to a model without a price, if its provider reported none: its prompt by the
 * usual guess, and the received part of the response, or the most that it may have been if that part does not show
 * everything.
 * @param outputTokensDefault the ceiling if neither caller nor model has one
 */
export function estimatedUsage(call: ChatCall, outcome: Outcome, outputTokensDefault: number): Usage {
  const { input, output } = estimateTokens(call, outputTokensDefault);
  const { usage: reported = noUsage } = outcome;
  const seen = Math.max(reported.completionTokens, outcome.textTokens());
  const isSeen = outcome.ending === 'whole' && !mayThinkUnseen(call);
  return {
    ...reported,
    promptTokens: reported.promptTokens || input,
    completionTokens: isSeen ? seen : Math.max(seen, output),
  };
}
