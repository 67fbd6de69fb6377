import { describe, expect, it } from 'vitest';
import { modelAliases } from '../../../../control-plane/domain/model-aliases.ts';
import { knownModels } from '../../../../control-plane/domain/model-selector.ts';

const known = knownModels([{ name: 'acme', models: [{ name: 'llama' }] }]);
const read = (aliases: readonly { name: string; model: string }[], insists = false) =>
  modelAliases(known, insists)({ aliases });

describe('an organization’s own names for models', () => {
  it('are stored with the canonical name of the provider, and the model’s name as it was written', () => {
    expect(
      read([
        { name: 'fast', model: 'openai/gpt-4o-2024-08-06' },
        { name: 'team/llama', model: 'acme/llama' },
        { name: 'gpt-4o', model: 'azure/our-gpt-4o' },
      ]),
    ).toEqual({
      value: [
        { name: 'fast', model: 'gpt-provider/gpt-4o-2024-08-06' },
        { name: 'team/llama', model: 'acme/llama' },
        { name: 'gpt-4o', model: 'studio-ai/our-gpt-4o' },
      ],
    });
  });

  it.each([
    ['a name that begins with a provider', { name: 'openai/fast', model: 'openai/gpt-4o' }, '.aliases[0].name'],
    ['the name of a route', { name: 'route/fast', model: 'openai/gpt-4o' }, '.aliases[0].name'],
    ['a name that no model can have', { name: 'the fast one', model: 'openai/gpt-4o' }, '.aliases[0].name'],
    ['an empty name', { name: '', model: 'openai/gpt-4o' }, '.aliases[0].name'],
    ['a glob', { name: 'fast', model: 'openai/*' }, '.aliases[0].model'],
    ['a model without a provider', { name: 'fast', model: 'gpt-4o' }, '.aliases[0].model'],
    ['a model that nobody knows', { name: 'fast', model: 'openai/gpt-99' }, '.aliases[0].model'],
    ['a route', { name: 'fast', model: 'route/fast' }, '.aliases[0].model'],
    ['another alias', { name: 'fast', model: 'faster' }, '.aliases[0].model'],
  ])('are refused for %s', (_, alias, at) => {
    expect(read([alias])).toEqual({ problems: [{ at, description: expect.any(String) }] });
  });

  it('may lead to a model that nobody knows, if the operator insists', () => {
    expect(read([{ name: 'new', model: 'openai/gpt-99' }], true)).toHaveProperty('value');
  });

  it('are refused if a name is listed twice, or if there are too many', () => {
    const fast = { name: 'fast', model: 'openai/gpt-4o' };
    expect(read([fast, fast])).toEqual({ problems: [{ at: '.aliases[1].name', description: 'is listed twice' }] });
    const many = Array.from({ length: 201 }, (_, index) => ({ ...fast, name: `fast-${index}` }));
    expect(read(many)).toHaveProperty('problems');
    expect(read(many.slice(1))).toHaveProperty('value');
  });
});
