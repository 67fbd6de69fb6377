// The most that a request can cost, before its tokens are counted: a budget reserves this amount. Text counts as if
// every byte were a token, because no vendor's tokens are shorter than a byte.
import type { ChatCall } from '../call.ts';
import { audioTokensMax, imageTokensMax } from '../catalog/media-allowances.ts';
import { isGiven } from '../conversation/options.ts';
import { count } from '../conversation/usage.ts';
import { mediaOf } from '../formats/chat-completions/media-parts.ts';
import { type Demand, demandOf } from './demand.ts';
import type { ToolCall } from './native-targets.ts';
import type { Prices } from './prices.ts';
import { costOfTokens, tokensMax } from './rates.ts';

export type BoundedCall = ToolCall & Pick<ChatCall, 'qualifiedModel' | 'catalogModel'>;

/** Amounts are nano-dollars. */
export interface CostBound {
  /** The most tokens that the prompt can have. */
  readonly promptTokens: number;
  readonly full: number;
  /** The cost with the lowest ceiling on the output; equal to `full` if the caller has set a ceiling. */
  readonly least: number;
  /**
   * The most tokens that each choice may generate if this amount is reserved, from `least` on. Undefined if the caller
   * has set a maximum, which then applies.
   */
  ceilingFor(amount: number): number | undefined;
  /** The most tokens that all choices together may have if this amount is reserved. */
  outputTokens(amount: number): number;
  /** The most that the whole prompt and this many output tokens can cost. */
  costWith(outputTokens: number): number;
}

/** @param outputTokensDefault the ceiling if neither caller nor model has a lower one */
export function boundOf(call: BoundedCall, prices: Prices, outputTokensDefault: number): CostBound {
  const demand = demandOf(call);
  const input = promptTokensMax(call, demand);
  const { catalogModel, request } = call;
  const modelMax = catalogModel?.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const requested = isCompaction(call) ? Math.min(modelMax, outputTokensMaxUnknown) : requestedCeiling(call);
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

/** A shorter response is worth nothing. */
const ceilingMin = 256;
/** Tokens that vendors put around a message. */
const tokensPerMessage = 16;
/**
 * The most tokens that a vendor adds about tools, besides their definitions (the assistant vendor's page "Tool use":
 * 530).
 */
const tokensOfTools = 600;

/** Its request has no field for a ceiling, so it is reserved whole. */
function isCompaction({ request: { client } }: BoundedCall): boolean {
  return client?.path.compacts === true;
}

/** No model that compacts conversations has a higher limit of output tokens. */
const outputTokensMaxUnknown = 128_000;

/** The larger one if both are given, because the provider decides which of them counts. */
function requestedCeiling({ request: { body } }: BoundedCall): number | undefined {
  const [newer, older] = [count(body.max_completion_tokens), count(body.max_tokens)];
  return newer === undefined || older === undefined ? (newer ?? older) : Math.max(newer, older);
}

function promptTokensMax(call: BoundedCall, { wholeWindow, searchTokens, calls }: Demand): number {
  const own = ownTokensMax(call);
  const prompt = wholeWindow ? Math.max(own, call.catalogModel?.limits.maxInputTokens ?? own) : own;
  if (searchTokens === 0) return prompt;
  // A step for each search and one for the response. Each step reads the prompt and everything that was found before
  // it.
  const { search = 0 } = calls;
  return (search + 1) * prompt + searchTokens * ((search * (search + 1)) / 2);
}

/** The most tokens of the body itself. */
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
    // A file contains pages of text and images, as many as fit into its bytes.
    if (kind === 'file') files += data.length;
  }
  // No prompt is larger than the model accepts, even if a file unpacks to more.
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
