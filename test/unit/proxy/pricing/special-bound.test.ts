// The reservation of a request that may cost more than plain text covers all usage of the requested features. A request
// without such features reserves no more.
import { describe, expect, it } from 'vitest';
import { type CatalogModel, findModel, type ModelPrices } from '../../../../proxy/catalog/models.ts';
import { noUsage, type SpecialUsage, special } from '../../../../proxy/conversation/usage.ts';
import { parseChatRequest } from '../../../../proxy/formats/chat-completions/read-request.ts';
import { boundOf } from '../../../../proxy/pricing/bound.ts';
import { compilePrices, type Prices } from '../../../../proxy/pricing/prices.ts';
import { Random } from '../../../support/access/random.ts';
import { roundsOf } from '../../../support/seed.ts';

const seed = Number(process.env.SEED ?? 20_261_124);
const hello = [{ role: 'user', content: 'Hello' }];
const window = 200_000;
const catalogModel: CatalogModel = {
  ...{ provider: 'acme', name: 'm', chat: true, created: 1, capabilities: [] },
  limits: { maxInputTokens: window },
};

function prices(amounts: Partial<ModelPrices>): Prices {
  const compiled = compilePrices({ input: '0', output: '0', asOf: '2026-11-22', ...amounts });
  if (compiled === undefined) throw new Error('the prices are not believed');
  return compiled;
}

function bound(fields: object, at: Prices, qualifiedModel = 'acme/m') {
  const body = { model: 'm', messages: hello, max_tokens: 1, ...fields };
  const request = parseChatRequest(Buffer.from(JSON.stringify(body)));
  return { nano: boundOf({ request, qualifiedModel, catalogModel }, at, 8192).full, bytes: request.bytes };
}

/** Prompt tokens are reserved at a nano-dollar each. */
const perToken = prices({ input: '0.001', calls: { search: '1', request: '0', groundedPrompt: '0' } });
const dollars = 1_000_000_000;

describe('the reservation for a service tier', () => {
  const tiers = prices({
    ...{ input: '1', output: '1', surcharges: { us: '1.1' } },
    serviceTiers: { flex: { input: '0.5', output: '0.5' }, priority: { input: '2', output: '2' } },
  });

  it.each<[string, object, number]>([
    ['no tier is requested', {}, 1100],
    ['the vendor chooses', { service_tier: 'auto' }, 1100],
    ['it is to be cheap, since it may not be', { service_tier: 'flex' }, 1100],
    ['it is to be fast', { service_tier: 'priority' }, 2200],
    ['it is to be fast, in the newer word', { service_tier: 'fast' }, 2200],
  ])('is the highest possible price when %s', (_what, fields, nanoPerToken) => {
    const { nano, bytes } = bound(fields, tiers);
    expect(nano).toBe((bytes + 16 + 1) * nanoPerToken);
  });
});

describe('the reservation for input outside the body', () => {
  it.each<[string, object]>([
    ['a stored prompt', { cached_content: 'cachedContents/a' }],
    ['a stored file', { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }],
    ['pages that are read', { tools: [{ urlContext: {} }] }],
    ['code that is run', { tools: [{ codeExecution: {} }] }],
    ['sound of an earlier response', { messages: [...hello, { role: 'assistant', audio: { id: 'a' } }] }],
  ])('covers all that the model accepts: %s', (_what, fields) => {
    expect(bound(fields, perToken).nano).toBeGreaterThanOrEqual(window);
  });

  it('covers all that the model accepts for a model that searches at every request', () => {
    expect(bound({}, perToken, 'gpt-provider/gpt-5-search-api').nano).toBe(window);
  });
});

describe('the reservation for searches', () => {
  it('covers the number that the caller lets the assistant vendor make, with their results', () => {
    const of = (size: string) => {
      const options = { web_search_options: { search_context_size: size } };
      return bound(options, perToken, 'assistant-provider/claude-opus-4-8');
    };
    const low = of('low');
    expect(low.nano).toBe(1 * dollars + 2 * (low.bytes + 16) + 25_000);
    const high = of('high');
    expect(high.nano).toBe(10 * dollars + 11 * (high.bytes + 16) + 55 * 25_000);
  });

  it('covers searches of the search company, whose results are free', () => {
    const { nano, bytes } = bound({ web_search_options: {} }, perToken, 'search-provider/gemini-3.5-flash');
    expect(nano).toBe(20 * dollars + bytes + 16);
    const tool = bound({ tools: [{ googleSearch: {} }] }, perToken, 'search-provider/gemini-3.5-flash');
    expect(tool.nano).toBe(20 * dollars + tool.bytes + 16 + 600);
  });

  it('is nothing when no search is requested', () => {
    const { nano, bytes } = bound({}, perToken, 'assistant-provider/claude-opus-4-8');
    expect(nano).toBe(bytes + 16);
  });
});

describe('the reservation for a prediction', () => {
  it('covers it as output that no ceiling limits', () => {
    const prediction = { type: 'content', content: 'x'.repeat(1000) };
    const perOutput = prices({ output: '0.001' });
    expect(bound({ prediction }, perOutput).nano).toBe(JSON.stringify(prediction).length + 1);
  });
});

describe('the reservation for long cache entries', () => {
  const at = prices({ input: '1', cacheWrite: '1.25', cacheWrite12h: '2.5' });

  it('uses their price only when they are requested', () => {
    const plain = bound({}, at);
    expect(plain.nano).toBe((plain.bytes + 16) * 1250);
    const long = bound({ prompt_cache_options: { ttl: '12h' } }, at);
    expect(long.nano).toBe((long.bytes + 16) * 2500);
  });
});

