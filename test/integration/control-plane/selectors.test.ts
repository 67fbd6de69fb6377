// Every call that takes a selector of models, with an alias, a synonym, a typing error, a bare name, a glob that
// matches nothing, and a custom provider. A selector that selects nothing is refused with the nearest names, unless the
// caller sets allow_unmatched.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMethodName, methodNames } from '../../../control-plane/api/methods.ts';
import { fieldsOf, methodTypes } from '../../../proto/json/contract.ts';
import { BudgetFixture, describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { freshSqlite } from '../../support/databases.ts';
import { type Called, freshName, type JsonResponse, refusal } from '../../support/operators.ts';

/** A call with a selector: its request, the field of its violations, and the selector in its response. */
interface Taker {
  readonly method: string;
  readonly isBudget?: boolean;
  request(fixture: BudgetFixture, selector: string): Promise<object>;
  readonly field: string;
  /** The selector as the response shows it; undefined if the response does not contain it. */
  shown(response: JsonResponse): string | undefined;
  match(response: JsonResponse): JsonResponse;
}

const usd = { input: '1', output: '2' };
const listed = (selector: string) => ({ allowedModels: { globs: [selector] } });
const inList = {
  field: 'allowed_models.globs[0]',
  shown: (response: JsonResponse) => response.allowedModels[0],
  match: (response: JsonResponse) => response.matches.selectors[0],
};
const alone = {
  field: 'model',
  shown: (response: JsonResponse) => response.model,
  match: (response: JsonResponse) => response.match,
};

const takers: readonly Taker[] = [
  ...['BUDGET', 'REQUESTS_PER_MINUTE', 'TOKENS_PER_MINUTE', 'CONCURRENT_REQUESTS'].map(
    (kind): Taker => ({
      ...alone,
      method: 'Limits.Create',
      isBudget: kind === 'BUDGET',
      request: async (fixture, model) => ({
        ...{ organizationId: fixture.acme.id, model, kind: `LIMIT_KIND_${kind}` },
        subject: limitSubject('AI_SYSTEM', await fixture.system(fixture.acme)),
        ...(kind === 'BUDGET' ? { amountUsd: '5', period: 'BUDGET_PERIOD_DAY' } : { count: '5' }),
      }),
    }),
  ),
  {
    ...alone,
    method: 'Prices.Create',
    request: async (fixture, model) => {
      // A model can have one price, so prices of other cases are deleted first.
      const { prices } = await fixture.as(fixture.acme, 'Prices.List', { organizationId: fixture.acme.id });
      for (const { id } of prices) await fixture.as(fixture.acme, 'Prices.Delete', { id });
      return { organizationId: fixture.acme.id, model, prices: usd };
    },
  },
  {
    ...inList,
    method: 'Organizations.UpdateSettings',
    request: async (fixture, selector) => ({ id: fixture.acme.id, ...listed(selector) }),
  },
  {
    ...inList,
    method: 'AiSystems.Create',
    request: async (fixture, selector) => ({
      ...{ organizationId: fixture.acme.id, name: freshName('system') },
      ...listed(selector),
    }),
  },
  {
    ...inList,
    method: 'AiSystems.Update',
    request: async (fixture, selector) => ({ id: await fixture.system(fixture.acme), ...listed(selector) }),
  },
  {
    ...inList,
    method: 'People.Create',
    request: async (fixture, selector) => ({
      ...{ organizationId: fixture.acme.id, name: freshName('person'), role: 'ROLE_MEMBER' },
      ...listed(selector),
    }),
  },
  {
    ...inList,
    method: 'People.Update',
    request: async (fixture, selector) => ({ id: fixture.acme.member.id, ...listed(selector) }),
  },
  {
    field: inList.field,
    shown: ({ virtualKey }) => virtualKey.allowedModels[0],
    match: ({ virtualKey }) => virtualKey.matches.selectors[0],
    method: 'VirtualKeys.Create',
    request: async (fixture, selector) => ({
      ...{ organizationId: fixture.acme.id, name: freshName('key'), ...listed(selector) },
      scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: fixture.acme.id },
    }),
  },
  {
    ...inList,
    method: 'VirtualKeys.Update',
    request: async (fixture, selector) => ({
      id: await fixture.key(fixture.acme, 'ORGANIZATION', fixture.acme.id),
      ...listed(selector),
    }),
  },
  {
    field: 'model',
    shown: () => undefined,
    match: ({ match }) => match,
    method: 'Usage.Totals',
    request: async (fixture, model) => ({ organizationId: fixture.acme.id, model }),
  },
];

