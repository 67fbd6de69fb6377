import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { signThought } from '../../../simulator/managed-cloud-models/thinking.ts';
import {
  assistant,
  call,
  deepseek,
  extra,
  gptOss,
  hello,
  history,
  inference,
  type Json,
  llama,
  mistral,
  nova2,
  respondedBy,
  result,
  sonnet,
  sonnet5,
  type Target,
  toolConfig,
  toolSpec,
  user,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const responseFor = (change?: object, target?: Target) => respondedBy(simulator, change, target);
const contentOf = async (change?: object, target?: Target) =>
  (await responseFor(change, target)).output.message.content;

const point = { cachePoint: { type: 'default' } };
const long = { text: 'tea '.repeat(2_000) };
const budget = extra({ thinking: { type: 'enabled', budget_tokens: 1024 } });

describe('a response of the managed cloud models', () => {
  it('has the vendor’s members and nothing else', async () => {
    expect(await responseFor()).toEqual({
      metrics: { latencyMs: 1 },
      output: { message: { role: 'assistant', content: [{ text: expect.any(String) }] } },
      stopReason: 'end_turn',
      usage: {
        inputTokens: 5,
        outputTokens: expect.any(Number),
        totalTokens: expect.any(Number),
        cacheReadInputTokens: 0,
        cacheWriteInputTokens: 0,
      },
    });
  });

  it('states that it is simulated, by which model, and is the same for the same request', async () => {
    const [block] = await contentOf();
    expect(block?.text).toContain('simulated');
    expect(block?.text).toContain('anthropic.claude-sonnet-4-5-20250929-v1:0');
    expect(block?.text).not.toContain('hello');
    expect(await contentOf()).toEqual([block]);
  });

  it('stops at the token limit, and reports it', async () => {
    const { output, stopReason, usage } = await responseFor(inference({ maxTokens: 5 }));
    expect(output.message.content).toEqual([{ text: 'This is a simulated ' }]);
    expect([stopReason, usage?.outputTokens]).toEqual(['max_tokens', 5]);
  });

  it('stops before the first stop sequence, and reports it on request', async () => {
    const stops = inference({ stopSequences: ['No model', ' simulated'] });
    expect(await responseFor(stops)).toMatchObject({
      output: { message: { content: [{ text: 'This is a' }] } },
      stopReason: 'stop_sequence',
    });
    const paths = { additionalModelResponseFieldPaths: ['/stop_sequence', '/stop_reason', '/nothing'] };
    expect((await responseFor({ ...stops, ...paths })).additionalModelResponseFields).toEqual({
      stop_sequence: ' simulated',
      stop_reason: 'stop_sequence',
    });
    expect(await responseFor(paths)).toMatchObject({
      additionalModelResponseFields: { stop_sequence: null },
    });
  });

  it('matches a schema, which can be given in either way', async () => {
    const schema = {
      type: 'object',
      properties: { cups: { type: 'integer' } },
      required: ['cups'],
      additionalProperties: false,
    };
    const textFormat = {
      type: 'json_schema',
      structure: { jsonSchema: { schema: JSON.stringify(schema), name: 'order' } },
    };
    expect(await contentOf({ outputConfig: { textFormat } })).toEqual([{ text: '{"cups":0}' }]);
    const own = extra({ output_config: { format: { type: 'json_schema', schema } } });
    expect(await contentOf(own)).toEqual([{ text: '{"cups":0}' }]);
  });

  it('confirms the service tier and the latency, and contains the guardrail’s trace, when requested', async () => {
    const request = {
      serviceTier: { type: 'flex' },
      performanceConfig: { latency: 'standard' },
      guardrailConfig: { guardrailIdentifier: 'sim1', guardrailVersion: '1', trace: 'enabled' },
    };
    expect(await responseFor(request)).toMatchObject({
      serviceTier: { type: 'flex' },
      performanceConfig: { latency: 'standard' },
      trace: { guardrail: { inputAssessment: { sim1: {} } } },
    });
  });

  it('cites the documents and search results with citations enabled', async () => {
    const citations = { enabled: true };
    const document = { name: 'menu', format: 'txt', source: { text: 'Green tea. Black tea.' }, citations };
    const pages = { name: 'scan', format: 'pdf', source: { bytes: 'JVBERg==' }, citations };
    const silent = { name: 'other', format: 'txt', source: { text: 'Coffee.' } };
    const searchResult = {
      source: 'https://tea.example',
      title: 'Tea',
      content: [{ text: 'Boil.' }],
      citations,
    };
    const blocks = [{ document: silent }, { document }, { document: pages }, { searchResult }];
    expect(await contentOf(history(user({ text: 'x' }, ...blocks)))).toEqual([
      {
        citationsContent: {
          content: [{ text: expect.stringContaining('simulated') }],
          citations: [
            {
              title: 'menu',
              sourceContent: [{ text: 'Green tea. Black tea.' }],
              location: { documentChar: { documentIndex: 1, start: 0, end: 21 } },
            },
            {
              title: 'scan',
              sourceContent: [{ text: 'Simulated words of a page.' }],
              location: { documentPage: { documentIndex: 2, start: 1, end: 2 } },
            },
            {
              title: 'Tea',
              source: 'https://tea.example',
              sourceContent: [{ text: 'Boil.' }],
              location: { searchResultLocation: { searchResultIndex: 0, start: 0, end: 1 } },
            },
          ],
        },
      },
    ]);
  });
});

describe('tool calls of the managed cloud models', () => {
  const stir = toolSpec('stir', {
    inputSchema: {
      json: { type: 'object', properties: { times: { type: 'integer', minimum: 2 } }, required: ['times'] },
    },
  });
  const tools = [toolSpec('boil'), stir];

  it('happen only when a call is forced', async () => {
    expect(await contentOf({ toolConfig })).toEqual([{ text: expect.any(String) }]);
    expect(await responseFor({ toolConfig: { tools, toolChoice: { any: {} } } })).toMatchObject({
      output: {
        message: { content: [{ toolUse: { toolUseId: 'tooluse_simulated_1_1', name: 'boil', input: {} } }] },
      },
      stopReason: 'tool_use',
    });
  });

  it('use the forced name, with input sampled from the schema', async () => {
    const named = { toolConfig: { tools, toolChoice: { tool: { name: 'stir' } } } };
    expect(await contentOf(named)).toMatchObject([{ toolUse: { name: 'stir', input: { times: 2 } } }]);
    const own = { toolConfig: { tools }, ...extra({ tool_choice: { type: 'tool', name: 'stir' } }) };
    expect(await contentOf(own)).toMatchObject([{ toolUse: { name: 'stir', input: { times: 2 } } }]);
  });

  it('are several only when the request allows parallel calls', async () => {
    const choice = (disable_parallel_tool_use: boolean) => ({
      toolConfig: { tools },
      ...extra({ tool_choice: { type: 'any', disable_parallel_tool_use } }),
    });
    expect(await contentOf(choice(false))).toMatchObject([
      { toolUse: { name: 'boil' } },
      { toolUse: { name: 'stir' } },
    ]);
    expect(await contentOf(choice(true))).toHaveLength(1);
  });

  it('do not happen when the choice is none', async () => {
    const none = { toolConfig, ...extra({ tool_choice: { type: 'none' } }) };
    expect(await responseFor(none)).toMatchObject({ stopReason: 'end_turn' });
  });

  it('have ids that differ within a conversation and fit the model', async () => {
    const forced = { toolConfig: { ...toolConfig, toolChoice: { any: {} } } };
    const messages = [hello, assistant(call('abcdefgh1')), user(result('abcdefgh1'))];
    expect(await contentOf({ ...forced, messages })).toMatchObject([
      { toolUse: { toolUseId: 'tooluse_simulated_3_1' } },
    ]);
    expect(await contentOf({ ...forced, messages }, { model: mistral })).toMatchObject([
      { toolUse: { toolUseId: 'sim003001' } },
    ]);
  });

  it('are the scripted ones, after the text, with any arguments', async () => {
    simulator.script({
      text: 'On it.',
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: '' },
        { name: 'pour', arguments: '{"cups":' },
      ],
    });
    expect(await responseFor()).toMatchObject({
      output: {
        message: {
          content: [
            { text: 'On it.' },
            { toolUse: { name: 'boil', input: { cups: 2 } } },
            { toolUse: { name: 'stir', input: {} } },
            { toolUse: { name: 'pour', input: '{"cups":' } },
          ],
        },
      },
      stopReason: 'tool_use',
    });
  });
});

