// What a request costs, in whole nano-dollars, rounded up once: its tokens at the rates of the way it was served and of the place
// where it was processed, and what is charged by the piece.
import {
  callKinds,
  isCallPrice,
  isServiceTier,
  isSurcharge,
  type ServiceTier,
  type TokenKind,
} from '../../common/model-facts.ts';
import { nanoOfUsd } from '../../common/money.ts';
import type { CallPrices, ModelPrices } from '../catalog/models.ts';
import { nothingSpecial, type ServedTier, type Usage } from '../conversation/usage.ts';
import { type Demand, plainDemand } from './demand.ts';
import {
  compileTiers,
  costOfTokens,
  dearestRate,
  type Rate,
  type Rates,
  type RateTiers,
  ratesAt,
} from './rates.ts';

/** Compiled prices of one model. */
export interface Prices {
  /** Nano-dollars. */
  costOf(usage: Usage): number;
  /** Whether all of it has a price. What has none is counted as the nearest that has one, or as nothing: a lower bound. */
  covers(usage: Usage): boolean;
  /**
   * What the dearest of the tokens can cost where the whole prompt holds at most so many.
   * @param demand what is asked for beside text; only what `lacks` finds priced is in it
   * @param unasked how it may be served as well, as far as that has a price
   */
  dearest(promptTokens: number, demand?: Demand, unasked?: readonly ServiceTier[]): DearestRates;
  /** Whether something of it has no price. */
  lacks(demand: Demand): boolean;
}

export interface DearestRates {
  readonly input: Rate;
  readonly output: Rate;
  /** Nano-dollars of what is charged by the piece. */
  readonly calls: number;
}

/** No request makes more searches, or images: who tells of more is not believed. */
export const callsMax = 10_000;

/**
 * Undefined where an amount is none that a model could cost: what it costs is not known then.
 * @param region where requests are processed, as far as that is configured; the provider's own word goes before it
 */
export function compilePrices(prices: ModelPrices, region?: string): Prices | undefined {
  const usual = compileServed(prices, '1');
  const calls = compileCalls(prices.calls ?? {});
  if (usual === undefined || calls === undefined) return undefined;
  const surcharged = new Map<string, ServedRates>();
  for (const [where, factor] of Object.entries(prices.surcharges ?? {})) {
    const rates = isSurcharge(factor) ? compileServed(prices, factor) : undefined;
    if (rates === undefined) return undefined;
    surcharged.set(where, rates);
  }
  return new CompiledPrices({ prices, usual, surcharged, calls, region });
}

/** Of several, one of which will be charged. */
export function dearestOf(all: readonly Prices[]): Prices {
  return {
    costOf: (usage) => Math.max(...all.map((one) => one.costOf(usage))),
    covers: (usage) => all.every((one) => one.covers(usage)),
    dearest: (promptTokens, demand, unasked) =>
      dearestRates(all.map((one) => one.dearest(promptTokens, demand, unasked))),
    lacks: (demand) => all.some((one) => one.lacks(demand)),
  };
}

/** Charged by the first; what is held covers the others as well, because nobody says which of them it will be. */
export function heldAsDearest(usual: Prices, others: readonly Prices[]): Prices {
  const dearest = dearestOf([usual, ...others]);
  return {
    costOf: (usage) => usual.costOf(usage),
    covers: (usage) => usual.covers(usage),
    dearest: dearest.dearest,
    lacks: (demand) => usual.lacks(demand),
  };
}

/** Rates by the way of being served. */
interface ServedRates {
  readonly usual: RateTiers;
  readonly others: ReadonlyMap<ServedTier | undefined, RateTiers>;
}

/** Nano-dollars a piece. */
type CallRates = Readonly<Partial<Record<keyof CallPrices, number>>>;

interface Compiled {
  readonly prices: ModelPrices;
  readonly usual: ServedRates;
  readonly surcharged: ReadonlyMap<string, ServedRates>;
  readonly calls: CallRates;
  readonly region: string | undefined;
}

