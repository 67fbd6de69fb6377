// Prices of a model that operators set, either for a custom provider's model or in place of the catalog's. All problems
// are reported at once.
import {
  callKinds,
  callUsdMax,
  isCallPrice,
  isPrice,
  isRegionName,
  isServiceTier,
  isSurcharge,
  priceUsdMax,
  serviceTiers,
  type TokenKind,
  tokenKinds,
} from '../../common/model-facts.ts';
import type { CallPrices } from '../../proto/generated/gateway/v1/CallPrices.ts';
import type { ModelPrices, ModelPrices__Output } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceSet__Output } from '../../proto/generated/gateway/v1/PriceSet.ts';
import type { PriceTier__Output } from '../../proto/generated/gateway/v1/PriceTier.ts';
import { type Field, invalid, type Problem, problemsAt, valid } from './field.ts';
import { date } from './shared-fields.ts';

const tiersMax = 8;
const surchargesMax = 16;
/** The length as JSON. An organization's record contains two hundred of them and must fit into a message. */
export const pricesTextLengthMax = 3072;

/**
 * Writes the names in a fixed order, so that equal prices are equal texts.
 * @param today the date of prices without one, YYYY-MM-DD
 */
export function modelPrices(today: string): (prices: ModelPrices__Output | null) => Field<ModelPrices> {
  return (prices) => {
    if (prices === null) return invalid('is required');
    const { asOf = today } = prices;
    const problems = [
      ...setProblems(prices, ''),
      ...serviceTierProblems(prices.serviceTiers),
      ...surchargeProblems(prices.surcharges),
      ...callProblems(prices.calls ?? {}),
      ...problemsAt('.as_of', date(asOf)),
    ];
    if (problems.length > 0) return { problems };
    const read = { ...setOf(prices), ...specialOf(prices), asOf };
    return JSON.stringify(read).length > pricesTextLengthMax
      ? invalid(`must be at most ${pricesTextLengthMax} characters as JSON`)
      : valid(read);
  };
}

function setProblems(set: ModelPrices__Output | PriceSet__Output, at: string): Problem[] {
  return [...amountProblems(set, at), ...tierProblems(set.tiers, at)];
}

function tierProblems(tiers: readonly PriceTier__Output[], above: string): Problem[] {
  if (tiers.length > tiersMax) return [{ at: `${above}.tiers`, description: `must be at most ${tiersMax}` }];
  return tiers.flatMap((tier, index) => {
    const at = `${above}.tiers[${index}]`;
    const ascends = tier.abovePromptTokens > (tiers[index - 1]?.abovePromptTokens ?? 0);
    const description = 'must be more than 0 and than the tier before';
    return [...(ascends ? [] : [{ at: `${at}.above_prompt_tokens`, description }]), ...amountProblems(tier, at)];
  });
}

function serviceTierProblems(sets: ModelPrices__Output['serviceTiers']): Problem[] {
  return Object.entries(sets).flatMap(([name, set]) =>
    isServiceTier(name)
      ? setProblems(set, `.service_tiers[${name}]`)
      : [{ at: '.service_tiers', description: `must have names of ${serviceTiers.join(', ')}` }],
  );
}

function surchargeProblems(surcharges: Readonly<Record<string, string>>): Problem[] {
  const entries = Object.entries(surcharges);
  if (entries.length > surchargesMax) return [{ at: '.surcharges', description: `must be at most ${surchargesMax}` }];
  return entries.flatMap(([region, factor]) =>
    isRegionName(region) && isSurcharge(factor)
      ? []
      : [{ at: '.surcharges', description: 'must be factors by region, such as "1.1" for "us"' }],
  );
}

function callProblems(calls: CallPrices): Problem[] {
  return callKinds.flatMap((kind) => {
    const price = calls[kind];
    if (price === undefined || isCallPrice(price)) return [];
    const description = `must be USD by the piece as a decimal string from 0 to ${callUsdMax}, such as 0.01`;
    return [{ at: `.calls.${fieldName(kind)}`, description }];
  });
}

type Amounts = ModelPrices__Output | PriceSet__Output | PriceTier__Output;

function amountProblems(from: Amounts, at: string): Problem[] {
  return tokenKinds.flatMap((kind) => {
    const amount = from[kind];
    return amount === undefined || isPrice(amount)
      ? []
      : [{ at: `${at}.${fieldName(kind)}`, description: priceWanted }];
  });
}

const priceWanted = `must be USD per million tokens as a decimal string from 0 to ${priceUsdMax}, such as 0.15`;

/** The contract's name of the field. */
function fieldName(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function setOf(set: ModelPrices__Output | PriceSet__Output) {
  return {
    ...amountsOf(set),
    tiers: set.tiers.map((tier) => ({ abovePromptTokens: tier.abovePromptTokens, ...amountsOf(tier) })),
  };
}

/** Fields that most prices do not have. */
function specialOf({ serviceTiers: sets, surcharges, calls }: ModelPrices__Output) {
  const reported = Object.fromEntries(callKinds.flatMap((kind) => pairOf(kind, calls?.[kind])));
  return {
    ...(Object.keys(sets).length > 0 && { serviceTiers: mapped(sets, setOf) }),
    ...(Object.keys(surcharges).length > 0 && { surcharges: mapped(surcharges, (factor) => factor) }),
    ...(Object.keys(reported).length > 0 && { calls: reported }),
  };
}

function mapped<T, R>(values: Readonly<Record<string, T>>, read: (value: T) => R): Record<string, R> {
  const entries = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, read(value)] as const));
}

function amountsOf(from: Amounts): Partial<Record<TokenKind, string>> {
  return Object.fromEntries(tokenKinds.flatMap((kind) => pairOf(kind, from[kind])));
}

function pairOf<Name extends string>(name: Name, value: string | undefined): [Name, string][] {
  return value === undefined ? [] : [[name, value]];
}
