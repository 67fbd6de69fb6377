// Reads LiteLLM's public list as data: which entries are used, which are corrected, and which are not believed.
import { describe, expect, it } from 'vitest';
import { isLitellmList, rowsOfLitellm } from '../../../catalog/litellm.ts';
import type { CatalogModel } from '../../../catalog/model.ts';

const asOf = '2026-11-22';
const chat = { mode: 'chat', input_cost_per_token: 2e-6, output_cost_per_token: 8e-6 };

function rows(list: Readonly<Record<string, object>>): readonly CatalogModel[] {
  return rowsOfLitellm({ ...list }, asOf, 'list');
}

function only(key: string, row: object): CatalogModel {
  const [first, ...others] = rows({ [key]: row });
  if (first === undefined || others.length > 0) throw new Error('not one row');
  return first;
}

describe('a LiteLLM list', () => {
  it('is distinguished from a catalog', () => {
    expect(isLitellmList({ 'gpt-4o': { litellm_provider: 'openai' } })).toBe(true);
    expect(isLitellmList({ sample_spec: {}, x: { mode: 'chat' } })).toBe(false);
    expect(isLitellmList({ asOf, models: [] })).toBe(false);
    expect(isLitellmList([])).toBe(false);
  });

  it.each<[string, string, string | undefined]>([
    ['gpt-9', 'openai', 'gpt-provider/gpt-9'],
    ['openai/gpt-9', 'openai', 'gpt-provider/gpt-9'],
    ['azure/gpt-9', 'azure', 'studio-ai/gpt-9'],
    ['azure_ai/Llama-9', 'azure_ai', 'studio-ai/Llama-9'],
    ['claude-9', 'anthropic', 'assistant-provider/claude-9'],
    ['gemini/gemini-9', 'gemini', 'search-provider/gemini-9'],
    ['eu.amazon.nova-9', 'bedrock_converse', 'managed-cloud-models/eu.amazon.nova-9'],
    // Models of other vendors, and names that are not called.
    ['gemini-9', 'vertex_ai-language-models', undefined],
    ['mistral-9', 'mistral', undefined],
    ['model_router', 'azure', undefined],
    ['gemini/gemini-exp-9', 'gemini', undefined],
    ['bedrock/*/1-month-commitment/x', 'bedrock', undefined],
  ])('maps %s of %s to %s', (key, vendor, name) => {
    const found = rows({ [key]: { ...chat, litellm_provider: vendor } });
    expect(found.map((row) => `${row.provider}/${row.name}`)).toEqual(name === undefined ? [] : [name]);
  });

  it('yields prices in USD per million tokens without floating-point errors, limits and capabilities', () => {
    const row = only('gpt-9-2026-01-31', {
      ...{ litellm_provider: 'openai', mode: 'chat', max_input_tokens: 1000, max_output_tokens: '200' },
      ...{
        input_cost_per_token: 1.1e-7,
        output_cost_per_token: 4.4e-7,
        cache_read_input_token_cost: 2.75e-8,
      },
      ...{ supports_function_calling: true, supports_vision: false },
    });
    expect(row).toEqual({
      ...{ provider: 'gpt-provider', name: 'gpt-9-2026-01-31', chat: true },
      created: Date.parse('2026-01-31') / 1000,
      limits: { maxInputTokens: 1000 },
      capabilities: ['tools'],
      prices: { input: '0.11', output: '0.44', cacheRead: '0.0275', asOf, source: 'list' },
    });
  });

  it('yields every kind of price: tiers, service tiers, regions, audio, images, searches', () => {
    const { prices } = only('gpt-9', {
      ...{ ...chat, litellm_provider: 'openai' },
      ...{ input_cost_per_token_above_272k_tokens: 4e-6, output_cost_per_token_above_272k_tokens: 12e-6 },
      ...{ cache_read_input_token_cost: 2e-7, cache_creation_input_token_cost_above_12hr: 5e-6 },
      ...{ input_cost_per_token_priority: 4e-6, output_cost_per_token_priority: 16e-6 },
      ...{ input_cost_per_audio_token: 32e-6, output_cost_per_audio_token: 64e-6 },
      ...{ output_cost_per_image_token: 30e-6, regional_processing_uplift_multiplier_eu: 1.1 },
      search_context_cost_per_query: { search_context_size_medium: 0.01 },
    });
    expect(prices).toMatchObject({
      ...{ input: '2', output: '8', cacheRead: '0.2', cacheWrite12h: '5' },
      ...{ audioInput: '32', audioOutput: '64', imageOutput: '30' },
      // A price that a tier does not state rises in proportion to the tier's input price.
      tiers: [{ abovePromptTokens: 272_000, input: '4', output: '12', cacheRead: '0.4' }],
      serviceTiers: { priority: { input: '4', output: '16', cacheRead: '0.4', audioInput: '64' } },
      surcharges: { eu: '1.1' },
      calls: { search: '0.01' },
    });
  });

  it('charges each request of a search model, and each grounded prompt of the search company’s older models', () => {
    const search_context_cost_per_query = { search_context_size_medium: 0.035 };
    const always = { ...chat, litellm_provider: 'openai', search_context_cost_per_query };
    expect(only('gpt-9-search-preview', always).prices?.calls).toEqual({ request: '0.035' });
    const grounded = { ...chat, litellm_provider: 'gemini', search_context_cost_per_query };
    expect(only('gemini/gemini-2.9', grounded).prices?.calls).toEqual({ groundedPrompt: '0.035' });
    expect(only('gemini/gemini-9', { ...grounded, web_search_billing_unit: 'per_query' }).prices?.calls).toEqual({
      search: '0.035',
    });
  });

  it('yields prices of regions under their model, not as models', () => {
    const found = rows({
      'azure/gpt-9': { ...chat, litellm_provider: 'azure' },
      'azure/eu/gpt-9': { ...chat, litellm_provider: 'azure', input_cost_per_token: 2.2e-6 },
    });
    expect(found).toMatchObject([{ name: 'gpt-9', prices: { input: '2' }, regions: { eu: { input: '2.2' } } }]);
  });

  it('has prices corrected that vendors define by a rule', () => {
    const claude = only('claude-9', {
      ...{ ...chat, litellm_provider: 'anthropic' },
      cache_creation_input_token_cost_above_1hr: 6e-6,
    });
    expect(claude.prices?.cacheWrite1h, 'an hour costs twice the input').toBe('4');
    const slipped = only('gpt-9', {
      ...{ ...chat, litellm_provider: 'openai', cache_creation_input_token_cost: 1e-6 },
    });
    expect(slipped.prices, 'writing is never cheaper than sending').toMatchObject({ cacheRead: '1' });
    expect(slipped.prices?.cacheWrite).toBeUndefined();
    const received = only('gemini/gemini-9', {
      ...{ ...chat, litellm_provider: 'gemini', supports_audio_input: true },
      ...{ input_cost_per_token_flex: 1e-6, output_cost_per_token_flex: 4e-6 },
    });
    expect(received.prices).toMatchObject({ audioInput: '2', serviceTiers: { flex: { audioInput: '1' } } });
  });

  it.each<[string, object]>([
    ['nothing where something is charged', { input_cost_per_token: 0, output_cost_per_token: 0 }],
    ['an output below the input', { input_cost_per_token: 1.1e-6, output_cost_per_token: 1e-6 }],
    ['a thousandfold', { input_cost_per_token: 3.2e-3, output_cost_per_token: 9.7e-3 }],
    ['a text', { input_cost_per_token: '2e-6' }],
    ['no output', { output_cost_per_token: undefined }],
  ])('yields no price for an implausible one: %s', (_what, listed) => {
    const row = only('azure_ai/m', { ...chat, litellm_provider: 'azure_ai', ...listed });
    expect([row.chat, row.prices]).toEqual([true, undefined]);
  });

  it.each<[string, object]>([
    ['dall-e-9', { mode: 'image_generation' }],
    ['o9-deep-research', { mode: 'chat' }],
    ['computer-use-preview-9', { mode: 'chat' }],
    ['gpt-9-pro', { mode: 'responses' }],
  ])('marks %s as not for chat completions', (key, listed) => {
    expect(only(key, { ...chat, litellm_provider: 'openai', ...listed })).toMatchObject({ chat: false });
  });
});
