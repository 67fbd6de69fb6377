// Clients of InvokeModel and Claude models of the vendor of that format: what passes unchanged, what does not, and what
// it costs, with the official SDK.
import type { Message, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import {
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  ModelStreamErrorException,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { plainModels } from '../support/vendors.ts';
import { thrown, useConverseClient } from './clients/converse.ts';
import { secret, useGuardrail } from './clients/scene.ts';

const { clients, client } = useConverseClient();
const { sent } = clients;
const vendor = 'managed-cloud-models';
const model = plainModels[vendor];
const path = (operation: string, name: string = model) => `/model/${encodeURIComponent(name)}/${operation}`;

const call = (body: string, operation = 'invoke') =>
  fetch(clients.scene.gateway.proxy.url + path(operation), {
    method: 'POST',
    headers: { authorization: `Bearer ${clients.scene.key}`, 'content-type': 'application/octet-stream' },
    body,
  });
const text = (fields = '') =>
  `{ "anthropic_version":"bedrock-2023-05-31", "max_tokens": 4.096e3,\n "messages":[{"role":"user","content":"caf\\u00e9"}]${fields} }`;

interface Invoked {
  readonly anthropic_beta?: readonly string[];
  readonly [field: string]: unknown;
}

const input = (fields: Invoked = {}) => ({
  modelId: model,
  body: JSON.stringify({
    ...{ anthropic_version: 'bedrock-2023-05-31', max_tokens: 4096, messages: [{ role: 'user', content: 'Hello' }] },
    ...fields,
  }),
});

async function whole(fields: Invoked = {}): Promise<Message> {
  const { body } = await client().send(new InvokeModelCommand(input(fields)));
  return JSON.parse(Buffer.from(body).toString());
}

async function streamed(fields: Invoked = {}): Promise<readonly RawMessageStreamEvent[]> {
  const { body = [] } = await client().send(new InvokeModelWithResponseStreamCommand(input(fields)));
  const events: RawMessageStreamEvent[] = [];
  for await (const { chunk } of body) events.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
  return events;
}

const weather = { name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } };

describe('a request', () => {
  it('reaches the vendor byte for byte, at its own path, signed', async () => {
    const body = text(', "anthropic_beta": ["one-2025-01-01"], "metadata":{"user_id":"u"}');
    expect((await call(body)).status).toBe(200);
    expect(sent()).toBe(body);
    const { target, headers } = clients.scene.received();
    expect(target).toBe(`/managed-cloud-models${path('invoke')}`);
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(headers['content-type']).toBe('application/json');
  });

  it('reaches it with an API key that is stored', async () => {
    const { api, id, createKey } = await clients.scene.gateway.createOrganization('invokes with an API key');
    await api.call('ProviderKeys/Create', {
      ...{ organizationId: id, provider: vendor, name: 'key', settings: { region: 'eu-west-1' } },
      secret: { apiKey: 'ABSKSimStored0123456789' },
    });
    const { value } = await createKey();
    await client(value).send(new InvokeModelCommand(input()));
    expect(clients.scene.received().headers.authorization).toBe('Bearer ABSKSimStored0123456789');
    expect(clients.scene.received().target).toBe(`/managed-cloud-models${path('invoke')}`);
  });

  it('keeps cache marks and thinking over turns, whole and streamed', async () => {
    const cached = { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } };
    const fields = { system: [cached], thinking: { type: 'enabled', budget_tokens: 2048 }, tools: [weather] };
    for (const form of ['whole', 'streamed']) {
      clients.scene.gateway.simulator.script({
        reasoning: 'Let me think.',
        toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }],
      });
      const content = form === 'whole' ? (await whole(fields)).content : contentOf(await streamed(fields));
      const [thought, called] = content;
      if (thought?.type !== 'thinking' || called?.type !== 'tool_use') throw new Error('thinking, then a call');
      expect(thought.signature).toMatch(/.{20}/);
      const result = { type: 'tool_result', tool_use_id: called.id, content: 'rain' };
      const messages = [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content },
        { role: 'user', content: [result] },
      ];
      expect((await whole({ ...fields, messages })).stop_reason).toBe('end_turn');
      expect(JSON.parse(sent())).toMatchObject({ system: [cached], messages });
    }
  });

  it('does not offer tools that the vendor would run, and the response names them', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const response = await call(text(`, "tools": [${JSON.stringify(search)}, ${JSON.stringify(weather)}]`));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-svc-dropped-params')).toBe('tools.web_search');
    expect(JSON.parse(sent()).tools).toEqual([weather]);
    const tool_choice = { type: 'tool', name: 'web_search' };
    const error = await thrown(whole({ tools: [search], tool_choice }));
    expect(error).toBeInstanceOf(ValidationException);
    expect(error).toMatchObject({ code: 'unsupported_parameter' });
  });

  it.each([
    ['container', { container: 'container_1' }],
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] }],
    [
      'messages[0].content[0].source',
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }] }] },
    ],
  ])('cannot name what belongs to the whole account: %s', async (param, fields) => {
    const error = await thrown(whole(fields));
    expect(error).toBeInstanceOf(ValidationException);
    expect(error).toMatchObject({ code: 'unsupported_parameter', message: expect.stringContaining(param) });
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
  });

  it('of a model with bodies of its own is translated', async () => {
    const { body } = await client().send(new InvokeModelCommand({ ...input(), modelId: 'eu.amazon.nova-lite-v1:0' }));
    expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({ type: 'message' });
    expect(clients.scene.received().target).toContain('/converse');
  });
});