/** Accepted selectors: their canonical form, how many models they select, and one of these models. */
const taken: readonly (readonly [
  what: string,
  written: string,
  counts: string,
  matched: 'none' | 'one' | 'some',
  one: string,
])[] = [
  ['a canonical name', 'gpt-provider/gpt-4o', 'gpt-provider/gpt-4o', 'one', 'gpt-provider/gpt-4o'],
  ['an alias', 'openai/gpt-4o', 'gpt-provider/gpt-4o', 'one', 'gpt-provider/gpt-4o'],
  ['a glob with an alias', 'anthropic/*', 'assistant-provider/*', 'some', 'assistant-provider/claude-opus-5'],
  ['a dated synonym', 'gpt-provider/gpt-4o-2024-08-06', 'gpt-provider/gpt-4o', 'one', 'gpt-provider/gpt-4o'],
  [
    'a dated synonym with an alias',
    'anthropic/claude-haiku-4-5-20251001',
    'assistant-provider/claude-haiku-4-5',
    'one',
    'assistant-provider/claude-haiku-4-5',
  ],
  [
    'a synonym of -latest',
    'gemini/gemini-flash-latest',
    'search-provider/gemini-3.8-flash',
    'one',
    'search-provider/gemini-3.8-flash',
  ],
  ['a glob over synonyms', 'openai/gpt-4o-2024-08-*', 'gpt-provider/gpt-4o-2024-08-*', 'one', 'gpt-provider/gpt-4o'],
  ['a glob over all providers', '*/gpt-4o', '*/gpt-4o', 'some', 'studio-ai/gpt-4o'],
  ['a deployment', 'azure/our-own-gpt', 'studio-ai/our-own-gpt', 'none', ''],
  ['deployments', 'azure-ai/prod-*', 'studio-ai/prod-*', 'none', ''],
  [
    'an ARN of the account’s own',
    'bedrock/arn:aws:bedrock:eu-west-1:1:application-inference-profile/ab12',
    'managed-cloud-models/arn:aws:bedrock:eu-west-1:1:application-inference-profile/ab12',
    'none',
    '',
  ],
  [
    'an ARN that ends in a model’s id',
    'aws/arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-lite-v1:0',
    'managed-cloud-models/eu.amazon.nova-lite-v1:0',
    'one',
    'managed-cloud-models/eu.amazon.nova-lite-v1:0',
  ],
  [
    'a fine-tuned model',
    'openai/ft:gpt-4o-2024-08-06:acme::x',
    'gpt-provider/ft:gpt-4o-2024-08-06:acme::x',
    'none',
    '',
  ],
  ['a model in a custom provider’s list', 'own-models/llama', 'own-models/llama', 'one', 'own-models/llama'],
  ['a glob over the platform’s custom provider', 'platform-models/*', 'platform-models/*', 'one', 'platform-models/m'],
  ['a model of a custom provider without a list', 'free-models/anything', 'free-models/anything', 'none', ''],
];

/** Refused selectors: whether allow_unmatched helps, and the message of the refusal. */
const refused: readonly (readonly [what: string, written: string, insisting: boolean, says: RegExp])[] = [
  [
    'a typing error',
    'gpt-provider/gpt-4o-minni',
    true,
    /^selects none of the \d+ known models, of which the nearest are gpt-provider\/gpt-4o-mini, /,
  ],
  ['a typing error behind an alias', 'openai/gtp-4o', true, /the nearest are gpt-provider\/gpt-4o,/],
  ['a typing error in the provider', 'opnai/gpt-4o', true, /the nearest are gpt-provider\/gpt-4o,/],
  ['a model that is newer than the catalog', 'openai/gpt-99', true, /; set allow_unmatched to take it all the same$/],
  ['a glob that matches nothing', 'anthropic/clod-*', true, /^selects none of the \d+ known models/],
  ['a glob over anything that matches nothing', '*/gpt-4oo', true, /the nearest are gpt-provider\/gpt-4o,/],
  ['a provider that is not there', 'nowhere/*', true, /^selects none of the \d+ known models; set /],
  ['a model that is not in the custom provider’s list', 'own-models/lama', true, /the nearest are own-models\/llama/],
  ['a custom provider of another organization', 'others-models/m', true, /^selects none of the \d+ known models/],
  ['a model that is not for chat completions', 'openai/dall-e-3', true, /^is not a model for chat completions/],
  [
    'a bare name',
    'gpt-4o',
    false,
    /^names no provider, so it can select nothing; write gpt-provider\/gpt-4o or studio-ai\/gpt-4o or /,
  ],
  [
    'a bare name that is near to nothing',
    'zzzzzz',
    false,
    /^names no provider, so it can select nothing; write <provider>\/<model>$/,
  ],
  ['a bare glob', 'gpt-4o*', true, /the nearest are gpt-provider\/gpt-4o,/],
];

