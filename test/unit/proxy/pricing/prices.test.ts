import { describe, expect, it } from 'vitest';
import { listModels, type ModelPrices } from '../../../../proxy/catalog/models.ts';
import { noUsage, type Usage } from '../../../../proxy/conversation/usage.ts';
import { compilePrices, dearestOf, type Prices } from '../../../../proxy/pricing/prices.ts';
import { tokensMax } from '../../../../proxy/pricing/rates.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf } from '../../../support/seed.ts';

const asOf = '2026-11-22';
const seed = Number(process.env.SEED ?? 20_261_122);

function compile(prices: Omit<ModelPrices, 'asOf'>): Prices {
  const compiled = compilePrices({ ...prices, asOf });
  if (compiled === undefined) throw new Error('the prices are not believed');
  return compiled;
}

const used = (usage: Partial<Usage>): Usage => ({ ...noUsage, ...usage });

describe('the cost of usage', () => {
  const full = { input: '3', output: '15', cacheRead: '0.3', cacheWrite: '3.75', cacheWrite1h: '6' };

  it.each<[string, Omit<ModelPrices, 'asOf'>, Partial<Usage>, number]>([
    ['is a dollar for a million tokens at one', { input: '1', output: '0' }, { promptTokens: 1e6 }, 1e9],
    ['is 150 nano-dollars for a token at 0.15', { input: '0.15', output: '0' }, { promptTokens: 1 }, 150],
    ['is rounded up', { input: '0.000000001', output: '0' }, { promptTokens: 1 }, 1],
    ['is rounded up once', { input: '0.0004', output: '0.0004' }, { promptTokens: 1, completionTokens: 1 }, 1],
    ['is not rounded where it is even', { input: '0.001', output: '0' }, { promptTokens: 7 }, 7],
    ['of nothing is nothing', full, {}, 0],
    ['of a free model is nothing', { input: '0', output: '0' }, { promptTokens: 1e9, completionTokens: 1e9 }, 0],
    // 100 × 3,000 + 50 × 15,000
    ['is of the prompt and of the completion', full, { promptTokens: 100, completionTokens: 50 }, 1_050_000],
    // 60 × 3,000 + 40 × 300
    ['of cached tokens is their own', full, { promptTokens: 100, cacheReadTokens: 40 }, 192_000],
    // 60 × 3,000 + 40 × 3,750
    ['of tokens that are cached is their own', full, { promptTokens: 100, cacheWriteTokens: 40 }, 330_000],
    [
      // 60 × 3,000 + 10 × 3,750 + 30 × 6,000
      'of those cached for an hour is their own',
      full,
      { promptTokens: 100, cacheWriteTokens: 40, cacheWrite1hTokens: 30 },
      397_500,
    ],
    [
      // 20 × 3,000 + 50 × 300 + 10 × 3,750 + 20 × 6,000 + 7 × 15,000
      'adds all kinds',
      full,
      {
        ...{ promptTokens: 100, cacheReadTokens: 50, cacheWriteTokens: 30, cacheWrite1hTokens: 20 },
        completionTokens: 7,
      },
      337_500,
    ],
    // 40 × 15,000, because reasoning is part of the completion
    ['counts reasoning as output, once', full, { completionTokens: 40, reasoningTokens: 30 }, 600_000],
    [
      'of kinds without prices of their own is that of the input',
      { input: '2', output: '4' },
      { promptTokens: 100, cacheReadTokens: 40, cacheWriteTokens: 20, cacheWrite1hTokens: 5 },
      200_000,
    ],
    [
      'of an hour without a price of its own is that of any write',
      { input: '2', output: '4', cacheWrite: '3' },
      { promptTokens: 10, cacheWriteTokens: 10, cacheWrite1hTokens: 10 },
      30_000,
    ],
    [
      // 100 × 300, and nothing below zero
      'of more cached tokens than the prompt has is that of the cached tokens',
      full,
      { promptTokens: 10, cacheReadTokens: 100 },
      30_000,
    ],
    [
      'of more of an hour than of all writes is that of all writes',
      full,
      { promptTokens: 10, cacheWriteTokens: 10, cacheWrite1hTokens: 999 },
      60_000,
    ],
    [
      'of impossible counts is bounded',
      { input: '1000', output: '1000' },
      { promptTokens: Number.MAX_SAFE_INTEGER, completionTokens: Number.MAX_SAFE_INTEGER },
      2e15,
    ],
  ])('a cost %s', (_what, prices, usage, nano) => {
    expect(compile(prices).costOf(used(usage))).toBe(nano);
  });

  const tiered = {
    ...{ input: '1', output: '10', cacheRead: '0.1' },
    tiers: [
      { abovePromptTokens: 1000, input: '2', output: '15', cacheRead: '0.2' },
      { abovePromptTokens: 5000, input: '4', output: '20' },
    ],
  };

  it.each<[string, Partial<Usage>, number]>([
    ['the first up to its end', { promptTokens: 1000, completionTokens: 1 }, 1_010_000],
    ['the next one token later, of the whole prompt', { promptTokens: 1001, completionTokens: 1 }, 2_017_000],
    ['by the whole prompt, cached tokens too', { promptTokens: 1001, cacheReadTokens: 1001 }, 200_200],
    ['the highest', { promptTokens: 5001, completionTokens: 1 }, 20_024_000],
    [
      'the highest, with its input price for kinds that it does not price',
      { promptTokens: 6000, cacheReadTokens: 6000 },
      24e6,
    ],
    ['not by the completion', { promptTokens: 10, completionTokens: 9000 }, 90_010_000],
  ])('is priced by tier: %s', (_what, usage, nano) => {
    expect(compile(tiered).costOf(used(usage))).toBe(nano);
  });

  it('equals exact arithmetic for random prices and counts', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(5000); round++) {
      const prices = randomPrices(random);
      const usage = randomUsage(random);
      const cost = compile(prices).costOf(usage);
      const seen = `seed ${seed}, round ${round}: ${JSON.stringify({ prices, usage })}`;
      expect(BigInt(cost), seen).toBe(exactCost(prices, usage));
      expect(Number.isSafeInteger(cost), seen).toBe(true);
    }
  });

  it('never falls when more is used', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(2000); round++) {
      const compiled = compile({ ...randomPrices(random), tiers: [] });
      const usage = randomUsage(random);
      const more = {
        ...usage,
        promptTokens: usage.promptTokens + random.below(1000),
        completionTokens: usage.completionTokens + random.below(1000),
      };
      expect(compiled.costOf(more), `seed ${seed}, round ${round}`).toBeGreaterThanOrEqual(compiled.costOf(usage));
    }
  });
});

