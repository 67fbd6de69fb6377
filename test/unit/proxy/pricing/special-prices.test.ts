// Features with their own prices: service tiers, regions, sound, images and searches. Sums are computed by hand, then
// by exact arithmetic with random prices and counts.
import { describe, expect, it } from 'vitest';
import type { ModelPrices, PriceSet, TokenPrices } from '../../../../proxy/catalog/models.ts';
import { noUsage, type SpecialUsage, special, type Usage } from '../../../../proxy/conversation/usage.ts';
import { type Demand, plainDemand } from '../../../../proxy/pricing/demand.ts';
import { compilePrices, dearestOf, type Prices, reservedAsDearest } from '../../../../proxy/pricing/prices.ts';
import { tokensMax } from '../../../../proxy/pricing/rates.ts';
import { Random } from '../../../support/access/random.ts';
import { exactCost } from '../../../support/exact-cost.ts';
import { roundsOf } from '../../../support/seed.ts';

const asOf = '2026-11-22';
const seed = Number(process.env.SEED ?? 20_261_123);

function compile(prices: Omit<ModelPrices, 'asOf'>, region?: string): Prices {
  const compiled = compilePrices({ ...prices, asOf }, region);
  if (compiled === undefined) throw new Error('the prices are not believed');
  return compiled;
}

const used = (tokens: Partial<Usage>, beside: Partial<SpecialUsage> = {}): Usage => ({
  ...noUsage,
  ...tokens,
  ...special(beside),
});

/** One dollar here is 1,000 nano-dollars for a token. */
const full = {
  ...{ input: '1', output: '10', cacheRead: '0.1', cacheWrite: '2', cacheWrite1h: '3', cacheWrite12h: '4' },
  ...{ audioInput: '5', audioCacheRead: '0.5', audioOutput: '50', imageOutput: '70' },
};

