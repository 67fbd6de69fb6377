// Decodes prices of the contract, of custom models and of organizations, into the proxy's own types. The compiler of
// prices checks the amounts: an implausible amount is no price, and does not make the whole record unusable.
import { canonicalSelector } from '../../catalog/model-selector.ts';
import { callKinds, isServiceTier, tokenKinds } from '../../common/model-facts.ts';
import type { CallPrices as WireCalls } from '../../proto/generated/gateway/v1/CallPrices.ts';
import type { ModelPrices__Output } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceRecord__Output } from '../../proto/generated/gateway/v1/PriceRecord.ts';
import type { PriceSet__Output } from '../../proto/generated/gateway/v1/PriceSet.ts';
import type { PriceTier__Output } from '../../proto/generated/gateway/v1/PriceTier.ts';
import type { OwnPrice } from '../access/principal.ts';
import type { CallPrices, ModelPrices, PriceSet, TokenPrices } from '../catalog/models.ts';

/** @throws Error if the record lacks what the contract promises */
export function decodeOwnPrice({ id, model, prices }: PriceRecord__Output): OwnPrice {
  if (id === '' || model === '' || prices === null) throw new Error('the record contains half a price');
  return { id, model: canonicalSelector(model), prices: decodePrices(prices) };
}

export function decodePrices(prices: ModelPrices__Output): ModelPrices {
  // Tiers that this version does not know are left out: no response is ever classified as one of them.
  const tiers = Object.entries(prices.serviceTiers ?? {}).filter(([name]) => isServiceTier(name));
  const surcharges = prices.surcharges ?? {};
  const calls = decodeCalls(prices.calls ?? {});
  return {
    ...decodeSet(prices),
    ...(tiers.length > 0 && {
      serviceTiers: Object.fromEntries(tiers.map(([name, set]) => [name, decodeSet(set)] as const)),
    }),
    ...(Object.keys(surcharges).length > 0 && { surcharges: { ...surcharges } }),
    ...(Object.keys(calls).length > 0 && { calls }),
    asOf: prices.asOf ?? '',
  };
}

function decodeSet(set: ModelPrices__Output | PriceSet__Output): PriceSet {
  const tiers = set.tiers.map((tier) => ({
    abovePromptTokens: tier.abovePromptTokens,
    ...decodeAmounts(tier),
  }));
  return { ...decodeAmounts(set), ...(tiers.length > 0 && { tiers }) };
}

function decodeAmounts(amounts: ModelPrices__Output | PriceSet__Output | PriceTier__Output): TokenPrices {
  const listed = tokenKinds.flatMap((kind) => {
    const amount = amounts[kind];
    return amount === undefined ? [] : [[kind, amount] as const];
  });
  const { input, output } = amounts;
  return { ...Object.fromEntries(listed), input, output };
}

function decodeCalls(calls: WireCalls): CallPrices {
  return Object.fromEntries(
    callKinds.flatMap((kind) => {
      const price = calls[kind];
      return price === undefined ? [] : [[kind, price] as const];
    }),
  );
}
