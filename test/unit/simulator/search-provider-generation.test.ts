// Parameters of generation and filtering that the models of the simulated search vendor accept.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { createMemory } from '../../../simulator/memory.ts';
import { searchProvider } from '../../../simulator/search-provider/index.ts';
import { type Acceptance, cases, expectAcceptance, expectRefusal, post, type Refusal, valid } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const config = (fields: object) => ({ generationConfig: fields });
const flash20 = 'gemini-2.0-flash';
const pro25 = 'gemini-2.5-pro';
const lite25 = 'gemini-2.5-flash-lite';
const flash35 = 'gemini-3.5-flash';
const flash38 = 'gemini-3.8-flash';
const pro31 = 'gemini-3.1-pro-preview';

describe('generation parameters of the search provider', () => {
  it.each(
    cases<Refusal>([
      ['temperature above 2', config({ temperature: 2.1 }), /temperature must be in the range \[0.0, 2.0\]/],
      ['temperature below 0', config({ temperature: -0.1 }), /temperature must be in the range/],
      ['topP above 1', config({ topP: 1.1 }), /top_p must be in the range/],
      ['topK of 0', config({ topK: 0 }), /top_k must be positive/],
      ['a penalty above 2', config({ presencePenalty: 2.5 }), /presence_penalty must be in the range/, flash20],
      ['a penalty where there is none', config({ frequencyPenalty: 0.5 }), 'Penalty is not enabled for this model'],
      ['a penalty on a newer model', config({ presencePenalty: 0 }), 'Penalty is not enabled for this model', flash35],
      ['maxOutputTokens of 0', config({ maxOutputTokens: 0 }), /maxOutputTokens value of 0 but the supported range/],
      [
        'more output than the model has',
        config({ maxOutputTokens: 65_537 }),
        'Unable to submit request because it has a maxOutputTokens value of 65537 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.',
      ],
      ['more output than an older model has', config({ maxOutputTokens: 8_193 }), /to 8193 \(exclusive\)/, flash20],
      ['six stop sequences', config({ stopSequences: ['a', 'b', 'c', 'd', 'e', 'f'] }), /at most 5/],
      ['an empty stop sequence', config({ stopSequences: ['a', ''] }), /stop_sequences\[1\]: must not be empty/],
      ['candidateCount of 0', config({ candidateCount: 0 }), /candidate_count: must be in the range \[1, 8\]/],
      ['nine candidates', config({ candidateCount: 9 }), /candidate_count/],
      ['two candidates', config({ candidateCount: 2 }), 'Multiple candidates is not enabled for this model', flash35],
      ['logprobs where there are none', config({ responseLogprobs: true }), 'Logprobs is not enabled for this model'],
      ['logprobs unasked', config({ logprobs: 2 }), /response_logprobs must be true/, flash20],
      ['21 logprobs', config({ responseLogprobs: true, logprobs: 21 }), /range \[1, 20\]/, flash20],
      [
        'images from a text model',
        config({ responseModalities: ['TEXT', 'IMAGE'] }),
        /response modalities \(TEXT, IMAGE\)/,
      ],
      ['speech from a text model', config({ speechConfig: {} }), /response modalities \(AUDIO\)/],
      ['a token to continue from that it never gave', { continuationToken: 'AAAA' }, 'Invalid continuation token.'],
    ]),
  )('refuses %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['every bound', config({ temperature: 2, topP: 0, topK: 1, seed: -1, maxOutputTokens: 65_536 })],
      ['penalties where there are', config({ presencePenalty: -2, frequencyPenalty: 2 }), flash20],
      ['five stop sequences', config({ stopSequences: ['a', 'b', 'c', 'd', 'e'] })],
      ['candidates and logprobs of an older model', config({ candidateCount: 8, responseLogprobs: true }), flash20],
      ['TEXT as the only modality', config({ responseModalities: ['TEXT'], mediaResolution: 'MEDIA_RESOLUTION_LOW' })],
      ['labels, tier and store', { labels: { team: 'a' }, serviceTier: 'flex', store: false }],
    ]),
  )('accepts %s', (_name, row) => expectAcceptance(simulator, row));

  it('refuses to stream several candidates', async () => {
    const body = { ...valid, ...config({ candidateCount: 2 }) };
    const response = await post(simulator, { body, method: 'streamGenerateContent' });
    expect([response.status, response.text]).toEqual([400, expect.stringContaining('Multiple candidates')]);
  });
});

