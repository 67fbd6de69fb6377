// How the JSON of a request is parsed: names, types and values, by the rules of protocol buffers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { type Acceptance, cases, expectAcceptance, expectRefusal, post, type Refusal, valid } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const beta = 'type.googleapis.com/google.ai.generativelanguage.v1beta';
const unknown = (name: string, at: string, why = 'Cannot find field.') =>
  `Invalid JSON payload received. Unknown name "${name}"${at && ` at '${at}'`}: ${why}`;

describe('field names of a request', () => {
  it.each(
    cases<Refusal>([
      ['unknown at the top', { messages: [] }, unknown('messages', '')],
      ['unknown deeper', { generationConfig: { max_tokens: 3 } }, unknown('max_tokens', 'generation_config')],
      ['in another case', { Contents: [] }, unknown('Contents', '')],
      [
        'unknown in a part',
        { contents: [{ parts: [{ type: 'text', text: 'a' }] }] },
        unknown('type', 'contents[0].parts[0]'),
      ],
      [
        'unknown in a schema, within a map',
        {
          generationConfig: {
            responseMimeType: 'application/json',
            responseSchema: {
              type: 'OBJECT',
              properties: { a: { type: 'STRING' }, b: { type: 'STRING', const: 'x' } },
            },
          },
        },
        unknown('const', 'generation_config.response_schema.properties[1].value'),
      ],
      ['that the prototype has', { constructor: {} }, unknown('constructor', '')],
      ['of another service of the vendor', { generationConfig: { audioTimestamp: true } }, /"audioTimestamp"/],
      ['with a display name on a file', { contents: [{ parts: [{ fileData: { displayName: 'a' } }] }] }, /displayName/],
    ]),
  )('refuses a name that is %s', (_name, row) => expectRefusal(simulator, row));

  it('reports the message of an unknown field in the details, and no field for the whole body', async () => {
    const violations = async (body: object) =>
      JSON.parse((await post(simulator, { body })).text).error.details[0].fieldViolations;
    expect(await violations({ ...valid, generationConfig: { nope: 1 } })).toEqual([
      { field: 'generation_config', description: unknown('nope', 'generation_config') },
    ]);
    expect(await violations({ ...valid, nope: 1 })).toEqual([{ description: unknown('nope', '') }]);
  });

  it.each(
    cases<Acceptance>([
      ['in camel case', { generationConfig: { maxOutputTokens: 9, stopSequences: ['x'] } }],
      ['in snake case', { generation_config: { max_output_tokens: 9, stop_sequences: ['x'] } }],
      [
        'in both',
        {
          generationConfig: { max_output_tokens: 9, topP: 1 },
          system_instruction: { parts: [{ text: 'b' }] },
        },
      ],
    ]),
  )('accepts names %s', (_name, row) => expectAcceptance(simulator, row));
});