describe('thoughts of the managed cloud models', () => {
  it.each<readonly [string, object, string | undefined, boolean]>([
    ['when requested, with a signature', budget, sonnet, true],
    ['adaptively', extra({ thinking: { type: 'adaptive' } }), sonnet5, true],
    ['by default where the model does', {}, sonnet5, true],
    ['always, without a signature', {}, deepseek, false],
    [
      'hidden behind one word',
      extra({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }),
      nova2,
      false,
    ],
    ['by an open model', extra({ reasoning_effort: 'low' }), gptOss, false],
  ])('are returned %s', async (_name, change, model = sonnet, isSigned) => {
    const [thought, text] = await contentOf(change, { model });
    expect(text).toEqual({ text: expect.stringContaining('simulated') });
    const { reasoningText } = (thought?.reasoningContent ?? {}) as { reasoningText?: Json };
    const { text: stated, signature } = reasoningText ?? {};
    expect(stated).toEqual(expect.any(String));
    expect(signature).toBe(isSigned ? signThought(String(stated)) : undefined);
  });

  it.each<readonly [string, object, string]>([
    ['when none are requested', {}, sonnet],
    ['when switched off', extra({ thinking: { type: 'disabled' } }), sonnet5],
    ['before a forced call', { toolConfig: { ...toolConfig, toolChoice: { any: {} } } }, sonnet5],
  ])('are not returned %s', async (_name, change, model) => {
    const content = await contentOf(change, { model });
    expect(content.filter(({ reasoningContent }) => reasoningContent !== undefined)).toEqual([]);
  });

  it('are accepted unchanged in the history, readable and redacted', async () => {
    for (const reasoningRedacted of [false, true]) {
      simulator.script({
        reasoning: 'Two cups: a kettle.',
        reasoningRedacted,
        toolCalls: [{ name: 'boil', arguments: '{}' }],
      });
      const content = await contentOf({ toolConfig, ...budget });
      expect(Object.keys(content[0]?.reasoningContent as Json)).toEqual([
        reasoningRedacted ? 'redactedContent' : 'reasoningText',
      ]);
      const messages = [hello, assistant(...content), user(result('tooluse_simulated_1_1'))];
      expect(await responseFor({ toolConfig, ...budget, messages })).toMatchObject({
        stopReason: 'end_turn',
      });
    }
  });

  it('count as output, and use up the limit', async () => {
    const whole = await responseFor(budget);
    const plain = await responseFor();
    expect(Number(whole.usage?.outputTokens)).toBeGreaterThan(Number(plain.usage?.outputTokens));
    const cut = await responseFor({ ...inference({ maxTokens: 3 }) }, { model: sonnet5 });
    expect(cut).toMatchObject({
      output: { message: { content: [{ reasoningContent: { reasoningText: { text: 'A simulated ' } } }] } },
      stopReason: 'max_tokens',
      usage: { outputTokens: 3 },
    });
  });
});

