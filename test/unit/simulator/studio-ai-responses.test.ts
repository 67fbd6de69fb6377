import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { apiKey, boil, clean, events, messages, plainBearer, responseTo, studio, textOf } from './post-studio.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());
const { dated, v1, inference, host } = studio(() => simulator);

describe('responses of GPT models in the studio', () => {
  it('name the model behind the deployment, and contain the filter’s results', async () => {
    const response = await responseTo(v1({ model: 'team-chat' }));
    expect(response.model).toBe('gpt-4.1-mini-2025-04-14');
    expect(response.prompt_filter_results).toHaveLength(1);
    expect(response.choices[0]?.content_filter_results).toEqual(clean);
    expect(response.choices[0]?.message.content).toContain('simulated');
  });

  it('report a failed filter', async () => {
    const failed = { error: { code: 'content_filter_error', message: expect.any(String) } };
    const { choices } = await responseTo(dated('gpt-4o-failing-filter', { messages }));
    expect(choices[0]).toMatchObject({ content_filter_result: failed });
    expect(choices[0]).not.toHaveProperty('content_filter_results');
    const list = await events(dated('gpt-4o-failing-filter', { messages, stream: true }));
    expect(list[2]?.choices[0]).toMatchObject({ content_filter_result: failed });
  });

  it('are the same for the same request, in every dialect', async () => {
    const texts = await Promise.all(
      [dated('gpt-4o', { messages }), v1({}), inference({}), v1({})].map(
        async (pending) => (await responseTo(pending)).choices[0]?.message.content,
      ),
    );
    expect(new Set(texts).size).toBe(1);
  });

  it('have the service’s headers', async () => {
    const { headers } = await dated('gpt-4o', { messages });
    expect(Object.fromEntries(headers)).toMatchObject({
      'apim-request-id': expect.any(String),
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ms-region': 'Simulated',
      'x-ms-deployment-name': 'gpt-4o',
      'x-ratelimit-remaining-requests': '999',
      'x-ratelimit-remaining-tokens': String(1_000_000 - 8),
    });
  });

  it('stop at the token limit and before a stop sequence', async () => {
    expect((await responseTo(v1({ max_tokens: 5 }))).choices[0]?.finish_reason).toBe('length');
    const { choices } = await responseTo(inference({ stop: [' simulated'] }));
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'This is a' } });
  });
});

