// The conversation: roles, parts, media, the positions of calls and their responses, and required signatures.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type Acceptance,
  cases,
  expectAcceptance,
  expectRefusal,
  generated,
  hello,
  type Part,
  post,
  type Refusal,
  valid,
} from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());
beforeEach(() => simulator.reset());

const says = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] });
const inline = (mimeType: string, data = 'iVBORw==') => ({ inlineData: { mimeType, data } });
const file = (fileUri: string) => ({ fileData: { fileUri, mimeType: 'video/mp4' } });

describe('contents of a conversation', () => {
  const parts = '* GenerateContentRequest.contents[0].parts';

  it.each(
    cases<Refusal>([
      ['none', { contents: [] }, '* GenerateContentRequest.contents: contents is not specified\n'],
      ['none at all', { contents: null }, '* GenerateContentRequest.contents: contents is not specified\n'],
      ['no parts', { contents: [{ role: 'user', parts: [] }] }, `${parts}: contents.parts must not be empty.\n`],
      ['a system role', { contents: [{ ...hello, role: 'system' }] }, 'Please use a valid role: user, model.'],
      ['a function role', { contents: [{ ...hello, role: 'function' }] }, 'Please use a valid role: user, model.'],
      ['an assistant role', { contents: [{ ...hello, role: 'assistant' }] }, /valid role/],
      ['an empty part', says({}), `${parts}[0].data: required oneof field 'data' must have one initialized field\n`],
      ['an empty text', says({ text: 'a' }, { text: '' }), /parts\[1\].data: required oneof field/],
      ['a part of nothing but a thought', says({ thought: true }), /parts\[0\].data: required oneof field/],
      ['a GIF', says(inline('image/gif')), 'Unsupported MIME type: image/gif'],
      ['a synonym of a type', says(inline('image/jpg')), 'Unsupported MIME type: image/jpg'],
      ['media without type', says({ inlineData: { data: 'AAAA' } }), /inline_data.mime_type: must be specified/],
      ['media of nothing', says(inline('image/png', '')), /inline_data.data: must not be empty/],
      ['a file without a URI', says({ fileData: {} }), /file_uri: must be specified/],
      ['a web page for a file', says(file('https://example.test/a.png')), /^Invalid or unsupported file uri/],
      ['a bucket for a file', says(file('gs://bucket/a.mp4')), /^Invalid or unsupported file uri/],
      [
        'a file of a type it does not read',
        says({ fileData: { fileUri: 'files/sim-a', mimeType: 'image/tiff' } }),
        'Unsupported MIME type: image/tiff',
      ],
      [
        'an image for an instruction',
        { systemInstruction: { parts: [{ text: 'a' }, inline('image/png')] } },
        /system_instruction.parts\[1\]: only text/,
      ],
      ['an instruction of nothing', { systemInstruction: { parts: [] } }, /system_instruction.parts/],
      [
        'a prefilled response, by a newer model',
        { contents: [hello, { role: 'model', parts: [{ text: 'Once' }] }] },
        'Requests ending with a model turn are not supported.',
        'gemini-3.5-flash',
      ],
    ]),
  )('refuse %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['no role', { contents: [{ parts: [{ text: 'a' }] }] }],
      ['the same role twice', { contents: [hello, hello] }],
      ['the model’s turn first', { contents: [{ role: 'model', parts: [{ text: 'a' }] }, hello] }],
      ['a prefilled response', { contents: [hello, { role: 'model', parts: [{ text: 'Once' }] }] }],
      ['any role of an instruction', { systemInstruction: { role: 'system', parts: [{ text: 'a' }] } }],
      ['media alone', says(inline('image/webp'), inline('audio/wav'), inline('application/pdf'))],
      ['what may go with media', says({ ...inline('video/mp4'), videoMetadata: { startOffset: '1s', fps: 1 } })],
      ['films of its own platform', says(file('https://www.youtube.com/watch?v=9hE5-98ZeCg'))],
      ['files that the simulator has', says(file('https://generativelanguage.googleapis.com/v1beta/files/sim-a'))],
      [
        'its own thoughts, code and results',
        {
          contents: [
            hello,
            {
              role: 'model',
              parts: [
                { text: 'Hm.', thought: true },
                { executableCode: { language: 'PYTHON', code: '1' } },
                { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
              ],
            },
            hello,
          ],
        },
      ],
    ]),
  )('accept %s', (_name, row) => expectAcceptance(simulator, row));

  it('refuse an unknown file', async () => {
    const response = await post(simulator, { body: says(file('files/abc')) });
    expect([response.status, response.text]).toEqual([403, expect.stringContaining('access the File abc')]);
  });
});

