// The common behaviour of the official SDK, at every provider and in each way in: responses, streams, tools that the
// SDK runs itself, parsed formats, counts that add up, headers, the deprecated functions. Each provider's special cases
// are in its own test.
import Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { checkSense, readCompletion } from '../support/completions.ts';
import { plainModels } from '../support/vendors.ts';
import { everyWay, modelFor, type Scene, startScene, type Way } from './providers/scene.ts';
import { boil, stir } from './providers/tools.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, cups: { type: 'integer' } },
  required: ['name', 'cups'],
  additionalProperties: false,
};

const bodyFor = (vendor: VendorName, way: Way) => ({ model: modelFor(vendor, way), messages });
const choiceOf = ({ choices }: OpenAI.ChatCompletion) => {
  const [choice] = choices;
  if (choice === undefined) throw new Error('no choice');
  return choice;
};

describe.each(everyWay)('%s with %s', (vendor, way) => {
  const chat = () => scene.client(vendor, way).chat.completions;
  const body = bodyFor(vendor, way);

  it('a response has the common shape and headers that name the provider and the model', async () => {
    const { data, response, request_id } = await chat().create(body).withResponse();
    const parsed = readCompletion(data);
    checkSense(parsed);
    expect(parsed.choices[0]?.content).toContain('simulated');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': request_id,
      'x-svc-provider': vendor,
      'x-svc-model': plainModels[vendor],
      'x-svc-attempts': '1',
    });
    expect(response.headers.has('x-svc-error-source')).toBe(false);
    expect(scene.gateway.simulator.requests).toHaveLength(1);
  });

  it('a stream has the text and the usage of the whole response', async () => {
    const whole = await chat().create(body);
    const stream = chat().stream({ ...body, stream_options: { include_usage: true } });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    expect(deltas.length).toBeGreaterThan(5);
    expect(choiceOf(final).message.content).toBe(choiceOf(whole).message.content);
    expect(choiceOf(final).finish_reason).toBe('stop');
    const { x_svc_cost: cost, ...usage } = final.usage as object & { x_svc_cost?: unknown };
    expect(cost).toMatch(/^0\.\d+$/);
    expect(usage).toEqual(whole.usage);
  });

  it('a stream has no usage chunk unless the caller requests it', async () => {
    const stream = await chat().create({ ...body, stream: true });
    const usages = [];
    for await (const { usage, choices } of stream) {
      if (usage) usages.push(usage);
      expect(choices).toHaveLength(1);
    }
    expect(usages).toEqual([]);
  });

  it('the SDK’s tools run until the model returns text', async () => {
    scene.gateway.simulator.script({
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: '{}' },
      ],
    });
    const ran: unknown[] = [];
    const runnable = ({ function: { name, parameters = {} } }: typeof boil) => ({
      type: 'function' as const,
      function: {
        name,
        description: name,
        parameters,
        parse: JSON.parse,
        function: (args: object) => {
          ran.push([name, args]);
          return 'done';
        },
      },
    });
    const runner = chat().runTools({ ...body, stream: true, tools: [runnable(boil), runnable(stir)] });
    expect(await runner.finalContent()).toContain('simulated');
    expect(ran).toEqual([
      ['boil', { cups: 2 }],
      ['stir', {}],
    ]);
    expect(scene.gateway.simulator.requests).toHaveLength(2);
  });

  it('a response is parsed by a schema, whole and streamed', async () => {
    const response_format = {
      type: 'json_schema',
      json_schema: { name: 'order', schema, strict: true },
    } as const;
    const whole = await chat().parse({ ...body, response_format });
    const streamed = await chat()
      .stream({ ...body, response_format })
      .finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices).toMatchObject([{ message: { parsed: { name: 'simulated', cups: 0 } } }]);
    }
  });

  it('a response in any JSON is valid JSON', async () => {
    const wanted: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Order tea, as JSON.' }];
    scene.gateway.simulator.script({ text: '{"cups": 2}' });
    const completion = await chat().create({
      ...body,
      messages: wanted,
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(choiceOf(completion).message.content ?? '')).toEqual({ cups: 2 });
  });

  it('a function’s result is accepted from callers of the deprecated kind', async () => {
    const functions = [{ ...boil.function, parameters: boil.function.parameters ?? {} }];
    const first = choiceOf(await chat().create({ ...body, functions, function_call: { name: 'boil' } }));
    expect(first.message.function_call).toMatchObject({ name: 'boil', arguments: expect.any(String) });
    const second = await chat().create({
      ...body,
      functions,
      messages: [...messages, first.message, { role: 'function', name: 'boil', content: 'boiled' }],
    });
    expect(choiceOf(second).message.content).toContain('simulated');
    expect(scene.received().body.toString()).toContain('boiled');
  });

  it('a response ends at the token limit and at a stop text', async () => {
    const cut = await chat().create({ ...body, max_tokens: 5 });
    expect(choiceOf(cut).finish_reason).toBe('length');
    expect(cut.usage?.completion_tokens).toBe(5);
    const stopped = choiceOf(await chat().create({ ...body, stop: ' simulated' }));
    expect(stopped).toMatchObject({ finish_reason: 'stop', message: { content: 'This is a' } });
  });
});

