// The vendor's own SDK directly against the simulator: the SDK accepts the simulator's responses, on which the
// gateway's tests rely.
import {
  AccessDeniedException,
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  BedrockRuntimeServiceException,
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  type ConverseCommandOutput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  InternalServerException,
  type Message,
  ModelErrorException,
  ModelNotReadyException,
  ModelStreamErrorException,
  ModelTimeoutException,
  ResourceNotFoundException,
  ServiceQuotaExceededException,
  ServiceUnavailableException,
  ThrottlingException,
  type ToolResultBlock,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
// The SDK uses HTTP/2 by default; the simulator, like most proxies in between, uses HTTP/1.1.
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/index.ts';
import { accounts } from '../../simulator/managed-cloud-models/accounts.ts';

let simulator: Simulator;
let client: BedrockRuntimeClient;
const clients: BedrockRuntimeClient[] = [];
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  client = clientWith({ credentials: accounts.permanent });
});
afterAll(async () => {
  for (const one of clients) one.destroy();
  await simulator.close();
});
beforeEach(() => simulator.reset());

function clientWith(config: BedrockRuntimeClientConfig): BedrockRuntimeClient {
  const made = new BedrockRuntimeClient({
    endpoint: simulator.baseUrls['managed-cloud-models'],
    region: 'us-east-1',
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
    ...config,
  });
  clients.push(made);
  return made;
}

const modelId = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const hello: Message = { role: 'user', content: [{ text: 'hello' }] };
const base: ConverseCommandInput = { modelId, messages: [hello] };
const boil = {
  toolSpec: {
    name: 'boil',
    description: 'boils water',
    inputSchema: {
      json: { type: 'object', properties: { cups: { type: 'integer', minimum: 1 } }, required: ['cups'] },
    },
  },
};
const stir = { toolSpec: { name: 'stir', inputSchema: { json: { type: 'object' } } } };
const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 } };

const converse = (change: Partial<ConverseCommandInput> = {}): Promise<ConverseCommandOutput> =>
  client.send(new ConverseCommand({ ...base, ...change }));

const contentOf = ({ output }: ConverseCommandOutput): readonly ContentBlock[] => output?.message?.content ?? [];
const textOf = (blocks: readonly ContentBlock[]) => blocks.map(({ text = '' }) => text).join('');

async function streamed(
  change: Partial<ConverseCommandInput> = {},
  seen: ConverseStreamOutput[] = [],
): Promise<readonly ConverseStreamOutput[]> {
  const { stream = [] } = await client.send(new ConverseStreamCommand({ ...base, ...change }));
  for await (const event of stream) seen.push(event);
  return seen;
}

/** The sum of a stream's deltas, block by block. */
function joined(events: readonly ConverseStreamOutput[]): readonly ContentBlock[] {
  const blocks: {
    text: string;
    thought: string;
    signature?: string;
    toolUseId?: string;
    name?: string;
    input: string;
  }[] = [];
  for (const { contentBlockStart, contentBlockDelta } of events) {
    const index = contentBlockStart?.contentBlockIndex ?? contentBlockDelta?.contentBlockIndex;
    if (index === undefined) continue;
    blocks[index] ??= { text: '', thought: '', input: '' };
    const block = blocks[index];
    Object.assign(block, contentBlockStart?.start?.toolUse);
    const { text = '', toolUse, reasoningContent } = contentBlockDelta?.delta ?? {};
    block.text += text;
    block.input += toolUse?.input ?? '';
    block.thought += reasoningContent?.text ?? '';
    if (reasoningContent?.signature !== undefined) block.signature = reasoningContent.signature;
  }
  return blocks.map(({ text, thought, signature, toolUseId, name, input }) => {
    if (name !== undefined) return { toolUse: { toolUseId, name, input: JSON.parse(input || '{}') } };
    return thought === '' ? { text } : { reasoningContent: { reasoningText: { text: thought, signature } } };
  });
}

/** The conversation after the response, with a result for each of its calls. */
function withResults(response: readonly ContentBlock[]): Message[] {
  const results = response.flatMap(({ toolUse }) => {
    const toolResult: ToolResultBlock = { toolUseId: toolUse?.toolUseId, content: [{ text: 'boiling' }] };
    return toolUse === undefined ? [] : [{ toolResult }];
  });
  return [hello, { role: 'assistant', content: [...response] }, { role: 'user', content: results }];
}

