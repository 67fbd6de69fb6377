// The models for random requests, each with the features that its callers have to know. A translator drops or refuses
// all other fields, so it gets them too.
import type { VendorName } from '../../simulator/vendors.ts';
import { type Abilities, everyOption, type OptionName } from './chat-requests.ts';

export interface FuzzModel {
  readonly vendor: VendorName;
  readonly model: string;
  /** Path of the vendor's base URL when the vendor has several APIs. */
  readonly dialect?: string;
  readonly abilities: Abilities;
  /** Accepts tools, but not in a stream. */
  readonly toolsOnlyWhole?: boolean;
}

const all: Abilities = {
  parts: ['image', 'file'],
  tools: true,
  system: true,
  options: everyOption,
  formats: ['json_object', 'json_schema'],
  cacheMarks: true,
  allowedTools: true,
};
const words: Abilities = { ...all, parts: [], tools: false };
const wordsAndTools: Abilities = { ...all, parts: [] };
const withAudio: Abilities = { ...all, parts: ['image', 'audio', 'file'] };

const gptOptions: readonly OptionName[] = [
  ...(['temperature', 'top_p', 'limit', 'stop', 'seed', 'penalties', 'logit_bias', 'n', 'logprobs'] as const),
  ...(['user', 'safety_identifier', 'metadata', 'store', 'service_tier', 'prediction', 'modalities'] as const),
  ...(['prompt_cache_key', 'nulls'] as const),
];
const gpt: Abilities = { ...all, options: gptOptions, cacheMarks: false };
const reasoningGpt: Abilities = {
  ...gpt,
  options: ['limit', 'seed', 'n', 'user', 'metadata', 'plainEffort', 'verbosity', 'prompt_cache_key'],
};

/** Fields that are newer than the dated API version. */
const late: readonly OptionName[] = ['safety_identifier', 'prompt_cache_key', 'service_tier'];
const dated: Abilities = {
  ...gpt,
  parts: ['image'],
  options: gptOptions.filter((name) => !late.includes(name)),
  allowedTools: false,
};

/** Fields outside the callers' format, which pass unchanged to such a model. */
const own: readonly OptionName[] = ['top_k', 'thinking', 'cache_control'];
const open: Abilities = { ...all, options: everyOption.filter((name) => !own.includes(name)) };

const rows: readonly (readonly [VendorName, Abilities, readonly string[], dialect?: string])[] = [
  ['gpt-provider', gpt, ['gpt-4o-mini', 'gpt-4.1']],
  ['gpt-provider', reasoningGpt, ['gpt-5']],
  ['studio-ai', gpt, ['gpt-4o-mini', 'gpt-4.1'], '/models'],
  ['studio-ai', gpt, ['gpt-4o-mini'], '/openai/v1'],
  ['studio-ai', dated, ['gpt-4o-mini'], '/openai'],
  ['studio-ai', reasoningGpt, ['gpt-5'], '/models'],
  ['studio-ai', { ...open, parts: ['image'] }, ['grok-4', 'Llama-4-Maverick-17B-128E-Instruct-FP8'], '/models'],
  [
    'studio-ai',
    { ...open, parts: [] },
    ['DeepSeek-V3.2', 'Mistral-Large-3', 'mistral-small-2503', 'Llama-3.3-70B-Instruct'],
    '/models',
  ],
  ['studio-ai', { ...open, parts: [], tools: false }, ['Phi-4', 'DeepSeek-R1', 'DeepSeek-R1-0528'], '/models'],
  ['studio-ai', { ...open, parts: [] }, ['Llama-3.3-70B-Instruct']],
  [
    'assistant-provider',
    all,
    [
      ...['claude-3-haiku-20240307', 'claude-3-7-sonnet-20250219', 'claude-opus-4-1', 'claude-sonnet-4-0'],
      ...['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-opus-4-5', 'claude-sonnet-4-6', 'claude-opus-4-6'],
      ...['claude-opus-4-7', 'claude-opus-4-8', 'claude-sonnet-5', 'claude-opus-5', 'claude-fable-5'],
      ...['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-1', 'claude-fable-5-2'],
    ],
  ],
  [
    'managed-cloud-models',
    all,
    [
      ...['anthropic.claude-3-haiku-20240307-v1:0', 'us.anthropic.claude-opus-4-1-20250805-v1:0'],
      ...['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
      ...['us.anthropic.claude-opus-4-5-20251101-v1:0', 'us.anthropic.claude-sonnet-4-6'],
      ...['global.anthropic.claude-opus-4-6-v1', 'us.anthropic.claude-opus-4-7', 'us.anthropic.claude-opus-4-8'],
      ...['us.anthropic.claude-sonnet-5', 'us.anthropic.claude-opus-5', 'us.anthropic.claude-sonnet-5-5'],
      ...['us.anthropic.claude-fable-5', 'us.anthropic.claude-fable-5-1'],
      ...['amazon.nova-lite-v1:0', 'amazon.nova-pro-v1:0', 'us.amazon.nova-2-lite-v1:0'],
    ],
  ],
  [
    'managed-cloud-models',
    wordsAndTools,
    [
      'amazon.nova-micro-v1:0',
      'mistral.mistral-large-2407-v1:0',
      'openai.gpt-oss-120b-1:0',
      'cohere.command-r-plus-v1:0',
    ],
  ],
  ['managed-cloud-models', { ...all, parts: ['image'] }, ['openai.gpt-5.6-sol']],
  [
    'managed-cloud-models',
    words,
    ['amazon.titan-text-express-v1', 'mistral.mistral-7b-instruct-v0:2', 'us.deepseek.r1-v1:0'],
  ],
  [
    'search-provider',
    withAudio,
    [
      ...['gemini-2.0-flash', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.5-pro'],
      ...['gemini-3-flash-preview', 'gemini-3.1-pro-preview', 'gemini-3.1-flash-lite', 'gemini-3.5-flash'],
      ...['gemini-3.8-flash', 'gemini-4-hydrogen', 'gemma-3-27b-it'],
    ],
  ],
];

const wholeOnly: readonly FuzzModel[] = ['us.meta.llama3-3-70b-instruct-v1:0', 'ai21.jamba-1-5-large-v1:0'].map(
  (model) => ({
    vendor: 'managed-cloud-models',
    model,
    abilities: wordsAndTools,
    toolsOnlyWhole: true,
  }),
);

export const fuzzModels: readonly FuzzModel[] = [
  ...rows.flatMap(([vendor, abilities, models, dialect]) =>
    models.map((model) => ({ vendor, model, abilities, ...(dialect && { dialect }) })),
  ),
  ...wholeOnly,
];
