import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import catalogJson from '../../../../catalog/models.json' with { type: 'json' };
import { type CatalogModel, findModel, listModels, type TokenPrices } from '../../../../proxy/catalog/models.ts';

const rows = catalogJson.models as readonly { provider: string; name: string; chat: boolean }[];
const canonicalProviders = [
  'gpt-provider',
  'studio-ai',
  'managed-cloud-models',
  'assistant-provider',
  'search-provider',
];

function found(provider: string, name: string): CatalogModel {
  const model = findModel(provider, name);
  if (model === undefined) throw new Error(`${provider}/${name} is not in the catalog`);
  return model;
}

/** Every set of prices in the catalog: current and future ones, by tier, by region and by service tier. */
function allPrices(): readonly (readonly [string, TokenPrices])[] {
  return rows.flatMap(({ provider, name }) => {
    const { prices, regions } = found(provider, name);
    return [...(prices ? [prices] : []), ...Object.values(regions ?? {})]
      .flatMap((one) => (one.next ? [one, one.next] : [one]))
      .flatMap((one) => [one, ...Object.values(one.serviceTiers ?? {})])
      .flatMap((set) => [set, ...(set.tiers ?? [])])
      .map((set) => [`${provider}/${name}`, set] as const);
  });
}

describe('the shipped catalog', () => {
  it('finds every row by its provider and name', () => {
    for (const row of rows) expect(found(row.provider, row.name)).toMatchObject(row);
  });

  it('contains each model once', () => {
    const names = rows.map((row) => `${row.provider}/${row.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('contains chat models of every canonical provider and of no other', () => {
    const providers = new Set(
      listModels()
        .filter((model) => model.chat)
        .map((model) => model.provider),
    );
    expect([...providers].sort()).toEqual(canonicalProviders.toSorted());
  });

  it('contains only model names that a request may use', () => {
    const pattern = /^[A-Za-z0-9][A-Za-z0-9._:@/+-]{0,255}$/;
    for (const { name } of rows) {
      expect(name).toMatch(pattern);
      expect(name.split('/')).not.toContain('');
    }
  });

  it('is deeply frozen', () => {
    const model = found('gpt-provider', 'gpt-5.4');
    const parts = [
      listModels(),
      model,
      model.limits,
      model.capabilities,
      model.prices,
      model.prices?.tiers,
      model.prices?.tiers?.[0],
    ];
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true);
  });

  it('has one row per line, so that a changed price is one changed line', async () => {
    const text = await readFile(new URL('../../../../catalog/models.json', import.meta.url), 'utf8');
    expect(text.trimEnd().split('\n')).toHaveLength(rows.length + 2);
  });
});

describe('prices in the catalog', () => {
  // The upper bounds are the prices of the largest model, served ultrafast, above 272,000 tokens.
  it('are at most 150 USD for a million input tokens and 500 USD for a million output tokens', () => {
    for (const [name, set] of allPrices()) {
      expect(Number(set.input), `${name} input`).toBeLessThanOrEqual(150);
      expect(Number(set.output), `${name} output`).toBeLessThanOrEqual(500);
      if (name.startsWith('search-provider/gemma-')) continue;
      expect(Number(set.input), `${name} input`).toBeGreaterThanOrEqual(0.01);
      expect(Number(set.output), `${name} output`).toBeGreaterThanOrEqual(0.02);
    }
  });

  it('are not lower for output than for input', () => {
    for (const [name, set] of allPrices()) {
      expect(Number(set.output), name).toBeGreaterThanOrEqual(Number(set.input));
    }
  });

  it('are not higher for reading a cache than for input, and at most twice the input price for writing one', () => {
    for (const [name, { input, cacheRead, cacheWrite, cacheWrite1h }] of allPrices()) {
      if (cacheRead) expect(Number(cacheRead), `${name} read`).toBeLessThanOrEqual(Number(input));
      if (cacheWrite) expect(Number(cacheWrite), `${name} write`).toBeGreaterThanOrEqual(Number(input));
      if (cacheWrite) expect(Number(cacheWrite), `${name} write`).toBeLessThanOrEqual(Number(input) * 1.26);
      if (cacheWrite1h) expect(Number(cacheWrite1h), `${name} 1h`).toBeCloseTo(Number(input) * 2, 6);
    }
  });

  it('rise with every tier', () => {
    for (const { prices } of listModels()) {
      let below: TokenPrices & { abovePromptTokens?: number } = prices ?? { input: '0', output: '0' };
      for (const tier of prices?.tiers ?? []) {
        expect(tier.abovePromptTokens).toBeGreaterThan(below.abovePromptTokens ?? 0);
        expect(Number(tier.input)).toBeGreaterThan(Number(below.input));
        expect(Number(tier.output)).toBeGreaterThan(Number(below.output));
        below = tier;
      }
    }
  });

  it('have a date', () => {
    for (const { prices } of listModels()) if (prices) expect(prices.asOf).toMatch(/^2026-\d{2}-\d{2}$/);
  });
});

describe('findModel', () => {
  it('returns limits, capabilities and prices of a model', () => {
    expect(found('gpt-provider', 'gpt-4o-mini')).toEqual({
      provider: 'gpt-provider',
      name: 'gpt-4o-mini',
      chat: true,
      created: Date.parse(catalogJson.asOf) / 1000,
      limits: { maxInputTokens: 128_000, maxOutputTokens: 16_384 },
      capabilities: ['tools', 'vision', 'json_schema'],
      prices: {
        ...{ input: '0.15', output: '0.6', cacheRead: '0.075' },
        serviceTiers: { priority: { input: '0.25', output: '1', cacheRead: '0.125' } },
        calls: { search: '0.025' },
        ...{ asOf: '2026-11-22', source: 'litellm-1.109.1' },
      },
    });
  });

  it('uses the date in a model’s name as its creation date', () => {
    expect(found('gpt-provider', 'gpt-4o-mini-2024-07-18').created).toBe(Date.parse('2024-07-18') / 1000);
  });

  it('finds no model under another provider or in another letter case', () => {
    expect(findModel('assistant-provider', 'gpt-4o-mini')).toBeUndefined();
    expect(findModel('gpt-provider', 'GPT-4o-mini')).toBeUndefined();
    expect(findModel('gpt-provider', '')).toBeUndefined();
    expect(findModel('toString', '')).toBeUndefined();
  });

  it.each([
    ['gpt-provider', 'text-embedding-3-small'],
    ['gpt-provider', 'whisper-1'],
    ['gpt-provider', 'omni-moderation-latest'],
    ['studio-ai', 'computer-use-preview'],
    ['search-provider', 'gemini-embedding-001'],
    ['managed-cloud-models', 'amazon.titan-embed-text-v2:0'],
  ])('reports that %s/%s is no chat model', (provider, name) => {
    expect(found(provider, name).chat).toBe(false);
  });

  it('finds a fine-tuned model by its base, which is not listed', () => {
    const model = found('gpt-provider', 'ft:gpt-4o-2024-08-06:acme:helper:b1');
    expect(model.name).toBe('ft:gpt-4o-2024-08-06');
    expect(listModels().some((one) => one.name.startsWith('ft:'))).toBe(false);
    expect(findModel('gpt-provider', 'ft:no-such-base:acme::b1')).toBeUndefined();
  });

  it('returns prices of a region with the model, only where they differ', () => {
    const { prices, regions } = found('managed-cloud-models', 'deepseek.v3.2');
    expect(prices?.input).toBe('0.62');
    expect(regions?.['ap-south-1']?.input).toBe('0.74');
    expect(regions?.['us-east-1']).toBeUndefined();
  });

  it('returns higher price tiers for long prompts, with cache prices', () => {
    expect(found('gpt-provider', 'gpt-5.6-luna').prices?.tiers).toEqual([
      {
        ...{ abovePromptTokens: 272_000, input: '0.4', output: '1.8' },
        ...{ cacheRead: '0.04', cacheWrite: '0.5', cacheWrite12h: '1' },
      },
    ]);
  });
});