async function makeProviders(fixture: BudgetFixture): Promise<void> {
  const custom = { wireFormat: 'WIRE_FORMAT_GPT_PROVIDER', baseUrl: 'https://api.example.com/v1' };
  const list = (name: string) => ({ models: { models: [{ name }] } });
  const own = (tenant: JsonResponse, name: string, more: object = {}) =>
    fixture.as(tenant, 'Providers.Create', { organizationId: tenant.id, name, ...custom, ...more });
  await own(fixture.acme, 'own-models', list('llama'));
  await own(fixture.acme, 'free-models');
  await own(fixture.other, 'others-models', list('m'));
  const platforms = { name: 'platform-models', ...custom, ...list('m') };
  await fixture.plane.expect('Providers.Create', fixture.platform.token, platforms);
}

describe('a selector of models', () => {
  const fixture = new BudgetFixture();
  beforeAll(async () => {
    // One database is enough, because they behave alike here.
    await fixture.open(freshSqlite);
    await makeProviders(fixture);
  });
  afterAll(() => fixture.close());

  const call = async (taker: Taker, selector: string, more: object = {}): Promise<Called> =>
    fixture.plane.call(taker.method, fixture.acme.owner.token, {
      ...(await taker.request(fixture, selector)),
      ...more,
    });

  describe.each(takers.map((taker, index) => [`${taker.method} (${index})`, taker] as const))(
    'in %s',
    (_name, taker) => {
      it.each(taken)('accept %s: %s', async (...row) => {
        const [, written, counts, matched, one] = row;
        const called = await call(taker, written);
        if (!('response' in called)) throw new Error(called.message);
        const match = taker.match(called.response);
        expect(taker.shown(called.response) ?? counts).toBe(counts);
        expect(match.selector).toBe(counts);
        expect(match.known).toBeGreaterThan(match.matched);
        expect(match.models.length).toBe(Math.min(20, match.matched));
        if (matched === 'none') expect(match).toMatchObject({ matched: 0, open: true });
        if (matched === 'one') expect(match).toMatchObject({ matched: 1, models: [one] });
        if (matched === 'some') expect(match.matched).toBeGreaterThan(1);
      });

      it('accept a route, except in prices', async () => {
        const called = await call(taker, 'route/fast');
        expect(called.code).toBe(taker.method.startsWith('Prices.') ? 'INVALID_ARGUMENT' : 'OK');
        if ('response' in called) expect(taker.shown(called.response) ?? 'route/fast').toBe('route/fast');
      });

      it('accept the copies of requests to a route for budgets and totals alone', async () => {
        const isAccepted = taker.isBudget === true || taker.method === 'Usage.Totals';
        const called = await call(taker, 'shadow/fast', { allowUnmatched: true });
        expect(called.code).toBe(isAccepted ? 'OK' : 'INVALID_ARGUMENT');
        expect((await call(taker, 'shadow/route/fast')).code).toBe('INVALID_ARGUMENT');
      });

      it.each(refused)('refuse %s: %s', async (_what, written, insisting, says) => {
        const problem = await refusal(call(taker, written));
        expect(problem).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'invalid_request' });
        expect(problem.violations).toEqual({ [taker.field]: expect.stringMatching(says) });
        const insisted = await call(taker, written, { allowUnmatched: true });
        expect(insisted.code).toBe(insisting ? 'OK' : 'INVALID_ARGUMENT');
        if ('response' in insisted) expect(taker.match(insisted.response).matched).toBe(0);
      });
    },
  );
});