class CompiledPrices implements Prices {
  readonly #compiled: Compiled;

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
  }

  costOf(usage: Usage): number {
    const { region, serviceTier } = usage.special ?? nothingSpecial;
    const served = this.#servedIn(region ?? this.#compiled.region);
    const tiers = served.others.get(serviceTier) ?? served.usual;
    return tokenCost(ratesAt(tiers, usage.promptTokens), usage) + this.#callCost(usage);
  }

  covers({ special }: Usage): boolean {
    if (special === undefined) return true;
    const { prices, surcharged, calls } = this.#compiled;
    const { region, searches, images, imageCompletionTokens } = special;
    const paysSearches = [calls.search, calls.groundedPrompt, calls.request].some((one) => one !== undefined);
    const drawn = imageCompletionTokens > 0 ? (prices.imageOutput ?? calls.image) : calls.image;
    return (
      this.#isServed(special.serviceTier) &&
      (region === undefined || surcharged.has(region)) &&
      (special.audioPromptTokens === 0 || prices.audioInput !== undefined) &&
      (special.audioCompletionTokens === 0 || prices.audioOutput !== undefined) &&
      (searches === 0 || paysSearches) &&
      (images + imageCompletionTokens === 0 || drawn !== undefined)
    );
  }

  dearest(promptTokens: number, demand = plainDemand, unasked: readonly ServiceTier[] = []): DearestRates {
    const kinds = [...usualInput, ...demand.input];
    // Models that draw may do so unasked.
    const drawn = this.#compiled.prices.imageOutput === undefined ? [] : (['imageOutput'] as const);
    const outputs: readonly TokenKind[] = ['output', ...drawn, ...demand.output];
    const reached = [...this.#mayServe([...demand.serviceTiers, ...unasked])].flatMap((tiers) =>
      tiers.filter(({ above }) => promptTokens > above),
    );
    const rateOf = (all: readonly TokenKind[]) =>
      dearestRate(reached.flatMap(({ rates }) => all.map((kind) => rates[kind])));
    return { input: rateOf(kinds), output: rateOf(outputs), calls: this.#dearestCalls(demand) };
  }

  lacks({ serviceTiers, input, output, calls: requested }: Demand): boolean {
    const { prices, calls } = this.#compiled;
    const isUnpriced = (kind: TokenKind) => isSound(kind) && prices[kind] === undefined;
    const requests = requested.request !== undefined && calls.request === undefined;
    const searches =
      requested.search !== undefined && calls.search === undefined && calls.groundedPrompt === undefined;
    // An image is paid for by its tokens, or by the piece.
    const draws =
      output.includes('imageOutput') && prices.imageOutput === undefined && calls.image === undefined;
    return (
      requests ||
      searches ||
      draws ||
      serviceTiers.some((tier) => !this.#isServed(tier)) ||
      input.some(isUnpriced) ||
      output.some(isUnpriced)
    );
  }

  /** Whether the way of being served has a price. */
  #isServed(tier: ServedTier | undefined): boolean {
    return tier === undefined || this.#compiled.usual.others.has(tier) || isCheaper(tier);
  }

  #servedIn(region: string | undefined): ServedRates {
    const { usual, surcharged } = this.#compiled;
    return (region === undefined ? undefined : surcharged.get(region)) ?? usual;
  }

  /** Where nobody has said where it will be processed it may be anywhere. */
  *#mayServe(serviceTiers: readonly ServiceTier[]): Iterable<RateTiers> {
    const { usual, surcharged, region } = this.#compiled;
    const places = region === undefined ? [usual, ...surcharged.values()] : [this.#servedIn(region)];
    for (const place of places) {
      yield place.usual;
      for (const tier of serviceTiers) {
        const tiers = place.others.get(tier);
        if (tiers !== undefined) yield tiers;
      }
    }
  }

  #callCost({ promptTokens, completionTokens, special = nothingSpecial }: Usage): number {
    const { calls, prices } = this.#compiled;
    if (promptTokens + completionTokens === 0) return 0;
    const { searches, images, imageCompletionTokens } = special;
    const paidByTokens = prices.imageOutput !== undefined && imageCompletionTokens > 0;
    return (
      (calls.request ?? 0) +
      (searches > 0 ? (calls.groundedPrompt ?? 0) : 0) +
      Math.min(searches, callsMax) * (calls.search ?? 0) +
      (paidByTokens ? 0 : Math.min(images, callsMax) * (calls.image ?? 0))
    );
  }

  #dearestCalls({ calls: requested }: Demand): number {
    const { calls, prices } = this.#compiled;
    const drawn = prices.imageOutput === undefined ? imagesUnasked : 0;
    const { search = 0, image = drawn } = requested;
    return (
      (calls.request ?? 0) +
      (search > 0 ? (calls.groundedPrompt ?? 0) : 0) +
      Math.min(search, callsMax) * (calls.search ?? 0) +
      Math.min(image, callsMax) * (calls.image ?? 0)
    );
  }
}

