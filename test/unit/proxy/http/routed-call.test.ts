// The targets of a route for one request: conditions, order, and what is left out.
import { describe, expect, it } from 'vitest';
import type { RouteConditions, RouteGroup } from '../../../../proxy/access/routes.ts';
import { issuerOf, wrapOpaque } from '../../../../proxy/conversation/opaque.ts';
import { chatCallOf } from '../../../support/charged-calls.ts';
import { type Called, call, claude, deps, gpt, group, key, modelsOf, refusal, target } from './routed-call.fixture.ts';

describe('a called name', () => {
  const groups = { fast: [group([target(gpt)]), group([target(claude)])] };

  it('is a route with or without its prefix', () => {
    for (const model of ['fast', 'route/fast']) expect(modelsOf({ groups, model })).toEqual([gpt, claude]);
    expect(call({ groups }).route).toEqual({ name: 'fast', onContext: false, onFilter: true, onBudget: false });
    const lasting = call({ groups: { lasting: groups.fast }, model: 'lasting' }).route;
    expect(lasting).toEqual({
      name: 'lasting',
      onContext: false,
      onFilter: true,
      onBudget: false,
      recovery: 'continue',
    });
    expect(refusal({ groups, model: 'route/slow' })).toBe('model_not_found');
    expect(refusal({ groups, model: 'route/' })).toBe('model_not_found');
  });

  it('is an alias first', () => {
    const modelAliases = [{ name: 'fast', model: claude }];
    expect(modelsOf({ groups, organization: { modelAliases } })).toEqual([claude]);
    expect(modelsOf({ groups, model: 'route/fast', organization: { modelAliases } })).toEqual([gpt, claude]);
  });

  it('is a model that a route replaces, under each of its names, once', () => {
    const replaced = { [gpt]: [group([target(claude)])], [claude]: [group([target(gpt)])] };
    for (const model of [gpt, 'gpt-4o-mini', 'gpt-provider/gpt-4o-mini-2024-07-18']) {
      expect(modelsOf({ groups: replaced, model }), model).toEqual([claude]);
    }
    const modelAliases = [{ name: 'mine', model: gpt }];
    expect(modelsOf({ groups: replaced, model: 'mine', organization: { modelAliases } })).toEqual([claude]);
  });

  it('of a guardrail is no route', () => {
    expect(modelsOf({ groups: { [gpt]: [group([target(claude)])] }, model: gpt, guardrail: true })).toEqual([gpt]);
  });

  it('with the caller’s own key is no route', () => {
    expect(refusal({ groups, direct: true })).toBe('invalid_request');
    expect(refusal({ groups, model: 'route/fast', direct: true })).toBe('invalid_request');
    expect(modelsOf({ groups: { [gpt]: [group([target(claude)])] }, model: gpt, direct: true })).toEqual([gpt]);
  });

  it('of a route whose targets this version does not know is refused', () => {
    expect(refusal({ groups: { fast: [] } })).toBe('model_not_allowed');
    expect(refusal({ groups: { [gpt]: [] }, model: gpt })).toBe('model_not_allowed');
  });
});

describe('a group', () => {
  const served = (conditions: Partial<RouteConditions>, request: Omit<Called, 'groups'> = {}) =>
    modelsOf({ groups: { fast: [group([target(claude)], conditions), group([target(gpt)])] }, ...request })[0] ===
    claude;
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const withImage = { fields: { messages: [{ role: 'user', content: [image] }] } };
  const withTools = { fields: { tools: [{ type: 'function', function: { name: 'f' } }] } };
  const long = { fields: { messages: [{ role: 'user', content: 'word '.repeat(1000) }] } };

  it.each<[string, Partial<RouteConditions>, Omit<Called, 'groups'>, boolean]>([
    ['no condition', {}, {}, true],
    ['streamed, for a stream', { streamed: true }, { fields: { stream: true } }, true],
    ['streamed, for a whole response', { streamed: true }, {}, false],
    ['not streamed, for a whole response', { streamed: false }, {}, true],
    ['not streamed, for a stream', { streamed: false }, { fields: { stream: true } }, false],
    ['images, with one', { hasImages: true }, withImage, true],
    ['images, without', { hasImages: true }, {}, false],
    ['no images, with one', { hasImages: false }, withImage, false],
    ['tools, with one', { hasTools: true }, withTools, true],
    ['tools, without', { hasTools: true }, { fields: { tools: [] } }, false],
    ['no tools, without', { hasTools: false }, {}, true],
    ['more tokens than a long text has', { tokensAbove: 5000 }, long, false],
    ['fewer tokens than a long text has', { tokensAbove: 1000 }, long, true],
    ['a tag, with it', { tag: 'night' }, { headers: ['x-svc-route-tag', 'night'] }, true],
    ['a tag, with another one', { tag: 'night' }, { headers: ['x-svc-route-tag', 'day'] }, false],
    ['a tag, without one', { tag: 'night' }, {}, false],
    [
      'the scope of the key',
      { scope: { kind: 'ai_system', id: 's' } },
      { scope: { kind: 'ai_system', id: 's' } },
      true,
    ],
    ['another scope', { scope: { kind: 'ai_system', id: 't' } }, { scope: { kind: 'ai_system', id: 's' } }, false],
    ['two, of which one fails', { streamed: false, hasTools: true }, {}, false],
  ])('with %s', (_name, conditions, request, isServed) => {
    expect(served(conditions, request)).toBe(isServed);
  });

  it('whose conditions nobody meets serves nothing', () => {
    expect(refusal({ groups: { fast: [group([target(gpt)], { streamed: true })] } })).toBe('model_not_allowed');
  });

  it('shares requests by weight', () => {
    const groups = { fast: [group([target(gpt, { weight: 3 }), target(claude)])] };
    let first = 0;
    for (let request = 0; request < 2000; request++) if (modelsOf({ groups })[0] === gpt) first++;
    expect(first).toBeGreaterThan(1400);
    expect(first).toBeLessThan(1600);
  });

  it('never comes before an earlier one', () => {
    const groups = { fast: [group([target(gpt), target('gpt-provider/gpt-4o')]), group([target(claude)])] };
    for (let request = 0; request < 20; request++) expect(modelsOf({ groups }).at(-1)).toBe(claude);
  });
});

