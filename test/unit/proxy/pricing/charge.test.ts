// The table of charges: complete usage is charged at its cost, and incomplete usage is charged so that leaving early
// saves no money.
import { describe, expect, it } from 'vitest';
import type { ModelPrices } from '../../../../proxy/catalog/models.ts';
import type { ResponseEnd } from '../../../../proxy/conversation/response-end.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { boundOf } from '../../../../proxy/pricing/bound.ts';
import { chargeOf, mayThinkUnseen, type Terms } from '../../../../proxy/pricing/charge.ts';
import { compilePrices, type Prices } from '../../../../proxy/pricing/prices.ts';
import { chatCallOf, outcomeWith, type PlayedOutcome } from '../../../support/charged-calls.ts';

/** An input token costs 1,000 nano-dollars, an output token 10,000. */
const prices = pricesOf({ input: '1', output: '10', asOf: '2026-11-22' });

function pricesOf(listed: ModelPrices): Prices {
  const compiled = compilePrices(listed);
  if (compiled === undefined) throw new Error('there are no prices');
  return compiled;
}

function charged(outcome: PlayedOutcome, fields: object = {}, terms: Partial<Terms> = {}, model = 'gpt-4o') {
  const call = chatCallOf('gpt-provider', model, { max_completion_tokens: 1000, ...fields });
  const bound = boundOf(call, prices, 8192);
  const settled = chargeOf(outcomeWith(outcome), {
    prices,
    terms: () => ({
      ...{ bound, reserved: bound.full, thinksUnseen: mayThinkUnseen(call), unknownCost: 'hold' },
      ...terms,
    }),
  });
  return { ...settled, bound };
}

const usage = { ...noUsage, promptTokens: 10, completionTokens: 7 };
const unknown: readonly ResponseEnd[] = ['cut', 'reset', 'timed_out', 'not_read', 'shutdown'];

describe('complete usage', () => {
  it.each<[ResponseEnd]>([['whole'], ['left'], ['cut'], ['reset'], ['timed_out']])(
    'is charged at its cost, however the response ended: %s',
    (ending) => {
      const { cost, estimateReason, reportedCost } = charged({
        ending,
        usage,
        complete: true,
      } as PlayedOutcome);
      expect([cost, estimateReason, reportedCost]).toEqual([80_000, undefined, undefined]);
    },
  );

  it('may cost more than its reservation', () => {
    const much = { ...usage, completionTokens: 50_000 };
    const { cost, bound } = charged({ ending: 'whole', usage: much, complete: true });
    expect(cost).toBeGreaterThan(bound.full);
  });
});

describe('a provider that refused or was not reached', () => {
  it('is charged with nothing', () => {
    expect(charged({ ending: 'unused' })).toMatchObject({
      cost: 0,
      estimateReason: undefined,
      usage: noUsage,
    });
  });
});

describe('unreported usage', () => {
  it.each(unknown.map((ending) => [ending]))(
    'is charged with the full reservation when the response ended as %s',
    (ending) => {
      const { cost, bound, ...rest } = charged({ ending, text: 3 } as PlayedOutcome);
      expect(cost).toBe(bound.full);
      expect(rest).toMatchObject({ estimateReason: ending, reportedCost: undefined });
      expect(rest.usage).toMatchObject({ promptTokens: bound.promptTokens, completionTokens: 1000 });
    },
  );

  it('is charged with the full reservation when only a part was reported, and that part is recorded', () => {
    const { cost, bound, reportedCost } = charged({ ending: 'cut', usage, text: 3 });
    expect([cost, reportedCost]).toEqual([bound.full, 80_000]);
  });

  it('is charged with the smaller reservation when money was short', () => {
    expect(charged({ ending: 'reset' }, {}, { reserved: 1_234_567 }).cost).toBe(1_234_567);
  });

  it('includes the ceiling of every choice', () => {
    expect(charged({ ending: 'reset' }, { n: 3 }).usage.completionTokens).toBe(3000);
  });
});

