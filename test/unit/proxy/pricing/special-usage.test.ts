// Usage that vendors report beside plain tokens: service tier, region, sound, images and searches. Each case is read
// from a whole response and from a stream.
import { describe, expect, it } from 'vitest';
import type { SpecialUsage } from '../../../../proxy/conversation/usage.ts';
import type { VendorName } from '../../../../simulator/vendors.ts';
import { callFor, type Read, type ReportedUsage, sse, streamed, whole } from '../../../support/reported-usage.ts';

const gptTokens = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
const claudeTokens = { input_tokens: 100, output_tokens: 5 };
const cloudTokens = { inputTokens: 100, outputTokens: 5, totalTokens: 105 };
const geminiTokens = { promptTokenCount: 100, candidatesTokenCount: 50, totalTokenCount: 150 };
const modality = (name: string, tokenCount: number) => ({ modality: name, tokenCount });

type Case = readonly [
  what: string,
  vendor: VendorName,
  reported: ReportedUsage,
  special: Partial<SpecialUsage> | undefined,
];

const served: readonly Case[] = [
  ['nothing of it', 'gpt-provider', { usage: gptTokens, beside: { service_tier: 'default' } }, undefined],
  ['priority', 'gpt-provider', { usage: gptTokens, beside: { service_tier: 'priority' } }, { serviceTier: 'priority' }],
  ['flex', 'studio-ai', { usage: gptTokens, beside: { service_tier: 'flex' } }, { serviceTier: 'flex' }],
  ['scale', 'gpt-provider', { usage: gptTokens, beside: { service_tier: 'scale' } }, { serviceTier: 'scale' }],
  [
    'an unknown tier',
    'gpt-provider',
    { usage: gptTokens, beside: { service_tier: 'warp' } },
    { serviceTier: 'unknown' },
  ],
  [
    'the usual tier although priority was requested',
    'gpt-provider',
    { usage: gptTokens, request: { service_tier: 'priority' }, beside: { service_tier: 'default' } },
    undefined,
  ],
  [
    'no tier where priority was requested',
    'gpt-provider',
    { usage: gptTokens, request: { service_tier: 'fast' } },
    { serviceTier: 'priority' },
  ],
  [
    'no tier where flex was requested',
    'gpt-provider',
    { usage: gptTokens, request: { service_tier: 'flex' } },
    undefined,
  ],
  ['the standard tier', 'assistant-provider', { usage: { ...claudeTokens, service_tier: 'standard' } }, undefined],
  [
    'a tier by commitment',
    'assistant-provider',
    { usage: { ...claudeTokens, service_tier: 'priority' } },
    { serviceTier: 'priority' },
  ],
  [
    'fast mode',
    'assistant-provider',
    { usage: { ...claudeTokens, service_tier: 'standard', speed: 'fast' } },
    { serviceTier: 'fast' },
  ],
  [
    'no speed where priority was requested',
    'assistant-provider',
    { usage: claudeTokens, request: { service_tier: 'priority' } },
    undefined,
  ],
  [
    'priority',
    'managed-cloud-models',
    { usage: cloudTokens, beside: { serviceTier: { type: 'priority' } } },
    { serviceTier: 'priority' },
  ],
  [
    'latency that was optimized',
    'managed-cloud-models',
    { usage: cloudTokens, beside: { performanceConfig: { latency: 'optimized' } } },
    { serviceTier: 'optimized' },
  ],
  [
    'no tier where priority was requested',
    'managed-cloud-models',
    { usage: cloudTokens, request: { service_tier: 'priority' } },
    { serviceTier: 'priority' },
  ],
  [
    'a tier in its header',
    'search-provider',
    { usage: geminiTokens, head: { 'x-gemini-service-tier': 'flex' } },
    { serviceTier: 'flex' },
  ],
  [
    'the standard tier in its header',
    'search-provider',
    { usage: geminiTokens, head: { 'x-gemini-service-tier': 'standard' } },
    undefined,
  ],
  [
    'a kind of traffic',
    'search-provider',
    { usage: { ...geminiTokens, trafficType: 'ON_DEMAND_PRIORITY' } },
    { serviceTier: 'priority' },
  ],
  ['the usual kind of traffic', 'search-provider', { usage: { ...geminiTokens, trafficType: 'ON_DEMAND' } }, undefined],
  [
    'an unknown kind of traffic',
    'search-provider',
    { usage: { ...geminiTokens, trafficType: 'ON_WHIM' } },
    { serviceTier: 'unknown' },
  ],
];

const placed: readonly Case[] = [
  ['a geography', 'assistant-provider', { usage: { ...claudeTokens, inference_geo: 'us' } }, { region: 'us' }],
  ['the globe', 'assistant-provider', { usage: { ...claudeTokens, inference_geo: 'global' } }, undefined],
  ['none', 'assistant-provider', { usage: { ...claudeTokens, inference_geo: 'not_available' } }, undefined],
  [
    'an invalid name of a geography',
    'assistant-provider',
    { usage: { ...claudeTokens, inference_geo: 'US; DROP' } },
    { region: 'unknown' },
  ],
];