describe('a target is left out', () => {
  const groups = { fast: [group([target(gpt)]), group([target(claude)])] };
  const allowed = (...allowedModels: readonly string[]) => ({ organization: { allowedModels } });

  it('that the caller may not call; the route itself must be allowed', () => {
    expect(modelsOf({ groups, ...allowed('route/fast', claude) })).toEqual([claude]);
    expect(modelsOf({ groups, ...allowed('route/*', 'gpt-provider/*') })).toEqual([gpt]);
    expect(refusal({ groups, ...allowed('route/fast') })).toBe('model_not_allowed');
    expect(refusal({ groups, ...allowed(gpt, claude) })).toBe('model_not_allowed');
  });

  it('if only the replaced model is allowed', () => {
    const replaced = { [gpt]: [group([target(claude)])] };
    expect(refusal({ groups: replaced, model: gpt, ...allowed(gpt) })).toBe('model_not_allowed');
    expect(refusal({ groups: replaced, model: gpt, ...allowed(claude) })).toBe('model_not_allowed');
    expect(modelsOf({ groups: replaced, model: gpt, ...allowed(gpt, claude) })).toEqual([claude]);
  });

  it('without a key, without the key that it names, without a provider', () => {
    const noClaude = { organization: { providerKeys: [key('g', 'gpt-provider')] } };
    expect(modelsOf({ groups, ...noClaude })).toEqual([gpt]);
    expect(refusal({ groups: { fast: [group([target(claude)])] }, ...noClaude })).toBe('provider_not_configured');
    const named = { fast: [group([target(gpt, { providerKeyId: 'deleted' })]), group([target(claude)])] };
    expect(modelsOf({ groups: named })).toEqual([claude]);
    expect(modelsOf({ groups: { fast: [group([target('gone/model')]), group([target(gpt)])] } })).toEqual([gpt]);
  });
});

describe('targets', () => {
  it('of two models with one key are two', () => {
    const groups = { fast: [group([target(gpt)]), group([target('gpt-provider/gpt-4o')])] };
    const found = call({ groups });
    const [first, second] = [found.targets[0], found.alternatives?.[0]?.targets[0]];
    expect([first?.providerKeyId, second?.providerKeyId]).toEqual(['g', 'g']);
    expect(first).not.toBe(second);
  });

  it('have the key that the route names, its limits and its times', () => {
    const providerKeys = [key('one', 'gpt-provider'), key('two', 'gpt-provider')];
    const limits = { providerKeyId: 'two', maxOutputTokens: 5, reasoningEffort: 'low', wholeMs: 9 } as const;
    const found = call({ groups: { fast: [group([target(gpt, limits)])] }, organization: { providerKeys } });
    expect(found.targets.map(({ providerKeyId }) => providerKeyId)).toEqual(['two']);
    expect(found.overrides).toEqual({ maxOutputTokens: 5, reasoningEffort: 'low' });
    expect(found.times).toEqual({ firstTokenMs: undefined, betweenTokensMs: undefined, wholeMs: 9 });
  });
});