describe('the SDK of the managed cloud', () => {
  it('converses, with usage, metrics and a request id', async () => {
    const response = await converse();
    expect(textOf(contentOf(response))).toContain('simulated');
    expect(response).toMatchObject({
      stopReason: 'end_turn',
      output: { message: { role: 'assistant' } },
      usage: { inputTokens: 5, totalTokens: expect.any(Number) },
      metrics: { latencyMs: expect.any(Number) },
      $metadata: { httpStatusCode: 200, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
  });

  it('streams the same response, with its usage at the end', async () => {
    const events = await streamed();
    expect(joined(events)).toEqual(contentOf(await converse()));
    expect(events.at(0)).toEqual({ messageStart: { role: 'assistant' } });
    expect(events.at(-2)).toEqual({ messageStop: { stopReason: 'end_turn' } });
    expect(events.at(-1)).toMatchObject({
      metadata: { usage: { inputTokens: 5 }, metrics: { latencyMs: 1 } },
    });
  });

  it.each(['permanent', 'temporary'] as const)('signs for a %s account, in any region', async (name) => {
    const signing = clientWith({ credentials: accounts[name], region: 'eu-central-1' });
    const response = await signing.send(new ConverseCommand(base));
    expect(response.$metadata.httpStatusCode).toBe(200);
    expect(simulator.requests[0]?.headers.authorization).toContain('/eu-central-1/bedrock/aws4_request');
  });

  it.each(['sk-sim-conformance', 'ABSKSimQ29uZm9ybWFuY2U='])('sends an API key: %s', async (token) => {
    const bearing = clientWith({ token: { token }, authSchemePreference: ['httpBearerAuth'] });
    await bearing.send(new ConverseCommand(base));
    expect(simulator.requests[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  it('calls a model by an ARN, which the signature covers', async () => {
    const arn = 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/simclaude45s';
    expect((await converse({ modelId: arn })).stopReason).toBe('end_turn');
    expect(simulator.requests[0]?.target).toContain('%3Aapplication-inference-profile%2Fsimclaude45s/converse');
  });

  it('calls a tool and sends its result back', async () => {
    const toolConfig = { tools: [boil, stir], toolChoice: { any: {} } };
    const first = await converse({ toolConfig });
    expect(first.stopReason).toBe('tool_use');
    expect(contentOf(first)).toMatchObject([{ toolUse: { name: 'boil', input: { cups: 1 } } }]);
    const second = await converse({
      toolConfig: { tools: [boil, stir] },
      messages: withResults(contentOf(first)),
    });
    expect(textOf(contentOf(second))).toContain('3 messages');
  });

  it('calls several tools in a stream and sends their results back, with its thought', async () => {
    const toolConfig = { tools: [boil, stir] };
    simulator.script({
      reasoning: 'Two cups: a kettle.',
      text: 'On it.',
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: '' },
      ],
    });
    const blocks = joined(await streamed({ toolConfig, additionalModelRequestFields: thinking }));
    expect(blocks).toMatchObject([
      { reasoningContent: { reasoningText: { text: 'Two cups: a kettle.', signature: expect.any(String) } } },
      { text: 'On it.' },
      { toolUse: { name: 'boil', input: { cups: 2 } } },
      { toolUse: { name: 'stir', input: {} } },
    ]);
    const messages = withResults(blocks);
    const second = await streamed({ toolConfig, messages, additionalModelRequestFields: thinking });
    expect(second.at(-2)).toEqual({ messageStop: { stopReason: 'end_turn' } });
  });

  it('is refused a thought that it changed', async () => {
    simulator.script({ reasoning: 'Two cups: a kettle.' });
    const content = [...contentOf(await converse({ additionalModelRequestFields: thinking }))];
    const reasoningText = { ...content[0]?.reasoningContent?.reasoningText, text: 'Coffee.' };
    content[0] = { reasoningContent: { reasoningText } };
    await expect(converse({ messages: [hello, { role: 'assistant', content }, hello] })).rejects.toThrow(
      'Invalid `signature` in `thinking` block',
    );
  });

  it('carries hidden thoughts as bytes', async () => {
    simulator.script({ reasoning: 'x', reasoningRedacted: true });
    const content = [...contentOf(await converse())];
    expect(content[0]?.reasoningContent?.redactedContent).toBeInstanceOf(Uint8Array);
    const again = await converse({ messages: [hello, { role: 'assistant', content }, hello] });
    expect(again.stopReason).toBe('end_turn');
  });

  it('sends images and documents as bytes, and gets citations', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const image = { format: 'png' as const, source: { bytes: png } };
    const document = {
      name: 'menu',
      format: 'txt' as const,
      source: { text: 'Green tea.' },
      citations: { enabled: true },
    };
    const messages: Message[] = [{ role: 'user', content: [{ text: 'What is it?' }, { image }, { document }] }];
    const [cited] = contentOf(await converse({ messages }));
    expect(cited?.citationsContent).toMatchObject({
      content: [{ text: expect.stringContaining('simulated') }],
      citations: [{ title: 'menu', location: { documentChar: { documentIndex: 0, start: 0, end: 10 } } }],
    });
    const deltas = (await streamed({ messages })).flatMap(({ contentBlockDelta }) => contentBlockDelta?.delta ?? []);
    expect(deltas.at(-1)?.citation).toMatchObject({ title: 'menu' });
  });

  it('gets a response in a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    };
    const response = await converse({
      outputConfig: {
        textFormat: {
          type: 'json_schema',
          structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'order' } },
        },
      },
    });
    expect(JSON.parse(textOf(contentOf(response)))).toEqual({ name: 'simulated' });
  });

  it('gets no more than maxTokens, and stops at a stop text', async () => {
    const cut = await converse({ inferenceConfig: { maxTokens: 4 } });
    expect([cut.stopReason, cut.usage?.outputTokens]).toEqual(['max_tokens', 4]);
    const stopped = await converse({
      inferenceConfig: { stopSequences: [' simulated'] },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
    });
    expect(stopped).toMatchObject({
      stopReason: 'stop_sequence',
      additionalModelResponseFields: { stop_sequence: ' simulated' },
    });
    expect(textOf(contentOf(stopped))).toBe('This is a');
  });

  it('reads cached tokens beside the input tokens', async () => {
    const system = [{ text: 'tea '.repeat(2_000) }, { cachePoint: { type: 'default' as const, ttl: '1h' as const } }];
    expect((await converse({ system })).usage).toMatchObject({
      inputTokens: 5,
      cacheWriteInputTokens: 2_000,
      cacheDetails: [{ ttl: '1h', inputTokens: 2_000 }],
    });
    const messages = [hello, { role: 'assistant' as const, content: [{ text: 'x' }] }, hello];
    expect((await converse({ system, messages })).usage).toMatchObject({ cacheReadInputTokens: 2_000 });
  });
});

describe('the SDK’s errors', () => {
  it.each([
    [400, ValidationException],
    [403, AccessDeniedException],
    [404, ResourceNotFoundException],
    [408, ModelTimeoutException],
    [424, ModelErrorException],
    [429, ThrottlingException],
    [500, InternalServerException],
    [503, ServiceUnavailableException],
    [400, ServiceQuotaExceededException],
    [429, ModelNotReadyException],
  ])('have, for status %i, the class %o', async (status, kind) => {
    for (const send of [converse, streamed]) {
      simulator.script({ status, error: { type: kind.name, message: 'as scripted' } });
      const error = await send().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ message: 'as scripted', $metadata: { httpStatusCode: status } });
    }
  });

  it.each([
    ['UnrecognizedClientException', { ...accounts.permanent, accessKeyId: 'AKIASIM0NOBODY000000' }],
    ['InvalidSignatureException', { ...accounts.permanent, secretAccessKey: 'other' }],
    ['ExpiredTokenException', accounts.expired],
    ['AccessDeniedException', accounts.denied],
  ])('report wrong credentials: %s', async (name, credentials) => {
    const error = await clientWith({ credentials })
      .send(new ConverseCommand(base))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BedrockRuntimeServiceException);
    expect(error).toMatchObject({ name, $metadata: { httpStatusCode: 403 } });
  });

  it('report a wrong key, whose field Message has a capital letter', async () => {
    const bearing = clientWith({ token: { token: 'ABSKother' }, authSchemePreference: ['httpBearerAuth'] });
    const error = await bearing.send(new ConverseCommand(base)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AccessDeniedException);
    expect(error).toMatchObject({
      message: expect.stringContaining('Please make sure your API Key is valid.'),
    });
  });

  it('report a request that the vendor would refuse, and one that it cannot parse', async () => {
    await expect(converse({ messages: [hello, hello] })).rejects.toThrow(ValidationException);
    await expect(converse({ modelId: 'anthropic.claude-sonnet-4-6' })).rejects.toThrow('on-demand throughput');
    const unreadable = { inferenceConfig: { maxTokens: 1.5 } };
    await expect(converse(unreadable)).rejects.toMatchObject({ name: 'SerializationException' });
  });

  it.each([
    [ThrottlingException],
    [ModelStreamErrorException],
    [InternalServerException],
    [ServiceUnavailableException],
    [ValidationException],
  ])('report %o in a stream, after earlier events', async (kind) => {
    simulator.script({ tokens: 5, errorAfterEvents: 3, error: { type: kind.name, message: 'broken' } });
    const seen: ConverseStreamOutput[] = [];
    const error = await streamed({}, seen).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ message: 'broken' });
    expect(seen).toHaveLength(3);
  });

  it('report an error in a stream that the API does not name', async () => {
    simulator.script({ tokens: 5, errorAfterEvents: 2, error: { code: 'InternalFailure', message: 'gone' } });
    await expect(streamed()).rejects.toMatchObject({ name: 'InternalFailure', message: 'gone' });
  });

  it('report a stream that was cut in a frame, one with a wrong checksum, and a connection that was reset', async () => {
    simulator.script({ tokens: 50, pieceBytes: [700], stop: { by: 'cut', afterPieces: 1 } });
    await expect(streamed()).rejects.toThrow();
    simulator.script({ bodyBase64: Buffer.alloc(64, 1).toString('base64') });
    await expect(streamed()).rejects.toThrow();
    simulator.script({ stop: { by: 'reset', beforeHead: true } });
    await expect(converse()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('are not thrown when a retry succeeds', async () => {
    simulator.script({ status: 503 });
    const patient = clientWith({ credentials: accounts.permanent, maxAttempts: 2 });
    const response = await patient.send(new ConverseCommand(base));
    expect(response.$metadata.attempts).toBe(2);
    expect(simulator.requests.map(({ status }) => status)).toEqual([503, 200]);
  });
});

it("a stream's frames are read whole, however they are cut", async () => {
  simulator.script({ text: 'täglich 🍵 Tee', pieceBytes: [1, 7, 3] });
  expect(textOf(joined(await streamed()))).toBe('täglich 🍵 Tee');
});
