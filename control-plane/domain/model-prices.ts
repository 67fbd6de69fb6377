// What a model costs, as operators say it: of a custom provider's model, or in place of the catalog's. All that is wrong is
// told at once.
import { isPrice, priceUsdMax } from '../../common/model-facts.ts';
import type { ModelPrices, ModelPrices__Output } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceTier__Output } from '../../proto/generated/gateway/v1/PriceTier.ts';
import { type Field, invalid, type Problem, valid } from './field.ts';
import { date } from './fields.ts';

const tiersMax = 8;

/** In one order of names, so that equal prices are equal texts. @param today of prices that are not dated, YYYY-MM-DD */
export function modelPrices(today: string): (prices: ModelPrices__Output | null) => Field<ModelPrices> {
  return (prices) => {
    if (prices === null) return invalid('is required');
    const { asOf = today, tiers } = prices;
    const problems = [
      ...amountProblems(prices, ''),
      ...tierProblems(tiers),
      ...problemsOf(date(asOf)).map((problem) => ({ ...problem, at: '.as_of' })),
    ];
    if (problems.length > 0) return { problems };
    return valid({
      ...amountsOf(prices),
      tiers: tiers.map((tier) => ({ abovePromptTokens: tier.abovePromptTokens, ...amountsOf(tier) })),
      asOf,
    });
  };
}

function tierProblems(tiers: readonly PriceTier__Output[]): Problem[] {
  if (tiers.length > tiersMax) return [{ at: '.tiers', description: `must be at most ${tiersMax}` }];
  return tiers.flatMap((tier, index) => {
    const at = `.tiers[${index}]`;
    const ascends = tier.abovePromptTokens > (tiers[index - 1]?.abovePromptTokens ?? 0);
    const description = 'must be more than 0 and than the tier before';
    return [
      ...(ascends ? [] : [{ at: `${at}.above_prompt_tokens`, description }]),
      ...amountProblems(tier, at),
    ];
  });
}

type Amounts = ModelPrices__Output | PriceTier__Output;

function amountProblems(from: Amounts, at: string): Problem[] {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = from;
  const amounts = {
    input,
    output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    cache_write1h: cacheWrite1h,
  };
  return Object.entries(amounts).flatMap(([field, amount]) =>
    amount === undefined || isPrice(amount) ? [] : [{ at: `${at}.${field}`, description: priceWanted }],
  );
}

const priceWanted = `must be USD per million tokens as a decimal string from 0 to ${priceUsdMax}, such as 0.15`;

function amountsOf({ input, output, cacheRead, cacheWrite, cacheWrite1h }: Amounts) {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWrite1h !== undefined && { cacheWrite1h }),
  };
}

function problemsOf(field: Field<unknown>): readonly Problem[] {
  return 'problems' in field ? field.problems : [];
}
