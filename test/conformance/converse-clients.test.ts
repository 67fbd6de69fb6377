// The official SDK of Converse as a client of all five vendors: what it reads, and what each vendor gets.
import {
  type ContentBlock,
  ConverseCommand,
  InvokeModelCommand,
  ModelStreamErrorException,
  ResourceNotFoundException,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { vendorNames } from '../../common/vendors.ts';
import { png } from '../support/png.ts';
import { hello, thrown, toolConfig, useConverseClient, weather } from './clients/converse.ts';
import { keyWithout } from './clients/scene.ts';

const { clients, client, converse, stream } = useConverseClient();
const { sent } = clients;

const image: ContentBlock.ImageMember = { image: { format: 'png', source: { bytes: Buffer.from(png, 'base64') } } };

describe.each(vendorNames)('a model of %s', (vendor) => {
  it('returns text with its usage', async () => {
    const { output, stopReason, usage, metrics, $metadata } = await converse(vendor, {
      system: [{ text: 'Be brief.' }],
      messages: hello,
      inferenceConfig: { maxTokens: 100 },
    });
    expect(output?.message).toMatchObject({
      role: 'assistant',
      content: [{ text: expect.stringContaining('simulated') }],
    });
    expect(stopReason).toBe('end_turn');
    const { inputTokens = 0, outputTokens = 0, totalTokens } = usage ?? {};
    expect(inputTokens).toBeGreaterThan(0);
    expect(outputTokens).toBeGreaterThan(0);
    expect(totalTokens).toBe(inputTokens + outputTokens);
    expect(metrics?.latencyMs).toBeGreaterThanOrEqual(0);
    expect($metadata.requestId).toBeTruthy();
    expect(sent()).toContain('Be brief.');
  });

  it('streams the events of a message', async () => {
    const { events, content, stopReason, usage, latencyMs } = await stream(vendor, { messages: hello });
    expect(events).toEqual(['messageStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata']);
    expect(content).toEqual([{ text: expect.stringContaining('simulated') }]);
    expect(stopReason).toBe('end_turn');
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
    expect(latencyMs).toBeGreaterThanOrEqual(0);
  });

  it.each(['whole', 'streamed'])('calls tools in parallel and reads their results, %s', async (form) => {
    clients.scene.gateway.simulator.script({
      toolCalls: [
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'weather', arguments: '{"city":"Rome"}' },
      ],
    });
    const params = { messages: hello, toolConfig };
    const folded = form === 'whole' ? undefined : await stream(vendor, params);
    const whole = folded === undefined ? await converse(vendor, params) : undefined;
    expect(folded?.stopReason ?? whole?.stopReason).toBe('tool_use');
    const message = folded?.message ?? whole?.output?.message;
    const calls = message?.content?.flatMap(({ toolUse }) => toolUse ?? []) ?? [];
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['weather', { city: 'Oslo' }],
      ['weather', { city: 'Rome' }],
    ]);
    const second = await converse(vendor, {
      toolConfig,
      messages: [
        ...hello,
        { role: 'assistant', content: message?.content },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: calls[0]?.toolUseId, content: [{ text: 'rain' }] } },
            { toolResult: { toolUseId: calls[1]?.toolUseId, content: [{ json: { sky: 'sun' } }] } },
            { text: 'Where is it dry?' },
          ],
        },
      ],
    });
    expect(second.stopReason).toBe('end_turn');
    const body = sent();
    expect(body.indexOf('rain')).toBeLessThan(body.indexOf('sun'));
    expect(body).toContain('Where is it dry?');
  });

  it('sees images, also in results of tools, and reads documents', async () => {
    const document: ContentBlock.DocumentMember = {
      document: { format: 'txt', name: 'Notes', source: { bytes: Buffer.from('It rains.') } },
    };
    await converse(vendor, {
      toolConfig,
      messages: [
        { role: 'user', content: [{ text: 'Look' }, image, document] },
        {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Oslo' } } }],
        },
        { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1', content: [image] } }] },
      ],
    });
    expect(sent().split(png)).toHaveLength(3);
    const isNative = vendor === 'managed-cloud-models';
    expect(sent()).toContain(isNative ? Buffer.from('It rains.').toString('base64') : 'Notes\\nIt rains.');
  });

  it('responds in the form of a schema', async () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'number' } },
      required: ['a'],
      additionalProperties: false,
    };
    const { output } = await converse(vendor, {
      messages: hello,
      outputConfig: {
        textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema) } } },
      },
    });
    expect(JSON.parse(output?.message?.content?.[0]?.text ?? '')).toHaveProperty('a');
    expect(sent()).toMatch(/"properties\\?":\s*\{\\?"a\\?"/);
  });

  it('must call a tool if it has to', async () => {
    const { output } = await converse(vendor, {
      messages: hello,
      toolConfig: { tools: [weather], toolChoice: { tool: { name: 'weather' } } },
    });
    expect(output?.message?.content?.map(({ toolUse }) => toolUse?.name)).toEqual(['weather']);
  });

  it('stops at a text', async () => {
    await converse(vendor, { messages: hello, inferenceConfig: { stopSequences: ['END'] } });
    expect(sent()).toContain('"END"');
  });

  it('reads a request that is too large for one tick', async () => {
    const text = 'large '.repeat(80_000);
    const { output } = await converse(vendor, {
      system: [{ text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ text }, { text: 'Hello' }] }],
    });
    expect(output?.message?.content).toHaveLength(1);
    expect(sent()).toContain(text.slice(0, -1));
    expect(sent()).toContain('Be brief.');
  });

  it.each([
    [400, ValidationException],
    [429, ThrottlingException],
  ])('fails with status %i and the error that the SDK knows', async (status, type) => {
    clients.scene.gateway.simulator.script({ status, error: { message: 'the request is wrong' } });
    const error = await thrown(converse(vendor, { messages: hello }));
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({
      message: expect.stringContaining('the request is wrong'),
      $metadata: { httpStatusCode: status },
    });
  });

  it('ends a cut stream with an error, not with an end', async () => {
    clients.scene.gateway.simulator.script({ stop: { by: 'cut', afterPieces: 4 } });
    expect(await thrown(stream(vendor, { messages: hello }))).toBeInstanceOf(ModelStreamErrorException);
  });
});

