// What a request can cost at most, before anybody has counted its tokens: what a budget holds for it. Text counts as if every byte
// were a token, which no vendor's tokens are shorter than.
import type { ChatCall } from '../call.ts';
import { audioTokensMax, imageTokensMax } from '../catalog/media-allowances.ts';
import { isGiven } from '../conversation/options.ts';
import { count } from '../conversation/usage.ts';
import { mediaOf } from '../formats/chat-completions/media-parts.ts';
import { type Demand, demandOf } from './demand.ts';
import type { Prices } from './prices.ts';
import { costOfTokens, tokensMax } from './rates.ts';

export type BoundedCall = Pick<ChatCall, 'request' | 'qualifiedModel' | 'catalogModel'>;

/** Amounts are nano-dollars. */
export interface CostBound {
  /** The most tokens that the prompt can be. */
  readonly promptTokens: number;
  readonly full: number;
  /** With the lowest ceiling on its output; the same as `full` where its caller has set one. */
  readonly least: number;
  /**
   * The most tokens that each choice may put out where so much is held, from `least` on. Undefined where the caller has set its
   * own maximum, which stands.
   */
  ceilingFor(amount: number): number | undefined;
  /** The most tokens that all choices together may be where so much is held. */
  outputTokens(amount: number): number;
  /** What the whole prompt and so many tokens of output can cost. */
  costWith(outputTokens: number): number;
}

/** @param outputTokensDefault the ceiling where neither caller nor model has a lower one */
export function boundOf(call: BoundedCall, prices: Prices, outputTokensDefault: number): CostBound {
  const demand = demandOf(call);
  const input = promptTokensMax(call, demand);
  const { catalogModel, request } = call;
  const modelMax = catalogModel?.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const requested = requestedCeiling(call);
  const ceiling = Math.min(requested ?? outputTokensDefault, modelMax);
  const choices = Math.min(Math.max(1, count(request.body.n) ?? 1), tokensMax);
  const rates = prices.dearest(input, demand);
  const costWith = (tokens: number) =>
    costOfTokens([
      [input, rates.input],
      [tokens + demand.moreOutput, rates.output],
    ]) + rates.calls;
  const full = costWith(choices * ceiling);
  const bound = { promptTokens: input, full, costWith };
  if (requested !== undefined) {
    return { ...bound, least: full, ceilingFor: () => undefined, outputTokens: () => choices * ceiling };
  }
  const lowest = Math.min(ceiling, ceilingMin);
  const costOfEach = (tokens: number) => costWith(choices * tokens);
  const ceilingFor = (amount: number) =>
    amount >= full ? ceiling : highestWithin(costOfEach, amount, [lowest, ceiling]);
  return {
    ...bound,
    least: costOfEach(lowest),
    ceilingFor,
    outputTokens: (amount) => choices * ceilingFor(amount),
  };
}

/** A shorter answer is worth nothing. */
const ceilingMin = 256;
/** What vendors put around a message. */
const tokensPerMessage = 16;
/** The most that a vendor tells a model about tools before it names them (the assistant vendor's page "Tool use": 530). */
const tokensOfTools = 600;

/** The larger where both are given: which of the two counts is the provider's to say. */
function requestedCeiling({ request: { body } }: BoundedCall): number | undefined {
  const [newer, older] = [count(body.max_completion_tokens), count(body.max_tokens)];
  return newer === undefined || older === undefined ? (newer ?? older) : Math.max(newer, older);
}

function promptTokensMax(call: BoundedCall, { wholeWindow, searchTokens, calls }: Demand): number {
  const own = ownTokensMax(call);
  const prompt = wholeWindow ? Math.max(own, call.catalogModel?.limits.maxInputTokens ?? own) : own;
  if (searchTokens === 0) return prompt;
  // A step for each search and one for the answer; each reads the prompt and all that was found before it.
  const { search = 0 } = calls;
  return (search + 1) * prompt + searchTokens * ((search * (search + 1)) / 2);
}

/** Of what is in the body. */
function ownTokensMax({ request, qualifiedModel, catalogModel }: BoundedCall): number {
  const { body, bytes, messages } = request;
  const hasTools = isGiven(body.tools) || isGiven(body.functions);
  const text = bytes + messages.length * tokensPerMessage + (hasTools ? tokensOfTools : 0);
  const media = mediaOf(messages);
  if (media.length === 0) return text;
  const perPart = imageTokensMax(qualifiedModel);
  let withoutData = text;
  let files = 0;
  for (const { kind, data } of media) {
    withoutData -= data.length;
    if (kind === 'audio') {
      files += audioTokensMax(qualifiedModel, data);
      continue;
    }
    withoutData += perPart;
    // A file holds pages of text and images, as many as have room in its bytes.
    if (kind === 'file') files += data.length;
  }
  // No prompt is larger than the model takes, whatever a file unpacks to.
  return withoutData + Math.min(files, catalogModel?.limits.maxInputTokens ?? files);
}

/** The highest ceiling whose cost the amount covers, but not below the lowest. Costs rise with the ceiling. */
function highestWithin(
  costWith: (ceiling: number) => number,
  amount: number,
  [lowest, highest]: readonly [number, number],
): number {
  let [covered, above] = [lowest, highest];
  while (above - covered > 1) {
    const middle = Math.floor((covered + above) / 2);
    if (costWith(middle) <= amount) covered = middle;
    else above = middle;
  }
  return covered;
}
