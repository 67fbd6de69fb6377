import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  asVendor,
  boil,
  calling,
  expectAcceptance,
  expectResponse,
  invalid,
  messageWith,
  ofModel,
  result,
  studio,
  user,
} from './post-studio.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
const { at, inference, host } = studio(() => simulator);

const passThrough = { 'extra-parameters': 'pass-through' };

describe('parameters of the inference API', () => {
  it.each<readonly [string, object, string, string]>([
    ['temperature above 1', { temperature: 1.1 }, 'less_than_equal', 'temperature'],
    ['temperature as text', { temperature: '1' }, 'float_type', 'temperature'],
    ['temperature null', { temperature: null }, 'float_type', 'temperature'],
    ['stop as one string', { stop: 'x' }, 'list_type', 'stop'],
    ['no stop in the list', { stop: [] }, 'too_short', 'stop'],
    ['max_tokens of 0', { max_tokens: 0 }, 'greater_than_equal', 'max_tokens'],
    ['max_tokens that is no integer', { max_tokens: 1.5 }, 'int_type', 'max_tokens'],
    ['stream as text', { stream: 'true' }, 'bool_type', 'stream'],
    ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'missing', 'tools.0.function.name'],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'literal_error', 'tools.0.type'],
    [
      'a name with a dot',
      { tools: [{ type: 'function', function: { name: 'a.b' } }] },
      'string_pattern_mismatch',
      'tools.0.function.name',
    ],
    ['an unknown choice', { tools: [boil], tool_choice: 'any' }, 'literal_error', 'tool_choice'],
    ['an unknown response format', { response_format: { type: 'yaml' } }, 'literal_error', 'response_format.type'],
    ['no messages', { messages: undefined }, 'missing', 'messages'],
    ['an empty conversation', messageWith(), 'too_short', 'messages'],
    [
      'a system message in parts',
      messageWith({ role: 'system', content: [{ type: 'text', text: 'x' }] }, user),
      'string_type',
      'messages.0.content',
    ],
    [
      'a developer message in parts',
      messageWith({ role: 'developer', content: [{ type: 'text', text: 'x' }] }, user),
      'string_type',
      'messages.0.content',
    ],
    [
      'an assistant message in parts',
      messageWith(user, { role: 'assistant', content: [{ type: 'text', text: 'x' }] }, user),
      'string_type',
      'messages.1.content',
    ],
    [
      'a tool result in parts',
      messageWith(user, calling('call_1'), { ...result('call_1'), content: [{ type: 'text', text: 'x' }] }),
      'string_type',
      'messages.2.content',
    ],
    [
      'an assistant message without content',
      messageWith(user, { role: 'assistant', content: null }, user),
      'string_type',
      'messages.1.content',
    ],
    [
      'a file',
      messageWith({ role: 'user', content: [{ type: 'file', file: { file_id: 'x' } }] }),
      'literal_error',
      'messages.0.content.0.type',
    ],
    [
      'a refusal in the history',
      messageWith(user, { role: 'assistant', content: 'x', refusal: null }, user),
      'extra_forbidden',
      'messages.1.refusal',
    ],
    [
      'reasoning in the history',
      messageWith(user, { role: 'assistant', content: 'x', reasoning_content: 'y' }, user),
      'extra_forbidden',
      'messages.1.reasoning_content',
    ],
    [
      'the deprecated role',
      messageWith({ role: 'function', name: 'x', content: 'y' }),
      'literal_error',
      'messages.0.role',
    ],
    ['an extra parameter', { logit_bias: { 1: 1 } }, 'extra_forbidden', 'logit_bias'],
    ['max_completion_tokens', { max_completion_tokens: 5 }, 'extra_forbidden', 'max_completion_tokens'],
    ['stream_options', { stream: true, stream_options: { include_usage: true } }, 'extra_forbidden', 'stream_options'],
  ])('refuse %s', async (_name, change, type, location) => {
    await expectResponse(await inference(change), 422, invalid(type, location));
  });

  it('refuse a body that is not an object', async () => {
    const path = '/models/chat/completions?api-version=2024-05-01-preview';
    const response = await at(path, '[]');
    expect([response.status, response.text]).toEqual([422, expect.stringContaining('model_attributes_type')]);
    expect((await at(path, '{')).status).toBe(400);
  });

  it('are reported all at once when they are extra', async () => {
    const { error } = (await (await inference({ n: 1, user: 'x' })).json()) as {
      error: { details: readonly { loc: readonly string[] }[] };
    };
    expect(error.details.map(({ loc }) => loc)).toEqual([
      ['body', 'n'],
      ['body', 'user'],
    ]);
  });

  it('have other errors at a host of one model', async () => {
    const detail =
      "Extra parameters ['n', 'user'] are not allowed when extra-parameters is not set or set to be 'error'. Set extra-parameters to 'pass-through' to pass to the model.";
    await expectResponse(await host({ n: 1, user: 'x' }), 400, { detail });
    await expectResponse(await host({ temperature: 2 }), 422, invalid('less_than_equal', 'temperature'));
  });

  it.each<readonly [string, object]>([
    [
      'all there are',
      {
        temperature: 1,
        top_p: 0,
        frequency_penalty: -2,
        presence_penalty: 2,
        max_tokens: 9,
        seed: -1,
        stop: ['a', 'b'],
        stream: false,
        response_format: { type: 'text' },
      },
    ],
    ['tools and a choice', { tools: [boil], tool_choice: { type: 'function', function: { name: 'boil' } } }],
    [
      'images and audio of a user',
      messageWith({
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'https://a/b' } },
          { type: 'audio_url', audio_url: { url: 'https://a/b' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
        ],
      }),
    ],
    ['a call and its result', messageWith(user, calling('call_1'), result('call_1'))],
    [
      'a call beside content that is null',
      messageWith(user, { ...calling('call_1'), content: null }, result('call_1')),
    ],
    ['names', messageWith({ ...user, name: 'ann' })],
  ])('accept %s', async (_name, change) => expectAcceptance(await inference(change)));
});

