import { describe, expect, it } from 'vitest';
import { knownModels } from '../../../../control-plane/domain/model-selector.ts';
import { routeGroups, routeName } from '../../../../control-plane/domain/route.ts';
import type { RouteGroup__Output } from '../../../../proto/generated/gateway/v1/RouteGroup.ts';

const organizationId = '01890000-0000-7000-8000-00000000000a';
const known = knownModels([
  { name: 'acme', models: [{ name: 'llama' }] },
  { name: 'open', models: [] },
]);
const rules = (insists = false) => ({ organizationId, known, insists });
const problem = (at: string) => ({ problems: [{ at, description: expect.any(String) }] });

describe('the name of a route', () => {
  const read = (name: string, insists = false) => routeName(rules(insists))(name);

  it.each(['fast', '4', 'gpt-4o', 'a.b_c-d', 'a'.repeat(64), 'acme'])('may be %s', (name) => {
    expect(read(name)).toEqual({ value: name });
  });

  it.each([
    ['openai/gpt-4o-2024-08-06', 'gpt-provider/gpt-4o'],
    ['assistant-provider/claude-sonnet-4-5', 'assistant-provider/claude-sonnet-4-5'],
    ['acme/llama', 'acme/llama'],
    ['open/anything', 'open/anything'],
  ])('may be the model %s, and is then its canonical name', (name, canonical) => {
    expect(read(name)).toEqual({ value: canonical });
  });

  it.each([
    ...['', 'Fast', '-fast', '.fast', 'a b', 'ä', 'a'.repeat(65), 'fast\n'],
    ...['route', 'deployments', 'models', 'messages', 'responses', 'none', 'openai', 'gpt-provider'],
    ...['route/fast', 'gpt-provider/*', 'gpt-provider/gpt-99', 'nobody/gpt-4o', 'fast/er', '/fast', 'fast/'],
  ])('cannot be %j', (name) => {
    const field = read(name);
    expect(field).toEqual(problem(''));
    if (name.length > 5) expect(JSON.stringify(field)).not.toContain(name);
  });

  it('may be a model that is not known if the operator insists, but of a provider that is', () => {
    expect(read('gpt-provider/gpt-99', true)).toEqual({ value: 'gpt-provider/gpt-99' });
    expect(read('acme/newer', true)).toEqual({ value: 'acme/newer' });
    expect(read('nobody/gpt-4o', true)).toEqual(problem(''));
  });
});

