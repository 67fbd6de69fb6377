import { describe, expect, it } from 'vitest';
import { type CatalogModel, findModel, type ModelPrices } from '../../../../proxy/catalog/models.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import type { ClientRequest } from '../../../../proxy/formats/client-format.ts';
import { boundOf } from '../../../../proxy/pricing/bound.ts';
import { compilePrices, type Prices } from '../../../../proxy/pricing/prices.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf } from '../../../support/seed.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const hello = [{ role: 'user', content: 'Hello' }];
const unlimited: CatalogModel = {
  ...{ provider: 'acme', name: 'm', chat: true, created: 1, limits: {}, capabilities: [] },
};

function prices(amounts: Partial<ModelPrices>): Prices {
  const compiled = compilePrices({ input: '0', output: '0', asOf: '2026-11-22', ...amounts });
  if (compiled === undefined) throw new Error('the prices are not believed');
  return compiled;
}

/** At a micro-dollar for a token, a bound in nano-dollars divided by 1,000 is a number of tokens. */
const perInput = prices({ input: '1' });
const perOutput = prices({ output: '1' });

function bound(fields: object, at = perOutput, model: CatalogModel | undefined = unlimited, name = 'acme/m') {
  const request = parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages: hello, ...fields })));
  return {
    ...boundOf({ request, qualifiedModel: name, catalogModel: model }, at, 8192),
    bytes: request.bytes,
  };
}

const tokens = (nano: number) => nano / 1000;

describe('the bound of the output', () => {
  const small = { ...unlimited, limits: { maxOutputTokens: 4096 } };

  it.each<[string, object, number, CatalogModel?]>([
    ['is the default without a lower limit', {}, 8192],
    ['is the model’s maximum', {}, 4096, small],
    ['is the caller’s maximum', { max_completion_tokens: 100 }, 100],
    ['is the caller’s maximum by its older name', { max_tokens: 100_000 }, 100_000],
    ['is the larger of both names', { max_completion_tokens: 10, max_tokens: 100 }, 100],
    ['is the model’s maximum where the caller’s is larger', { max_tokens: 100_000 }, 4096, small],
    ['is of each choice', { max_tokens: 100, n: 3 }, 300],
  ])('the output bound %s', (_what, fields, most, model) => {
    expect(tokens(bound(fields, perOutput, model).full)).toBe(most);
  });

  it('of a compaction is the longest that the model can write, and cannot be lowered', () => {
    const of = (model: CatalogModel) => {
      const request = parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages: hello })));
      const client = {
        path: { compacts: true },
        translation: { dearFields: () => [], fieldOf: String },
      } as unknown as ClientRequest;
      return boundOf(
        { request: { ...request, client }, qualifiedModel: 'acme/m', catalogModel: model },
        perOutput,
        8192,
      );
    };
    const { full, least, ceilingFor } = of(small);
    expect([tokens(full), tokens(least), ceilingFor(full)]).toEqual([4096, 4096, undefined]);
    expect(tokens(of(unlimited).full)).toBe(128_000);
  });

  it('can be lowered to 256 tokens when the caller has set no maximum', () => {
    const free = bound({});
    expect(tokens(free.least)).toBe(256);
    expect(free.ceilingFor(free.full)).toBe(8192);
    expect(free.ceilingFor(free.full + 1)).toBe(8192);
    expect(free.ceilingFor(free.full - 1)).toBe(8191);
    expect(free.ceilingFor(1_000_999)).toBe(1000);
    expect(free.ceilingFor(free.least)).toBe(256);
    expect(free.ceilingFor(0)).toBe(256);
  });

  it('is fixed when the caller has set a maximum', () => {
    const own = bound({ max_tokens: 5000 });
    expect(own.least).toBe(own.full);
    expect(own.ceilingFor(own.full)).toBeUndefined();
  });

  it('is lowered for each choice', () => {
    const three = bound({ n: 3 });
    expect(tokens(three.full)).toBe(3 * 8192);
    expect(tokens(three.least)).toBe(3 * 256);
    expect(three.ceilingFor(3_002_000)).toBe(1000);
  });

  it('is never raised to the lowest value of 256 tokens', () => {
    const tiny = bound({}, perOutput, { ...unlimited, limits: { maxOutputTokens: 100 } });
    expect(tiny.least).toBe(tiny.full);
    expect(tiny.ceilingFor(tiny.full)).toBe(100);
  });

  it('costs nothing at a price of 0', () => {
    const free = bound({}, perInput);
    expect(free.least).toBe(free.full);
    expect(free.ceilingFor(free.full)).toBe(8192);
  });

  it('stays a whole number of nano-dollars for any values of the caller', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const huge = bound({ max_tokens: most, n: most }, prices({ input: '1000', output: '1000' }));
    expect(Number.isSafeInteger(huge.full)).toBe(true);
  });
});

