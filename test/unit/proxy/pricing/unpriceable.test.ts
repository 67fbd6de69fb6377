import { describe, expect, it } from 'vitest';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { compilePrices, type Prices } from '../../../../proxy/pricing/prices.ts';
import { unpriceable } from '../../../../proxy/pricing/unpriceable.ts';

const hello = { role: 'user', content: 'Hello' };

/** The field that makes a request unpriceable, by default at text-only prices for a model with an unknown window. */
function fieldOf(fields: object, qualifiedModel = 'gpt-provider/gpt-4o', prices = textOnly, limits = {}) {
  const body = Buffer.from(JSON.stringify({ model: 'm', messages: [hello], ...fields }));
  const catalogModel = {
    ...{ provider: 'acme', name: 'm', chat: true, created: 1, capabilities: [] },
    limits,
  };
  return unpriceable({ request: parseChatRequest(body), qualifiedModel, catalogModel }, prices);
}

function compile(amounts: object): Prices {
  const compiled = compilePrices({ input: '1', output: '2', asOf: '2026-11-22', ...amounts });
  if (compiled === undefined) throw new Error('the prices are not believed');
  return compiled;
}

const textOnly = compile({});

const part = (content: object) => ({ messages: [hello, { role: 'user', content: [content] }] });
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };

describe('a request without a known price', () => {
  it.each<[string, object, string]>([
    ['a priority tier', { service_tier: 'priority' }, 'service_tier'],
    ['reserved capacity', { service_tier: 'reserved' }, 'service_tier'],
    ['an unknown tier', { service_tier: 'turbo' }, 'service_tier'],
    ['a tier that is a number', { service_tier: 5 }, 'service_tier'],
    ['a search', { web_search_options: {} }, 'web_search_options'],
    ['a search of another vendor', { search_parameters: { mode: 'on' } }, 'search_parameters'],
    ['a search of a third', { enable_search: true }, 'enable_search'],
    ['a plugin', { plugins: [{ id: 'web' }] }, 'plugins'],
    ['a fallback model', { models: ['dear/model'] }, 'models'],
    ['sound in the response', { audio: { voice: 'a', format: 'wav' }, modalities: ['text', 'audio'] }, 'audio'],
    ['images in the response', { modalities: ['text', 'image'] }, 'modalities'],
    ['modalities that are not a list', { modalities: 'audio' }, 'modalities'],
    ['a stored prompt', { cached_content: 'cachedContents/1' }, 'cached_content'],
    ['a stored prompt in the vendor’s spelling', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
    ['an output without an end', { max_tokens: -1 }, 'max_tokens'],
    ['an output of nothing', { max_tokens: 0 }, 'max_tokens'],
    ['an output limit that is a text', { max_completion_tokens: '100' }, 'max_completion_tokens'],
    ['an output limit that is not whole', { max_completion_tokens: 1.5 }, 'max_completion_tokens'],
    ['half a choice', { n: 0.5 }, 'n'],
    ['a tool that searches', { tools: [{ type: 'web_search' }] }, 'tools[0]'],
    [
      'a tool of the search company’s own, behind one of the caller’s',
      { tools: [{ type: 'function', function: { name: 'f' } }, { googleSearch: {} }] },
      'tools[1]',
    ],
    ['a tool that is none', { tools: [null] }, 'tools[0]'],
    ['sound', part(audio), 'messages[1].content[0]'],
    ['a stored file', part({ type: 'file', file: { file_id: 'file-1' } }), 'messages[1].content[0]'],
    [
      'a stored file beside a given one',
      part({ type: 'file', file: { file_id: 'file-1', file_data: 'AAAA' } }),
      'messages[1].content[0]',
    ],
    ['a file by URL', part({ type: 'file', file: { file_data: 'https://a.example/a.pdf' } }), 'messages[1].content[0]'],
    [
      'a file of sound',
      part({ type: 'file', file: { file_data: 'data:audio/wav;base64,AA==' } }),
      'messages[1].content[0]',
    ],
    ['a video', part({ type: 'file', file: { file_data: 'DATA:Video/mp4;base64,AA==' } }), 'messages[1].content[0]'],
    ['a file that is none', part({ type: 'file' }), 'messages[1].content[0]'],
    [
      'a part of a kind unknown here',
      part({ type: 'video_url', video_url: { url: 'https://a.example' } }),
      'messages[1].content[0]',
    ],
    [
      'stored sound of an earlier response',
      { messages: [hello, { role: 'assistant', audio: { id: 'a' } }] },
      'messages[1].audio',
    ],
  ])('has no price with %s', (_what, fields, field) => {
    expect(fieldOf(fields)).toBe(field);
  });

  it.each([
    'gpt-provider/gpt-4o-search-preview-2025-03-11',
    'gpt-provider/gpt-5-search-api',
    'studio-ai/o3-deep-research',
  ])('has no price for a model that searches at every request: %s', (model) => {
    expect(fieldOf({}, model)).toBe('model');
  });
});

describe('a request at text-only prices', () => {
  it.each<[string, object]>([
    ['no further fields', {}],
    ['null', { service_tier: null, web_search_options: null, audio: null, n: null, max_tokens: null, tools: null }],
    ['the usual tier', { service_tier: 'default' }],
    ['the tier that the vendor chooses', { service_tier: 'auto' }],
    ['a cheaper tier', { service_tier: 'flex' }],
    ['a prediction', { prediction: { type: 'content', content: 'x' } }],
    ['text alone', { modalities: ['text'] }],
    ['a search that is not wanted', { enable_search: false }],
    ['several choices with an output limit', { n: 4, max_completion_tokens: 1 }],
    [
      'the caller’s own tools',
      {
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'custom', custom: {} },
        ],
      },
    ],
    ['reasoning', { reasoning_effort: 'high', thinking: { type: 'enabled', budget_tokens: 5000 } }],
    ['a prompt to cache', { cache_control: { type: 'ephemeral', ttl: '1h' }, prompt_cache_key: 'k' }],
    [
      'text and images',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image_url', image_url: { url: 'https://a.example' } },
            ],
          },
        ],
      },
    ],
    ['a file as data', part({ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } })],
    ['a file as base64', part({ type: 'file', file: { file_data: 'httpsAAA' } })],
    [
      'a refusal of an earlier response',
      { messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }, hello] },
    ],
  ])('has a price with %s', (_what, fields) => {
    expect(fieldOf(fields)).toBeUndefined();
  });
});