describe('the cost of special usage', () => {
  it.each<[string, Omit<ModelPrices, 'asOf'>, Usage, number]>([
    [
      'of sound in the prompt is its own',
      full,
      used({ promptTokens: 100 }, { audioPromptTokens: 60 }),
      40_000 + 60 * 5_000,
    ],
    [
      'of cached sound is its own',
      full,
      used({ promptTokens: 100, cacheReadTokens: 50 }, { audioPromptTokens: 60, audioCacheReadTokens: 20 }),
      10_000 + 40 * 5_000 + 30 * 100 + 20 * 500,
    ],
    [
      'of cached sound without a price is that of the sound',
      { input: '1', output: '10', cacheRead: '0.1', audioInput: '5' },
      used({ promptTokens: 10, cacheReadTokens: 10 }, { audioPromptTokens: 10, audioCacheReadTokens: 10 }),
      50_000,
    ],
    [
      'of sound in a longer prompt whose tier has no price for it is no less than in a shorter one',
      { ...full, tiers: [{ abovePromptTokens: 5, input: '2', output: '10' }] },
      used({ promptTokens: 10 }, { audioPromptTokens: 10 }),
      50_000,
    ],
    [
      'of sound in a longer prompt whose tier has no price for it is no less than of text in it',
      { ...full, tiers: [{ abovePromptTokens: 5, input: '6', output: '10' }] },
      used({ promptTokens: 10 }, { audioPromptTokens: 10 }),
      60_000,
    ],
    [
      'of images of a way of being served without a price for them is no less than as usual',
      { ...full, serviceTiers: { priority: { input: '2', output: '20' } } },
      used({ completionTokens: 10 }, { serviceTier: 'priority', imageCompletionTokens: 10 }),
      700_000,
    ],
    [
      'of sound and images in the response is their own',
      full,
      used({ completionTokens: 100 }, { audioCompletionTokens: 20, imageCompletionTokens: 30 }),
      50 * 10_000 + 20 * 50_000 + 30 * 70_000,
    ],
    [
      'of cache writes for twelve hours is their own',
      full,
      used({ promptTokens: 60, cacheWriteTokens: 60, cacheWrite1hTokens: 20 }, { cacheWrite12hTokens: 10 }),
      30 * 2_000 + 20 * 3_000 + 10 * 4_000,
    ],
    [
      'of cache writes for twelve hours without a price is that of an hour',
      { input: '1', output: '10', cacheWrite: '2', cacheWrite1h: '3' },
      used({ promptTokens: 10, cacheWriteTokens: 10 }, { cacheWrite12hTokens: 10 }),
      30_000,
    ],
    [
      'of more sound than there are tokens is that of all tokens',
      full,
      used(
        { promptTokens: 10, completionTokens: 10 },
        { audioPromptTokens: 1e9, audioCompletionTokens: 1e9, imageCompletionTokens: 1e9 },
      ),
      10 * 5_000 + 10 * 50_000,
    ],
    [
      'of searches is by the piece',
      { input: '0', output: '0', calls: { search: '0.01' } },
      used({ promptTokens: 1 }, { searches: 3 }),
      30_000_000,
    ],
    [
      'of a prompt that was searched for is the same however often',
      { input: '0', output: '0', calls: { groundedPrompt: '0.035' } },
      used({ promptTokens: 1 }, { searches: 7 }),
      35_000_000,
    ],
    [
      'of every request is by the piece',
      { input: '0', output: '0', calls: { request: '0.025' } },
      used({ promptTokens: 1 }),
      25_000_000,
    ],
    [
      'of a request that used nothing is nothing',
      { input: '0', output: '0', calls: { request: '0.025' } },
      used({}),
      0,
    ],
    [
      'of images is by the piece where their tokens have no price',
      { input: '0', output: '1', calls: { image: '0.04' } },
      used({ completionTokens: 100 }, { images: 2, imageCompletionTokens: 100 }),
      80_000_000 + 100_000,
    ],
    [
      'of images is by their tokens where those have one',
      { input: '0', output: '1', imageOutput: '30', calls: { image: '0.04' } },
      used({ completionTokens: 100 }, { images: 2, imageCompletionTokens: 100 }),
      100 * 30_000,
    ],
    [
      'of images whose tokens are not reported is by the piece',
      { input: '0', output: '1', imageOutput: '30', calls: { image: '0.04' } },
      used({ completionTokens: 100 }, { images: 2 }),
      80_000_000 + 100_000,
    ],
    [
      'of an impossible number of searches is bounded',
      { input: '0', output: '0', calls: { search: '10' } },
      used({ promptTokens: 1 }, { searches: Number.MAX_SAFE_INTEGER }),
      1e14,
    ],
  ])('a cost %s', (_what, prices, usage, nano) => {
    expect(compile(prices).costOf(usage)).toBe(nano);
  });

  const tiered = {
    ...{ input: '1', output: '10', tiers: [{ abovePromptTokens: 100, input: '2', output: '15' }] },
    serviceTiers: {
      flex: { input: '0.5', output: '5' },
      priority: { input: '4', output: '40', tiers: [{ abovePromptTokens: 100, input: '8', output: '60' }] },
    },
    surcharges: { us: '1.1' },
  };

  it.each<[string, Partial<SpecialUsage>, number, number]>([
    ['as usual', {}, 100, 100 * 1_000 + 10_000],
    ['as flex, which has no tier of its own', { serviceTier: 'flex' }, 101, 101 * 500 + 5_000],
    ['as priority', { serviceTier: 'priority' }, 100, 100 * 4_000 + 40_000],
    ['as priority above the tier', { serviceTier: 'priority' }, 101, 101 * 8_000 + 60_000],
    ['by a tier without a price as usual', { serviceTier: 'scale' }, 100, 100 * 1_000 + 10_000],
    ['in a region with a surcharge', { region: 'us' }, 100, 110_000 + 11_000],
    ['as priority in a region with a surcharge', { serviceTier: 'priority', region: 'us' }, 101, 101 * 8_800 + 66_000],
    ['in a region without a surcharge as usual', { region: 'eu' }, 100, 100 * 1_000 + 10_000],
  ])('is charged %s', (_what, beside, promptTokens, nano) => {
    expect(compile(tiered).costOf(used({ promptTokens, completionTokens: 1 }, beside))).toBe(nano);
  });

  it('uses the configured region when the vendor reports none', () => {
    const usage = used({ promptTokens: 100 });
    expect(compile(tiered, 'us').costOf(usage)).toBe(110_000);
    expect(compile(tiered, 'eu').costOf(usage)).toBe(100_000);
    expect(compile(tiered, 'eu').costOf(used({ promptTokens: 100 }, { region: 'us' }))).toBe(110_000);
  });

  it('has no surcharge on prices per piece', () => {
    const prices = { input: '0', output: '0', calls: { search: '0.01' }, surcharges: { us: '1.1' } };
    expect(compile(prices).costOf(used({ promptTokens: 1 }, { searches: 1, region: 'us' }))).toBe(10_000_000);
  });
});