describe('the reservation for sound', () => {
  const sound = (data: string) => ({
    messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'mp3' } }] }],
  });
  const second = Buffer.concat([Buffer.from('ID3'), Buffer.alloc(997)]).toString('base64');

  it('covers its longest duration at its own price', () => {
    const at = prices({ input: '0', audioInput: '1' });
    const { nano, bytes } = bound(sound(second), at, 'gpt-provider/gpt-audio');
    expect(nano).toBe((bytes - second.length + 16 + 12) * 1000);
  });

  it('is nothing for text and images', () => {
    const content = [
      { type: 'text', text: 'Hello' },
      { type: 'image_url', image_url: { url: 'https://a/b' } },
    ];
    const fields = { messages: [{ role: 'user', content }] };
    const [plain, withSound] = [{ input: '1' }, { input: '1', audioInput: '50' }].map(
      (amounts) => bound(fields, prices(amounts)).nano,
    );
    expect(withSound).toBe(plain);
  });

  it('covers all that the model accepts when its duration is unknown', () => {
    const at = prices({ input: '0', audioInput: '1' });
    const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(100)]).toString('base64');
    expect(bound(sound(flac), at).nano).toBeGreaterThanOrEqual(window * 1000);
  });
});

describe('the bound of a request with special features', () => {
  const requested = [
    { service_tier: 'priority' },
    { service_tier: 'flex' },
    { modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } },
    { modalities: ['text', 'image'] },
    { web_search_options: {} },
    { prompt_cache_options: { ttl: '12h' } },
    { messages: [...hello, { role: 'assistant', audio: { id: 'a' } }] },
    {},
  ];

  it('covers all usage of the requested features', () => {
    const random = new Random(seed);
    for (let round = 0; round < roundsOf(3000); round++) {
      const at = prices(randomPrices(random));
      const fields = random.pick(requested);
      const maximum = 1 + random.below(5000);
      const { nano, bytes } = bound({ max_tokens: maximum, ...fields }, at);
      const usage = randomUsage(random, fields, { prompt: bytes + 16, completion: maximum });
      expect(
        at.costOf(usage),
        `seed ${seed}, round ${round}: ${JSON.stringify({ fields, usage })}`,
      ).toBeLessThanOrEqual(nano);
    }
  });

  it('is the same for plain text as without the prices of other kinds', () => {
    for (const name of ['gpt-4o', 'gpt-5.4', 'gpt-4o-mini']) {
      const model = findModel('gpt-provider', name);
      if (model?.prices === undefined) throw new Error(`${name} has no price`);
      const { serviceTiers, surcharges, calls, cacheWrite12h, audioInput, audioOutput, ...plain } = model.prices;
      expect(serviceTiers ?? surcharges ?? calls ?? cacheWrite12h ?? audioInput ?? audioOutput ?? 'none').toBeDefined();
      expect(bound({}, prices({ ...model.prices, surcharges: {} })).nano).toBe(bound({}, prices(plain)).nano);
    }
  });
});

function randomPrices(random: Random): ModelPrices {
  const amount = () => `${random.below(50)}.${random.below(100)}`;
  const set = () => ({
    ...{
      input: amount(),
      output: amount(),
      cacheRead: amount(),
      cacheWrite: amount(),
      cacheWrite12h: amount(),
    },
    ...{ audioInput: amount(), audioCacheRead: amount(), audioOutput: amount(), imageOutput: amount() },
  });
  return {
    ...set(),
    serviceTiers: { flex: set(), priority: set() },
    surcharges: { us: '1.1', eu: '1.25' },
    calls: { search: '0.01', request: '0.02', groundedPrompt: '0.03' },
    asOf: '2026-11-22',
  };
}

interface Most {
  readonly prompt: number;
  readonly completion: number;
}

/** Random usage that a request with these fields can cause. */
function randomUsage(random: Random, fields: Record<string, unknown>, { prompt, completion }: Most) {
  const part = (whole: number) => random.below(whole + 1);
  const requests = (field: string) => fields[field] !== undefined;
  const wants = (one: string) => JSON.stringify(fields.modalities ?? []).includes(one);
  const searches = requests('web_search_options') ? part(20) : 0;
  const hasSound = JSON.stringify(fields).includes('"role":"assistant"');
  const promptTokens = part(hasSound ? window : prompt + searches * (prompt + 25_000));
  const cacheReadTokens = part(promptTokens);
  const cacheWriteTokens = part(promptTokens - cacheReadTokens);
  const completionTokens = part(completion);
  const audioCacheReadTokens = hasSound ? part(cacheReadTokens) : 0;
  const beside: Partial<SpecialUsage> = {
    cacheWrite12hTokens: requests('prompt_cache_options') ? part(cacheWriteTokens) : 0,
    audioCacheReadTokens,
    audioPromptTokens: hasSound ? audioCacheReadTokens + part(promptTokens - cacheReadTokens) : 0,
    audioCompletionTokens: wants('audio') ? part(completionTokens) : 0,
    imageCompletionTokens: wants('image') ? part(completionTokens) : 0,
    searches,
    serviceTier: requests('service_tier') ? random.pick([undefined, fields.service_tier as 'priority']) : undefined,
    region: random.pick([undefined, 'us', 'eu']),
  };
  return {
    ...noUsage,
    promptTokens,
    completionTokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...special(beside),
  };
}