describe('a request at prices for all features', () => {
  const everything = compile({
    ...{ audioInput: '1', audioOutput: '1', imageOutput: '1', calls: { search: '0.01', request: '0.01' } },
    serviceTiers: { priority: { input: '2', output: '4' }, reserved: { input: '0', output: '0' } },
  });
  const limits = { maxInputTokens: 128_000 };

  it.each<[string, object, string?]>([
    ['a priority tier', { service_tier: 'priority' }],
    ['a priority tier by its newer name', { service_tier: 'fast' }],
    ['capacity that was bought', { service_tier: 'reserved' }],
    ['a search', { web_search_options: {} }],
    ['a tool that searches', { tools: [{ googleSearch: {} }] }],
    ['tools that read and compute', { tools: [{ urlContext: {} }, { code_execution: {} }] }],
    ['sound in the response', { audio: { voice: 'a', format: 'wav' }, modalities: ['text', 'audio'] }],
    ['images in the response', { modalities: ['text', 'image'] }],
    ['a stored prompt', { cached_content: 'cachedContents/1' }],
    ['sound', part(audio)],
    ['a stored file', part({ type: 'file', file: { file_id: 'file-1' } })],
    ['a file by URL', part({ type: 'file', file: { file_data: 'https://a.example/a.pdf' } })],
    ['a video', part({ type: 'file', file: { file_data: 'data:video/mp4;base64,AA==' } })],
    ['stored sound of an earlier response', { messages: [hello, { role: 'assistant', audio: { id: 'a' } }] }],
    ['a model that searches at every request', {}, 'gpt-provider/gpt-5-search-api'],
  ])('has a price with %s', (_what, fields, model) => {
    expect(fieldOf(fields, model, everything, limits)).toBeUndefined();
  });

  it.each<[string, object, string, string?]>([
    ['an unknown tier', { service_tier: 'turbo' }, 'service_tier'],
    ['a tier of another kind', { service_tier: 'scale' }, 'service_tier'],
    ['another vendor’s tool', { tools: [{ type: 'web_search' }] }, 'tools[0]'],
    ['two tools in one', { tools: [{ googleSearch: {}, urlContext: {} }] }, 'tools[0]'],
    ['searches that are not reported', {}, 'model', 'gpt-provider/o3-deep-research'],
    ['unknown modalities', { modalities: ['smell'] }, 'modalities'],
  ])('still has no price with %s', (_what, fields, field, model) => {
    expect(fieldOf(fields, model, everything, limits)).toBe(field);
  });

  it('has a price for input outside the body only when the model’s window is known', () => {
    expect(fieldOf({ cachedContent: 'a' }, undefined, everything)).toBe('cachedContent');
    expect(fieldOf({ tools: [{ urlContext: {} }] }, undefined, everything)).toBe('tools[0]');
    const stored = part({ type: 'file', file: { file_id: 'file-1' } });
    expect(fieldOf(stored, undefined, everything)).toBe('messages[1].content[0]');
    expect(fieldOf({}, 'gpt-provider/gpt-5-search-api', everything)).toBe('model');
  });

  it('has a price for sound of unknown duration only when the model’s window is known', () => {
    const flac = Buffer.from('fLaC').toString('base64');
    const silent = part({ type: 'input_audio', input_audio: { data: flac, format: 'flac' } });
    expect(fieldOf(silent, undefined, everything)).toBe('messages[1].content[0]');
    expect(fieldOf(silent, undefined, everything, limits)).toBeUndefined();
  });
});