describe('the highest rates of prices', () => {
  it('cover the cost of every prompt up to that size', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(5000); round++) {
      const compiled = compile(randomPrices(random));
      const usage = randomUsage(random);
      const { input, output } = compiled.dearest(usage.promptTokens + random.below(500_000));
      const nano = (tokens: number, rate: typeof input) =>
        BigInt(tokens) * (BigInt(rate.whole) * 1_000_000n + BigInt(rate.millionths));
      const most = nano(usage.promptTokens, input) + nano(usage.completionTokens, output);
      expect(BigInt(compiled.costOf(usage)) * 1_000_000n <= most + 999_999n, `seed ${seed}, round ${round}`).toBe(true);
    }
  });

  it('ignore tiers that the prompt cannot reach', () => {
    const compiled = compile({
      ...{ input: '1', output: '1' },
      tiers: [{ abovePromptTokens: 100, input: '5', output: '7' }],
    });
    expect(compiled.dearest(100)).toEqual({
      input: { whole: 1000, millionths: 0 },
      output: { whole: 1000, millionths: 0 },
      calls: 0,
    });
    expect(compiled.dearest(101)).toEqual({
      input: { whole: 5000, millionths: 0 },
      output: { whole: 7000, millionths: 0 },
      calls: 0,
    });
  });

  it('of several prices are the highest of each kind, and so is their cost', () => {
    const both = dearestOf([compile({ input: '1', output: '9' }), compile({ input: '2', output: '3' })]);
    expect(both.dearest(1)).toEqual({
      input: { whole: 2000, millionths: 0 },
      output: { whole: 9000, millionths: 0 },
      calls: 0,
    });
    expect(both.costOf(used({ promptTokens: 1, completionTokens: 1 }))).toBe(10_000);
    expect(both.costOf(used({ promptTokens: 100, completionTokens: 1 }))).toBe(203_000);
  });
});