describe('the choice of a group', () => {
  const first = (called: Called) => modelsOf(called)[0];
  const chosen = (choice: RouteGroup['choice'], targets = [target(gpt), target(claude)]) => ({
    fast: [{ ...group(targets), choice }],
  });
  const started = (of: string, requests: number) => {
    const [provider = ''] = of.split('/');
    const id = provider === 'gpt-provider' ? 'g' : 'a';
    const { id: organization } = chatCallOf('gpt-provider', 'gpt-4o-mini', {}).caller.principal.organization;
    const identity = { organization, origin: '', model: of, providerKey: { id, revision: '' } };
    const attempts = Array.from({ length: requests }, () => deps.loads.begin(identity));
    return () => {
      for (const attempt of attempts) attempt.end();
    };
  };

  it('of the least busy is the target with the fewest requests', () => {
    const end = started(gpt, 2);
    const found = new Set(Array.from({ length: 20 }, () => first({ groups: chosen('least_busy') })));
    end();
    expect(found).toEqual(new Set([claude]));
    expect(new Set(Array.from({ length: 50 }, () => first({ groups: chosen('least_busy') })))).toHaveLength(2);
  });

  it('of the cheapest is the target with the lowest price for this request', () => {
    // The catalog: 0.15 and 0.60 dollars a million for the one, 1 and 5 for the other.
    for (let request = 0; request < 20; request++) expect(first({ groups: chosen('cheapest') })).toBe(gpt);
    const prices = [
      { id: 'p', model: gpt, prices: { input: '0.1', output: '100', cacheRead: '0.1', cacheWrite: '0.1' } },
    ] as never;
    const organization = { prices, providerKeys: [key('g', 'gpt-provider'), key('a', 'assistant-provider')] };
    const longOutput = { groups: chosen('cheapest'), organization, fields: { max_tokens: 1000 } };
    expect(first(longOutput)).toBe(claude);
    const limited = chosen('cheapest', [target(gpt, { maxOutputTokens: 1 }), target(claude)]);
    expect(first({ ...longOutput, groups: limited })).toBe(gpt);
  });

  it('of a conversation is the same target, and the same key of its provider', () => {
    const providerKeys = ['1', '2', '3'].flatMap((id) => [
      key(`g${id}`, 'gpt-provider'),
      key(`a${id}`, 'assistant-provider'),
    ]);
    const served = (session: string) => {
      const found = call({
        groups: chosen('sticky'),
        organization: { providerKeys },
        headers: ['x-session-affinity', session],
      });
      return [found, ...(found.alternatives ?? [])].flatMap(({ targets }) => targets.map((one) => one.providerKeyId));
    };
    const orders = Array.from({ length: 40 }, (_, session) => served(`session-${session}`));
    for (const [session, order] of orders.entries()) expect(served(`session-${session}`)).toEqual(order);
    expect(new Set(orders.map(([one]) => one))).toHaveLength(6);
  });

  it('may have a canary, which is marked', () => {
    const groups = chosen('weighted', [target(gpt), target(claude, { canary: 100 })]);
    expect(call({ groups })).toMatchObject({ qualifiedModel: claude, isCanary: true });
    const none = call({ groups: chosen('weighted', [target(gpt), target(claude, { canary: 0 })]) });
    expect(none.isCanary).not.toBe(true);
    expect(none.alternatives?.[0]).toMatchObject({ qualifiedModel: claude, isCanary: true });
  });
});

describe('reasoning that one account wrote', () => {
  const providerKeys = [key('g', 'gpt-provider'), key('a1', 'assistant-provider'), key('a2', 'assistant-provider')];
  const organization = { providerKeys };
  const messages = (...issuers: readonly string[]) => [
    { role: 'user', content: 'Hello' },
    ...issuers.map((id) => ({ role: 'assistant', content: 'Hi', thinking_blocks: [thought(id)] })),
    { role: 'user', content: 'And?' },
  ];
  const thought = (id: string) => ({
    ...{ type: 'thinking', thinking: 'Well' },
    signature: wrapOpaque({ issuer: issuerOf('assistant-provider', id), kind: 'signature', value: 's' }),
  });
  const keys = (found: ReturnType<typeof call>) =>
    [found, ...(found.alternatives ?? [])].map(({ targets }) => targets.map(({ providerKeyId }) => providerKeyId));
  const groups = { fast: [group([target(gpt)]), group([target(claude)])] };

  it('makes its provider key the first one, before all groups', () => {
    for (let request = 0; request < 10; request++) {
      const found = call({ groups, organization, fields: { messages: messages('a1', 'a2') } });
      expect(keys(found)).toEqual([['a2', 'a1'], ['g']]);
      expect([found.group, found.alternatives?.[0]?.group]).toEqual([-1, 0]);
    }
  });

  it('makes it the first key of a provider without a route', () => {
    for (let request = 0; request < 10; request++) {
      const found = call({ groups: {}, model: claude, organization, fields: { messages: messages('a2') } });
      expect(keys(found)).toEqual([['a2', 'a1']]);
    }
  });

  it('of an account that the route does not have changes nothing', () => {
    expect(keys(call({ groups, organization, fields: { messages: messages('gone') } }))[0]).toEqual(['g']);
    const forged = [
      { role: 'assistant', content: 'Hi', thinking_blocks: [{ type: 'thinking', signature: 'gw1_eyJ' }] },
    ];
    expect(keys(call({ groups, organization, fields: { messages: forged } }))[0]).toEqual(['g']);
  });

  it('is kept if the route says so: no other key gets the request', () => {
    const kept = { groups, organization, settings: { keepReasoning: true } };
    expect(keys(call({ ...kept, fields: { messages: messages('a1') } }))).toEqual([['a1']]);
    expect(keys(call(kept))[0]).toEqual(['g']);
    expect(refusal({ ...kept, fields: { messages: messages('gone') } })).toBe('invalid_request');
  });
});
