import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type Acceptance,
  expectAcceptance,
  expectRefusal,
  extra,
  gptOss,
  haiku3,
  inference,
  llama,
  mistral,
  novaLite,
  opus48,
  postConverse,
  type Refusal,
  refusalOf,
  sonnet5,
  titan,
  toolConfig,
  toolSpec,
  user,
  valid,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const format = (schema: unknown) => ({
  outputConfig: {
    textFormat: {
      type: 'json_schema',
      structure: {
        jsonSchema: { schema: typeof schema === 'string' ? schema : JSON.stringify(schema), name: 'order' },
      },
    },
  },
});
const closed = { type: 'object', properties: { cups: { type: 'integer' } }, additionalProperties: false };

describe('the features of a model', () => {
  it.each<Refusal>([
    [
      'both sampling fields where one is the most',
      inference({ temperature: 0.5, topP: 0.9 }),
      'The model returned the following errors: `temperature` and `top_p` cannot both be specified for this model. Please use only one.',
    ],
    [
      'temperature where it is gone',
      inference({ temperature: 1 }),
      '`temperature` is deprecated for this model.',
      opus48,
    ],
    [
      'temperature where it is gone, of another family',
      inference({ temperature: 1 }),
      "This model doesn't support the temperature field. Remove temperature and try again.",
      'openai.gpt-5.6-sol',
    ],
    ['topP where it is gone', inference({ topP: 1 }), '`top_p` is deprecated for this model.', sonnet5],
    ['top_k where it is gone', extra({ top_k: 5 }), '`top_k` is deprecated for this model.', opus48],
    [
      'a system text',
      { system: [{ text: 'x' }] },
      "This model doesn't support system messages. Try again without a system message or use a model that supports system messages.",
      titan,
    ],
    ['tools', { toolConfig }, "This model doesn't support tool use.", titan],
    [
      'any stop sequences',
      inference({ stopSequences: [] }),
      "This model doesn't support the stopSequences field. Remove stopSequences and try again.",
      gptOss,
    ],
    [
      'five stop sequences where four are the most',
      inference({ stopSequences: ['a', 'b', 'c', 'd', 'e'] }),
      'expected maximum item count: 4, found: 5',
      novaLite,
    ],
    [
      'a stop sequence of spaces',
      inference({ stopSequences: ['\n'] }),
      'stop_sequences: each stop sequence must contain non-whitespace',
    ],
    [
      'more output than there is',
      inference({ maxTokens: 64_001 }),
      'The maximum tokens you requested exceeds the model limit of 64000. Try again with a maximum tokens value that is lower than 64000.',
    ],
    [
      'more than the context',
      { messages: [user({ text: 'x'.repeat(900_000) })] },
      'prompt is too long: 225003 tokens > 200000 maximum',
    ],
    [
      'more than the context of another',
      { messages: [user({ text: 'x'.repeat(900_000) })] },
      'Input is too long for requested model.',
      llama,
    ],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    ['both sampling fields of older models', inference({ temperature: 0.5, topP: 0.9 }), haiku3],
    ['a system text', { system: [{ text: 'x' }] }, llama],
    ['all stop sequences', inference({ stopSequences: ['a', 'b', 'c', 'd', 'e'] }), mistral],
  ])('accepts %s', (...row) => expectAcceptance(simulator, row));

  it('refuses tools in a stream of a model that calls tools only without streaming', async () => {
    const change = { toolConfig };
    expect(await refusalOf(simulator, change, { model: llama, stream: true })).toMatchObject({
      status: 400,
      type: 'ValidationException',
      message: "This model doesn't support tool use in streaming mode.",
    });
    await expectAcceptance(simulator, ['', change, llama]);
  });
});