describe('the price of special usage', () => {
  const usual = { input: '1', output: '10' };

  it.each<[string, Omit<ModelPrices, 'asOf'>, Partial<SpecialUsage>, boolean]>([
    ['is known of plain tokens', usual, {}, true],
    ['is not known of sound in', usual, { audioPromptTokens: 1 }, false],
    ['is known of sound in with one', { ...usual, audioInput: '1' }, { audioPromptTokens: 1 }, true],
    ['is not known of sound out', { ...usual, audioInput: '1' }, { audioCompletionTokens: 1 }, false],
    ['is not known of images', usual, { imageCompletionTokens: 1 }, false],
    ['is not known of images that are only counted', { ...usual, imageOutput: '30' }, { images: 1 }, false],
    ['is known of images by the piece', { ...usual, calls: { image: '0.04' } }, { images: 1 }, true],
    ['is known of images by token', { ...usual, imageOutput: '30' }, { images: 1, imageCompletionTokens: 5 }, true],
    ['is not known of searches', usual, { searches: 1 }, false],
    ['is known of searches by prompt', { ...usual, calls: { groundedPrompt: '0.03' } }, { searches: 1 }, true],
    ['is not known of priority', usual, { serviceTier: 'priority' }, false],
    ['is not known of an unknown tier', usual, { serviceTier: 'unknown' }, false],
    ['is known of flex, as usual', usual, { serviceTier: 'flex' }, true],
    ['is not known of a region without a surcharge', usual, { region: 'us' }, false],
    ['is known of a region with a surcharge', { ...usual, surcharges: { us: '1.1' } }, { region: 'us' }, true],
  ])('the price %s', (_what, prices, beside, isKnown) => {
    const usage = used({ promptTokens: 10, completionTokens: 10 }, beside);
    expect(compile(prices).covers(usage)).toBe(isKnown);
    expect(dearestOf([compile(prices), compile(prices)]).covers(usage)).toBe(isKnown);
  });

  it.each<[string, Omit<ModelPrices, 'asOf'>, Partial<Demand>, boolean]>([
    ['has all that plain text needs', usual, {}, false],
    ['lacks sound', usual, { input: ['audioInput'] }, true],
    ['lacks no long cache entries: they cost as others do', usual, { input: ['cacheWrite12h'] }, false],
    ['lacks images', usual, { output: ['imageOutput'] }, true],
    ['lacks no images by the piece', { ...usual, calls: { image: '1' } }, { output: ['imageOutput'] }, false],
    ['lacks searches', usual, { calls: { search: 1 } }, true],
    ['lacks no searches by prompt', { ...usual, calls: { groundedPrompt: '1' } }, { calls: { search: 1 } }, false],
    ['lacks priority', usual, { serviceTiers: ['priority'] }, true],
    ['lacks no flex', usual, { serviceTiers: ['flex'] }, false],
  ])('for a demand, the price %s', (_what, prices, demand, lacks) => {
    expect(compile(prices).lacks({ ...plainDemand, ...demand })).toBe(lacks);
  });

  it.each<[string, Partial<ModelPrices>]>([
    ['a service tier', { serviceTiers: { priority: { input: '1e3', output: '1' } } }],
    ['a surcharge', { surcharges: { us: 'ten' } }],
    ['a surcharge of nothing', { surcharges: { us: '0' } }],
    ['a price with its surcharge', { input: '1000', surcharges: { us: '1.1' } }],
    ['a price by the piece', { calls: { search: '11' } }],
    ['the price of sound', { audioInput: '-1' }],
  ])('is invalid when %s is invalid', (_what, prices) => {
    expect(compilePrices({ ...usual, ...prices, asOf })).toBeUndefined();
  });

  it('reserved as the highest of several is charged as the usual one', () => {
    const reserved = reservedAsDearest(compile({ input: '1', output: '2' }), [compile({ input: '3', output: '1' })]);
    expect(reserved.costOf(used({ promptTokens: 10, completionTokens: 10 }))).toBe(30_000);
    expect(reserved.dearest(1).input.whole).toBe(3000);
    expect(reserved.dearest(1).output.whole).toBe(2000);
  });
});