describe('responses of models of other vendors in the studio', () => {
  it('have no filter results and no fields of GPT models at the inference API', async () => {
    const { id, ...response } = await responseTo(inference({ model: 'DeepSeek-V3.2' }));
    expect(response).toEqual({
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'DeepSeek-V3.2',
      choices: [
        {
          index: 0,
          logprobs: null,
          finish_reason: 'stop',
          message: { role: 'assistant', content: expect.stringContaining('simulated'), tool_calls: [] },
        },
      ],
      usage: { prompt_tokens: 8, completion_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
    const [first] = await events(inference({ model: 'DeepSeek-V3.2', stream: true }));
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
  });

  it('have filter results at v1', async () => {
    const response = await responseTo(v1({ model: 'DeepSeek-V3.2' }));
    expect(response.prompt_filter_results).toHaveLength(1);
    expect(response.choices[0]?.content_filter_results).toEqual(clean);
  });

  it('come from the one model of a host', async () => {
    expect((await responseTo(host({}))).model).toBe('Llama-3.3-70B-Instruct');
  });

  it('show thinking at the beginning of the text', async () => {
    simulator.script({ reasoning: 'Hm, tea.', text: 'Tea' }, { times: 2 });
    const { choices, usage } = await responseTo(inference({ model: 'DeepSeek-R1' }));
    expect(choices[0]?.message.content).toBe('<think>\nHm, tea.\n</think>\n\nTea');
    expect(usage?.completion_tokens).toBe(2 + 1);
    const list = await events(inference({ model: 'DeepSeek-R1', stream: true }));
    expect(textOf(list)).toBe('<think>\nHm, tea.\n</think>\n\nTea');
  });

  it('show thinking in a field', async () => {
    simulator.script({ reasoning: 'Hm, tea.', text: 'Tea' }, { times: 2 });
    const { choices } = await responseTo(inference({ model: 'DeepSeek-R1-0528' }));
    expect(choices[0]?.message).toMatchObject({ content: 'Tea', reasoning_content: 'Hm, tea.' });
    const list = await events(inference({ model: 'DeepSeek-R1-0528', stream: true }));
    const thoughts = list.flatMap((event) => event.choices[0]?.delta?.reasoning_content ?? []);
    expect([thoughts.join(''), textOf(list)]).toEqual(['Hm, tea.', 'Tea']);
  });

  it('stop in the middle of a thought at the token limit', async () => {
    const { choices, usage } = await responseTo(inference({ model: 'DeepSeek-R1', max_tokens: 3 }));
    expect(choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { content: '<think>\nThis is simu' },
    });
    expect(usage?.completion_tokens).toBe(3);
  });

  it('have call ids that the model’s vendor accepts in the history', async () => {
    simulator.script({
      toolCalls: [
        { name: 'boil', arguments: '{}' },
        { name: 'boil', arguments: '{}' },
      ],
    });
    const { choices } = await responseTo(inference({ model: 'Mistral-Large-3', tools: [boil] }));
    expect(choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual(['sim000001', 'sim000002']);
  });

  it('report usage with the last choice without a request, for vendors that do so', async () => {
    const list = await events(inference({ model: 'mistral-small-2503', stream: true }));
    expect(list.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 8 } });
    const without = await events(inference({ model: 'DeepSeek-V3.2', stream: true }));
    expect(without.some((event) => 'usage' in event)).toBe(false);
  });
});

describe('scripted errors of the studio', () => {
  const usual = (code: string) => ({ error: { code, message: expect.any(String) } });

  it.each<readonly [number, string]>([
    [400, 'BadRequest'],
    [401, '401'],
    [403, 'PermissionDenied'],
    [404, 'DeploymentNotFound'],
    [408, 'Timeout'],
    [424, 'FailedDependency'],
    [429, '429'],
    [500, 'InternalServerError'],
    [503, 'ServiceUnavailable'],
    [504, 'InternalServerError'],
  ])('have the usual body for status %i', async (status, code) => {
    simulator.script({ status });
    const response = await dated('gpt-4o', { messages, stream: true });
    expect([response.status, await response.json()]).toEqual([status, usual(code)]);
  });

  it('state when to retry', async () => {
    simulator.script({ status: 429 }, { times: 3 });
    const responses = [await dated('gpt-4o', { messages }), await v1({}), await inference({})];
    expect(responses.map(({ headers }) => [headers.get('retry-after'), headers.get('retry-after-ms')])).toEqual(
      Array.from({ length: 3 }, () => ['12', '12000']),
    );
    expect(responses[0]?.text).toContain('under Azure OpenAI API version 2024-10-21 have exceeded');
    expect(responses[2]?.text).toContain('RateLimitReached');
    for (const { text } of responses) expect(text).toContain('Please retry after 12 seconds');
  });

  it('refuse a prompt in the way of the filter', async () => {
    simulator.script({ status: 400, error: { code: 'content_filter' } }, { times: 2 });
    expect(await (await v1({})).json()).toEqual({
      error: {
        message: expect.stringContaining('content management policy'),
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: expect.objectContaining({
            violence: { filtered: true, severity: 'medium' },
          }),
        },
      },
    });
    expect(await (await inference({})).json()).toEqual({
      status: 400,
      code: 'content_filter',
      message: 'The response was filtered',
      param: 'messages',
      type: null,
    });
  });

  it('contain the scripted parts', async () => {
    simulator.script({ status: 503, error: { code: 'NoCapacity', message: 'none left' } });
    expect(await (await inference({})).json()).toEqual({
      error: { code: 'NoCapacity', message: 'none left' },
    });
  });

  it('can be in the last message, and are refused when malformed', async () => {
    const simulate = (value: object) => ({
      messages: [{ role: 'user', content: JSON.stringify({ simulate: value }) }],
    });
    expect((await dated('gpt-4o', simulate({ status: 418 }))).status).toBe(418);
    expect((await inference(simulate({ status: 418 }))).status).toBe(418);
    expect((await dated('gpt-4o', simulate({ nonsense: 1 }))).text).toContain("no field 'nonsense'");
    expect((await inference(simulate({ nonsense: 1 }))).text).toContain("no field 'nonsense'");
  });
});

describe('model lists of the studio', () => {
  async function list(path: string): Promise<{ data: readonly { id: string }[] }> {
    const url = `${simulator.baseUrls['studio-ai']}${path}`;
    const response = await fetch(url, { headers: { ...apiKey, ...plainBearer } });
    return (await response.json()) as { data: readonly { id: string }[] };
  }

  it('of a dated version contain base models, not deployments', async () => {
    const { data } = await list('/openai/models?api-version=2024-10-21');
    expect(data).toContainEqual(
      expect.objectContaining({
        id: 'gpt-4o-2024-11-20',
        object: 'model',
        capabilities: expect.objectContaining({ chat_completion: true }),
      }),
    );
    expect(data.some(({ id }) => id === 'team-chat' || id === 'Phi-4')).toBe(false);
  });

  it('of the undated version have the vendor’s format', async () => {
    const { data } = await list('/openai/v1/models');
    expect(data).toContainEqual({
      id: 'Phi-4',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'Microsoft',
    });
    expect(await list('/openai/v1/models/Phi-4')).toMatchObject({ id: 'Phi-4' });
    expect(await list('/openai/v1/models/nope')).toMatchObject({ error: { code: '404' } });
  });

  it('describe the model of the inference API and of a host', async () => {
    expect(await list('/models/info?api-version=2024-05-01-preview')).toEqual({
      model_name: 'gpt-4o-2024-11-20',
      model_type: 'chat-completion',
      model_provider_name: 'OpenAI',
    });
    expect(await list('/info')).toMatchObject({ model_name: 'Llama-3.3-70B-Instruct' });
  });
});