/** The blocks of a stream. */
function contentOf(events: readonly RawMessageStreamEvent[]): Message['content'] {
  const content: Message['content'] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'content_block_start') content[event.index] = { ...event.content_block };
    if (event.type !== 'content_block_delta') continue;
    const { delta, index } = event;
    const block = content[index];
    if (block?.type === 'thinking' && delta.type === 'thinking_delta') block.thinking += delta.thinking;
    if (block?.type === 'thinking' && delta.type === 'signature_delta') block.signature = delta.signature;
    if (block?.type === 'text' && delta.type === 'text_delta') block.text += delta.text;
    if (delta.type === 'input_json_delta') inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json);
  }
  return content.map((block, index) =>
    block.type === 'tool_use' ? { ...block, input: JSON.parse(inputs.get(index) ?? '{}') } : block,
  );
}

describe('a response', () => {
  it.each(['invoke', 'invoke-with-response-stream'])('is the vendor’s own, byte for byte: %s', async (operation) => {
    const direct = await fetch(clients.scene.gateway.simulator.baseUrls[vendor] + path(operation), {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-own-0123456789', 'content-type': 'application/json' },
      body: text(),
    });
    expect(direct.status).toBe(200);
    const expected = Buffer.from(await direct.arrayBuffer());
    const response = await call(text(), operation);
    const received = Buffer.from(await response.arrayBuffer());
    if (operation === 'invoke') {
      const plain = (bytes: Buffer) => bytes.toString().replace(/msg_bdrk_simulated\d+/, '');
      expect(plain(received)).toBe(plain(expected));
    } else {
      expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
      expect(received.length).toBe(expected.length);
    }
  });

  it('has the counts of the vendor in its headers, and costs what they cost', async () => {
    const { headers } = await call(text());
    const count = (name: string) => Number(headers.get(`x-amzn-bedrock-${name}-token-count`));
    expect(count('input')).toBeGreaterThan(0);
    // 3.3 and 16.5 USD per million tokens in this location.
    expect(Number(headers.get('x-svc-cost'))).toBeCloseTo((3.3 * count('input') + 16.5 * count('output')) / 1e6, 9);
  });

  it('has counts in its headers also of a model of another vendor', async () => {
    const { body, $metadata } = await client().send(
      new InvokeModelCommand({ ...input(), modelId: 'gpt-provider/gpt-4.1-mini' }),
    );
    expect($metadata.httpStatusCode).toBe(200);
    const response = await fetch(`${clients.scene.gateway.proxy.url}/model/gpt-provider%2Fgpt-4.1-mini/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${clients.scene.key}` },
      body: input().body,
    });
    const { usage } = JSON.parse(Buffer.from(body).toString());
    expect(response.headers.get('x-amzn-bedrock-input-token-count')).toBe(String(usage.input_tokens));
    expect(response.headers.get('x-amzn-bedrock-output-token-count')).toBe(String(usage.output_tokens));
  });

  it('streams every event of the Messages API, with the vendor’s metrics in the last', async () => {
    const events = await streamed();
    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(types.filter((type) => String(type) !== 'ping')).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ]);
    expect(events.at(-1)).toHaveProperty('amazon-bedrock-invocationMetrics');
  });

  it('of a broken stream ends with an error, not with an end', async () => {
    clients.scene.gateway.simulator.script({ errorAfterEvents: 3, error: { type: 'ThrottlingException' } });
    expect(await thrown(streamed())).toBeInstanceOf(ThrottlingException);
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    expect(await thrown(streamed())).toBeInstanceOf(ModelStreamErrorException);
  });

  it('that is an error has the vendor’s own body', async () => {
    clients.scene.gateway.simulator.script({ status: 400, error: { message: 'prompt is too long: 7 > 5' } });
    const response = await call(text());
    expect(response.status).toBe(400);
    expect(response.headers.get('x-amzn-errortype')).toBe('ValidationException');
    expect(await response.json()).toEqual({ message: 'prompt is too long: 7 > 5' });
  });
});

describe('guardrails', () => {
  const guarded = useGuardrail(clients);

  it('rewrite the client’s own body', async () => {
    await guarded('input', 'redact');
    await whole({ system: `Be ${secret}.`, messages: [{ role: 'user', content: secret }] });
    expect(sent()).not.toContain(secret);
    expect(clients.scene.received().target).toContain('/invoke');
  });

  it.each(['whole', 'streamed'])('rewrite the response, %s', async (form) => {
    await guarded('output', 'redact');
    clients.scene.gateway.simulator.script({ text: `It is ${secret}.` });
    const content = form === 'whole' ? (await whole()).content : contentOf(await streamed());
    expect(JSON.stringify(content)).toContain('It is ');
    expect(JSON.stringify(content)).not.toContain(secret);
    expect(clients.scene.received().target).toContain('/invoke');
  });
});
