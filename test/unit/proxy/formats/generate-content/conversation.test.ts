import { describe, expect, it } from 'vitest';
import { withSignature } from '../../../../../proxy/conversation/call-ids.ts';
import { refusal, sent } from './ask.ts';

const boil = { type: 'function', function: { name: 'boil', parameters: { type: 'object' } } };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'boil', arguments: '{}' } })),
});
const result = (id: string, content: unknown = 'done') => ({ role: 'tool', tool_call_id: id, content });
const user = (content: unknown) => ({ role: 'user', content });
const image = (url: string) => ({ type: 'image_url', image_url: { url } });
const png = 'iVBORw0KGgoAAAAA';

describe('the conversation sent to the search-company vendor', () => {
  it('trap 10: has the results of N calls in one content, with names, in the order of the calls', () => {
    const { contents } = sent({
      tools: [boil],
      messages: [user('Boil.'), calls('a', 'b'), result('b', 'second'), result('a', 'first'), user('And?')],
    }).body;
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user', 'user']);
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { id: 'a', name: 'boil', response: { output: 'first' } } },
      { functionResponse: { id: 'b', name: 'boil', response: { output: 'second' } } },
    ]);
  });

  it('trap 11: has the signature of a call that the call’s id carried', () => {
    const id = withSignature('fc-1', 'gemini-3-flash-preview c2ln');
    const { contents } = sent({
      model: 'gemini-3-flash-preview',
      tools: [boil],
      messages: [user('Boil.'), calls(id, 'fc-2'), result(id), result('fc-2')],
    }).body;
    expect(contents[1]?.parts).toEqual([
      { functionCall: { id: 'fc-1', name: 'boil', args: {} }, thoughtSignature: 'c2ln' },
      { functionCall: { id: 'fc-2', name: 'boil', args: {} } },
    ]);
    expect(contents[2]?.parts[0]).toMatchObject({ functionResponse: { id: 'fc-1' } });
  });

  it.each([
    ['gemini-3-flash-preview', 'skip_thought_signature_validator'],
    ['gemini-4-unknown', 'skip_thought_signature_validator'],
    ['gemini-2.5-flash', undefined],
  ])('trap 11: gets a substitute for a lost signature if the model requires one: %s', (model, signature) => {
    const body = {
      model,
      tools: [boil],
      messages: [user('Boil.'), calls('a', 'b'), result('a'), result('b')],
    };
    const [first, second] = sent(body).body.contents[1]?.parts ?? [];
    expect(first?.thoughtSignature).toBe(signature);
    expect(second?.thoughtSignature).toBeUndefined();
  });

  it.each([
    ['another model', 'gemini-3-flash-preview c2ln', 'gemini-3.5-flash', 'skip_thought_signature_validator'],
    ['another model', 'gemini-3-flash-preview c2ln', 'gemini-2.5-flash', undefined],
    ['another vendor', 'c2ln', 'gemini-3.5-flash', 'skip_thought_signature_validator'],
  ])('trap 11: treats a signature of %s as lost: %s at %s', (_whose, signature, model, expected) => {
    const id = withSignature('a', signature);
    const history = { model, tools: [boil], messages: [user('Boil.'), calls(id), result(id)] };
    expect(sent(history).body.contents[1]?.parts[0]?.thoughtSignature).toBe(expected);
  });

  it('trap 14: has later system texts as notes at the same position', () => {
    const { systemInstruction, contents } = sent({
      messages: [
        user('One'),
        { role: 'system', content: 'A' },
        { role: 'developer', content: [{ type: 'text', text: 'B' }] },
        user('Two'),
      ],
    }).body;
    expect(systemInstruction).toBeUndefined();
    const notes = ['A', 'B'].map((text) => ({ text: `<system_message>\n${text}\n</system_message>` }));
    expect(contents).toEqual([{ role: 'user', parts: [{ text: 'One' }, ...notes, { text: 'Two' }] }]);
  });

  it.each([
    ['no content beside calls', [user('x'), calls('a'), result('a')], 1, ['functionCall']],
    ['empty content beside calls', [user('x'), { ...calls('a'), content: '' }, result('a')], 1, ['functionCall']],
    ['blank content of the user', [user(' \n')], 0, ['text']],
    ['empty content of the user', [user('')], 0, ['text']],
    ['an image alone', [user([image(`data:image/png;base64,${png}`)])], 0, ['inlineData']],
    [
      'an image beside an empty text',
      [user([{ type: 'text', text: '' }, image(`data:image/png;base64,${png}`)])],
      0,
      ['inlineData'],
    ],
  ] as const)('trap 15: has no empty text for %s', (_what, history, index, kinds) => {
    const parts = sent({ tools: [boil], messages: history }).body.contents[index]?.parts ?? [];
    expect(parts.map((part) => Object.keys(part)[0])).toEqual(kinds);
    expect(parts.some((part) => part.text === '')).toBe(false);
  });

  it('trap 16: keeps the calls of its history when tool_choice is none', () => {
    const { body } = sent({
      tools: [boil],
      tool_choice: 'none',
      messages: [user('Boil.'), calls('a'), result('a'), user('Thanks.')],
    });
    expect(body.toolConfig).toEqual({ functionCallingConfig: { mode: 'NONE' } });
    expect(body.contents[1]?.parts[0]).toHaveProperty('functionCall');
  });

  it.each(['', 'not JSON', '[1]', '"text"', 'null'])(
    'trap 17: has an empty object for arguments that are no object: %s',
    (text) => {
      const called = { id: 'a', type: 'function', function: { name: 'boil', arguments: text } };
      const history = [user('x'), { role: 'assistant', tool_calls: [called] }, result('a')];
      expect(sent({ messages: history }).body.contents[1]?.parts[0]).toMatchObject({
        functionCall: { args: {} },
      });
    },
  );

  it.each([
    [
      'an image that was not fetched',
      [user([image('https://example.com/a.png')])],
      'invalid_request',
      'messages[0].content[0].image_url.url',
    ],
    [
      'a GIF',
      [user([image('data:image/png;base64,R0lGODlhAQAB')])],
      'unsupported_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      'a picture of no known kind',
      [user([image('data:image/tiff;base64,AAAA')])],
      'unsupported_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      'sound of no known kind',
      [user([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'midi' } }])],
      'unsupported_parameter',
      'messages[0].content[0].input_audio.format',
    ],
    [
      'a file of the GPT vendor',
      [user([{ type: 'file', file: { file_id: 'file-abc' } }])],
      'unsupported_parameter',
      'messages[0].content[0].file.file_id',
    ],
    [
      'a file anywhere in the web',
      [user([{ type: 'file', file: { file_id: 'https://example.com/a.pdf' } }])],
      'unsupported_parameter',
      'messages[0].content[0].file.file_id',
    ],
    [
      'a spreadsheet',
      [user([{ type: 'file', file: { file_data: 'data:application/vnd.ms-excel;base64,AAAA' } }])],
      'unsupported_parameter',
      'messages[0].content[0].file.file_data',
    ],
    ['a result without its call', [user('x'), result('a')], 'invalid_request', 'messages[1].tool_call_id'],
    ['a call without its result', [user('x'), calls('a'), user('y')], 'invalid_request', 'messages[2]'],
  ])('is refused with %s', (_what, history, code, param) => {
    expect(refusal({ messages: history })).toEqual({ code, param });
  });

  it('has the type of a fetched image by its bytes', () => {
    const url = 'https://example.com/a.gif';
    const { contents } = sent(
      { messages: [user([image(url)])] },
      { [url]: { mediaType: 'image/gif', base64: png } },
    ).body;
    expect(contents[0]?.parts).toEqual([{ inlineData: { mimeType: 'image/png', data: png } }]);
  });
});