/** That a model makes for one request, where they are charged by the piece. */
const imagesUnasked = 4;

const usualInput: readonly TokenKind[] = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h'];

/** Where it has no price of its own, the usual one is not too little. */
function isCheaper(tier: ServedTier | undefined): boolean {
  return tier === 'flex' || tier === 'batch';
}

function isSound(kind: TokenKind): boolean {
  return kind === 'audioInput' || kind === 'audioOutput';
}

/**
 * Cached tokens are among those of the prompt, writes by how long they live among the writes, and sound is among the tokens of
 * each. What is said to be more than the whole is as much as the whole.
 */
function tokenCost(rates: Rates, usage: Usage): number {
  const { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens, special } = usage;
  const { cacheWrite12hTokens, audioPromptTokens, audioCacheReadTokens } = special ?? nothingSpecial;
  const { audioCompletionTokens, imageCompletionTokens } = special ?? nothingSpecial;
  const long = Math.min(cacheWrite12hTokens, cacheWriteTokens);
  const hour = Math.min(usage.cacheWrite1hTokens, cacheWriteTokens - long);
  const fresh = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  const cachedSound = Math.min(audioCacheReadTokens, cacheReadTokens);
  const sound = Math.min(Math.max(0, audioPromptTokens - cachedSound), fresh);
  const spoken = Math.min(audioCompletionTokens, completionTokens);
  const drawn = Math.min(imageCompletionTokens, completionTokens - spoken);
  return costOfTokens([
    [fresh - sound, rates.input],
    [sound, rates.audioInput],
    [cacheReadTokens - cachedSound, rates.cacheRead],
    [cachedSound, rates.audioCacheRead],
    [cacheWriteTokens - hour - long, rates.cacheWrite],
    [hour, rates.cacheWrite1h],
    [long, rates.cacheWrite12h],
    [completionTokens - spoken - drawn, rates.output],
    [spoken, rates.audioOutput],
    [drawn, rates.imageOutput],
  ]);
}

function dearestRates(all: readonly DearestRates[]): DearestRates {
  return {
    input: dearestRate(all.map(({ input }) => input)),
    output: dearestRate(all.map(({ output }) => output)),
    calls: Math.max(...all.map(({ calls }) => calls)),
  };
}

function compileServed(prices: ModelPrices, surcharge: string): ServedRates | undefined {
  const usual = compileTiers(prices, { surcharge });
  if (usual === undefined) return undefined;
  const others = new Map<ServedTier | undefined, RateTiers>();
  for (const [tier, set] of Object.entries(prices.serviceTiers ?? {})) {
    const tiers = compileTiers(set, { surcharge, usual: prices });
    if (!isServiceTier(tier) || tiers === undefined) return undefined;
    others.set(tier, tiers);
  }
  return { usual, others };
}

function compileCalls(prices: CallPrices): CallRates | undefined {
  const calls: Partial<Record<keyof CallPrices, number>> = {};
  for (const kind of callKinds) {
    const price = prices[kind];
    if (price === undefined) continue;
    if (!isCallPrice(price)) return undefined;
    calls[kind] = nanoOfUsd(price) ?? 0;
  }
  return calls;
}
