import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type Acceptance,
  expectAcceptance,
  expectRefusal,
  extra,
  hello,
  inference,
  postConverse,
  type Refusal,
  user,
  valid,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

describe('fields of a converse request', () => {
  it.each<Refusal>([
    [
      'an unknown field',
      { model: 'x' },
      '#: extraneous key [model] is not permitted, please reformat your input and try again.',
    ],
    [
      'an unknown field of a message',
      { messages: [{ ...hello, name: 'x' }] },
      '#/messages/0: extraneous key [name] is not permitted',
    ],
    [
      'an unknown field of a block',
      { messages: [user({ type: 'text', text: 'x' })] },
      '#/messages/0/content/0: extraneous key [type] is not permitted',
    ],
    [
      'an unknown block',
      { messages: [user({ image_url: {} })] },
      'The ContentBlock object at messages.0.content.0 must set one of the following keys: text, image,',
    ],
    [
      'a block of two kinds',
      { messages: [user({ text: 'x', cachePoint: { type: 'default' } })] },
      'must set one of the following keys',
    ],
    [
      'a message without content',
      { messages: [{ role: 'user' }] },
      "1 validation error detected: Value null at 'messages.1.member.content' failed to satisfy constraint: Member must not be null",
    ],
    [
      'an unknown role',
      { messages: [{ ...hello, role: 'tool' }] },
      "Value 'tool' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
    ],
    [
      'the role system',
      { messages: [{ ...hello, role: 'system' }, hello] },
      'Member must satisfy enum value set: [user, assistant]',
    ],
    [
      'temperature above 1',
      inference({ temperature: 1.5 }),
      "Value '1.5' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than or equal to 1",
    ],
    ['temperature below 0', inference({ temperature: -1 }), 'Member must have value greater than or equal to 0'],
    ['topP above 1', inference({ topP: 2 }), "at 'inferenceConfig.topP'"],
    ['maxTokens of 0', inference({ maxTokens: 0 }), 'Member must have value greater than or equal to 1'],
    [
      'a stop sequence that is empty',
      inference({ stopSequences: [''] }),
      "Value '' at 'inferenceConfig.stopSequences.1.member' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    [
      'more stop sequences than there may be',
      inference({ stopSequences: Array.from({ length: 2501 }, () => 'x') }),
      'Member must have length less than or equal to 2500',
    ],
    ['an unknown inference field', inference({ topK: 3 }), '#/inferenceConfig: extraneous key [topK] is not permitted'],
    [
      'a system text that is empty',
      { system: [{ text: '' }] },
      "Value '' at 'system.1.member.text' failed to satisfy constraint",
    ],
    [
      'an image for the system',
      { system: [{ image: {} }] },
      'The SystemContentBlock object at system.0 must set one of the following keys: text, guardContent, cachePoint.',
    ],
    [
      'an unknown service tier',
      { serviceTier: { type: 'gold' } },
      'Member must satisfy enum value set: [priority, default, flex, reserved]',
    ],
    [
      'an unknown latency',
      { performanceConfig: { latency: 'low' } },
      'Member must satisfy enum value set: [standard, optimized]',
    ],
    [
      'optimized latency of a model without',
      { performanceConfig: { latency: 'optimized' } },
      'Latency performance configuration is not supported',
    ],
    [
      'metadata that are none',
      { requestMetadata: {} },
      "Value at 'requestMetadata' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    [
      '17 pairs of metadata',
      { requestMetadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, ''])) },
      'Member must have length less than or equal to 16',
    ],
    ['a metadata key with other characters', { requestMetadata: { 'a?': 'x' } }, 'Map keys must satisfy constraint'],
    ['a metadata value with other characters', { requestMetadata: { a: 'é' } }, 'Map value must satisfy constraint'],
    [
      'a metadata value that is too long',
      { requestMetadata: { a: 'x'.repeat(257) } },
      'Map value must satisfy constraint',
    ],
    [
      'a path that is no JSON pointer',
      { additionalModelResponseFieldPaths: ['stop_sequence'] },
      'The value at additionalModelResponseFieldPaths.0 is not a valid JSON Pointer',
    ],
    [
      'eleven paths',
      { additionalModelResponseFieldPaths: Array.from({ length: 11 }, () => '/a') },
      'Member must have length less than or equal to 10',
    ],
    [
      'further fields that are no object',
      extra([]),
      'The format of the value at additionalModelRequestFields is invalid. Provide a json object for the field and try again.',
    ],
    ['a guardrail without a version', { guardrailConfig: { guardrailIdentifier: 'sim1' } }, 'must be set together'],
    [
      'a guardrail version of another form',
      { guardrailConfig: { guardrailIdentifier: 'sim1', guardrailVersion: 'one' } },
      "Value 'one' at 'guardrailConfig.guardrailVersion'",
    ],
    [
      'an unknown guardrail',
      { guardrailConfig: { guardrailIdentifier: 'other', guardrailVersion: '1' } },
      'The guardrail identifier or version provided in the request does not exist.',
    ],
    [
      'a stream’s guardrail mode without a stream',
      {
        guardrailConfig: { guardrailIdentifier: 'sim1', guardrailVersion: '1', streamProcessingMode: 'sync' },
      },
      '#/guardrailConfig: extraneous key [streamProcessingMode]',
    ],
  ])('refuses %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object, string]>([
    ['maxTokens as text', inference({ maxTokens: '5' }), 'STRING_VALUE can not be converted to an Integer'],
    ['maxTokens that is no integer', inference({ maxTokens: 1.5 }), 'NUMBER_VALUE can not be converted to an Integer'],
    ['temperature as text', inference({ temperature: '1' }), 'STRING_VALUE can not be converted to a Float'],
    ['content as text', { messages: [{ role: 'user', content: 'hello' }] }, 'Expected list or null'],
    ['a text that is a number', { messages: [user({ text: 5 })] }, 'NUMBER_VALUE can not be converted to a String'],
    [
      'a text that is an object',
      { messages: [user({ text: {} })] },
      'Start of structure or map found where not expected',
    ],
    [
      'a role that is a number',
      { messages: [{ role: 1, content: [] }] },
      'NUMBER_VALUE can not be converted to a String',
    ],
    ['a block that is text', { messages: [{ role: 'user', content: ['hello'] }] }, 'Expected null'],
    ['metadata that are a list', { requestMetadata: [] }, 'Expected null'],
    ['variables that are text', { promptVariables: 'x' }, 'Expected null'],
    ['stopSequences as text', inference({ stopSequences: 'END' }), 'Expected list or null'],
    ['metadata that are no text', { requestMetadata: { a: true } }, 'TRUE_VALUE can not be converted to a String'],
    [
      'bytes that are no base64',
      { messages: [user({ image: { format: 'png', source: { bytes: 'data:image/png;base64,AA==' } } })] },
      'Unable to decode a value as base64',
    ],
  ])('cannot decode %s, and returns the error of the framework below the service', async (_name, change, message) => {
    const response = await postConverse(simulator, { ...valid, ...change });
    expect(response.json()).toEqual({ Message: message });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-amzn-errortype')).toBe(
      'SerializationException:http://internal.amazon.com/coral/com.amazon.coral.service/',
    );
  });

  it.each<Acceptance>([
    [
      'null as if it were not there',
      { system: null, toolConfig: null, inferenceConfig: { maxTokens: null, temperature: 0 } },
    ],
    ['empty lists where they mean nothing', { system: [], ...inference({ stopSequences: [] }) }],
    [
      'every common field',
      {
        system: [{ text: 'Be brief.' }],
        ...inference({ maxTokens: 64_000, temperature: 1, stopSequences: ['END'] }),
        serviceTier: { type: 'flex' },
        performanceConfig: { latency: 'standard' },
        requestMetadata: { 'team/a': 'x=1' },
        promptVariables: { a: { text: 'x' } },
        additionalModelResponseFieldPaths: ['/stop_sequence', '/a~1b'],
      },
    ],
    [
      'a guardrail',
      { guardrailConfig: { guardrailIdentifier: 'sim1', guardrailVersion: 'DRAFT', trace: 'enabled_full' } },
    ],
    [
      'a guardrail by its ARN',
      {
        guardrailConfig: {
          guardrailIdentifier: 'arn:aws:bedrock:us-east-1:111122223333:guardrail/sim1',
          guardrailVersion: '12',
        },
      },
    ],
    ['optimized latency of a model with it', { performanceConfig: { latency: 'optimized' } }, 'amazon.nova-pro-v1:0'],
  ])('accepts %s', (...row) => expectAcceptance(simulator, row));
});