describe('thinking parameters of the search provider', () => {
  const thinking = (fields: object) => config({ thinkingConfig: fields });

  it.each(
    cases<Refusal>([
      [
        'budget and level',
        thinking({ thinkingBudget: 9, thinkingLevel: 'LOW' }),
        'You can only set only one of thinking budget and thinking level.',
        flash35,
      ],
      [
        'a level of a model with a budget',
        thinking({ thinkingLevel: 'LOW' }),
        'Thinking level is not supported for this model.',
      ],
      [
        'a level it has not',
        thinking({ thinkingLevel: 'minimal' }),
        'Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.',
        flash38,
      ],
      [
        'the lowest level of a pro model',
        thinking({ thinkingLevel: 'MINIMAL' }),
        /not supported for this model/,
        pro31,
      ],
      ['an unknown level', thinking({ thinkingLevel: 'NONE' }), /ThinkingConfig.ThinkingLevel\), "NONE"/, flash35],
      [
        'disabling thinking of a model that always thinks',
        thinking({ thinkingBudget: 0 }),
        'Budget 0 is invalid. This model only works in thinking mode.',
        pro25,
      ],
      ['turning off a newer model', thinking({ thinkingBudget: 0 }), /only works in thinking mode/, flash35],
      [
        'a budget below the least',
        thinking({ thinkingBudget: 127 }),
        'The thinking budget 127 is invalid. Please choose a value between 128 and 32768.',
        pro25,
      ],
      ['a budget above the most', thinking({ thinkingBudget: 24_577 }), /between 1 and 24576/],
      ['a budget of the lite model that is too small', thinking({ thinkingBudget: 511 }), /between 512 and/, lite25],
      [
        'thoughts with thinking off',
        thinking({ thinkingBudget: 0, includeThoughts: true }),
        'Thinking_config.include_thoughts is only enabled when thinking is enabled.',
      ],
      [
        'thoughts of a model that thinks only on request',
        thinking({ includeThoughts: true }),
        /include_thoughts/,
        lite25,
      ],
      ['thinking of a model without', thinking({ thinkingBudget: 100 }), /not supported/, flash20],
    ]),
  )('refuses %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['a budget of 0', thinking({ thinkingBudget: 0 })],
      ['a budget of its own choice', thinking({ thinkingBudget: -1, includeThoughts: true }), lite25],
      ['the least and the most', thinking({ thinkingBudget: 128 }), pro25],
      ['every level', thinking({ thinkingLevel: 'minimal' }), flash35],
      ['an older caller’s budget', thinking({ thinkingBudget: 1_024 }), flash35],
    ]),
  )('accepts %s', (_name, row) => expectAcceptance(simulator, row));
});

describe('safety settings, caches and lengths of the search provider', () => {
  const harm = { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' };

  it.each(
    cases<Refusal>([
      [
        'a category of another service',
        { safetySettings: [{ category: 'HARM_CATEGORY_MEDICAL' }] },
        /safety_settings\[0\]: element predicate failed: \$.category in/,
      ],
      ['no category', { safetySettings: [{ threshold: 'OFF' }] }, /element predicate failed/],
      ['an unknown category', { safetySettings: [{ category: 'RUDE' }] }, /HarmCategory\), "RUDE"/],
      [
        'an unknown threshold',
        { safetySettings: [{ ...harm, threshold: 'ALL' }] },
        /SafetySetting.HarmBlockThreshold\), "ALL"/,
      ],
      ['a category twice', { safetySettings: [harm, harm] }, /safety_settings\[1\]: more than one/],
      [
        'a cache with an instruction',
        { cachedContent: 'cachedContents/sim', systemInstruction: { parts: [{ text: 'a' }] } },
        /^CachedContent can not be used with/,
      ],
      ['a cache that is none', { cachedContent: 'sim' }, /must be of the form cachedContents/],
      [
        'more than the model reads',
        { contents: [{ parts: [{ text: 'a'.repeat(513_000) }] }] },
        'The input token count (128250) exceeds the maximum number of tokens allowed (128000).',
        'gemini-2.5-computer-use-preview-10-2025',
      ],
      [
        'an instruction to a model without',
        { systemInstruction: { parts: [{ text: 'a' }] } },
        'Developer instruction is not enabled for models/gemma-3-27b-it',
        'gemma-3-27b-it',
      ],
    ]),
  )('refuses %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['every threshold', { safetySettings: [harm, { category: 'HARM_CATEGORY_CIVIC_INTEGRITY', threshold: 'OFF' }] }],
      ['a cache that the simulator has', { cachedContent: 'cachedContents/sim-a' }],
    ]),
  )('accepts %s', (_name, row) => expectAcceptance(simulator, row));

  it('refuses an unknown cache', async () => {
    const response = await post(simulator, { body: { ...valid, cachedContent: 'cachedContents/a' } });
    expect([response.status, response.text]).toEqual([403, expect.stringContaining('CachedContent not found')]);
  });

  it('refuses a request that is too large', () => {
    const response = searchProvider.respond(
      {
        method: 'POST',
        path: '/search-provider/v1beta/models/gemini-2.5-flash:generateContent',
        query: '',
        headers: { 'x-goog-api-key': 'AIzaSimTest', 'content-type': 'application/json' },
        body: Buffer.alloc(100 * 1024 * 1024 + 1),
      },
      { keys: new Set(), scripted: () => undefined, now: 0, sequence: 1, memory: createMemory() },
    );
    expect([response.status, [...response.parts].join('')]).toEqual([400, expect.stringContaining('payload size')]);
  });
});