describe('a stream cancelled at a provider that stops generating', () => {
  it('is charged for its prompt, its text and the output until the provider noticed', () => {
    const { cost, bound, usage: used } = charged({ ending: 'left', text: 100 });
    // 64 tokens, and two seconds at 100 tokens a second.
    expect(used.completionTokens).toBe(100 + 64 + 200);
    expect(cost).toBe(bound.costWith(364));
  });

  it('is charged at its own pace', () => {
    expect(charged({ ending: 'left', text: 100, streamedMs: 10_000 }).usage.completionTokens).toBe(184);
  });

  it('is charged for the reported prompt', () => {
    const reported = { ...noUsage, promptTokens: 10, cacheReadTokens: 4 };
    const {
      cost,
      usage: used,
      reportedCost,
    } = charged({ ending: 'left', usage: reported, text: 100, streamedMs: 10_000 });
    expect(used).toMatchObject({ promptTokens: 10, cacheReadTokens: 4, completionTokens: 184 });
    expect([cost, reportedCost]).toEqual([10_000 + 1_840_000, 10_000]);
  });

  it('is charged with at most its reservation', () => {
    const { cost, bound } = charged({ ending: 'left', text: 5000 });
    expect(cost).toBe(bound.full);
  });

  it('is charged with its ceiling when the model may think without showing it', () => {
    const { usage: used } = charged({ ending: 'left', text: 1 }, {}, {}, 'gpt-5');
    expect(used.completionTokens).toBe(1000);
  });
});

describe('a whole response without usage', () => {
  it('is charged for its text', () => {
    const { cost, bound, estimateReason } = charged({ ending: 'whole', text: 100 });
    expect([cost, estimateReason]).toEqual([bound.costWith(100), 'no_usage']);
  });

  it('is charged with its reservation when the model may think without showing it', () => {
    const { cost, bound, estimateReason } = charged({ ending: 'whole', text: 100 }, {}, {}, 'gpt-5');
    expect([cost, estimateReason]).toEqual([bound.full, 'no_usage']);
  });
});

describe('an organization whose unknown cost is counted by text', () => {
  it.each(unknown.map((ending) => [ending]))('pays for the text when the response ended as %s', (ending) => {
    const { cost, bound } = charged(
      { ending, text: 100, streamedMs: 10_000 } as PlayedOutcome,
      {},
      { unknownCost: 'text' },
    );
    expect(cost).toBe(bound.costWith(184));
  });

  it('pays the ceiling of a model that may think without showing it', () => {
    const { cost, bound } = charged({ ending: 'cut', text: 1 }, {}, { unknownCost: 'text' }, 'gpt-5');
    expect(cost).toBe(bound.costWith(1000));
  });
});

describe('thinking that a response does not show', () => {
  it.each<[string, string, object, boolean]>([
    ['gpt-provider', 'gpt-4o', {}, false],
    ['gpt-provider', 'gpt-5', {}, true],
    ['gpt-provider', 'gpt-5.1', { reasoning_effort: 'none' }, false],
    ['gpt-provider', 'gpt-5.1', { reasoning_effort: 'none', thinking: { type: 'disabled' } }, true],
    ['gpt-provider', 'gpt-5', { thinking: { type: 'disabled' } }, true],
    ['assistant-provider', 'claude-haiku-4-5', {}, false],
    ['assistant-provider', 'claude-haiku-4-5', { reasoning_effort: 'low' }, true],
    ['assistant-provider', 'claude-haiku-4-5', { reasoning_effort: 'none' }, false],
    ['assistant-provider', 'claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 2000 } }, true],
    ['assistant-provider', 'claude-haiku-4-5', { thinking: { type: 'disabled' }, reasoning_effort: 'high' }, false],
    ['assistant-provider', 'claude-opus-4-8', {}, true],
    ['search-provider', 'gemini-2.5-flash', {}, true],
    ['search-provider', 'gemini-2.0-flash', {}, false],
  ])('is expected of %s %s with %j: %s', (vendor, model, fields, expected) => {
    expect(mayThinkUnseen(chatCallOf(vendor, model, fields))).toBe(expected);
  });

  it('is not expected of a model outside the catalog', () => {
    const call = { ...chatCallOf('gpt-provider', 'gpt-4o', {}), catalogModel: undefined };
    expect(mayThinkUnseen(call)).toBe(false);
  });
});
