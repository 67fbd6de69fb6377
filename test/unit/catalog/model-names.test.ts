// A model has one canonical name, and everything that selects models selects it by any of its names.
import { describe, expect, it } from 'vitest';
import {
  canonicalModel,
  chatModels,
  isInCatalog,
  limitNamesOfModel,
  namesOfModel,
  openNames,
} from '../../../catalog/model-names.ts';
import {
  allowsModel,
  canonicalSelector,
  limitsModel,
  selectsModel,
  storedSelector,
} from '../../../catalog/model-selector.ts';
import synonyms from '../../../catalog/synonyms.json' with { type: 'json' };
import { findModel } from '../../../proxy/catalog/models.ts';

const named = (provider: string, name: string) => `${provider}/${name}`;
const pairs = Object.entries(synonyms as Record<string, Record<string, string[]>>).flatMap(([provider, models]) =>
  Object.entries(models).flatMap(([primary, others]) => others.map((other) => [provider, primary, other] as const)),
);

describe('synonyms of the shipped catalog', () => {
  it.each(pairs)('%s: %s is a synonym of %s, at one price', (provider, primary, other) => {
    expect(findModel(provider, primary), 'the primary has a row').toBeDefined();
    expect(canonicalModel(named(provider, other))).toBe(named(provider, primary));
    expect(namesOfModel(named(provider, other))).toContain(named(provider, other));
    expect(namesOfModel(named(provider, other))[0]).toBe(named(provider, primary));
    const row = findModel(provider, other);
    if (row === undefined) return;
    const of = (name: string) => ({ ...findModel(provider, name)?.prices, asOf: undefined });
    expect(of(other), 'a synonym with a row of its own costs what the primary does').toEqual(of(primary));
    expect(row.chat).toBe(findModel(provider, primary)?.chat);
  });

  it('do not include deployments, because the operator chooses their names', () => {
    expect(Object.keys(synonyms)).not.toContain('studio-ai');
    expect(canonicalModel('studio-ai/gpt-4o-2024-08-06')).toBe('studio-ai/gpt-4o-2024-08-06');
  });

  it('leave an unknown name unchanged', () => {
    expect(canonicalModel('acme/gpt-4o-2024-08-06')).toBe('acme/gpt-4o-2024-08-06');
    expect(namesOfModel('gpt-provider/gpt-9')).toEqual(['gpt-provider/gpt-9']);
  });
});

describe('the models for chat completions', () => {
  it('are listed once each, by canonical name', () => {
    const all = chatModels();
    expect(new Set(all).size).toBe(all.length);
    for (const name of all) expect(canonicalModel(name)).toBe(name);
    expect(all).toContain('gpt-provider/gpt-4o');
    expect(all).not.toContain('gpt-provider/gpt-4o-2024-08-06');
    expect(all).not.toContain('gpt-provider/dall-e-3');
    expect(all.filter((name) => name.includes('/ft:'))).toEqual([]);
  });
});

const profile =
  'managed-cloud-models/arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0';
const foundation = 'managed-cloud-models/arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-6';
const own = 'managed-cloud-models/arn:aws:bedrock:us-east-1:1:application-inference-profile/ab12';

describe('an ARN', () => {
  it('that ends in a model’s id also means that model, and keeps its own name', () => {
    expect(namesOfModel(profile)).toEqual([profile, 'managed-cloud-models/eu.amazon.nova-lite-v1:0']);
    expect(namesOfModel(foundation)).toEqual([foundation, 'managed-cloud-models/anthropic.claude-sonnet-4-6']);
    expect(isInCatalog(profile)).toBe(true);
    expect(canonicalModel(profile)).toBe(profile);
  });

  it('of the account’s own resources names no model', () => {
    expect(namesOfModel(own)).toEqual([own]);
    expect(isInCatalog(own)).toBe(false);
    expect(openNames.some((beginning) => own.startsWith(beginning))).toBe(true);
  });
});

describe('a fine-tuned model', () => {
  it('is in the catalog when its base model is', () => {
    expect(isInCatalog('gpt-provider/ft:gpt-4o-2024-08-06:acme::b1')).toBe(true);
    expect(isInCatalog('gpt-provider/ft:gpt-9:acme::b1')).toBe(false);
    expect(isInCatalog('gpt-provider/ft:gpt-4o-2024-08-06')).toBe(true);
  });
});