const call = (name: string, fields: object = {}) => ({ functionCall: { name, args: {}, ...fields } });
const response = (name: string, fields: object = {}) => ({
  functionResponse: { name, response: { output: 'done' }, ...fields },
});
const model = (...parts: object[]) => ({ role: 'model', parts });
const user = (...parts: object[]) => ({ role: 'user', parts });
const turns = (...contents: object[]) => ({ contents });
const withImage = turns(
  hello,
  model(call('boil')),
  user(
    response('boil', {
      parts: [{ inlineData: { displayName: 'a.png', mimeType: 'image/png', data: 'AAAA' } }],
    }),
  ),
  model({ text: 'Done.' }),
  hello,
);

describe('function calls and their responses in the history', () => {
  const callTurn =
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
  const responseTurn = 'Please ensure that function response turn comes immediately after a function call turn.';
  const number =
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
  const boiled = user(response('boil'));

  it.each(
    cases<Refusal>([
      ['a call first', turns(model(call('boil')), boiled), callTurn],
      ['a call after a call', turns(hello, model(call('boil')), model(call('boil')), boiled), /function call/],
      ['a response without a call', turns(boiled), responseTurn],
      ['a response after text', turns(hello, model({ text: 'a' }), boiled), responseTurn],
      ['a response too late', turns(hello, model(call('boil')), hello, boiled), number],
      ['a call without response', turns(hello, model(call('boil')), hello), number],
      ['a call at the end', turns(hello, model(call('boil'))), number],
      ['fewer responses', turns(hello, model(call('boil'), call('stir')), boiled), number],
      ['more responses', turns(hello, model(call('boil')), user(response('boil'), response('boil'))), number],
      [
        'responses in two contents',
        turns(hello, model(call('boil'), call('stir')), boiled, user(response('stir'))),
        number,
      ],
      [
        'a response of another name',
        turns(hello, model(call('boil')), user(response('stir'))),
        /no open call of `stir`/,
      ],
      [
        'one name twice',
        turns(hello, model(call('boil'), call('stir')), user(response('boil'), response('boil'))),
        /no open call of `boil`/,
      ],
      [
        'a response with another id',
        turns(hello, model(call('boil', { id: 'a' })), user(response('boil', { id: 'b' }))),
        /no open call of `boil` with id `b`/,
      ],
      [
        'an id that the call had not',
        turns(hello, model(call('boil')), user(response('boil', { id: 'b' }))),
        /with id `b`/,
      ],
      ['a call by the user', turns(user(call('boil'))), /only allowed in model turns/],
      [
        'a response by the model',
        turns(hello, model(call('boil')), model(response('boil'))),
        /only allowed in user turns/,
      ],
      [
        'a call of nothing',
        turns(hello, model({ functionCall: {} }), boiled),
        /function_call.name: Name cannot be empty/,
      ],
      [
        'a response to nothing',
        turns(hello, model(call('boil')), user({ functionResponse: { response: {} } })),
        /function_response.name/,
      ],
      [
        'a response of nothing',
        turns(hello, model(call('boil')), user({ functionResponse: { name: 'boil' } })),
        /response: must be specified/,
      ],
    ]),
  )('refuse %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['one of each', turns(hello, model(call('boil')), boiled)],
      ['steps one after the other', turns(hello, model(call('boil')), boiled, model(call('boil')), boiled)],
      [
        'several in any order',
        turns(hello, model(call('boil'), call('stir')), user(response('stir'), response('boil'))),
      ],
      [
        'calls of one name that differ in their ids',
        turns(
          hello,
          model(call('boil', { id: 'a' }), call('boil', { id: 'b' })),
          user(response('boil', { id: 'b' }), response('boil', { id: 'a' })),
        ),
      ],
      ['ids that the responses omit', turns(hello, model(call('boil', { id: 'a' })), boiled)],
      ['text beside them', turns(hello, model({ text: 'a' }, call('boil')), user(response('boil'), { text: 'and?' }))],
      ['text of a streamed response before them', turns(hello, model({ text: 'a' }), model(call('boil')), boiled)],
      // In a finished turn, so that no signatures are required.
      ['an image in a response', withImage, 'gemini-3.5-flash'],
    ]),
  )('accept %s', (_name, row) => expectAcceptance(simulator, row));
});

