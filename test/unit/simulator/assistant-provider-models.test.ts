import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listModels as listCatalog } from '../../../proxy/catalog/models.ts';
import { findModel } from '../../../simulator/assistant-provider/models.ts';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, expectAcceptance, expectRefusal, post, type Refusal, valid } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const on = (model: string, change: object = {}) => ({ model, max_tokens: 4_000, ...change });
const manual = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
const adaptive = { thinking: { type: 'adaptive' } };
const disabled = { thinking: { type: 'disabled' } };
const betweenTools = { thinking: { type: 'between_tools' } };
const forced = { tools: [boil], tool_choice: { type: 'any' } };
const effort = (level: string) => ({ output_config: { effort: level } });
const useAdaptive = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
const noManual = `"thinking.type.enabled" is not supported for this model. ${useAdaptive}`;
const noOff = `"thinking.type.disabled" is not supported for this model. ${useAdaptive}`;

describe('thinking by model', () => {
  it.each<Refusal>([
    ['of no type', { thinking: {} }, 'thinking.type: Field required'],
    ['null', { thinking: null }, 'thinking: Input should be an object'],
    ['of an unknown type', { thinking: { type: 'auto' } }, /^thinking: Input tag 'auto' found/],
    ['without a budget', { thinking: { type: 'enabled' } }, 'thinking.enabled.budget_tokens: Field required'],
    [
      'within a budget below 1024',
      { thinking: { type: 'enabled', budget_tokens: 1_023 } },
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      'with a budget as it sees fit',
      { thinking: { type: 'adaptive', budget_tokens: 2_000 } },
      'thinking.adaptive.budget_tokens: Extra inputs are not permitted',
    ],
    [
      'within a budget of all tokens',
      { ...manual, max_tokens: 1_024 },
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
    ],
    ['shown in an unknown way', { thinking: { type: 'adaptive', display: 'full' } }, /'omitted'$/],
    ['beside a temperature', on('claude-sonnet-4-5', { ...manual, temperature: 0.5 }), /^`temperature` may only/],
    ['beside top_p', on('claude-sonnet-4-6', { ...adaptive, top_p: 0.9 }), /^`top_p` must be greater/],
    [
      'beside top_k',
      on('claude-sonnet-4-6', { ...adaptive, top_k: 5 }),
      '`top_k` must be unset when thinking is enabled.',
    ],
    [
      'beside a forced tool',
      on('claude-opus-5', { ...adaptive, ...forced }),
      'Thinking may not be enabled when tool_choice forces tool use.',
    ],
  ])('refuses thinking %s', (...row) => expectRefusal(simulator, row));

  it.each<Refusal>([
    ['3 haiku', on('claude-3-haiku-20240307', manual), "'claude-3-haiku-20240307' does not support thinking."],
    ['opus 4.1', on('claude-opus-4-1', adaptive), 'adaptive thinking is not supported on this model'],
    ['haiku 4.5', on('claude-haiku-4-5', adaptive), 'adaptive thinking is not supported on this model'],
    ['opus 4.7', on('claude-opus-4-7', manual), noManual],
    ['sonnet 5', on('claude-sonnet-5', manual), noManual],
    ['opus 5', on('claude-opus-5', manual), noManual],
    ['fable 5', on('claude-fable-5', manual), noManual],
    ['fable 5 off', on('claude-fable-5', disabled), noOff],
    ['opus 5.5 off', on('claude-opus-5-5', disabled), noOff],
    [
      'sonnet 5.5 off',
      on('claude-sonnet-5-5', disabled),
      /Use "thinking.type.between_tools" for the lowest thinking setting/,
    ],
    [
      'opus 5.5 between tools',
      on('claude-opus-5-5', betweenTools),
      '"thinking.type.between_tools" is not supported for this model.',
    ],
    ['opus 5 off at xhigh', on('claude-opus-5', { ...disabled, ...effort('xhigh') }), /"xhigh" for this model/],
    ['sonnet 5.5 between tools at max', on('claude-sonnet-5-5', { ...betweenTools, ...effort('max') }), /"max" for/],
  ])('is refused by %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['3 haiku off', on('claude-3-haiku-20240307', disabled)],
    ['opus 4.1 within a budget', on('claude-opus-4-1', manual)],
    ['sonnet 4.6 within a budget', on('claude-sonnet-4-6', manual)],
    ['sonnet 4.6 as it sees fit', on('claude-sonnet-4-6', adaptive)],
    ['opus 4.8 off', on('claude-opus-4-8', disabled)],
    ['opus 5 off at high', on('claude-opus-5', { ...disabled, ...effort('high') })],
    ['sonnet 5.5 between tools', on('claude-sonnet-5-5', { ...betweenTools, ...effort('high') })],
    ['haiku 5.5 off', on('claude-haiku-5-5', disabled)],
    ['a display of null', on('claude-opus-5', { thinking: { type: 'adaptive', display: null } })],
    ['the default temperature and a mild top_p', on('claude-opus-4-1', { ...manual, temperature: 1, top_p: 0.95 })],
    ['a forced tool where it thinks unasked', on('claude-sonnet-5', forced)],
  ])('is accepted: %s', (_name, change) => expectAcceptance(simulator, change));

  it('may exceed the token limit when it is interleaved with tool calls', () =>
    expectAcceptance(simulator, on('claude-opus-4-5', { thinking: { type: 'enabled', budget_tokens: 9_000 } }), {
      headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
    }));
});

