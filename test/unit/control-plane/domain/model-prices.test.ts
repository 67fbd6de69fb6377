// Prices that operators set: equal prices are stored as equal texts, and all problems are reported.
import { describe, expect, it } from 'vitest';
import { modelPrices } from '../../../../control-plane/domain/model-prices.ts';
import type { ModelPrices__Output } from '../../../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceTier__Output } from '../../../../proto/generated/gateway/v1/PriceTier.ts';

const today = '2026-11-22';
const usd = { input: '0.15', output: '0.6' };
const none = { serviceTiers: {}, surcharges: {} };
const tiers = (...above: number[]): PriceTier__Output[] =>
  above.map((abovePromptTokens) => ({ abovePromptTokens, ...usd }));
const price = modelPrices(today);
const read = (prices: Omit<ModelPrices__Output, 'serviceTiers' | 'surcharges'> & Partial<ModelPrices__Output>) =>
  price({ ...none, ...prices });

describe('prices of a custom model', () => {
  it('have today’s date when the operator sets none', () => {
    expect(read({ ...usd, tiers: [] })).toEqual({ value: { ...usd, tiers: [], asOf: today } });
    const dated = { ...usd, tiers: [], asOf: '2026-01-31' };
    expect(read(dated)).toEqual({ value: dated });
  });

  it('are stored as equal texts when they are equal', () => {
    const one = read({ cacheWrite1h: '3', cacheRead: '1', tiers: tiers(1, 2), asOf: today, ...usd });
    const other = read({ ...usd, asOf: today, tiers: tiers(1, 2), cacheRead: '1', cacheWrite1h: '3' });
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
    const set = { ...usd, tiers: [] };
    const [first, second] = [
      read({ ...set, serviceTiers: { flex: set, priority: set }, surcharges: { eu: '1.1', us: '1.1' } }),
      read({ surcharges: { us: '1.1', eu: '1.1' }, serviceTiers: { priority: set, flex: set }, ...set }),
    ];
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });

  it('are refused when they are missing', () => {
    expect(price(null)).toEqual({ problems: [{ at: '', description: 'is required' }] });
  });

  it.each(['1000.000000001', '1001', '999999', '1000000', '-0', '', ' 1', '1.', '1.0000000001'])(
    'are refused with the input price %j',
    (input) => {
      expect(read({ ...usd, input, tiers: [] })).toMatchObject({ problems: [{ at: '.input' }] });
    },
  );

  it('have at most eight tiers, in ascending order', () => {
    expect(read({ ...usd, tiers: tiers(1, 2, 3, 4, 5, 6, 7, 8) })).toHaveProperty('value');
    const problemsOf = (...above: number[]) => read({ ...usd, tiers: tiers(...above) });
    expect(problemsOf(1, 2, 3, 4, 5, 6, 7, 8, 9)).toMatchObject({ problems: [{ at: '.tiers' }] });
    expect(problemsOf(3, 2, 2)).toMatchObject({
      problems: [{ at: '.tiers[1].above_prompt_tokens' }, { at: '.tiers[2].above_prompt_tokens' }],
    });
  });
});
