import { describe, expect, it } from 'vitest';
import { CapabilityTable, idleRows, parseCapabilityRows } from '../../../../proxy/catalog/capabilities.ts';

const profile = 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/ab12cd';
const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const tableOf = (...rows: readonly object[]) => new CapabilityTable(parseCapabilityRows(rows, 'own rows'));

describe('model capabilities', () => {
  it('an operator’s rows override the shipped ones, and later rows override earlier ones', () => {
    const table = tableOf(
      { models: 'managed-cloud-models/*', prefill: true, sampling: false },
      { models: '*nova*', sampling: true },
    );
    expect(table.of('managed-cloud-models', 'amazon.nova-lite-v1:0')).toMatchObject({
      family: 'nova',
      prefill: true,
      sampling: true,
    });
  });

  it('a model with an opaque name gets the capabilities of the model that its row calls similar', () => {
    const table = tableOf({
      models: `managed-cloud-models/${profile}`,
      like: `managed-cloud-models/${claude}`,
      promptCache: 'none',
    });
    const known = table.of('managed-cloud-models', claude);
    expect(table.of('managed-cloud-models', profile)).toEqual({ ...known, promptCache: 'none' });
    expect(new CapabilityTable().of('managed-cloud-models', profile).family).toBe('other');
  });

  it('a row applies to all names of its model and of its provider', () => {
    const table = tableOf(
      { models: 'anthropic/claude-haiku-4-5', prefill: false },
      { models: 'google/gemini-3.8-*', like: 'gemini/gemini-2.5-flash', penalties: true },
    );
    for (const name of ['claude-haiku-4-5', 'claude-haiku-4-5-20251001'])
      expect(table.of('assistant-provider', name).prefill).toBe(false);
    expect(table.of('search-provider', 'gemini-flash-latest')).toEqual({
      ...table.of('search-provider', 'gemini-2.5-flash'),
      penalties: true,
    });
  });

  it('a row for which no provider can have a model is reported', () => {
    const rows = ['openai/*', '*claude*', 'gpt*', 'studio-ai/x', 'opnai/*', 'gpt-4o', 'own-models/*', '*'];
    const own = parseCapabilityRows(
      rows.map((models) => ({ models })),
      'own rows',
    );
    expect(idleRows(own)).toEqual(['opnai/*', 'gpt-4o', 'own-models/*']);
  });

  // The assistant vendor's page "Prefill Claude's response", and what its later models and other vendors refuse, or respond to anew.
  it.each([
    ['assistant-provider', 'claude-3-5-haiku-20241022', true],
    ['assistant-provider', 'claude-opus-4-1', true],
    ['assistant-provider', 'claude-sonnet-4-5', true],
    ['assistant-provider', 'claude-haiku-4-5', true],
    ['managed-cloud-models', claude, true],
    ['assistant-provider', 'claude-sonnet-4-6', false],
    ['assistant-provider', 'claude-opus-4-6', false],
    ['assistant-provider', 'claude-opus-4-7', false],
    ['assistant-provider', 'claude-opus-4-8', false],
    ['assistant-provider', 'claude-sonnet-5', false],
    ['managed-cloud-models', 'eu.anthropic.claude-sonnet-4-6', false],
    ['managed-cloud-models', 'amazon.nova-lite-v1:0', false],
    ['managed-cloud-models', 'meta.llama3-1-70b-instruct-v1:0', false],
    ['gpt-provider', 'gpt-4o-mini', false],
    ['search-provider', 'gemini-2.5-flash', false],
    ['studio-ai', 'gpt-4o-mini', false],
  ])('the text of %s/%s can be continued: %s', (provider, model, expected) => {
    const { continuesText, prefill } = new CapabilityTable().of(provider, model);
    expect(continuesText && prefill).toBe(expected);
  });

  it('a model of an unknown family gets the capabilities that all models share', () => {
    expect(new CapabilityTable().of('managed-cloud-models', 'maker.new-model-v1:0')).toMatchObject({
      family: 'other',
      forcedTools: false,
      jsonSchema: false,
      prefill: false,
      promptCache: 'none',
      reasoning: 'none',
    });
  });

  it.each([
    ['rows that are not a list', {}],
    ['a row that is not an object', ['x']],
    ['an invalid glob', [{ models: '(' }]],
    ['an unknown capability', [{ models: '*', colour: 'red' }]],
    ['an invalid value of a capability', [{ models: '*', sampling: 'yes' }]],
    ['likeness to an unknown model', [{ models: '*', like: 'claude' }]],
    ['likeness that is not a text', [{ models: '*', like: 7 }]],
  ])('a table with %s is refused with a message that names its source', (_what, rows) => {
    expect(() => parseCapabilityRows(rows, 'own rows')).toThrow(/^own rows/);
  });
});