describe('the header extra-parameters', () => {
  it('drops extra parameters with the value drop', async () => {
    const response = await inference({ n: 3, no_such: 1 }, { 'extra-parameters': 'drop' });
    expect((await response.json()).choices).toHaveLength(1);
  });

  it('passes to a GPT model only parameters that its vendor knows', async () => {
    const response = await inference({ n: 3 }, passThrough);
    expect((await response.json()).choices).toHaveLength(3);
    await expectResponse(await inference({ no_such: 1 }, passThrough), 400, asVendor('no_such', 'unknown_parameter'));
    await expectResponse(await inference({ n: 0 }, passThrough), 400, asVendor('n', 'integer_below_min_value'));
  });

  it('passes to another vendor’s model only parameters that the vendor knows', async () => {
    expectAcceptance(await inference({ model: 'Mistral-Large-3', safe_prompt: true }, passThrough));
    const forbidden = { model: 'Mistral-Large-3', stream: true, stream_options: { include_usage: true } };
    await expectResponse(
      await inference(forbidden, passThrough),
      422,
      invalid('extra_forbidden', 'stream_options.include_usage'),
    );
    expectAcceptance(await inference({ ...forbidden, model: 'DeepSeek-V3.2' }, passThrough));
    await expectResponse(
      await inference({ model: 'DeepSeek-V3.2', store: true }, passThrough),
      422,
      invalid('extra_forbidden', 'store'),
    );
  });

  it('has three values', async () => {
    await expectResponse(await inference({}, { 'extra-parameters': 'allow' }), 400, ofModel('extra-parameters'));
    expectAcceptance(await inference({}, { 'extra-parameters': 'error' }));
  });
});