describe('the bound of the input', () => {
  const inputOf = (fields: object, model?: CatalogModel, name?: string) => {
    const parsed = bound({ max_tokens: 1, ...fields }, perInput, model, name);
    return { tokens: tokens(parsed.full), bytes: parsed.bytes };
  };
  const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] });
  const image = (data: string) => part({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } });
  const file = (data: string) => part({ type: 'file', file: { file_data: data, filename: 'a.pdf' } });

  it('is every byte of the body plus 16 for each message', () => {
    const one = inputOf({});
    expect(one.tokens).toBe(one.bytes + 16);
    const two = inputOf({ messages: [...hello, { role: 'assistant', content: 'ä€😀' }] });
    expect(two.tokens).toBe(two.bytes + 32);
  });

  it('includes the vendors’ own prompt for tools', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const parsed = inputOf({ tools });
    expect(parsed.tokens).toBe(parsed.bytes + 16 + 600);
  });

  it.each([
    ['acme/m', 16_400],
    ['gpt-provider/gpt-4o-mini', 48_200],
    ['gpt-provider/gpt-4o', 4_000],
    ['gpt-provider/gpt-5.4', 24_600],
    ['assistant-provider/claude-opus-4-8', 4_800],
    ['managed-cloud-models/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 4_800],
    ['search-provider/gemini-2.5-flash', 8_300],
  ])('contains an allowance for an image, whatever its bytes: %s', (name, allowance) => {
    const small = inputOf(image('AAAA'), unlimited, name).tokens;
    expect(inputOf(image('A'.repeat(1_000_000)), unlimited, name).tokens).toBe(small);
    expect(small).toBeGreaterThan(allowance);
    expect(small).toBeLessThan(allowance + 200);
  });

  it('contains the same allowance for an image by URL, even as a plain string', () => {
    const byUrl = inputOf(part({ type: 'image_url', image_url: 'https://pictures.example/1.png' })).tokens;
    expect(byUrl).toBeGreaterThan(16_400);
    expect(byUrl).toBeLessThan(16_600);
  });

  it('contains for a file the tokens that fit in its bytes, but no more than the model accepts', () => {
    const model = { ...unlimited, limits: { maxInputTokens: 200_000 } };
    const small = inputOf(file('A'.repeat(4_000)), model).tokens;
    expect(small).toBeGreaterThan(4_000 + 16_400);
    expect(small).toBeLessThan(4_000 + 16_700);
    const large = inputOf(file('A'.repeat(4_000_000)), model).tokens;
    expect(large).toBeGreaterThan(200_000 + 16_400);
    expect(large).toBeLessThan(200_000 + 16_700);
    expect(inputOf(file('A'.repeat(4_000_000))).tokens).toBeGreaterThan(4_000_000);
  });

  it('uses the highest price of an input token among the tiers that the prompt can reach', () => {
    const tiers = [{ abovePromptTokens: 1000, input: '5', output: '1', cacheWrite: '7' }];
    const at = prices({ input: '1', cacheWrite: '1.25', cacheWrite1h: '2', tiers });
    const short = bound({ max_tokens: 1 }, at);
    expect(short.full).toBe((short.bytes + 16) * 2000);
    const long = bound({ max_tokens: 1, messages: [{ role: 'user', content: 'x'.repeat(1000) }] }, at);
    expect(long.full).toBe((long.bytes + 16) * 7000 + 1000);
  });
});

describe('the bound of a request', () => {
  const models = ['gpt-4o-mini', 'gpt-4o', 'gpt-5.4', 'gpt-5'].flatMap((name) => findModel('gpt-provider', name) ?? []);

  it('covers the cost of all usage within it, even with a lowered ceiling', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(5000); round++) {
      const model = random.pick(models);
      const at = compilePrices(model.prices ?? { input: '1', output: '1', asOf: '' });
      if (at === undefined) throw new Error('the prices are not believed');
      const content = 'x'.repeat(random.chance(0.1) ? 300_000 : random.below(2000));
      const n = 1 + random.below(4);
      const requested = random.chance(0.5) ? { max_tokens: 1 + random.below(20_000) } : {};
      const parsed = bound({ messages: [{ role: 'user', content }], n, ...requested }, at, model, `x/${model.name}`);
      const reserved = parsed.least + random.below(parsed.full - parsed.least + 1);
      const maximum = model.limits.maxOutputTokens ?? Number.POSITIVE_INFINITY;
      const ceiling = parsed.ceilingFor(reserved) ?? Math.min(requested.max_tokens ?? 0, maximum);
      const promptTokens = random.below(parsed.bytes + 17);
      const cacheReadTokens = random.below(promptTokens + 1);
      const usage = {
        ...{ ...noUsage, promptTokens, cacheReadTokens },
        cacheWriteTokens: random.below(promptTokens - cacheReadTokens + 1),
        completionTokens: random.below(n * ceiling + 1),
      };
      expect(at.costOf(usage), `seed ${seed}, round ${round}`).toBeLessThanOrEqual(reserved);
    }
  });

  it('has the highest possible ceiling for each reservation', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(2000); round++) {
      const at = prices({ input: '0.15', output: `${random.below(1000)}.${random.below(10)}` });
      const n = 1 + random.below(3);
      const parsed = bound({ n }, at);
      const [less, more] = [random.below(parsed.full), random.below(parsed.full)].toSorted((a, b) => a - b);
      if (less === undefined || more === undefined) throw new Error('there are two');
      const [low, high] = [parsed.ceilingFor(less) ?? 0, parsed.ceilingFor(more) ?? 0];
      expect(low, `seed ${seed}, round ${round}`).toBeLessThanOrEqual(high);
      const promptTokens = parsed.bytes + 16;
      const higher = at.costOf({ ...noUsage, promptTokens, completionTokens: n * (high + 1) });
      if (high < 8192) expect(higher, `seed ${seed}, round ${round}`).toBeGreaterThan(Math.max(more, parsed.least));
    }
  });
});
