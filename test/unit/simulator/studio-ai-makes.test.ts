import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  asVendor,
  badRequest,
  boil,
  call,
  calling,
  expectAcceptance,
  expectResponse,
  messages,
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

const unsupported = (...loc: readonly (string | number)[]) => ({
  status: 422,
  code: 'parameter_not_supported',
  detail: { loc: ['body', ...loc], input: expect.anything() },
  message: 'One of the parameters contain invalid values.',
});
const passThrough = { 'extra-parameters': 'pass-through' };

describe('models of the inference API', () => {
  it('are named in the body or in a header', async () => {
    const none = {
      error: { code: 'no_model_name', message: expect.any(String), details: expect.any(String) },
    };
    await expectResponse(await inference({ model: undefined }), 400, none);
    expectAcceptance(await inference({ model: undefined }, { 'x-ms-model-mesh-model-name': 'Phi-4' }));
    const unknown = {
      error: { code: 'unknown_model', message: 'Unknown model: x', details: 'Unknown model: x' },
    };
    await expectResponse(await inference({ model: 'x' }), 404, unknown);
    expectAcceptance(await host({ model: 'x' }));
  });

  it('that reason need a later version, and accept their own token limit as an extra parameter', async () => {
    const since = 'Model {modelName} is enabled only for api versions 2024-12-01-preview and later';
    await expectResponse(await inference({ model: 'o4-mini' }), 400, badRequest(since));
    const later = (change: object) =>
      at(
        '/models/chat/completions?api-version=2025-04-01',
        { model: 'o4-mini', messages, ...change },
        {
          'api-key': 'sk-sim-x',
          ...passThrough,
        },
      );
    expectAcceptance(await later({ max_completion_tokens: 100 }));
    await expectResponse(await later({ max_tokens: 100 }), 400, asVendor('max_tokens', 'unsupported_parameter'));
  });

  it('of the GPT vendor refuse with its messages', async () => {
    await expectResponse(
      await inference({ stop: ['a', 'b', 'c', 'd', 'e'] }),
      400,
      asVendor('stop', 'array_above_max_length'),
    );
    await expectResponse(
      await inference(messageWith(user, result('call_1'))),
      400,
      asVendor('messages.[1].role', null),
    );
    await expectResponse(await inference({ max_tokens: 20_000 }), 400, asVendor('max_tokens', 'invalid_value'));
    await expectResponse(
      await inference({ response_format: { type: 'json_object' } }),
      400,
      asVendor('messages', null),
    );
  });

  it.each<readonly [string, string, object, number, object]>([
    [
      'two user messages in a row',
      'Llama-3.3-70B-Instruct',
      messageWith(user, user),
      400,
      ofModel('roles must alternate'),
    ],
    [
      'two system messages',
      'Llama-3.3-70B-Instruct',
      messageWith({ role: 'system', content: 'x' }, { role: 'system', content: 'y' }, user),
      400,
      ofModel('roles must alternate'),
    ],
    [
      'a system message in between',
      'mistral-small-2503',
      messageWith(user, { role: 'assistant', content: 'x' }, { role: 'system', content: 'y' }),
      400,
      ofModel('roles must alternate'),
    ],
    [
      'the assistant first',
      'mistral-small-2503',
      messageWith({ role: 'assistant', content: 'x' }, user),
      400,
      ofModel('roles must alternate'),
    ],
    [
      'a developer',
      'DeepSeek-V3.2',
      messageWith({ role: 'developer', content: 'x' }, user),
      422,
      unsupported('messages', 0, 'role'),
    ],
    [
      'a long id of a call',
      'Mistral-Large-3',
      { ...messageWith(user, calling('call_1'), result('call_1')), tools: [boil] },
      400,
      ofModel(/^Tool call id was call_1 but must be/),
    ],
    [
      'a user behind a result',
      'Mistral-Large-3',
      messageWith(user, calling('abcdefghi'), result('abcdefghi'), user),
      400,
      ofModel("Unexpected role 'user' after role 'tool'"),
    ],
    [
      'a prefilled response',
      'Mistral-Large-3',
      messageWith(user, { role: 'assistant', content: 'x' }),
      400,
      ofModel('Expected last role User or Tool'),
    ],
    [
      'a call without a result',
      'DeepSeek-V3.2',
      messageWith(user, calling('call_1'), user),
      400,
      ofModel('must be followed by tool messages'),
    ],
    ['tools', 'DeepSeek-R1', { tools: [boil] }, 422, unsupported('tools')],
    [
      'a schema',
      'Phi-4',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
      422,
      unsupported('response_format'),
    ],
    [
      'an image',
      'Phi-4',
      messageWith({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a/b' } }] }),
      400,
      ofModel('not a multimodal model'),
    ],
    ['more output than it has', 'Llama-3.3-70B-Instruct', { max_tokens: 2_049 }, 400, ofModel('at most 2048')],
    [
      'more than its context',
      'Phi-4',
      messageWith({ role: 'user', content: 'x'.repeat(70_000) }),
      400,
      ofModel('maximum context length is 16384'),
    ],
    ['a choice without tools', 'DeepSeek-V3.2', { tool_choice: 'auto' }, 400, ofModel("'tools' are specified")],
  ])('of other vendors refuse %s', async (...[, model, change, ...refusal]) => {
    await expectResponse(await inference({ model, ...change }), ...refusal);
  });

  it.each<readonly [string, string, object]>([
    ['a short id of a call', 'Mistral-Large-3', messageWith(user, calling('abcdefghi'), result('abcdefghi'))],
    [
      'results of two calls',
      'Llama-3.3-70B-Instruct',
      messageWith(user, { role: 'assistant', tool_calls: [call('a'), call('b')] }, result('b'), result('a')),
    ],
    [
      'an image',
      'Llama-4-Maverick-17B-128E-Instruct-FP8',
      messageWith({ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a/b' } }] }),
    ],
    ['a JSON object without the word', 'Phi-4', { response_format: { type: 'json_object' } }],
  ])('of other vendors accept %s', async (_name, model, change) =>
    expectAcceptance(await inference({ model, ...change })),
  );
});
