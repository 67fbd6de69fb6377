// The cost of a request in whole nano-dollars, rounded up once: its tokens at the rates of its service tier and region,
// and the items that are charged by the piece.
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
import { compileTiers, costOfTokens, dearestRate, type Rate, type Rates, type RateTiers, ratesAt } from './rates.ts';

/** Compiled prices of one model. */
export interface Prices {
  /** Nano-dollars. */
  costOf(usage: Usage): number;
  /**
   * Whether all of the usage has a price. A part without one is counted at the nearest price, or as nothing: the cost
   * is a lower bound.
   */
  covers(usage: Usage): boolean;
  /**
   * The most that each token can cost if the whole prompt has at most this many tokens.
   * @param demand requested besides text; it contains only what `lacks` finds priced
   * @param unasked service tiers that may apply without a request, if they have a price
   */
  dearest(promptTokens: number, demand?: Demand, unasked?: readonly ServiceTier[]): DearestRates;
  /** Whether any part of the demand has no price. */
  lacks(demand: Demand): boolean;
}

export interface DearestRates {
  readonly input: Rate;
  readonly output: Rate;
  /** Nano-dollars of all items that are charged by the piece. */
  readonly calls: number;
}

/** No request makes more searches, or images: a larger report is not trusted. */
export const callsMax = 10_000;

/**
 * Undefined if an amount is implausible for a model: then its cost is unknown.
 * @param region where requests are processed, as far as that is configured; the provider's report takes precedence
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

/** The dearest of several prices, if one of them will be charged. */
export function dearestOf(all: readonly Prices[]): Prices {
  return {
    costOf: (usage) => Math.max(...all.map((one) => one.costOf(usage))),
    covers: (usage) => all.every((one) => one.covers(usage)),
    dearest: (promptTokens, demand, unasked) =>
      dearestRates(all.map((one) => one.dearest(promptTokens, demand, unasked))),
    lacks: (demand) => all.some((one) => one.lacks(demand)),
  };
}

/**
 * Charges by the first prices. The reservation covers the others as well, because it is unknown which of them will
 * apply.
 */
export function reservedAsDearest(usual: Prices, others: readonly Prices[]): Prices {
  const dearest = dearestOf([usual, ...others]);
  return {
    costOf: (usage) => usual.costOf(usage),
    covers: (usage) => usual.covers(usage),
    dearest: dearest.dearest,
    lacks: (demand) => usual.lacks(demand),
  };
}

/** Rates by service tier. */
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
    const acquired = imageCompletionTokens > 0 ? (prices.imageOutput ?? calls.image) : calls.image;
    return (
      this.#isServed(special.serviceTier) &&
      (region === undefined || surcharged.has(region)) &&
      (special.audioPromptTokens === 0 || prices.audioInput !== undefined) &&
      (special.audioCompletionTokens === 0 || prices.audioOutput !== undefined) &&
      (searches === 0 || paysSearches) &&
      (images + imageCompletionTokens === 0 || acquired !== undefined)
    );
  }

  dearest(promptTokens: number, demand = plainDemand, unasked: readonly ServiceTier[] = []): DearestRates {
    const kinds = [...usualInput, ...demand.input];
    // Models that make images may do so without a request.
    const acquired = this.#compiled.prices.imageOutput === undefined ? [] : (['imageOutput'] as const);
    const outputs: readonly TokenKind[] = ['output', ...acquired, ...demand.output];
    const reached = [...this.#mayServe([...demand.serviceTiers, ...unasked], demand.regions)].flatMap((tiers) =>
      tiers.filter(({ above }) => promptTokens > above),
    );
    const rateOf = (all: readonly TokenKind[]) =>
      dearestRate(reached.flatMap(({ rates }) => all.map((kind) => rates[kind])));
    return { input: rateOf(kinds), output: rateOf(outputs), calls: this.#dearestCalls(demand) };
  }

  lacks({ serviceTiers, regions, input, output, calls: requested }: Demand): boolean {
    const { prices, calls, surcharged } = this.#compiled;
    const isUnpriced = (kind: TokenKind) => isSound(kind) && prices[kind] === undefined;
    const requests = requested.request !== undefined && calls.request === undefined;
    const searches = requested.search !== undefined && calls.search === undefined && calls.groundedPrompt === undefined;
    // An image is paid by its tokens, or by the piece.
    const acquisitions =
      output.includes('imageOutput') && prices.imageOutput === undefined && calls.image === undefined;
    return (
      requests ||
      searches ||
      acquisitions ||
      serviceTiers.some((tier) => !this.#isServed(tier)) ||
      regions.some((region) => !surcharged.has(region)) ||
      input.some(isUnpriced) ||
      output.some(isUnpriced)
    );
  }

  /** Whether the service tier has a price. */
  #isServed(tier: ServedTier | undefined): boolean {
    return tier === undefined || this.#compiled.usual.others.has(tier) || isCheaper(tier);
  }

  #servedIn(region: string | undefined): ServedRates {
    const { usual, surcharged } = this.#compiled;
    return (region === undefined ? undefined : surcharged.get(region)) ?? usual;
  }

  /** Without a configured region, the request may be processed in any. */
  *#mayServe(serviceTiers: readonly ServiceTier[], regions: readonly string[]): Iterable<RateTiers> {
    const { usual, surcharged, region } = this.#compiled;
    const priced =
      region === undefined
        ? [usual, ...surcharged.values()]
        : [region, ...regions].map((where) => this.#servedIn(where));
    for (const tiersOf of priced) {
      yield tiersOf.usual;
      for (const tier of serviceTiers) {
        const tiers = tiersOf.others.get(tier);
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
    const acquired = prices.imageOutput === undefined ? imagesUnasked : 0;
    const { search = 0, image = acquired } = requested;
    return (
      (calls.request ?? 0) +
      (search > 0 ? (calls.groundedPrompt ?? 0) : 0) +
      Math.min(search, callsMax) * (calls.search ?? 0) +
      Math.min(image, callsMax) * (calls.image ?? 0)
    );
  }
}

/** Images that a model makes for one request without being requested, if they are charged by the piece. */
const imagesUnasked = 4;

const usualInput: readonly TokenKind[] = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h'];

/** If the tier has no price of its own, the usual price is high enough. */
function isCheaper(tier: ServedTier | undefined): boolean {
  return tier === 'flex' || tier === 'batch';
}

function isSound(kind: TokenKind): boolean {
  return kind === 'audioInput' || kind === 'audioOutput';
}

/**
 * Cached tokens are part of the prompt tokens, writes by lifetime are part of the writes, and sound is part of the
 * tokens of each. A part that is reported as larger than its whole counts as the whole.
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
  const acquired = Math.min(imageCompletionTokens, completionTokens - spoken);
  return costOfTokens([
    [fresh - sound, rates.input],
    [sound, rates.audioInput],
    [cacheReadTokens - cachedSound, rates.cacheRead],
    [cachedSound, rates.audioCacheRead],
    [cacheWriteTokens - hour - long, rates.cacheWrite],
    [hour, rates.cacheWrite1h],
    [long, rates.cacheWrite12h],
    [completionTokens - spoken - acquired, rates.output],
    [spoken, rates.audioOutput],
    [acquired, rates.imageOutput],
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