describe('a feature that a model does not support', () => {
  it.each<Refusal>([
    [
      'temperature and top_p together',
      on('claude-sonnet-4-5', { temperature: 0.5, top_p: 0.5 }),
      '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    ],
    ['a temperature', on('claude-opus-4-7', { temperature: 0 }), '`temperature` is deprecated for this model.'],
    ['top_p', on('claude-sonnet-5', { top_p: 0.9 }), '`top_p` is deprecated for this model.'],
    ['top_k', on('claude-fable-5-2', { top_k: 5 }), '`top_k` is deprecated for this model.'],
    [
      'a forced tool',
      on('claude-opus-5-5', forced),
      'tool_choice: type "tool" and "any" are not supported for this model.',
    ],
    [
      'a named tool',
      on('claude-sonnet-5-5', { tools: [boil], tool_choice: { type: 'tool', name: 'boil' } }),
      /not supported/,
    ],
    ['any effort', on('claude-haiku-4-5', effort('low')), 'This model does not support the effort parameter.'],
    [
      'one effort',
      on('claude-opus-4-6', effort('xhigh')),
      "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    ],
    [
      'a schema',
      on('claude-opus-4-1', {
        output_config: { format: { type: 'json_schema', schema: { type: 'string' } } },
      }),
      "'claude-opus-4-1-20250805' does not support output format.",
    ],
    [
      'so many tokens',
      { model: 'claude-3-haiku-20240307', max_tokens: 4_097 },
      /^max_tokens: 4097 > 4096, which is the maximum/,
    ],
    [
      'so long a conversation',
      { messages: [{ role: 'user', content: 'x'.repeat(4_400_000) }] },
      'prompt is too long: 1100006 tokens > 1000000 maximum',
    ],
    [
      'so long a conversation and response together',
      {
        model: 'claude-opus-4-1',
        max_tokens: 32_000,
        messages: [{ role: 'user', content: 'x'.repeat(760_000) }],
      },
      /^input length and `max_tokens` exceed context limit: 190006 \+ 32000 > 200000/,
    ],
  ])('is %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['both sampling parameters of an older one', on('claude-opus-4-1', { temperature: 0.5, top_p: 0.5 })],
    ['the default temperature of a new one', on('claude-opus-5', { temperature: 1 })],
    ['every effort of a new one', on('claude-opus-4-7', effort('xhigh'))],
  ])('is not %s', (_name, change) => expectAcceptance(simulator, change));

  it.each(['claude-99', 'assistant-provider/claude-sonnet-4-6', 'gpt-4o', 'toString', 'claude-opus-5-20260724'])(
    'is the model %s',
    async (model) => {
      const response = await post(simulator, { ...valid, model });
      expect([response.status, response.json().error]).toEqual([
        404,
        { type: 'not_found_error', message: `model: ${model}` },
      ]);
    },
  );
});

describe('the list of models', () => {
  const get = async (query: string) => {
    const response = await fetch(`${simulator.baseUrls['assistant-provider']}/v1/models${query}`, {
      headers: { 'x-api-key': 'sk-sim-x', 'anthropic-version': '2023-06-01' },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const ids = (page: { body: { data: readonly { id: string }[] } }) => page.body.data.map(({ id }) => id);

  it('is returned in pages, forwards and backwards', async () => {
    const all = await get('?limit=1000');
    expect(all.body).toMatchObject({
      has_more: false,
      first_id: 'claude-fable-5-2',
      last_id: 'claude-3-opus-20240229',
    });
    const first = await get('?limit=2');
    expect([ids(first), first.body.has_more]).toEqual([ids(all).slice(0, 2), true]);
    const second = await get(`?limit=2&after_id=${first.body.last_id}`);
    expect(ids(second)).toEqual(ids(all).slice(2, 4));
    const back = await get(`?limit=1&before_id=${second.body.first_id}`);
    expect([ids(back), back.body.has_more]).toEqual([ids(all).slice(1, 2), true]);
    expect((await get('')).body.data).toHaveLength(20);
  });

  it.each<readonly [string, string]>([
    ['?limit=0', 'limit: Input should be greater than or equal to 1'],
    ['?limit=1001', 'limit: Input should be less than or equal to 1000'],
    ['?limit=many', 'limit: Input should be a valid integer, unable to parse string as an integer'],
  ])('refuses %s', async (query, message) => {
    const { status, body } = await get(query);
    expect([status, body.error.message]).toEqual([400, message]);
  });

  it('describes a model under its dated name, also when requested by an alias', async () => {
    const { body } = await get('/claude-haiku-4-5');
    expect(body).toMatchObject({
      type: 'model',
      id: 'claude-haiku-4-5-20251001',
      display_name: 'Claude Haiku 4.5',
      created_at: '2025-10-01T00:00:00Z',
      line: 'haiku',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: {
        effort: { supported: false },
        thinking: {
          supported: true,
          types: { enabled: { supported: true }, adaptive: { supported: false } },
        },
      },
    });
    expect((await get('/claude-3-7-sonnet-20250219')).body.display_name).toBe('Claude 3.7 Sonnet');
    expect((await get('/claude-99')).body.error).toEqual({
      type: 'not_found_error',
      message: 'model: claude-99',
    });
  });

  it('contains at least the models of the catalog', () => {
    const catalog = listCatalog().filter((model) => model.provider === 'assistant-provider');
    expect(catalog.length).toBeGreaterThan(10);
    expect(catalog.filter(({ name }) => findModel(name) === undefined).map(({ name }) => name)).toEqual([]);
  });
});