describeBudgets('selectors of models', (fixture) => {
  beforeAll(() => makeProviders(fixture));

  it('are shown in canonical form when read, without a match', async () => {
    const { acme } = fixture;
    const made = await fixture.budget(acme, { model: 'openai/gpt-4o-2024-08-06' });
    const read = await fixture.as(acme, 'Limits.Get', { id: made.id });
    expect(read.model).toBe('gpt-provider/gpt-4o');
    expect(read.match).toBeUndefined();
    const [event] = await fixture.trail(acme, made.id);
    expect(JSON.parse(event.after)).toMatchObject({ model: 'gpt-provider/gpt-4o' });
    expect(JSON.parse(event.after).match).toBeUndefined();
    // The update may repeat it under either name.
    for (const model of ['gpt-provider/gpt-4o', 'openai/gpt-4o']) {
      expect((await fixture.as(acme, 'Limits.Update', { id: made.id, model })).id).toBe(made.id);
    }
    const another = { id: made.id, model: 'openai/gpt-4o-mini' };
    expect((await fixture.plane.call('Limits.Update', acme.owner.token, another)).code).toBe('INVALID_ARGUMENT');
  });

  it('of a list are each checked against the models, and stored once for each model', async () => {
    const globs = ['openai/gpt-4o', 'nope/a', 'gpt-provider/gpt-4o-2024-08-06', 'nope/b', 'azure/*'];
    const request = { id: fixture.acme.member.id, allowedModels: { globs } };
    const problem = await refusal(fixture.plane.call('People.Update', fixture.acme.owner.token, request));
    expect(Object.keys(problem.violations)).toEqual(['allowed_models.globs[1]', 'allowed_models.globs[3]']);
    const kept = { ...request, allowedModels: { globs: globs.filter((glob) => !glob.startsWith('nope')) } };
    const person = await fixture.as(fixture.acme, 'People.Update', kept);
    expect(person.allowedModels).toEqual(['gpt-provider/gpt-4o', 'studio-ai/*']);
    expect(person.matches.selectors.map(({ selector }: JsonResponse) => selector)).toEqual(person.allowedModels);
    const again = await fixture.as(fixture.acme, 'People.Update', kept);
    expect(again).toEqual(person);
    const unasked = await fixture.as(fixture.acme, 'People.Update', {
      id: person.id,
      name: freshName('person'),
    });
    expect(unasked.matches).toBeUndefined();
    await fixture.as(fixture.acme, 'People.Update', { id: person.id, allowedModels: { globs: [] } });
  });

  it('of prices are unique for each model, under any of its names', async () => {
    const tenant = await fixture.tenant();
    const create = (model: string) =>
      fixture.plane.call('Prices.Create', tenant.owner.token, {
        organizationId: tenant.id,
        model,
        prices: usd,
      });
    expect((await create('openai/gpt-4o')).code).toBe('OK');
    for (const name of ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-2024-08-06', 'openai/gpt-4o-2024-08-06']) {
      expect(await refusal(create(name))).toMatchObject({ code: 'ALREADY_EXISTS', reason: 'name_taken' });
    }
    expect((await create('gpt-provider/gpt-4o-2024-11-20')).code).toBe('OK');
    expect((await create('azure/gpt-4o-2024-08-06')).code).toBe('OK');
  });

  it('make one key of a repeated request, even if written with another name of the model', async () => {
    const { acme } = fixture;
    const request = {
      ...{
        organizationId: acme.id,
        name: freshName('key'),
        clientRequestId: freshName('id').replace(' ', '-'),
      },
      ...{
        scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: acme.id },
        ...listed('openai/gpt-4o-2024-08-06'),
      },
    };
    const first = await fixture.as(acme, 'VirtualKeys.Create', request);
    const second = await fixture.as(acme, 'VirtualKeys.Create', request);
    expect(second.virtualKey.id).toBe(first.virtualKey.id);
    const other = { ...request, ...listed('openai/gpt-4o') };
    expect(await refusal(fixture.plane.call('VirtualKeys.Create', acme.owner.token, other))).toMatchObject({
      reason: 'client_request_id_taken',
    });
  });

  it('of the platform’s own people are checked against the platform’s providers', async () => {
    const request = (globs: string[]) => ({
      ...{ name: freshName('operator'), role: 'ROLE_PLATFORM_OPERATOR', allowedModels: { globs } },
    });
    const create = (globs: string[]) => fixture.plane.call('People.Create', fixture.platform.token, request(globs));
    expect((await create(['platform-models/m', 'openai/*'])).code).toBe('OK');
    expect((await create(['own-models/llama'])).code).toBe('INVALID_ARGUMENT');
  });
});

it('every method of the contract with a selector is tested here', () => {
  const tried = new Set([...takers.map(({ method }) => method), 'Limits.Update']);
  // They take the name of one model, which need not be known.
  const ofNames = ['Reconciliation.SetMapping', 'Budgets.Explain', 'Requests.List'];
  const taking = methodNames.filter((method) => {
    const fields = fieldsOf(methodTypes(method).requestType);
    return Object.values(fields).some(({ type }) => type === 'ModelGlobs') || fields.model?.type === 'string';
  });
  expect(taking.every(isMethodName)).toBe(true);
  expect(taking.toSorted()).toEqual([...tried, ...ofNames].toSorted());
});