describe('the output format of a request', () => {
  it.each<Refusal>([
    ['a schema that is no JSON', format('{'), 'is not a valid JSON schema'],
    ['a schema that is no object', format('[]'), 'is not a valid JSON schema'],
    [
      'an open object',
      format({ type: 'object' }),
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      'an open object inside',
      format({ ...closed, properties: { list: { type: 'array', items: { type: 'object' } } } }),
      "For 'object' type, 'additionalProperties'",
    ],
    [
      'bounds of a number',
      format({ ...closed, properties: { cups: { type: 'integer', minimum: 1, maximum: 2 } } }),
      "For 'integer' type, properties minimum, maximum are not supported",
    ],
    [
      'a model without',
      format(closed),
      "This model doesn't support the outputConfig.textFormat field. Remove outputConfig.textFormat and try again.",
      llama,
    ],
    [
      'another type',
      { outputConfig: { textFormat: { type: 'text', structure: { jsonSchema: { schema: '{}' } } } } },
      'Member must satisfy enum value set: [json_schema]',
    ],
    [
      'an unknown structure',
      { outputConfig: { textFormat: { type: 'json_schema', structure: {} } } },
      'The OutputFormatStructure object at outputConfig.textFormat.structure must set one of the following keys: jsonSchema.',
    ],
    [
      'the model’s own field with an open object',
      extra({ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }),
      "'additionalProperties' must be explicitly set to false",
    ],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));

  it('refuses a schema that is not a text', async () => {
    const change = {
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: {} } } } },
    };
    const response = await postConverse(simulator, { ...valid, ...change });
    expect(response.json()).toEqual({ Message: 'Start of structure or map found where not expected' });
  });

  it.each<Acceptance>([
    ['a closed schema as text', format(closed)],
    ['an open one of a family that does not mind', format({ type: 'object' }), gptOss],
    ['the model’s own field', extra({ output_config: { format: { type: 'json_schema', schema: closed } } })],
  ])('accepts %s', (...row) => expectAcceptance(simulator, row));
});

describe('cache points', () => {
  const point = { cachePoint: { type: 'default' } };
  const hour = { cachePoint: { type: 'default', ttl: '1h' } };

  it.each<Refusal>([
    [
      'a fifth',
      { system: [{ text: 'x' }, point, point], messages: [user({ text: 'x' }, point, point, point)] },
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    ],
    [
      'one without a block before it',
      { messages: [user(point, { text: 'x' })] },
      'messages.0.content.0 must follow the content block that it marks',
    ],
    [
      'another lifetime',
      { system: [{ text: 'x' }, { cachePoint: { type: 'default', ttl: '2h' } }] },
      'Member must satisfy enum value set: [5m, 1h]',
    ],
    [
      'an hour where there are five minutes',
      { system: [{ text: 'x' }, hour] },
      "This model doesn't support the cachePoint.ttl field.",
      'us.anthropic.claude-opus-4-1-20250805-v1:0',
    ],
    [
      'another type',
      { system: [{ text: 'x' }, { cachePoint: { type: 'ephemeral' } }] },
      'Member must satisfy enum value set: [default]',
    ],
  ])('refuse %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object, string]>([
    ['by a model without', { system: [{ text: 'x' }, point] }, llama],
    ['among tools by a model that caches none', { toolConfig: { tools: [toolSpec('boil'), point] } }, novaLite],
  ])('are denied %s', async (_name, change, model) => {
    expect(await refusalOf(simulator, change, { model })).toEqual({
      status: 403,
      type: 'AccessDeniedException',
      message:
        'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.',
    });
  });

  it.each<Acceptance>([
    [
      'in system texts, tools and messages',
      {
        system: [{ text: 'x' }, hour],
        toolConfig: { tools: [toolSpec('boil'), point] },
        messages: [user({ text: 'x' }, point)],
      },
    ],
    ['in system and messages', { system: [{ text: 'x' }, point], messages: [user({ text: 'x' }, point)] }, novaLite],
  ])('are accepted %s', (...row) => expectAcceptance(simulator, row));
});
