// Prices of tokens as whole numbers. A rate is nano-dollars per million tokens: so all nine decimals of a price in USD
// per million tokens are exact, and no sum of a request comes near 2^53.
import { isPrice, priceUsdMax, type TokenKind, tokenKinds } from '../../common/model-facts.ts';
import { nanoOfUsd, nanoPerUsd } from '../../common/money.ts';
import type { PriceSet, TokenPrices } from '../catalog/models.ts';

/** Nano-dollars per million tokens, in two parts: whole nano-dollars for each token, and millionths of one. */
export interface Rate {
  readonly whole: number;
  readonly millionths: number;
}

export type Rates = Readonly<Record<TokenKind, Rate>>;

/** Rates of prompts with more tokens than `above`. */
export interface RateTier {
  readonly above: number;
  readonly rates: Rates;
}

/** Never empty, ascending. The first tier applies to every prompt. */
export type RateTiers = readonly [RateTier, ...RateTier[]];

/** No request has more tokens of a kind: a larger report is not trusted. */
export const tokensMax = 1_000_000_000;

const million = 1_000_000;

/**
 * @param pairs tokens and rates of kinds that are parts of prompt and completion; each adds at most 10^15 to the sum
 * @returns nano-dollars
 */
export function costOfTokens(pairs: readonly (readonly [tokens: number, rate: Rate])[]): number {
  let whole = 0;
  let millionths = 0;
  for (const [tokens, rate] of pairs) {
    const counted = Math.min(tokens, tokensMax);
    whole += counted * rate.whole;
    millionths += counted * rate.millionths;
  }
  return whole + Math.ceil(millionths / million);
}

export interface CompileOptions {
  /** A factor on every price, in the form that `isSurcharge` accepts. */
  readonly surcharge?: string;
  /** The usual prices, if these replace them. */
  readonly usual?: TokenPrices;
}

/** Undefined if an amount is implausible for a model: then its cost is unknown. */
export function compileTiers(prices: PriceSet, options: CompileOptions = {}): RateTiers | undefined {
  const { surcharge = '1', usual = prices } = options;
  const first = compileRates(prices, { surcharge, usual });
  if (first === undefined) return undefined;
  const tiers: [RateTier, ...RateTier[]] = [{ above: -1, rates: first }];
  for (const tier of prices.tiers ?? []) {
    const rates = compileRates(tier, { surcharge, usual });
    if (rates === undefined) return undefined;
    tiers.push({ above: tier.abovePromptTokens, rates });
  }
  return tiers;
}

/** The rates of the tier that the whole prompt belongs to. */
export function ratesAt(tiers: RateTiers, promptTokens: number): Rates {
  return (tiers.findLast(({ above }) => promptTokens > above) ?? tiers[0]).rates;
}

export function dearestRate(all: Iterable<Rate>): Rate {
  let dearest = free;
  for (const one of all) if (nanoOf(one) > nanoOf(dearest)) dearest = one;
  return dearest;
}

const free: Rate = Object.freeze({ whole: 0, millionths: 0 });

function nanoOf({ whole, millionths }: Rate): number {
  return whole * million + millionths;
}

function compileRates(prices: TokenPrices, { surcharge, usual }: Required<CompileOptions>): Rates | undefined {
  const texts = allKinds(prices);
  const rates: Partial<Record<TokenKind, Rate>> = {};
  for (const kind of tokenKinds) {
    const rate = rateOf(texts[kind], surcharge);
    if (rate === undefined) return undefined;
    const other = prices[kind] === undefined && ownKinds.has(kind) ? usual[kind] : undefined;
    const usualRate = other === undefined ? rate : rateOf(other, surcharge);
    if (usualRate === undefined) return undefined;
    rates[kind] = dearestRate([rate, usualRate]);
  }
  return rates as Rates;
}

/**
 * Kinds whose price no other kind replaces: if only the usual prices have one, it applies here too, unless the
 * substitute is dearer.
 */
const ownKinds: ReadonlySet<TokenKind> = new Set(['audioInput', 'audioCacheRead', 'audioOutput', 'imageOutput']);

/** The prices, with substitutes for kinds that have no price of their own. */
function allKinds(prices: TokenPrices): Readonly<Record<TokenKind, string>> {
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  const { cacheWrite1h = cacheWrite, audioInput = input } = prices;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    audioInput,
    cacheWrite12h: prices.cacheWrite12h ?? cacheWrite1h,
    // Cached sound of a model without a price for it costs as much as the sound, which is never too little.
    audioCacheRead: prices.audioCacheRead ?? prices.audioInput ?? cacheRead,
    audioOutput: prices.audioOutput ?? output,
    imageOutput: prices.imageOutput ?? output,
  };
}

const nanoMax = priceUsdMax * nanoPerUsd;

/** Rounded up to nine decimals of a price, because a surcharge may produce more. */
function rateOf(price: string, surcharge: string): Rate | undefined {
  if (!isPrice(price)) return undefined;
  const usual = nanoOfUsd(price) ?? 0;
  const nano = surcharge === '1' ? usual : surcharged(usual, surcharge);
  if (nano > nanoMax) return undefined;
  return { whole: Math.floor(nano / million), millionths: nano % million };
}

function surcharged(nano: number, surcharge: string): number {
  const factor = BigInt(nanoOfUsd(surcharge) ?? 0);
  const one = BigInt(nanoPerUsd);
  return Number((BigInt(nano) * factor + one - 1n) / one);
}