describe('trap 25: the models of all providers', () => {
  const ids = vendorNames.map((vendor) => `${vendor}/${plainModels[vendor]}`);

  it('are listed, and each can be retrieved by a name with special characters', async () => {
    const client = scene.client('gpt-provider');
    const listed: string[] = [];
    for await (const { id } of client.models.list()) listed.push(id);
    expect(ids.filter((id) => !listed.includes(id))).toEqual([]);
    for (const id of ids) {
      const [owned_by] = id.split('/');
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model', owned_by });
    }
  });

  it('are listed for the assistant vendor’s SDK too', async () => {
    const client = new Anthropic({ baseURL: scene.gateway.proxy.url, apiKey: scene.key, maxRetries: 0 });
    const listed: string[] = [];
    for await (const { id } of client.models.list()) listed.push(id);
    expect(listed).toContain('assistant-provider/claude-sonnet-4-5');
  });
});

it('dropped fields are named in a header, except for names that no field can have', async () => {
  const secret = 'AIzaSy0123456789';
  const odd = { [secret]: 1, 'a,b': 1, é: 1, [scene.key]: 1, '': 1, verbosity: 'low' };
  const request = { body: { ...bodyFor('assistant-provider', 'stored key'), ...odd } };
  const client = scene.client('assistant-provider');
  const { response } = await client.post<OpenAI.ChatCompletion>('/chat/completions', request).withResponse();
  expect(response.headers.get('x-svc-dropped-params')).toBe('?,verbosity');
});

/**
 * Usage of a prompt of 520 tokens, 400 of them read from a cache, and of an output of 57 tokens, 12 of them thought.
 */
const counts = {
  'gpt-provider': {
    prompt_tokens: 520,
    completion_tokens: 57,
    total_tokens: 577,
    prompt_tokens_details: { cached_tokens: 400 },
    completion_tokens_details: { reasoning_tokens: 12 },
  },
  'studio-ai': {
    prompt_tokens: 520,
    completion_tokens: 57,
    total_tokens: 577,
    prompt_tokens_details: { cached_tokens: 400 },
  },
  'managed-cloud-models': {
    inputTokens: 20,
    cacheReadInputTokens: 400,
    cacheWriteInputTokens: 100,
    outputTokens: 57,
    totalTokens: 577,
  },
  'assistant-provider': {
    input_tokens: 20,
    cache_read_input_tokens: 400,
    cache_creation_input_tokens: 100,
    output_tokens: 57,
  },
  'search-provider': {
    promptTokenCount: 520,
    cachedContentTokenCount: 400,
    candidatesTokenCount: 45,
    thoughtsTokenCount: 12,
    totalTokenCount: 577,
  },
} as const satisfies Record<VendorName, object>;

describe.each(everyWay.filter(([, way]) => way === 'stored key'))('the counts of %s', (vendor, way) => {
  const parsed = { prompt_tokens: 520, completion_tokens: 57, total_tokens: 577 };
  const cached = { prompt_tokens_details: { cached_tokens: 400 } };

  it('trap 27: include cached tokens and add up, whole and streamed', async () => {
    const { simulator } = scene.gateway;
    const chat = scene.client(vendor, way).chat.completions;
    simulator.script({ usage: counts[vendor] }, { times: 2 });
    const body = bodyFor(vendor, way);
    const whole = await chat.create(body);
    const stream = chat.stream({ ...body, stream_options: { include_usage: true } });
    for (const { usage } of [whole, await stream.finalChatCompletion()]) {
      expect(usage).toMatchObject({ ...parsed, ...cached });
    }
  });
});