describe('reasoning', () => {
  const budget = { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2048 } } };
  const inferenceConfig = { maxTokens: 4096 };

  it.each([
    ['assistant-provider', 'claude-sonnet-4-5', 'whole'],
    ['assistant-provider', 'claude-sonnet-4-5', 'streamed'],
    ['managed-cloud-models', undefined, 'whole'],
    ['managed-cloud-models', undefined, 'streamed'],
  ] as const)('of %s/%s keeps its signature over turns, %s', async (vendor, model, form) => {
    clients.scene.gateway.simulator.script({
      reasoning: 'Let me think.',
      toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }],
    });
    const params = { messages: hello, toolConfig, inferenceConfig, ...budget };
    const message =
      form === 'whole'
        ? (await converse(vendor, params, model)).output?.message
        : (await stream(vendor, params, { model })).message;
    const [thought, call] = message?.content ?? [];
    const { text, signature = '' } = thought?.reasoningContent?.reasoningText ?? {};
    expect(text).toBe('Let me think.');
    expect(signature).toMatch(/.{20}/);
    const toolResult = { toolUseId: call?.toolUse?.toolUseId, content: [{ text: 'rain' }] };
    const results = [{ role: 'user' as const, content: [{ toolResult }] }];
    await converse(
      vendor,
      { ...params, messages: [...hello, { role: 'assistant', content: message?.content }, ...results] },
      model,
    );
    expect(sent()).toContain(signature);
  });

  it('in its encrypted form returns to its model', async () => {
    clients.scene.gateway.simulator.script({ reasoning: 'Let me think.', reasoningRedacted: true });
    const params = { messages: hello, inferenceConfig, ...budget };
    for (const vendor of ['assistant-provider', 'managed-cloud-models'] as const) {
      clients.scene.gateway.simulator.script({ reasoning: 'Let me think.', reasoningRedacted: true });
      const { content } = await stream(vendor, params);
      const [data] = content.flatMap(({ reasoningContent }) => reasoningContent?.redactedContent ?? []);
      expect(data?.length).toBeGreaterThan(0);
      await converse(vendor, { ...params, messages: [...hello, { role: 'assistant', content }, ...hello] });
      expect(sent()).toContain(Buffer.from(data ?? []).toString('base64'));
    }
  });

  it.each([
    ['gpt-provider', 'gpt-5'],
    ['search-provider', 'gemini-2.5-flash'],
  ] as const)(
    'of %s/%s is requested by its effort, and is none of Claude when it comes back',
    async (vendor, model) => {
      clients.scene.gateway.simulator.script({ reasoning: 'Let me think.' });
      const { output } = await converse(vendor, { messages: hello, inferenceConfig, ...budget }, model);
      expect(sent()).toMatch(/"reasoning_effort":"low"|thinkingConfig/);
      const messages = [...hello, { role: 'assistant' as const, content: output?.message?.content }, ...hello];
      for (const other of ['assistant-provider', 'managed-cloud-models'] as const) {
        await converse(other, { messages });
        expect(sent()).not.toContain('Let me think');
      }
    },
  );
});

describe('a cache point', () => {
  it('marks what is before it', async () => {
    const point = { cachePoint: { type: 'default' as const } };
    await converse('assistant-provider', {
      system: [{ text: 'Be brief.' }, point],
      messages: [{ role: 'user', content: [{ text: 'Hello' }, point] }],
      toolConfig: { tools: [weather, point] },
    });
    const { system, messages, tools } = JSON.parse(sent());
    for (const marked of [system[0], messages[0].content[0], tools[0]]) {
      expect(marked).toMatchObject({ cache_control: { type: 'ephemeral' } });
    }
  });
});

describe('a bare name', () => {
  it('is a model of the cloud', async () => {
    const modelId = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
    await client().send(new ConverseCommand({ modelId, messages: hello }));
    expect(clients.scene.received().target).toContain(encodeURIComponent(modelId));
  });
  it('that nobody lists is an error that the SDK knows, with the nearest names', async () => {
    const key = await keyWithout('managed-cloud-models', ['gpt-provider/gpt-4o-mini'], clients);
    const modelId = 'gpt-4o-mimi';
    const body = JSON.stringify({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hello' }],
    });
    const calls = [
      client(key).send(new ConverseCommand({ modelId, messages: hello })),
      client(key).send(new InvokeModelCommand({ modelId, body })),
    ];
    for (const call of calls) {
      const error = await thrown(call);
      expect(error).toBeInstanceOf(ResourceNotFoundException);
      expect(error).toMatchObject({
        message: expect.stringMatching(/the nearest that this key may call: gpt-provider\/gpt-4o-mini$/),
        $metadata: { httpStatusCode: 404 },
      });
    }
  });
});