it('function responses with an image are refused by models before Gemini 3', () =>
  expectRefusal(simulator, ['', withImage, 'Multimodal function responses are not supported for this model.']));

describe('thought signatures', () => {
  const signing = 'gemini-3.5-flash';
  const boiled = user(response('boil'));
  const signed = (thoughtSignature: string, name = 'boil') => ({ ...call(name), thoughtSignature });

  async function issued(name: string): Promise<string> {
    simulator.script({ toolCalls: [{ name, arguments: '{}' }] });
    const [candidate] = (await generated(simulator, {}, signing)).candidates;
    const [part] = candidate.content?.parts ?? [];
    expect(part).toMatchObject({ functionCall: { name }, thoughtSignature: expect.any(String) });
    return (part as Part).thoughtSignature ?? '';
  }

  const missing = (name: string, position: number) =>
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;

  it('are required on the first call of each step of the current turn', async () => {
    const signature = await issued('boil');
    const step = [model(signed(signature), call('stir')), user(response('boil'), response('stir'))];
    await expectAcceptance(simulator, ['', turns(hello, ...step, ...step), signing]);
    await expectRefusal(simulator, ['', turns(hello, model(call('boil')), boiled), missing('boil', 2), signing]);
    const second = turns(hello, ...step, model(call('boil')), boiled);
    await expectRefusal(simulator, ['', second, missing('boil', 4), signing]);
    const wrongPart = turns(hello, model(call('boil'), signed(signature)), user(response('boil'), response('boil')));
    await expectRefusal(simulator, ['', wrongPart, missing('boil', 2), signing]);
  });

  it('are not required in finished turns, or by models that do not sign', async () => {
    const past = [hello, model(call('boil')), boiled, model({ text: 'Done.' })];
    await expectAcceptance(simulator, ['', turns(...past, hello), signing]);
    await expectAcceptance(simulator, ['', turns(hello, model(call('boil')), boiled), 'gemini-2.5-pro']);
  });

  it.each(['gemini-3.5-flash', 'gemini-2.5-flash'])(
    'are refused by %s when another service issued them',
    async (name) => {
      const [, body = ''] =
        Buffer.from(await issued('boil'), 'base64')
          .toString('hex')
          .match(/^(.*)..$/) ?? [];
      for (const forged of ['c2ln', Buffer.from(`${body}00`, 'hex').toString('base64')]) {
        const contents = turns(hello, model(signed(forged)), boiled);
        await expectRefusal(simulator, ['', contents, 'Corrupted thought signature.', name]);
      }
    },
  );

  it('are valid only for the call with which they were issued', async () => {
    const signature = await issued('boil');
    const contents = turns(hello, model(signed(signature, 'stir')), user(response('stir')));
    await expectRefusal(simulator, ['', contents, 'Corrupted thought signature.', signing]);
  });

  it.each(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'])(
    'can be %s, as documented',
    async (signature) => {
      await expectAcceptance(simulator, ['', turns(hello, model(signed(signature)), boiled), signing]);
    },
  );

  it('must be base64', async () => {
    const contents = turns(hello, model(signed('not base64!')), boiled);
    await expectRefusal(simulator, [
      '',
      contents,
      /'contents\[1\].parts\[0\].thought_signature' \(TYPE_BYTES\), Base64/,
      signing,
    ]);
  });

  it('are issued with texts too, and accepted with an empty text', async () => {
    const [candidate] = (await generated(simulator, valid, signing)).candidates;
    const [part] = candidate.content?.parts ?? [];
    const { thoughtSignature = '' } = part as Part;
    expect(thoughtSignature).not.toBe('');
    await expectAcceptance(simulator, ['', turns(hello, model({ text: '', thoughtSignature }), hello), signing]);
  });
});
