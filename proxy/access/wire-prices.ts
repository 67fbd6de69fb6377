// Prices as the contract tells them, of custom models and of an organization's own, in the proxy's own types. What an amount
// may be is judged where it is compiled: one that cannot be believed is no price, and takes no record down with it.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import type { ModelPrices__Output } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceRecord__Output } from '../../proto/generated/gateway/v1/PriceRecord.ts';
import type { PriceTier__Output } from '../../proto/generated/gateway/v1/PriceTier.ts';
import type { ModelPrices, TokenPrices } from '../catalog/models.ts';
import type { OwnPrice } from './principal.ts';

/** @throws Error if it lacks what the contract promises */
export function decodeOwnPrice({ id, model, prices }: PriceRecord__Output): OwnPrice {
  if (id === '' || model === '' || prices === null) throw new Error('the record holds half a price');
  return { id, model: canonicalSelector(model), prices: decodePrices(prices) };
}

export function decodePrices(prices: ModelPrices__Output): ModelPrices {
  const tiers = prices.tiers.map((tier) => ({
    abovePromptTokens: tier.abovePromptTokens,
    ...decodeAmounts(tier),
  }));
  return { ...decodeAmounts(prices), ...(tiers.length > 0 && { tiers }), asOf: prices.asOf ?? '' };
}

function decodeAmounts(amounts: ModelPrices__Output | PriceTier__Output): TokenPrices {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = amounts;
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWrite1h !== undefined && { cacheWrite1h }),
  };
}