describe('field values of a request', () => {
  const config = (fields: object) => ({ generationConfig: fields });

  it.each(
    cases<Refusal>([
      ['text for a message', { contents: ['hello'] }, `Invalid value at 'contents[0]' (${beta}.Content), "hello"`],
      [
        'a list for one value',
        config({ temperature: [1] }),
        unknown('temperature', 'generation_config', 'Proto field is not repeating, cannot start list.'),
      ],
      [
        'a list of types',
        config({ responseMimeType: 'application/json', responseSchema: { type: ['string', 'null'] } }),
        unknown('type', 'generation_config.response_schema', 'Proto field is not repeating, cannot start list.'),
      ],
      [
        'an object for text',
        { contents: [{ parts: [{ text: { a: 1 } }] }] },
        unknown('text', 'contents[0].parts[0]', 'Starting an object on a scalar field.'),
      ],
      ['a number for text', { contents: [{ parts: [{ text: 3 }] }] }, /\(TYPE_STRING\), 3$/],
      [
        'text that is no number',
        config({ temperature: 'hot' }),
        /'generation_config.temperature' \(TYPE_FLOAT\), "hot"$/,
      ],
      ['a fraction for an integer', config({ maxOutputTokens: 1.5 }), /\(TYPE_INT32\), 1.5$/],
      ['more than 32 bits', config({ seed: 2 ** 31 }), /'generation_config.seed' \(TYPE_INT32\)/],
      ['text for a flag', config({ responseLogprobs: 'yes' }), /\(TYPE_BOOL\), "yes"$/],
      [
        'an unknown enum value',
        { tools: [], toolConfig: { functionCallingConfig: { mode: 'REQUIRED' } } },
        `Invalid value at 'tool_config.function_calling_config.mode' (${beta}.FunctionCallingConfig.Mode), "REQUIRED"`,
      ],
      [
        'a number in an enum of texts',
        config({ responseMimeType: 'application/json', responseSchema: { type: 'INTEGER', enum: [1] } }),
        `Invalid value at 'generation_config.response_schema.enum[0]' (TYPE_STRING), 1`,
      ],
      [
        'arguments that are no object',
        { contents: [{ role: 'model', parts: [{ functionCall: { name: 'a', args: '{}' } }] }] },
        `Invalid value at 'contents[0].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "{}"`,
      ],
      [
        'a response that is a list',
        { contents: [{ parts: [{ functionResponse: { name: 'a', response: [1] } }] }] },
        /Unknown name "response" at 'contents\[0\].parts\[0\].function_response': Proto field is not repeating/,
      ],
      [
        'bytes that are no base64',
        {
          contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'data:image/png;base64,AAAA' } }] }],
        },
        /'contents\[0\].parts\[0\].inline_data.data' \(TYPE_BYTES\), Base64 decoding failed for "data:image/,
      ],
      [
        'base64 of an impossible length',
        { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAAA' } }] }] },
        /Base64 decoding failed/,
      ],
      [
        'two kinds of data in a part',
        { contents: [{ parts: [{ text: 'a', inline_data: { mimeType: 'image/png', data: 'AAAA' } }] }] },
        "Invalid value at 'contents[0].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'inline_data'",
      ],
      ['null in a list', { contents: [null] }, `Invalid value at 'contents[0]' (${beta}.Content), null`],
    ]),
  )('refuses %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['null for absent', { generationConfig: null, tools: null, contents: [{ role: null, parts: [{ text: 'a' }] }] }],
      ['numbers as text', config({ temperature: '0.5', maxOutputTokens: '9', topK: 4.0 })],
      ['enum values in lower case', config({ mediaResolution: 'media-resolution-low', responseModalities: ['text'] })],
      ['enum values by their number', config({ responseModalities: [1] })],
      ['one value for a list of one', { contents: { parts: { text: 'hello' } }, tools: { google_search: {} } }],
      [
        'base64 of either alphabet, padded or not',
        {
          contents: ['-_-_', '+/+/', 'AAAA', 'AA==', 'AA'].map((data) => ({
            parts: [{ inlineData: { mimeType: 'image/png', data } }],
          })),
        },
      ],
    ]),
  )('accepts %s', (_name, row) => expectAcceptance(simulator, row));
});

describe('the body of a request', () => {
  it.each<readonly [string, string, RegExp]>([
    ['a list', '[]', /Root element must be a message/],
    ['no JSON', '{"contents":', /^Invalid JSON payload received. Unexpected token/],
    ['nothing', '', /^Invalid JSON payload received. Expected a value/],
  ])('refuses %s', async (_name, body, message) => {
    const response = await post(simulator, { body });
    expect(response.status).toBe(400);
    expect(JSON.parse(response.text).error.message).toMatch(message);
  });

  it('is parsed as a form when its content type is not JSON', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await post(simulator, { headers });
    expect(JSON.parse(response.text).error.message).toMatch(
      /^Invalid JSON payload received. Unknown name "\{.*Cannot bind/,
    );
    expect((await post(simulator, { headers: { 'content-type': 'application/json; charset=utf-8' } })).status).toBe(
      200,
    );
  });
});