describe('the groups of a route', () => {
  const group = (fields: object): RouteGroup__Output => ({
    ...{ targets: [], conditions: null, choice: 'GROUP_CHOICE_UNSPECIFIED' },
    ...fields,
  });
  const read = (groups: readonly object[], insists = false) => routeGroups(rules(insists))(groups.map(group));
  const model = 'gpt-provider/gpt-4o';
  const target = (fields: object = {}) => ({ targets: [{ model, ...fields }] });

  it('are stored with a weight, and without the fields that say nothing', () => {
    const conditions = { tag: '', scope: null };
    const quiet = { reasoningEffort: 'REASONING_EFFORT_UNSPECIFIED', firstTokenMs: 0, betweenTokensMs: 0, wholeMs: 0 };
    expect(read([{ ...target(quiet), conditions }])).toEqual({ value: [{ targets: [{ model, weight: 1 }] }] });
  });

  it('keep every field, with the canonical name of the provider and the name of the model as it was written', () => {
    const full = {
      ...{ providerKeyId: organizationId, weight: 1000, maxOutputTokens: 1 },
      ...{ reasoningEffort: 'REASONING_EFFORT_XHIGH', firstTokenMs: 1, betweenTokensMs: 2, wholeMs: 86_400_000 },
      connectMs: 3,
    };
    const conditions = {
      ...{ streamed: false, hasImages: false, hasTools: true, tokensAbove: 0, tag: 'a-1' },
      scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId },
    };
    const groups = [{ targets: [{ model: 'openai/gpt-4o-2024-08-06', ...full }], conditions }];
    expect(read(groups)).toEqual({
      value: [{ targets: [{ model: 'gpt-provider/gpt-4o-2024-08-06', ...full }], conditions }],
    });
  });

  it.each<[string, object, string]>([
    ['a glob', { model: 'gpt-provider/*' }, '.model'],
    ['a model without a provider', { model: 'gpt-4o' }, '.model'],
    ['a model that nobody knows', { model: 'gpt-provider/gpt-99' }, '.model'],
    ['a provider that nobody knows', { model: 'nobody/gpt-4o' }, '.model'],
    ['another route', { model: 'route/fast' }, '.model'],
    ['no model', { model: '' }, '.model'],
    ['a model of several segments, one of them empty', { model: 'studio-ai/a//b' }, '.model'],
    ['a model that climbs', { model: 'studio-ai/../a' }, '.model'],
    ['a key that is no id', { providerKeyId: 'main' }, '.provider_key_id'],
    ['a weight of 0', { weight: 0 }, '.weight'],
    ['a weight above 1000', { weight: 1001 }, '.weight'],
    ['no output', { maxOutputTokens: 0 }, '.max_output_tokens'],
    ['too much output', { maxOutputTokens: 1_000_000_001 }, '.max_output_tokens'],
    ['an unknown effort', { reasoningEffort: 'REASONING_EFFORT_ENORMOUS' }, '.reasoning_effort'],
    ['a time limit above a day', { firstTokenMs: 86_400_001 }, '.first_token_ms'],
    ['a time limit above a day', { betweenTokensMs: 86_400_001 }, '.between_tokens_ms'],
    ['a time limit above a day', { wholeMs: 86_400_001 }, '.whole_ms'],
    ['a time limit above a day', { connectMs: 86_400_001 }, '.connect_ms'],
    ['more than all requests', { canary: 100.01 }, '.canary'],
    ['fewer than none', { canary: -1 }, '.canary'],
    ['a part of a hundredth', { canary: 0.125 }, '.canary'],
    ['no number', { canary: Number.NaN }, '.canary'],
  ])('are refused for %s', (_what, fields, at) => {
    expect(read([target(), target(fields)])).toEqual(problem(`[1].targets[0]${at}`));
  });

  it.each<[string, object, string]>([
    ['a tag that no header may have', { tag: 'EU' }, '.tag'],
    ['a long tag', { tag: 'a'.repeat(33) }, '.tag'],
    ['too many tokens', { tokensAbove: 1_000_000_001 }, '.tokens_above'],
    ['a scope without a kind', { scope: { kind: 'KEY_SCOPE_KIND_UNSPECIFIED', id: organizationId } }, '.scope.kind'],
    ['a scope without an id', { scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: 'Ada' } }, '.scope.id'],
    [
      'another organization',
      { scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId.replace(/a$/, 'b') } },
      '.scope.id',
    ],
  ])('are refused for the condition of %s', (_what, conditions, at) => {
    expect(read([{ ...target(), conditions: { scope: null, ...conditions } }])).toEqual(problem(`[0].conditions${at}`));
  });

  it('are 1 to 8, of 1 to 16 targets', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => ({ model: `open/m${index}` }));
    expect(read([])).toEqual(problem(''));
    expect(read(Array(9).fill(target()))).toEqual(problem(''));
    expect(read(Array(8).fill(target()))).toHaveProperty('value');
    expect(read([{ targets: [] }])).toEqual(problem('[0].targets'));
    expect(read([{ targets: many(17) }])).toEqual(problem('[0].targets'));
    expect(read([{ targets: many(16) }])).toHaveProperty('value');
  });

  it('list a target once, whatever it is called, unless another key makes it another target', () => {
    const twice = (fields: object) =>
      read([{ targets: [{ model }, { model: 'openai/gpt-4o-2024-08-06', ...fields }] }]);
    expect(twice({ weight: 7 })).toEqual(problem('[0].targets[1]'));
    expect(twice({ providerKeyId: organizationId })).toHaveProperty('value');
    expect(read([target(), target()])).toHaveProperty('value');
  });

  it('have a choice', () => {
    for (const choice of ['GROUP_CHOICE_STICKY', 'GROUP_CHOICE_WEIGHTED']) {
      expect(read([{ ...target(), choice }])).toEqual({ value: [{ targets: [{ model, weight: 1 }], choice }] });
    }
    expect(read([{ ...target(), choice: 'GROUP_CHOICE_NEAREST' }])).toEqual(problem('[0].choice'));
  });

  it('may have canaries for all requests at most, beside a target that is none', () => {
    const canaries = (...shares: readonly (number | undefined)[]) =>
      read([
        { targets: shares.map((canary, at) => ({ model: `open/m${at}`, ...(canary !== undefined && { canary }) })) },
      ]);
    for (const shares of [
      [0, undefined],
      [2.5, undefined],
      [33.33, 66.67, undefined],
      [0.01, undefined],
      [100, undefined],
    ]) {
      expect(canaries(...shares)).toHaveProperty('value');
    }
    expect(canaries(2.35, undefined)).toMatchObject({ value: [{ targets: [{ canary: 2.35 }, {}] }] });
    expect(canaries(50, 50)).toEqual(problem('[0].targets'));
    expect(canaries(60, 40.01, undefined)).toEqual(problem('[0].targets'));
  });

  it('may lead to a model that is not known if the operator insists, but of a provider that is', () => {
    expect(read([target({ model: 'gpt-provider/gpt-99' })], true)).toHaveProperty('value');
    expect(read([target({ model: 'nobody/gpt-4o' })], true)).toEqual(problem('[0].targets[0].model'));
  });
});