const seen: readonly Case[] = [
  [
    'sound in and out',
    'gpt-provider',
    {
      usage: {
        ...gptTokens,
        prompt_tokens_details: {
          cached_tokens: 20,
          audio_tokens: 60,
          cached_tokens_details: { audio_tokens: 10 },
        },
        completion_tokens_details: { audio_tokens: 40, reasoning_tokens: 0 },
      },
    },
    { audioPromptTokens: 60, audioCacheReadTokens: 10, audioCompletionTokens: 40 },
  ],
  [
    'cache writes by lifetime',
    'gpt-provider',
    {
      usage: {
        ...gptTokens,
        prompt_tokens_details: {
          cache_write_tokens: 50,
          cache_write_tokens_details: { ttl_30m_tokens: 40, ttl_12h_tokens: 10 },
        },
      },
    },
    { cacheWrite12hTokens: 10 },
  ],
  [
    'cache writes of a request that wants them long',
    'studio-ai',
    {
      request: { prompt_cache_options: { ttl: '12h' } },
      usage: { ...gptTokens, prompt_tokens_details: { cache_write_tokens: 50 } },
    },
    { cacheWrite12hTokens: 50 },
  ],
  [
    'cache writes of a request that wants some of them long',
    'gpt-provider',
    {
      request: {
        messages: [
          {
            role: 'user',
            content: [{ type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }],
          },
        ],
      },
      usage: { ...gptTokens, prompt_tokens_details: { cache_write_tokens: 50 } },
    },
    { cacheWrite12hTokens: 50 },
  ],
  [
    'searches',
    'assistant-provider',
    { usage: { ...claudeTokens, server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } } },
    { searches: 3 },
  ],
  [
    'sound in the prompt, cached and of its own tools',
    'search-provider',
    {
      usage: {
        ...{ ...geminiTokens, toolUsePromptTokenCount: 5, totalTokenCount: 155 },
        promptTokensDetails: [modality('TEXT', 40), modality('AUDIO', 60)],
        toolUsePromptTokensDetails: [modality('AUDIO', 5)],
        cacheTokensDetails: [modality('AUDIO', 30)],
      },
    },
    { audioPromptTokens: 65, audioCacheReadTokens: 30 },
  ],
  [
    'sound and images in the response',
    'search-provider',
    {
      usage: {
        ...geminiTokens,
        candidatesTokensDetails: [modality('AUDIO', 20), modality('IMAGE', 30)],
      },
      beside: { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] } },
    },
    { audioCompletionTokens: 20, imageCompletionTokens: 30, images: 1 },
  ],
  [
    'searches by their queries',
    'search-provider',
    {
      usage: geminiTokens,
      beside: {
        groundingMetadata: {
          webSearchQueries: ['a', 'b'],
          groundingChunks: [{ web: { uri: 'https://a.example' } }],
        },
      },
    },
    { searches: 2 },
  ],
  [
    'sources without a query',
    'search-provider',
    {
      usage: geminiTokens,
      beside: { groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.example' } }] } },
    },
    { searches: 1 },
  ],
  [
    'grounding that found nothing',
    'search-provider',
    { usage: geminiTokens, beside: { groundingMetadata: { searchEntryPoint: {} } } },
    undefined,
  ],
];

const absurd: readonly Case[] = [
  [
    'counts that are none',
    'gpt-provider',
    {
      usage: {
        ...gptTokens,
        prompt_tokens_details: { audio_tokens: -5, cache_write_tokens_details: { ttl_12h_tokens: 1.5 } },
        completion_tokens_details: { audio_tokens: 'many', image_tokens: null },
      },
      beside: { service_tier: 17 },
    },
    undefined,
  ],
  ['details that are none', 'search-provider', { usage: { ...geminiTokens, promptTokensDetails: 'AUDIO' } }, undefined],
  [
    'searches that are none',
    'assistant-provider',
    { usage: { ...claudeTokens, server_tool_use: { web_search_requests: -1 } } },
    undefined,
  ],
];

describe.each<readonly [string, Read]>([
  ['a whole response', whole],
  ['a stream', streamed],
])('special usage in %s', (_form, read) => {
  const all = [...served, ...placed, ...seen, ...absurd];
  it.each(all)('reports %s (%s)', (_what, vendor, parsed, expected) => {
    const special = read(vendor, parsed);
    if (expected === undefined) expect(special).toBeUndefined();
    else expect(special).toEqual({ ...nothing, ...expected });
  });
});

const nothing: SpecialUsage = {
  ...{ cacheWrite12hTokens: 0, audioPromptTokens: 0, audioCacheReadTokens: 0, audioCompletionTokens: 0 },
  ...{ imageCompletionTokens: 0, searches: 0, images: 0, serviceTier: undefined, region: undefined },
};

describe('images of a server that speaks the callers’ format', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const request = { modalities: ['image', 'text'] };

  it('are counted in a whole response', () => {
    const choices = [{ index: 0, message: { role: 'assistant', images: [image, image] }, finish_reason: 'stop' }];
    expect(whole('gpt-provider', { request, usage: gptTokens, beside: { choices } })?.images).toBe(2);
  });

  it('are counted in a stream when they were requested', () => {
    const call = callFor('gpt-provider', { request, usage: gptTokens }, true);
    const reader = call.target.provider.format.openStream(call, {}, { eventBytesMax: 65_536 });
    const chunk = (delta: object) => ({ id: 'a', choices: [{ index: 0, delta, finish_reason: null }] });
    reader.push(
      Buffer.from(
        sse([chunk({ images: [image] }), chunk({ images: [image] }), { id: 'a', choices: [], usage: gptTokens }]),
      ),
    );
    expect(reader.usage?.special?.images).toBe(2);
  });
});