describe('compiled prices', () => {
  it.each(['', '-1', '1e3', '1000.000000001', '99999', '1.0000000001', 'free', ' 1', '1,5'])(
    'with the amount %j are invalid',
    (amount) => {
      expect(compilePrices({ input: amount, output: '1', asOf })).toBeUndefined();
      expect(compilePrices({ input: '1', output: '1', cacheRead: amount, asOf })).toBeUndefined();
      const tiers = [{ abovePromptTokens: 1, input: '1', output: amount }];
      expect(compilePrices({ input: '1', output: '1', tiers, asOf })).toBeUndefined();
    },
  );

  it('can be up to 1,000 dollars', () => {
    expect(compile({ input: '1000', output: '0' }).costOf(used({ promptTokens: 1 }))).toBe(1_000_000);
  });

  it('of the catalog are all valid', () => {
    const all = listModels().flatMap(({ prices, regions = {} }) => [prices ?? [], Object.values(regions)].flat());
    expect(all.length).toBeGreaterThan(400);
    expect(all.filter((prices) => compilePrices(prices) === undefined)).toEqual([]);
  });
});

type RandomPrices = Omit<ModelPrices, 'asOf'> & { readonly tiers: NonNullable<ModelPrices['tiers']> };

function randomPrices(random: Random): RandomPrices {
  const amount = () => {
    const decimals = '0123456789'
      .slice(0, random.below(10))
      .split('')
      .map(() => random.below(10));
    return `${random.below(1000)}${decimals.length > 0 ? `.${decimals.join('')}` : ''}`;
  };
  const amounts = () => ({
    ...{ input: amount(), output: amount() },
    ...(random.below(2) === 0 && { cacheRead: amount() }),
    ...(random.below(2) === 0 && { cacheWrite: amount() }),
    ...(random.below(2) === 0 && { cacheWrite1h: amount() }),
  });
  const tiers = [100_000, 200_000].slice(random.below(3)).map((above) => ({ abovePromptTokens: above, ...amounts() }));
  return { ...amounts(), tiers };
}

/**
 * Random usage that follows the rules: cached tokens are part of the prompt, and one-hour writes are part of the
 * writes.
 */
function randomUsage(random: Random): Usage {
  const most = [10, 300_000, tokensMax][random.below(3)] ?? 1;
  const promptTokens = random.below(most + 1);
  const cacheReadTokens = random.below(promptTokens + 1);
  const cacheWriteTokens = random.below(promptTokens - cacheReadTokens + 1);
  const cacheWrite1hTokens = random.below(cacheWriteTokens + 1);
  const completionTokens = random.below(most + 1);
  const reasoningTokens = random.below(completionTokens + 1);
  return {
    ...{ promptTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens },
    ...{ completionTokens, reasoningTokens },
  };
}

/** Computes with femto-dollars per token from the decimal digits alone, then rounds to nano-dollars. */
function exactCost(prices: RandomPrices, usage: Usage): bigint {
  const rates = prices.tiers.findLast((tier) => usage.promptTokens > tier.abovePromptTokens) ?? prices;
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = rates;
  const femto = (text: string) => {
    const [whole = '', decimals = ''] = text.split('.');
    return BigInt(whole + decimals.padEnd(9, '0'));
  };
  const of = (tokens: number, text: string) => BigInt(tokens) * femto(text);
  const sum =
    of(usage.promptTokens - usage.cacheReadTokens - usage.cacheWriteTokens, input) +
    of(usage.cacheReadTokens, cacheRead) +
    of(usage.cacheWriteTokens - usage.cacheWrite1hTokens, cacheWrite) +
    of(usage.cacheWrite1hTokens, cacheWrite1h) +
    of(usage.completionTokens, output);
  return (sum + 999_999n) / 1_000_000n;
}
