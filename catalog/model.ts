// One row of the catalog, and the prices of a model: the form of catalog/models.json, of an operator's catalog file,
// and of an organization's own prices. Amounts are decimal strings, so that no digit is lost.
import type { CallKind, Capability, ServiceTier, TokenKind } from '../common/model-facts.ts';

/**
 * USD per million tokens. A kind without its own price costs as much as its base kind: cache reads and writes as input,
 * one-hour writes as five-minute writes, twelve-hour writes as one-hour writes, cached audio as audio, all others as
 * input or output.
 */
export type TokenPrices = Readonly<Record<'input' | 'output', string>> & Readonly<Partial<Record<TokenKind, string>>>;

/** Replaces the other prices if the whole prompt has more tokens than this. */
export type PriceTier = TokenPrices & { readonly abovePromptTokens: number };

export type PriceSet = TokenPrices & {
  /** Ascending. */
  readonly tiers?: readonly PriceTier[];
};

/** USD per piece: each request, each search, each request that searched at all, each generated image. */
export type CallPrices = Readonly<Partial<Record<CallKind, string>>>;

export type ModelPrices = PriceSet & {
  /** Replaces the other prices if the request was served in this tier. */
  readonly serviceTiers?: Readonly<Partial<Record<ServiceTier, PriceSet>>>;
  /** Factors on the price of every token, by the location where the request was processed. */
  readonly surcharges?: Readonly<Record<string, string>>;
  readonly calls?: CallPrices;
  /** The day on which the prices were determined, YYYY-MM-DD. */
  readonly asOf: string;
  /** A name among the catalog's `sources`. */
  readonly source?: string;
  /** Prices that the vendor has announced, such as the end of an introductory price. Only in a catalog. */
  readonly next?: NextPrices;
};

/** Replaces the other prices from the beginning (UTC) of this day, YYYY-MM-DD. */
export type NextPrices = Omit<ModelPrices, 'next'> & { readonly from: string };

/** The prices in effect at this time. @param now milliseconds since 1970 */
export function pricesOn(prices: ModelPrices, now: number): ModelPrices {
  const { next } = prices;
  return next !== undefined && now >= Date.parse(next.from) ? next : prices;
}

export interface CatalogModel {
  /** Canonical name. */
  readonly provider: string;
  /** As sent to the provider. */
  readonly name: string;
  /** False: the model is known not to serve chat completions. */
  readonly chat: boolean;
  /** Unix seconds; the catalog's own date if the model's is unknown. */
  readonly created: number;
  readonly limits: { readonly maxInputTokens?: number; readonly maxOutputTokens?: number };
  readonly capabilities: readonly Capability[];
  /** Absent: no plausible price is known. */
  readonly prices?: ModelPrices;
  /** Different prices, by cloud region or data zone. */
  readonly regions?: Readonly<Record<string, ModelPrices>>;
}