describe('usage of the managed cloud models', () => {
  it('reports tokens written to the cache on a first turn, beside the input and within the total', async () => {
    const { usage } = await responseFor({ system: [long, point] });
    expect(usage).toEqual({
      inputTokens: 5,
      outputTokens: expect.any(Number),
      totalTokens: 5 + 2_000 + Number(usage?.outputTokens),
      cacheReadInputTokens: 0,
      cacheWriteInputTokens: 2_000,
      cacheDetails: [{ ttl: '5m', inputTokens: 2_000 }],
    });
  });

  it('reports tokens read from the cache on later turns', async () => {
    const hour = { cachePoint: { type: 'default', ttl: '1h' } };
    const { usage } = await responseFor({
      system: [long, hour],
      messages: [hello, assistant({ text: 'x' }), hello],
    });
    expect(usage).toMatchObject({ inputTokens: 14, cacheReadInputTokens: 2_000, cacheWriteInputTokens: 0 });
    expect(usage).not.toHaveProperty('cacheDetails');
  });

  it('reports nothing cached below the model’s minimum, and no cache fields for a model without a cache', async () => {
    const { usage } = await responseFor({ system: [{ text: 'short' }, point] });
    expect(usage).toMatchObject({ inputTokens: 7, cacheWriteInputTokens: 0 });
    expect((await responseFor({}, { model: llama })).usage).not.toHaveProperty('cacheReadInputTokens');
  });

  it('is the scripted one, or missing', async () => {
    simulator.script({ usage: { inputTokens: 20, cacheReadInputTokens: 400 } });
    expect((await responseFor()).usage).toMatchObject({ inputTokens: 20, cacheReadInputTokens: 400 });
    simulator.script({ usage: null });
    expect(await responseFor()).not.toHaveProperty('usage');
  });
});
