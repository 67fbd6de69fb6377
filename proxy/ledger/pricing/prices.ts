// What tokens cost, in whole nano-dollars, rounded up once per request. A rate is nano-dollars per million tokens: with that all
// nine decimals of a price in USD per million tokens are exact, and no sum of a request comes near 2^53.
import { isPrice } from '../../../common/model-facts.ts';
import { nanoOfUsd } from '../../../common/money.ts';
import type { ModelPrices, TokenPrices } from '../../catalog/models.ts';
import type { Usage } from '../../chat/usage.ts';

/** Compiled prices of one model. */
export interface Prices {
  /** Nano-dollars. */
  costOf(usage: Usage): number;
  /** What the dearest of the tokens can cost where the whole prompt holds at most so many. */
  dearest(promptTokens: number): DearestRates;
}

export interface DearestRates {
  readonly input: Rate;
  readonly output: Rate;
}

/** Nano-dollars per million tokens, taken apart: whole ones for each token, and millionths of one. */
export interface Rate {
  readonly whole: number;
  readonly millionths: number;
}

/** No request holds more tokens of a kind: who tells of more is not believed. */
export const tokensMax = 1_000_000_000;

/**
 * @param pairs of at most five kinds: what a kind adds to a sum is at most 10^15
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

/** Undefined where an amount is none that a model could cost: what it costs is not known then. */
export function compilePrices(prices: ModelPrices): Prices | undefined {
  const base = compileRates(prices);
  if (base === undefined) return undefined;
  const first = { above: -1, rates: base, dearest: dearestKinds(base) };
  const further: Tier[] = [];
  for (const tier of prices.tiers ?? []) {
    const rates = compileRates(tier);
    if (rates === undefined) return undefined;
    const { dearest } = further.at(-1) ?? first;
    further.push({
      above: tier.abovePromptTokens,
      rates,
      dearest: dearestRates([dearest, dearestKinds(rates)]),
    });
  }
  return new TieredPrices(first, further);
}

/** Of several, one of which will be charged. */
export function dearestOf(all: readonly Prices[]): Prices {
  return {
    costOf: (usage) => Math.max(...all.map((one) => one.costOf(usage))),
    dearest: (promptTokens) => dearestRates(all.map((one) => one.dearest(promptTokens))),
  };
}

const million = 1_000_000;

interface Rates extends DearestRates {
  readonly cacheRead: Rate;
  readonly cacheWrite: Rate;
  readonly cacheWrite1h: Rate;
}

interface Tier {
  /** It is of prompts with more tokens. */
  readonly above: number;
  readonly rates: Rates;
  /** Of this tier and those before it: a prompt of at most so many tokens may hold fewer. */
  readonly dearest: DearestRates;
}

class TieredPrices implements Prices {
  readonly #first: Tier;
  /** Ascending. */
  readonly #further: readonly Tier[];

  constructor(first: Tier, further: readonly Tier[]) {
    this.#first = first;
    this.#further = further;
  }

  costOf(usage: Usage): number {
    return costAt(this.#tierOf(usage.promptTokens).rates, usage);
  }

  dearest(promptTokens: number): DearestRates {
    return this.#tierOf(promptTokens).dearest;
  }

  #tierOf(promptTokens: number): Tier {
    return this.#further.findLast(({ above }) => promptTokens > above) ?? this.#first;
  }
}

/** Cached tokens are among those of the prompt, and writes of an hour among the writes. */
function costAt(rates: Rates, usage: Usage): number {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = usage;
  const writes1h = Math.min(cacheWrite1hTokens, cacheWriteTokens);
  return costOfTokens([
    [Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens), rates.input],
    [cacheReadTokens, rates.cacheRead],
    [cacheWriteTokens - writes1h, rates.cacheWrite],
    [writes1h, rates.cacheWrite1h],
    [completionTokens, rates.output],
  ]);
}

function dearestKinds({ input, output, cacheRead, cacheWrite, cacheWrite1h }: Rates): DearestRates {
  return { input: dearestRate([input, cacheRead, cacheWrite, cacheWrite1h]), output };
}

function dearestRates(all: readonly DearestRates[]): DearestRates {
  return {
    input: dearestRate(all.map(({ input }) => input)),
    output: dearestRate(all.map(({ output }) => output)),
  };
}

function dearestRate(all: readonly Rate[]): Rate {
  const nano = ({ whole, millionths }: Rate) => whole * million + millionths;
  return all.reduce((dearest, one) => (nano(one) > nano(dearest) ? one : dearest), free);
}

const free: Rate = Object.freeze({ whole: 0, millionths: 0 });

function compileRates(prices: TokenPrices): Rates | undefined {
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = prices;
  const texts = { input, output, cacheRead, cacheWrite, cacheWrite1h };
  if (!Object.values(texts).every(isPrice)) return undefined;
  return {
    input: rateOf(input),
    output: rateOf(output),
    cacheRead: rateOf(cacheRead),
    cacheWrite: rateOf(cacheWrite),
    cacheWrite1h: rateOf(cacheWrite1h),
  };
}

/** @param price of the form that isPrice asks for */
function rateOf(price: string): Rate {
  const nano = nanoOfUsd(price) ?? 0;
  return { whole: Math.floor(nano / million), millionths: nano % million };
}
