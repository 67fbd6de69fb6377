// Clients of Converse and the vendor of that format: what passes unchanged, what does not; InvokeModel with a body of
// the Messages API; and refusals in the SDK's own errors.
import {
  AccessDeniedException,
  BedrockRuntimeClient,
  ConverseCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  ModelStreamErrorException,
  ModelTimeoutException,
  ResourceNotFoundException,
  ServiceUnavailableException,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it, vi } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import { createLimit } from '../support/limited-callers.ts';
import { until } from '../support/process.ts';
import { createBudget } from '../support/spending.ts';
import { ownHeaders, plainModels } from '../support/vendors.ts';
import { hello, thrown, useConverseClient } from './clients/converse.ts';
import { modelAt } from './clients/scene.ts';

const { clients, client, converse } = useConverseClient();
const { sent } = clients;
const vendor = 'managed-cloud-models';
const model = plainModels[vendor];

const call = (body: string, headers: Record<string, string> = {}, path = `${encodeURIComponent(model)}/converse`) =>
  fetch(`${clients.scene.gateway.proxy.url}/model/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clients.scene.key}`, 'content-type': 'application/json', ...headers },
    body,
  });
const text = (fields = '') =>
  `{ "inferenceConfig": {"maxTokens": 1e2},\n "messages":[{"role":"user","content":[{"text":"caf\\u00e9"}]}]${fields} }`;

