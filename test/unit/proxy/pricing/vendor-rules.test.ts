// Token counts that vendors report, each by its own rule, and their cost. The sums are computed by hand, at prices that
// make every kind of token visible.
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../../proxy/conversation/usage.ts';
import { compilePrices } from '../../../../proxy/pricing/prices.ts';
import type { VendorName } from '../../../../simulator/vendors.ts';
import { callOf } from '../../../support/vendor-calls.ts';

/**
 * Nano-dollars for a token: 1 of input, 100 read, 10,000 written, 1,000,000 written for an hour, and 100,000,000 of
 * output.
 */
const prices = compilePrices({
  ...{ input: '0.001', cacheRead: '0.1', cacheWrite: '10', cacheWrite1h: '1000', output: '0' },
  tiers: [{ abovePromptTokens: 1000, input: '0.002', cacheRead: '0.2', output: '0' }],
  asOf: '2026-11-22',
});
const outputPrices = compilePrices({ input: '0', output: '1', asOf: '2026-11-22' });

const models: Readonly<Record<VendorName, string>> = {
  'gpt-provider': 'gpt-4o',
  'studio-ai': 'DeepSeek-R1-0528',
  'managed-cloud-models': 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'assistant-provider': 'claude-sonnet-4-5',
  'search-provider': 'gemini-2.5-flash',
};

/** A response with this usage, in the vendor's form. */
const responses: Readonly<Record<VendorName, (usage: object) => object>> = {
  'gpt-provider': (usage) => ({ id: 'a', model: 'served', choices: [gptChoice], usage }),
  'studio-ai': (usage) => ({ id: 'a', model: 'served', choices: [gptChoice], usage }),
  'managed-cloud-models': (usage) => ({
    output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
    stopReason: 'end_turn',
    trace: { promptRouter: { invokedModelId: 'served' } },
    usage,
  }),
  'assistant-provider': (usage) => ({
    ...{ id: 'a', type: 'message', model: 'served', stop_reason: 'end_turn' },
    content: [{ type: 'text', text: 'Hi' }],
    usage,
  }),
  'search-provider': (usageMetadata) => ({
    modelVersion: 'served',
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata,
  }),
};

const gptChoice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };

function read(vendor: VendorName, usage: object) {
  const call = callOf(vendor, models[vendor], { messages: [{ role: 'user', content: 'Hello' }] });
  const body = Buffer.from(JSON.stringify(responses[vendor](usage)));
  return call.target.provider.format.readResponse(call, { head: {}, body });
}

function reportedBy(vendor: VendorName, usage: object): Usage {
  const parsed = read(vendor, usage).usage;
  if (parsed === undefined) throw new Error(`${vendor} reports no usage`);
  return parsed;
}

const vendors = Object.keys(models) as VendorName[];

describe('the tokens of a prompt', () => {
  it.each<[string, VendorName, object, number]>([
    [
      'of the GPT vendor has the cached tokens in it',
      'gpt-provider',
      { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 40 } },
      60 + 40 * 100,
    ],
    [
      'of the studio has those that are written in it as well',
      'studio-ai',
      {
        ...{ prompt_tokens: 100, completion_tokens: 5 },
        prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
      },
      50 + 40 * 100 + 10 * 10_000,
    ],
    [
      'of the assistant vendor lacks all cached tokens',
      'assistant-provider',
      {
        ...{ input_tokens: 100, output_tokens: 5 },
        ...{ cache_read_input_tokens: 40, cache_creation_input_tokens: 30 },
      },
      100 + 40 * 100 + 30 * 10_000,
    ],
    [
      'of the assistant vendor reports cache writes for an hour separately',
      'assistant-provider',
      {
        ...{ input_tokens: 100, output_tokens: 5, cache_creation_input_tokens: 30 },
        cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      },
      100 + 10 * 10_000 + 20 * 1_000_000,
    ],
    [
      'of the cloud lacks all cached tokens',
      'managed-cloud-models',
      { inputTokens: 100, outputTokens: 5, cacheReadInputTokens: 40, cacheWriteInputTokens: 30 },
      100 + 40 * 100 + 30 * 10_000,
    ],
    [
      'of the cloud reports cache writes by lifetime',
      'managed-cloud-models',
      {
        ...{ inputTokens: 100, outputTokens: 5, cacheWriteInputTokens: 30 },
        cacheDetails: [
          { ttl: '1h', inputTokens: 20 },
          { ttl: '5m', inputTokens: 10 },
        ],
      },
      100 + 10 * 10_000 + 20 * 1_000_000,
    ],
    [
      'of the search company has the cached tokens in it, and its own tools’ beside it',
      'search-provider',
      {
        ...{ promptTokenCount: 100, candidatesTokenCount: 5, totalTokenCount: 112 },
        ...{ cachedContentTokenCount: 40, toolUsePromptTokenCount: 7 },
      },
      67 + 40 * 100,
    ],
    [
      'is of a higher tier by its cached tokens too',
      'assistant-provider',
      { input_tokens: 1, output_tokens: 5, cache_read_input_tokens: 1000 },
      1 * 2 + 1000 * 200,
    ],
    [
      'is of a lower tier up to its end',
      'search-provider',
      { promptTokenCount: 1000, candidatesTokenCount: 5, cachedContentTokenCount: 1000 },
      1000 * 100,
    ],
  ])('are counted by the vendor’s rule: the prompt %s', (_what, vendor, usage, nano) => {
    expect(prices?.costOf(reportedBy(vendor, usage))).toBe(nano);
  });
});

describe('the tokens of a completion', () => {
  it.each<[string, VendorName, object, number]>([
    [
      'of the GPT vendor contains the reasoning',
      'gpt-provider',
      {
        ...{ prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      50,
    ],
    [
      'of a server whose total is larger lacks the reasoning',
      'gpt-provider',
      {
        ...{ prompt_tokens: 10, completion_tokens: 50, total_tokens: 90 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      80,
    ],
    [
      'of the assistant vendor contains the thinking',
      'assistant-provider',
      { input_tokens: 10, output_tokens: 50, output_tokens_details: { thinking_tokens: 30 } },
      50,
    ],
    ['of the cloud contains the reasoning', 'managed-cloud-models', { inputTokens: 10, outputTokens: 50 }, 50],
    [
      'of the search company lacks the thoughts',
      'search-provider',
      {
        ...{ promptTokenCount: 10, candidatesTokenCount: 20, thoughtsTokenCount: 30 },
        totalTokenCount: 60,
      },
      50,
    ],
    [
      'of the search company contains the thoughts where the total shows it',
      'search-provider',
      {
        ...{ promptTokenCount: 10, candidatesTokenCount: 50, thoughtsTokenCount: 30 },
        totalTokenCount: 60,
      },
      50,
    ],
  ])('are counted by the vendor’s rule: the completion %s', (_what, vendor, usage, tokens) => {
    expect(outputPrices?.costOf(reportedBy(vendor, usage))).toBe(tokens * 1000);
  });
});

describe('the model that produced a response', () => {
  it.each(vendors)('is reported by %s', (vendor) => {
    expect(read(vendor, {}).model).toBe('served');
  });
});
