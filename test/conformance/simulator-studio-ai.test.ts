// The SDK's two clients for the hosted model studio directly against the simulator: one for dated deployments, the
// other for the undated API. The SDK has no client for the inference API, so its test sends HTTP itself.
import OpenAI, { AzureOpenAI } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { boil, type ClientOptions, describeChatClient, messages } from './chat-client.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

type Options = ClientOptions & { readonly apiVersion?: string };

function dated({ apiKey = 'sk-sim-x', apiVersion = '2024-10-21', maxRetries = 0 }: Options = {}): OpenAI {
  return new AzureOpenAI({ endpoint: simulator.baseUrls['studio-ai'], apiKey, apiVersion, maxRetries });
}

function undated({ apiKey = 'sk-sim-x', maxRetries = 0 }: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL: `${simulator.baseUrls['studio-ai']}/openai/v1`, apiKey, maxRetries });
}

const model = 'gpt-4o';

describeChatClient('dated client', { clientWith: dated, simulator: () => simulator, model });
describeChatClient('undated client', { clientWith: undated, simulator: () => simulator, model });

describe.each([
  ['dated', dated],
  ['undated', undated],
])('the SDK’s %s client', (_name, clientWith) => {
  it('reads the model behind the deployment', async () => {
    const completion = await clientWith().chat.completions.create({ model, messages });
    expect(completion.model).toBe('gpt-4o-2024-11-20');
  });

  it('iterates a stream that begins without choices', async () => {
    const chunks = [];
    for await (const chunk of await clientWith().chat.completions.create({ model, messages, stream: true })) {
      chunks.push(chunk);
    }
    expect(chunks[0]).toMatchObject({ id: '', choices: [], prompt_filter_results: [{}] });
  });

  it('iterates a stream with an asynchronous filter', async () => {
    const texts = [];
    const request = { model: 'gpt-4o-async-filter', messages, stream: true } as const;
    for await (const chunk of await clientWith().chat.completions.create(request)) {
      // Such frames have no delta, contrary to the SDK's type.
      texts.push(chunk.choices[0]?.delta?.content ?? '');
    }
    expect(texts.join('')).toContain('simulated');
  });

  it('lists models', async () => {
    const names = [];
    for await (const one of clientWith().models.list()) names.push(one.id);
    expect(names).toContain('gpt-4o-2024-11-20');
  });

  it('reports a prompt that the filter refused', async () => {
    simulator.script({ status: 400, error: { code: 'content_filter' } });
    await expect(clientWith().chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 400,
      code: 'content_filter',
      param: 'prompt',
      error: { innererror: { code: 'ResponsibleAIPolicyViolation' } },
    });
  });

  it('reports an unknown deployment', async () => {
    const request = clientWith().chat.completions.create({ model: 'nope', messages });
    await expect(request).rejects.toMatchObject({ status: 404, code: 'DeploymentNotFound' });
  });
});

describe('the SDK’s dated client', () => {
  it('authenticates with a directory’s token', async () => {
    const client = new AzureOpenAI({
      endpoint: simulator.baseUrls['studio-ai'],
      azureADTokenProvider: async () => 'eyJh.eyJh.sk-sim-token',
      apiVersion: '2024-10-21',
    });
    const completion = await client.chat.completions.create({ model, messages });
    expect(completion.choices).toHaveLength(1);
    expect(simulator.requests[0]?.headers.authorization).toBe('Bearer eyJh.eyJh.sk-sim-token');
  });

  it('reports a version that does not exist', async () => {
    const client = dated({ apiVersion: '2020-01-01' });
    const message = expect.stringContaining('Resource not found');
    await expect(client.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 404,
      message,
    });
  });

  it('reasons in later versions', async () => {
    const request = { model: 'o4-mini', messages, reasoning_effort: 'high' } as const;
    const completion = await dated({ apiVersion: '2025-04-01-preview' }).chat.completions.create(request);
    expect(completion.usage?.completion_tokens_details?.reasoning_tokens).toBe(256);
    await expect(dated().chat.completions.create(request)).rejects.toMatchObject({ status: 400 });
  });
});

describe('the inference API', () => {
  async function ask(change: object) {
    const url = `${simulator.baseUrls['studio-ai']}/models/chat/completions?api-version=2024-05-01-preview`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'api-key': 'sk-sim-x', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Mistral-Large-3', messages, tools: [boil], ...change }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { choices: [{ message: { tool_calls: [{ id: string }] } }] };
  }

  it('takes a conversation with tools for a model maker that is strict about ids', async () => {
    const { message } = (await ask({ tool_choice: 'required' })).choices[0];
    const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'boiling' };
    const request = { role: 'assistant', tool_calls: message.tool_calls };
    const { choices } = await ask({ messages: [...messages, request, result] });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.any(String) } });
  });
});