describe('the vendor of the format', () => {
  it('gets the bytes of a request', async () => {
    const body = text(', "requestMetadata": {"team":"a"}, "additionalModelRequestFields": {"top_k": 5.0}');
    expect((await call(body)).status).toBe(200);
    expect(sent()).toBe(body);
  });

  it('gets the model’s name as one segment, however it came', async () => {
    const names = [encodeURIComponent(`${vendor}/${model}`), `${vendor}/${model}`, model];
    for (const name of names) {
      expect((await call(text(), {}, `${name}/converse`)).status).toBe(200);
      expect(clients.scene.received().target).toContain(`/model/${encodeURIComponent(model)}/converse`);
    }
    const twice = encodeURIComponent(encodeURIComponent(`${vendor}/${model}`));
    expect((await call(text(), {}, `${twice}/converse`)).status).toBe(400);
  });

  it('responds with its own bytes', async () => {
    const direct = await fetch(`${clients.scene.gateway.simulator.baseUrls[vendor]}/model/${model}/converse-stream`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-sim-own-0123456789', 'content-type': 'application/json' },
      body: text(),
    });
    const response = await call(text(), {}, `${model}/converse-stream`);
    expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    expect(direct.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(await direct.arrayBuffer()));
  });

  it.each([
    [1, 400],
    [7, 57],
    [100, 4],
  ])('responds in whole frames, however the bytes arrive: %i at once, %i times', async (pieceBytes, afterPieces) => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces }, pieceBytes: [pieceBytes] });
    const response = await call(text(), {}, `${model}/converse-stream`);
    const bytes = await readCut(response);
    let end = 0;
    while (end < bytes.length) end += bytes.readUInt32BE(end);
    expect(end).toBe(bytes.length);
    expect(bytes.toString()).toContain('modelStreamErrorException');
  });

  it('responds with the headers of the gateway, and the id where the SDK reads it', async () => {
    const { headers } = await call(text());
    expect(headers.get('x-svc-provider')).toBe(vendor);
    expect(Number(headers.get('x-svc-cost'))).toBeGreaterThan(0);
    expect(headers.get('x-amzn-requestid')).toBe(headers.get('x-request-id'));
  });

  it('responds with its own error', async () => {
    clients.scene.gateway.simulator.script({ status: 400, error: { message: 'prompt is too long: 7 > 5' } });
    const response = await call(text());
    expect(response.status).toBe(400);
    expect(response.headers.get('x-amzn-errortype')).toBe('ValidationException');
    expect(await response.json()).toEqual({ message: 'prompt is too long: 7 > 5' });
  });

  it('is not offered tools that it would run itself, and the response names them', async () => {
    const spec = '{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}';
    const extra =
      '"additionalModelRequestFields": {"tools": [{"type":"web_search_20250305","name":"web_search"}], "top_k":5}';
    const fields = `, "toolConfig": {"tools": [{"systemTool":{"name":"nova_grounding"}}, ${spec}]}, ${extra}`;
    const response = await call(text(fields));
    const dropped = 'toolConfig.tools.systemTool,additionalModelRequestFields.tools';
    expect(await response.text()).toContain('simulated');
    expect(response.headers.get('x-svc-dropped-params')).toBe(dropped);
    expect(sent()).toContain(`"toolConfig": {"tools":[${spec}]}, "additionalModelRequestFields": {"top_k":5}`);
  });

  it('cannot be made to run its own tools', async () => {
    const tools =
      '{"tools": [{"systemTool":{"name":"nova_grounding"}}], "toolChoice": {"tool":{"name":"nova_grounding"}}}';
    const response = await call(text(`, "toolConfig": ${tools}`));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('toolConfig.toolChoice');
  });

  const stored = '{"s3Location":{"uri":"s3://bucket/file"}}';
  it.each([
    ['guardrailConfig', text(', "guardrailConfig": {"guardrailIdentifier":"sim1","guardrailVersion":"1"}')],
    ['promptVariables', text(', "promptVariables": {"x":{"text":"y"}}')],
    ['additionalModelRequestFields.mcp_servers', text(', "additionalModelRequestFields": {"mcp_servers":[]}')],
    [
      'messages[0].content[1].image.source.s3Location',
      `{"messages":[{"role":"user","content":[{"text":"a"},{"image":{"format":"png","source":${stored}}}]}]}`,
    ],
    [
      'messages[0].content[0].toolResult.content[0].document.source.s3Location',
      `{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"document":{"format":"pdf","name":"a","source":${stored}}}]}}]}]}`,
    ],
  ])('does not get %s with a stored key, and no other vendor gets it', async (param, body) => {
    for (const name of [model, modelAt('gpt-provider')]) {
      const response = await call(body, {}, `${name}/converse`);
      expect(response.status).toBe(400);
      expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
      expect(await response.text()).toContain(param);
    }
  });

  it('does not get further models to call', async () => {
    const response = await call(text(', "additionalModelRequestFields": {"fallbacks":"default"}'));
    expect(response.status).toBe(400);
    expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
    expect(await response.text()).toContain('additionalModelRequestFields.fallbacks lets the vendor call other models');
  });

  it('gets the caller’s own keys and everything that they can reach', async () => {
    const own = { 'x-svc-vk': clients.scene.key, 'x-svc-direct-key': 'true', ...ownHeaders[vendor] };
    const fields = ', "guardrailConfig": {"guardrailIdentifier":"sim1","guardrailVersion":"1"}';
    const profile = 'arn:aws:bedrock:eu-west-1:111122223333:application-inference-profile/simnovapro00';
    const response = await call(text(fields), own, `${encodeURIComponent(profile)}/converse`);
    expect(await response.text()).toContain('simulated');
    expect(sent()).toContain('guardrailConfig');
    expect(clients.scene.received().target).toContain(encodeURIComponent(profile));
  });

  it('gets an ARN with a stored key only by an alias', async () => {
    const profile = 'arn:aws:bedrock:eu-west-1:111122223333:application-inference-profile/simnovapro00';
    for (const name of [profile, `${vendor}/${profile}`]) {
      const response = await call(text(), {}, `${encodeURIComponent(name)}/converse`);
      expect(response.status).toBe(400);
      expect(response.headers.get('x-svc-error-code')).toBe('unsupported_parameter');
      expect(await response.text()).toContain('modelId');
    }
    const { api, id } = clients.scene.gateway.organization;
    const aliases = [{ name: 'my-profile', model: `${vendor}/${profile}` }];
    await api.call('Organizations/UpdateSettings', {
      id,
      settings: { models: { aliases: { aliases } } },
      allowUnmatched: true,
    });
    await until(async () => (await call(text(), {}, 'my-profile/converse')).status === 200, {
      what: 'the alias to apply',
    });
    expect(clients.scene.received().target).toContain(encodeURIComponent(profile));
  });

  it.each([
    ['performanceConfig', ', "performanceConfig": {"latency":"optimized"}'],
    ['serviceTier', ', "serviceTier": {"type":"reserved"}'],
    ['additionalModelRequestFields.speed', ', "additionalModelRequestFields": {"speed":"fast"}'],
  ])('does not get %s under a budget, because no reservation covers what it costs', async (param, fields) => {
    const { organization } = clients.scene.gateway;
    const { id, value } = await organization.createKey();
    const { api, id: organizationId } = organization;
    const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id };
    const budget = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '5', period: 'BUDGET_PERIOD_MONTH' };
    await api.call('Limits/Create', { organizationId, subject, ...budget });
    const response = await call(text(fields), { authorization: `Bearer ${value}` });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(param);
    expect(clients.scene.gateway.simulator.requests).toEqual([]);
    expect((await call(text(), { authorization: `Bearer ${value}` })).status).toBe(200);
  });
});

/** Everything that arrived before the connection was cut. */
async function readCut({ body }: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const bytes of body ?? []) pieces.push(bytes);
  } catch {
    return Buffer.concat(pieces);
  }
  throw new Error('the stream was not cut');
}

