// One row of the catalog, and what a model costs: the form of catalog/models.json, of a catalog file of an operator's, and of
// prices of an organization's own. Amounts are decimal strings, so that no digit is lost.
import type { CallKind, Capability, ServiceTier, TokenKind } from '../common/model-facts.ts';

/**
 * USD per million tokens. A kind without a price of its own costs what its base kind does: cache reads and writes the input,
 * writes of an hour those of five minutes, writes of twelve hours those of an hour, cached sound the sound, all else the input or
 * the output.
 */
export type TokenPrices = Readonly<Record<'input' | 'output', string>> &
  Readonly<Partial<Record<TokenKind, string>>>;

/** In place of the others when the whole prompt holds more tokens than this. */
export type PriceTier = TokenPrices & { readonly abovePromptTokens: number };

export type PriceSet = TokenPrices & {
  /** Ascending. */
  readonly tiers?: readonly PriceTier[];
};

/** USD by the piece: each request, each search, each request that searched at all, each image that was made. */
export type CallPrices = Readonly<Partial<Record<CallKind, string>>>;

export type ModelPrices = PriceSet & {
  /** In place of the others where the request was served so. */
  readonly serviceTiers?: Readonly<Partial<Record<ServiceTier, PriceSet>>>;
  /** What every token costs more, by where the request was processed: a factor. */
  readonly surcharges?: Readonly<Record<string, string>>;
  readonly calls?: CallPrices;
  /** The day the figures were found, YYYY-MM-DD. */
  readonly asOf: string;
  /** A name among the catalog's `sources`. */
  readonly source?: string;
  /** What the vendor has said it will cost: the end of an introductory price. Only in a catalog. */
  readonly next?: NextPrices;
};

/** In place of the others from the beginning of this day, YYYY-MM-DD, UTC. */
export type NextPrices = Omit<ModelPrices, 'next'> & { readonly from: string };

/** The prices of this moment, in milliseconds since 1970. */
export function pricesOn(prices: ModelPrices, now: number): ModelPrices {
  const { next } = prices;
  return next !== undefined && now >= Date.parse(next.from) ? next : prices;
}

export interface CatalogModel {
  /** Canonical. */
  readonly provider: string;
  /** As it is sent to the provider. */
  readonly name: string;
  /** False: known not to answer chat completions. */
  readonly chat: boolean;
  /** Unix seconds; the catalog's own date where the model's is not known. */
  readonly created: number;
  readonly limits: { readonly maxInputTokens?: number; readonly maxOutputTokens?: number };
  readonly capabilities: readonly Capability[];
  /** Absent: no price is known that could be believed. */
  readonly prices?: ModelPrices;
  /** Prices that differ, by cloud region or data zone. */
  readonly regions?: Readonly<Record<string, ModelPrices>>;
}