describe('random prices', () => {
  it('give the cost of exact arithmetic, and the highest rates cover it', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(3000); round++) {
      const prices = randomPrices(random);
      const usage = randomUsage(random);
      const seen = `seed ${seed}, round ${round}: ${JSON.stringify({ prices, usage })}`;
      const compiled = compile(prices);
      const cost = compiled.costOf(usage);
      expect(BigInt(cost), seen).toBe(exactCost(prices, usage));
      expect(Number.isSafeInteger(cost), seen).toBe(true);
      expect(BigInt(cost) * 1_000_000n <= boundOf(compiled, usage) + 999_999n, seen).toBe(true);
    }
  });
});

const everything: Demand = {
  ...plainDemand,
  serviceTiers: ['flex', 'priority'],
  input: ['cacheWrite12h', 'audioInput', 'audioCacheRead'],
  output: ['audioOutput', 'imageOutput'],
  calls: {},
};

/** The bound in millionths of a nano-dollar. */
function boundOf(prices: Prices, usage: Usage): bigint {
  const { searches = 0, images = 0 } = usage.special ?? {};
  const demand = { ...everything, calls: { search: searches, image: images } };
  const { input, output, calls } = prices.dearest(usage.promptTokens, demand);
  const nano = (tokens: number, rate: typeof input) =>
    BigInt(tokens) * (BigInt(rate.whole) * 1_000_000n + BigInt(rate.millionths));
  return nano(usage.promptTokens, input) + nano(usage.completionTokens, output) + BigInt(calls) * 1_000_000n;
}

function randomPrices(random: Random): Omit<ModelPrices, 'asOf'> {
  const amount = (below = 90) => {
    const decimals = '0123456789'
      .slice(0, random.below(10))
      .split('')
      .map(() => random.below(10));
    return `${random.below(below)}${decimals.length > 0 ? `.${decimals.join('')}` : ''}`;
  };
  const kinds = Object.keys(full).slice(2);
  const amounts = (): TokenPrices => ({
    ...{ input: amount(), output: amount() },
    ...Object.fromEntries(kinds.flatMap((kind) => (random.chance(0.5) ? [[kind, amount()]] : []))),
  });
  const set = (): PriceSet => ({
    ...amounts(),
    tiers: [100_000, 200_000].slice(random.below(3)).map((above) => ({ abovePromptTokens: above, ...amounts() })),
  });
  return {
    ...set(),
    serviceTiers: random.chance(0.5) ? { priority: set() } : { flex: set(), priority: set() },
    surcharges: { us: `1.${random.below(1000)}`, eu: '0.9' },
    calls: {
      ...(random.chance(0.5) && { search: amount(9) }),
      ...(random.chance(0.5) && { groundedPrompt: amount(9) }),
      ...(random.chance(0.5) && { request: amount(9) }),
      ...(random.chance(0.5) && { image: amount(9) }),
    },
  };
}

function randomUsage(random: Random): Usage {
  const most = [10, 300_000, tokensMax][random.below(3)] ?? 1;
  const part = (whole: number) => random.below(whole + 1);
  const promptTokens = part(most);
  const cacheReadTokens = part(promptTokens);
  const cacheWriteTokens = part(promptTokens - cacheReadTokens);
  const cacheWrite12hTokens = part(cacheWriteTokens);
  const audioCacheReadTokens = part(cacheReadTokens);
  const completionTokens = part(most);
  const audioCompletionTokens = part(completionTokens);
  return {
    ...{ ...noUsage, promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens },
    cacheWrite1hTokens: part(cacheWriteTokens - cacheWrite12hTokens),
    ...special({
      ...{ cacheWrite12hTokens, audioCacheReadTokens, audioCompletionTokens },
      audioPromptTokens: audioCacheReadTokens + part(promptTokens - cacheReadTokens - cacheWriteTokens),
      imageCompletionTokens: part(completionTokens - audioCompletionTokens),
      ...{ searches: part(5), images: part(3) },
      serviceTier: random.pick([undefined, 'priority', 'flex'] as const),
      region: random.pick([undefined, 'us', 'eu']),
    }),
  };
}