describe.each(vendorNames)('InvokeModel with a model of %s', (name) => {
  const body = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 100, system: 'Be brief.' };
  const invoked = (fields: object = {}) => ({
    modelId: modelAt(name),
    body: JSON.stringify({ ...body, messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  });

  it('returns a message', async () => {
    const response = await client().send(new InvokeModelCommand(invoked()));
    expect(response.contentType).toBe('application/json');
    const message = JSON.parse(Buffer.from(response.body).toString());
    expect(message).toMatchObject({
      type: 'message',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: expect.stringContaining('simulated') }],
      usage: { output_tokens: expect.any(Number) },
    });
    expect(sent()).toContain('Be brief.');
    // Claude models get the body as it is: invoke-clients-native.test.ts.
    expect(sent().includes('anthropic_version')).toBe(name === vendor);
  });

  it('streams its events', async () => {
    const types: string[] = [];
    let streamed = '';
    const input = invoked({ anthropic_beta: ['one-2025-01-01'] });
    const { body: events = [] } = await client().send(new InvokeModelWithResponseStreamCommand(input));
    for await (const { chunk } of events) {
      const event = JSON.parse(Buffer.from(chunk?.bytes ?? []).toString());
      if (event.type !== 'ping' && types.at(-1) !== event.type) types.push(event.type);
      streamed += event.delta?.text ?? '';
    }
    expect(streamed).toContain('simulated');
    expect(types).toEqual([
      ...['message_start', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['message_delta', 'message_stop'],
    ]);
  });

  it('ends a cut stream with an error, not with an end', async () => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    const reading = async () => {
      const { body: events = [] } = await client().send(new InvokeModelWithResponseStreamCommand(invoked()));
      for await (const _event of events);
    };
    expect(await thrown(reading())).toBeInstanceOf(ModelStreamErrorException);
  });

  it('takes no other body', async () => {
    const other = { modelId: modelAt(name), body: JSON.stringify({ inputText: 'Hello' }) };
    const error = await thrown(client().send(new InvokeModelCommand(other)));
    expect(error).toBeInstanceOf(ValidationException);
    expect(error).toMatchObject({ message: expect.stringContaining('anthropic_version') });
  });
});

describe('the SDK', () => {
  it('is configured by the variables that the docs name', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', clients.scene.gateway.proxy.url);
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    vi.stubEnv('AWS_BEARER_TOKEN_BEDROCK', clients.scene.key);
    const requestHandler = new NodeHttpHandler();
    const plain = new BedrockRuntimeClient({ requestHandler });
    const { output } = await plain.send(new ConverseCommand({ modelId: modelAt('gpt-provider'), messages: hello }));
    expect(output?.message?.content?.[0]?.text).toContain('simulated');
    requestHandler.destroy();
    vi.unstubAllEnvs();
  });
});

describe('refusals are the SDK’s own errors', () => {
  const command = new ConverseCommand({ modelId: modelAt('gpt-provider'), messages: hello });

  it('of a field', async () => {
    const error = await thrown(converse('gpt-provider', { messages: hello, inferenceConfig: { temperature: -1 } }));
    expect(error).toBeInstanceOf(ValidationException);
  });

  it('of a field, by the name that the client wrote', async () => {
    const messages = [
      { role: 'user' as const, content: [{ text: 'a' }, { json: 1 } as never, { video: {} } as never] },
    ];
    const error = await thrown(converse('search-provider', { messages, system: [{ text: 'Be brief.' }] }));
    expect(error).toMatchObject({ message: expect.stringContaining('messages[0].content') });
  });

  it('of a key', async () => {
    const error = await thrown(client('sk-svc-0123456789abcdefghijklmnopqrstuv').send(command));
    expect(error).toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 401 } });
  });

  it('of a signature, which is no virtual key', async () => {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
    const signing = client('', { credentials, authSchemePreference: ['aws.auth#sigv4'] });
    const error = await thrown(signing.send(command));
    expect(error).toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({ code: 'virtual_key_required', $metadata: { httpStatusCode: 401 } });
  });

  it('of a model that the key may not call', async () => {
    const { value } = await clients.scene.gateway.organization.createKey({
      allowedModels: { globs: ['assistant-provider/*'] },
    });
    const error = await thrown(client(value).send(command));
    expect(error).toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({ code: 'model_not_allowed' });
  });

  it('of a model that does not exist', async () => {
    const error = await thrown(client().send(new ConverseCommand({ modelId: 'nowhere/x', messages: hello })));
    expect(error).toBeInstanceOf(ResourceNotFoundException);
    expect(error).toMatchObject({ code: 'model_not_found' });
  });

  it('of too many requests', async () => {
    const { organization } = clients.scene.gateway;
    const limited = await organization.createKey();
    await createLimit(organization, ['VIRTUAL_KEY', limited.id], ['REQUESTS_PER_MINUTE', 1]);
    await client(limited.value).send(command);
    const error = await thrown(client(limited.value).send(command));
    expect(error).toBeInstanceOf(ThrottlingException);
  });

  it('of a spent budget', async () => {
    const { organization } = clients.scene.gateway;
    const limited = await organization.createKey();
    await createBudget(organization, { kind: 'VIRTUAL_KEY', id: limited.id }, { amountUsd: '0.000001' });
    const error = await thrown(client(limited.value).send(command));
    expect(error).toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({ code: 'budget_exceeded', $metadata: { httpStatusCode: 402 } });
  });

  it.each(['gpt-provider', vendor] as const)('of a model that takes too long, at %s', async (slow) => {
    clients.scene.gateway.simulator.script(slow === vendor ? { status: 408 } : { status: 504 });
    const error = await thrown(converse(slow, { messages: hello }));
    expect(error).toBeInstanceOf(ModelTimeoutException);
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 504 } });
  });

  it('of a vendor that is overloaded', async () => {
    clients.scene.gateway.simulator.script({ status: 503 });
    expect(await thrown(client().send(command))).toBeInstanceOf(ServiceUnavailableException);
  });
});
