// What a request is charged: what its provider reported where that is all of it, nothing where nothing was used, and else an
// estimate that nobody can lower by leaving early. By the reservation where nobody can know; by the text that came only where the
// provider stopped with it, where it came whole, or where the organization has chosen so. Never above the reservation, unless the
// provider reported more.
import { isObject } from '../../common/json.ts';
import type { EstimateReason } from '../../proto/words/money.ts';
import type { ChatCall, Outcome } from '../call.ts';
import { isGiven } from '../conversation/options.ts';
import { noUsage, type Usage } from '../conversation/usage.ts';
import { estimateTokens } from '../rates/estimate.ts';
import type { CostBound } from './bound.ts';
import type { Prices } from './prices.ts';

/** What an estimate needs to know; worked out only for one. */
export interface Terms {
  readonly bound: CostBound;
  /** Nano-dollars that are held of each budget; without one what would have been. */
  readonly reserved: number;
  /** The model may think, and not all of its thoughts are in the response. */
  readonly thinksUnseen: boolean;
  /** Of the organization: whether what nobody reported is charged by its reservation or by its text. */
  readonly unknownCost: 'hold' | 'text';
}

export interface Charged {
  readonly usage: Usage;
  /** Nano-dollars. */
  readonly cost: number;
  /** Undefined where the cost is that of complete usage. */
  readonly estimateReason: EstimateReason | undefined;
  /** Nano-dollars of what was reported of an estimated one. */
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

/** Why nobody knows what it cost; undefined where somebody does. */
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

/** Tokens of output that the response holds, and those that its provider may have put out until it noticed that nobody reads. */
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
 * Whether a model may think in a request without all of its thoughts being in the response: then what came of the response says nothing
 * of what was generated.
 */
type ThinkingCall = Pick<ChatCall, 'request' | 'capabilities' | 'catalogModel' | 'qualifiedModel'>;

/** Summaries are not all, and nobody says which models give more: a model that thinks is taken to do so unseen. */
export function mayThinkUnseen(call: ThinkingCall): boolean {
  const { capabilities, catalogModel, request } = call;
  const canThink =
    capabilities.reasoning !== 'none' || catalogModel?.capabilities.includes('reasoning') === true;
  if (!canThink) return false;
  const { thinking, reasoning_effort: effort } = request.body;
  if (thinksOnRequest(call)) {
    return isObject(thinking) ? thinking.type !== 'disabled' : isGiven(effort) && effort !== 'none';
  }
  return !(capabilities.reasoningOff && effort === 'none' && !isGiven(thinking));
}

/** Claude models that take a budget for their thoughts have none without one. */
function thinksOnRequest({ capabilities, qualifiedModel }: ThinkingCall): boolean {
  return capabilities.reasoning === 'budget' && qualifiedModel.includes('claude');
}

/**
 * What a request to a model without a price is taken to have used where its provider did not report it: what it sent by the usual guess,
 * and of the response what came of it, or all that it may have been where that is not seen.
 * @param outputTokensDefault where neither caller nor model has set a ceiling
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
