import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../common/json.ts';
import {
  type OutputMode,
  outputModeOf,
  ResponseText,
  withResponseTool,
} from '../../../../proxy/conversation/output-mode.ts';
import { readResponseFormat } from '../../../../proxy/formats/chat-completions/read-response-format.ts';
import { readTools } from '../../../../proxy/formats/chat-completions/read-tools.ts';

const schema = { type: 'object', properties: {} };
const json = { type: 'json_object' };
const bySchema = (fields: JsonObject = {}) => ({
  type: 'json_schema',
  json_schema: { name: 'a', schema, ...fields },
});
const tools = (...names: string[]) => names.map((name) => ({ type: 'function', function: { name } }));

function formOf(body: JsonObject, abilities: { native?: boolean; forcedTools?: boolean } = {}) {
  const { native = false, forcedTools = true } = abilities;
  return outputModeOf(readResponseFormat(body), readTools(body), {
    native: (one) => (native ? { ...one, cleaned: true } : undefined),
    forcedTools,
  });
}

describe('the output mode of a response', () => {
  it.each([
    ['text when none is requested', {}, {}, { kind: 'text' }],
    [
      'a description of any JSON',
      { response_format: json },
      { native: true },
      { kind: 'words', text: expect.stringContaining('JSON object') },
    ],
    [
      'native where the model can',
      { response_format: bySchema() },
      { native: true },
      { kind: 'native', schema: { ...schema, cleaned: true } },
    ],
    [
      'a tool where it cannot',
      { response_format: bySchema() },
      {},
      { kind: 'tool', tool: { name: 'json_tool_call', parameters: schema } },
    ],
    [
      'a description where no tool can be forced',
      { response_format: bySchema() },
      { forcedTools: false },
      { kind: 'words', text: expect.stringContaining(JSON.stringify(schema)) },
    ],
    [
      'a description where the response is not an object',
      { response_format: bySchema({ schema: { type: 'array' } }) },
      {},
      { kind: 'words' },
    ],
    [
      'text where the response is a call',
      { response_format: bySchema(), tools: tools('b'), tool_choice: 'required' },
      {},
      { kind: 'text' },
    ],
    [
      'a tool of a name of its own',
      { response_format: bySchema(), tools: tools('json_tool_call', 'json_tool_call_') },
      {},
      { kind: 'tool', tool: { name: 'json_tool_call__' } },
    ],
    [
      'a tool with the caller’s description',
      { response_format: bySchema({ description: 'A tea.' }) },
      {},
      { kind: 'tool', tool: { description: expect.stringMatching(/A tea\.$/) } },
    ],
  ])('is %s', (_what, body, abilities, expected) => {
    expect(formOf(body, abilities)).toMatchObject(expected);
  });
});

describe('tools beside the response tool', () => {
  const named = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: tools('b') } };

  it.each([
    ['there are none', {}, ['json_tool_call'], { kind: 'named', name: 'json_tool_call' }],
    ['one of all is called', { tools: tools('a', 'b') }, ['a', 'b', 'json_tool_call'], { kind: 'required' }],
    [
      'only those allowed',
      { tools: tools('a', 'b'), tool_choice: named },
      ['b', 'json_tool_call'],
      { kind: 'required' },
    ],
    ['none may be called', { tools: tools('a', 'b'), tool_choice: 'none' }, ['json_tool_call'], { kind: 'named' }],
  ])('when structured output is a tool input: %s', (_what, body, names, choice) => {
    const requested = { ...body, response_format: bySchema() };
    const all = withResponseTool(readTools(requested), formOf(requested));
    expect(all.definitions.map(({ name }) => name)).toEqual(names);
    expect(all).toMatchObject({ choice, parallel: false });
  });

  it('stay unchanged when the output mode needs no tool', () => {
    const read = readTools({ tools: tools('a') });
    expect(withResponseTool(read, { kind: 'text' })).toBe(read);
  });
});

describe('the text of a structured response', () => {
  const words: OutputMode = { kind: 'words', text: '' };
  const through = (form: OutputMode, pieces: readonly string[]) => {
    const text = new ResponseText(form);
    return [...pieces.map((piece) => text.push(piece)), text.end()].join('');
  };
  const fenced = '```json\n{"a": "`x`"}\n```';

  it.each([
    ['passes unchanged', { kind: 'text' } as const, fenced, fenced],
    ['loses the fence around JSON', words, fenced, '{"a": "`x`"}'],
    ['loses text around the fence', words, `\n${fenced}\nThere you are.`, '{"a": "`x`"}'],
    ['loses a fence on the same line', words, '```{"a": 1}```', '{"a": 1}'],
    ['loses a fence without a name', words, '```\n[1]\n```\n', '[1]'],
    ['keeps a fence inside', words, '{"a": "\\n```"}', '{"a": "\\n```"}'],
    ['keeps text without a fence', words, ' {"a": 1} ', ' {"a": 1} '],
    ['keeps text that is not JSON', words, '```sh\nls\n```', '```sh\nls\n```'],
    ['keeps a single backtick', words, '`', '`'],
    ['may be empty', words, '', ''],
    ['is empty when there is only a fence', words, '```json\n', ''],
  ])('the text %s', (_what, form, text, expected) => {
    expect(through(form, [text])).toBe(expected);
    expect(through(form, [...text])).toBe(expected);
    for (let cut = 1; cut < text.length; cut++) {
      expect(through(form, [text.slice(0, cut), text.slice(cut)])).toBe(expected);
    }
  });

  it('is streamed at once when it has no fence', () => {
    const text = new ResponseText(words);
    expect(text.push('{"a":')).toBe('{"a":');
  });

  it('is the input of the response tool, or all text when the tool was not called', () => {
    const form = formOf({ response_format: bySchema() });
    const response = new ResponseText(form);
    expect(response.isResponseTool('json_tool_call')).toBe(true);
    expect(response.isResponseTool('other')).toBe(false);
    expect([response.push('Here: '), response.pushInput('{}'), response.end()]).toEqual(['', '{}', '']);
    expect(through(form, ['I ', 'cannot.'])).toBe('I cannot.');
  });
});