describe('a selector', () => {
  it.each([
    ['openai/gpt-4o', 'gpt-provider/gpt-4o', 'gpt-provider/gpt-4o'],
    ['openai/*', 'gpt-provider/*', 'gpt-provider/*'],
    ['anthropic/claude-haiku-4-5-20251001', undefined, 'assistant-provider/claude-haiku-4-5'],
    ['google/gemini-flash-latest', 'search-provider/gemini-flash-latest', 'search-provider/gemini-3.8-flash'],
    ['gemini/gemini-*-latest', 'search-provider/gemini-*-latest', 'search-provider/gemini-*-latest'],
    ['azure/my-deployment', 'studio-ai/my-deployment', 'studio-ai/my-deployment'],
    ['azure-ai/*', 'studio-ai/*', 'studio-ai/*'],
    ['bedrock/eu.*', 'managed-cloud-models/eu.*', 'managed-cloud-models/eu.*'],
    ['aws/x', 'managed-cloud-models/x', 'managed-cloud-models/x'],
    ['gpt-4o', 'gpt-4o', 'gpt-4o'],
    ['*/gpt-4o', '*/gpt-4o', '*/gpt-4o'],
    ['acme/gpt-4o', 'acme/gpt-4o', 'acme/gpt-4o'],
    ['constructor/x', 'constructor/x', 'constructor/x'],
  ])('%s is stored as %s and means %s', (written, stored, canonical) => {
    expect(storedSelector(written)).toBe(stored ?? 'assistant-provider/claude-haiku-4-5-20251001');
    expect(canonicalSelector(written)).toBe(canonical);
    expect(canonicalSelector(canonicalSelector(written))).toBe(canonical);
  });

  it.each([
    'gpt-provider/gpt-4o',
    'gpt-provider/gpt-4o-2024-08-06',
    'gpt-provider/gpt-4o-*',
    'gpt-provider/*-2024-08-06',
    '*/gpt-4o',
    '*',
  ])('%s selects the model by each of its names', (selector) => {
    for (const name of ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-2024-08-06']) {
      expect(selectsModel(selector, name)).toBe(true);
      expect(limitsModel(selector, name)).toBe(true);
      expect(allowsModel(['none/*', selector], name)).toBe(true);
    }
  });

  it('of an allow-list is strict: another snapshot, another case and an unknown date are other models', () => {
    const allowed = ['gpt-provider/gpt-4o', 'assistant-provider/claude-opus-5'];
    expect(allowsModel(allowed, 'gpt-provider/gpt-4o-2024-05-13')).toBe(false);
    expect(allowsModel(allowed, 'gpt-provider/GPT-4o')).toBe(false);
    expect(allowsModel(allowed, 'assistant-provider/claude-opus-5-20270101')).toBe(false);
    expect(allowsModel([], 'gpt-provider/anything')).toBe(true);
  });

  it.each([
    ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-2024-05-13', true],
    ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-2027-01-31', true],
    ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-latest', true],
    ['gpt-provider/gpt-4', 'gpt-provider/gpt-4-0314', true],
    ['assistant-provider/claude-opus-5', 'assistant-provider/claude-opus-5-20270101', true],
    ['search-provider/gemini-2.5-flash', 'search-provider/gemini-2.5-flash-001', true],
    ['gpt-provider/gpt-4o', 'gpt-provider/GPT-4O', true],
    ['studio-ai/My-Deployment', 'studio-ai/my-deployment', true],
    ['studio-ai/my-deployment', 'studio-ai/MY-DEPLOYMENT', true],
    ['managed-cloud-models/eu.amazon.nova-lite-v1:0', profile, true],
    ['managed-cloud-models/arn:*', profile, true],
    ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-mini', false],
    ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-mini-2024-07-18', false],
    ['gpt-provider/gpt-4o-2024-05-13', 'gpt-provider/gpt-4o', false],
    ['gpt-provider/gpt-4o', 'gpt-provider/ft:gpt-4o-2024-08-06:acme::b1', false],
    ['studio-ai/gpt-4o', 'studio-ai/gpt-4o-2024-05-13', false],
    ['managed-cloud-models/amazon.nova-lite-v1:0', 'managed-cloud-models/eu.amazon.nova-lite-v1:0', false],
    ['acme/llama', 'acme/llama-20250101', false],
  ])('of a limit, %s, on a request for %s: %s', (selector, model, applies) => {
    expect(limitsModel(selector, model)).toBe(applies);
  });

  it('of a limit accepts any number of made-up names, and forgets them', () => {
    for (let i = 0; i < 5000; i++) limitNamesOfModel(`gpt-provider/made-up-${i}`);
    expect(limitNamesOfModel('gpt-provider/gpt-4o-2024-05-13')).toEqual([
      'gpt-provider/gpt-4o-2024-05-13',
      'gpt-provider/gpt-4o',
    ]);
  });
});
