import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { readTools } from '../../../../../proxy/formats/chat-completions/read-tools.ts';

const refused = (param: string, code = 'invalid_request') => expect.objectContaining({ code, param });
const tool = (name = 'boil', fields: JsonObject = {}) => ({
  type: 'function',
  function: { name, ...fields },
});
const allowed = (mode: string, ...names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
});

describe('the tools of a request', () => {
  it.each([{}, { tools: null, tool_choice: null, parallel_tool_calls: null }, { tools: [], functions: [] }])(
    'can be absent: %j',
    (body) => {
      const none = { definitions: [], choice: { kind: 'default' }, parallel: undefined, asFunctions: false };
      expect(readTools(body)).toEqual(none);
    },
  );

  it('are read with all fields that vendors accept', () => {
    const parameters = { type: 'object', properties: {} };
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const { definitions } = readTools({
      tools: [
        { ...tool('boil', { description: 'd', parameters, strict: true }), cache_control },
        tool('stir', { description: '', parameters: null, strict: null, cache_control }),
      ],
    });
    expect(definitions).toEqual([
      { name: 'boil', description: 'd', parameters, strict: true, cache: { ttl: '1h' } },
      {
        name: 'stir',
        description: undefined,
        parameters: undefined,
        strict: undefined,
        cache: { ttl: '1h' },
      },
    ]);
  });

  it('can be the deprecated functions, called one at a time', () => {
    const read = readTools({ functions: [{ name: 'boil' }], function_call: { name: 'boil' } });
    expect(read).toMatchObject({
      definitions: [{ name: 'boil' }],
      choice: { kind: 'named', name: 'boil' },
      parallel: false,
      asFunctions: true,
    });
  });

  it('are read from tools when tools and functions are both given', () => {
    const read = readTools({ tools: [tool()], functions: [{ name: 'old' }], function_call: 'none' });
    expect(read).toMatchObject({
      definitions: [{ name: 'boil' }],
      choice: { kind: 'default' },
      asFunctions: false,
    });
  });

  it.each([
    [undefined, { kind: 'default' }],
    ['auto', { kind: 'auto' }],
    ['none', { kind: 'none' }],
    ['required', { kind: 'required' }],
    [tool(), { kind: 'named', name: 'boil' }],
    [allowed('auto', 'boil'), { kind: 'allowed', mode: 'auto', names: ['boil'] }],
    [allowed('required'), { kind: 'allowed', mode: 'required', names: [] }],
  ])('are chosen by tool_choice %j', (tool_choice, expected) => {
    expect(readTools({ tools: [tool()], tool_choice }).choice).toEqual(expected);
  });

  it.each([true, false])('may be called in parallel: %s', (parallel) => {
    expect(readTools({ tools: [tool()], parallel_tool_calls: parallel }).parallel).toBe(parallel);
  });

  it.each([
    [{ tools: {} }, 'tools'],
    [{ tools: ['boil'] }, 'tools[0]'],
    [{ tools: [{}] }, 'tools[0].type'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    [{ tools: [tool('')] }, 'tools[0].function.name'],
    [{ tools: [tool('a b')] }, 'tools[0].function.name'],
    [{ tools: [tool('x'.repeat(65))] }, 'tools[0].function.name'],
    [{ tools: [tool('boil', { parameters: 'none' })] }, 'tools[0].function.parameters'],
    [{ tools: [tool('boil', { parameters: { type: 'string' } })] }, 'tools[0].function.parameters.type'],
    [{ functions: 'boil' }, 'functions'],
    [{ functions: [{}] }, 'functions[0].name'],
    [{ functions: [{ name: 'boil' }], function_call: 'stir' }, 'function_call'],
    [{ functions: [{ name: 'boil' }], function_call: { name: 'stir' } }, 'function_call'],
    [{ tools: [tool()], tool_choice: 'any' }, 'tool_choice'],
    [{ tools: [tool()], tool_choice: {} }, 'tool_choice'],
    [{ tools: [tool()], tool_choice: { type: 'function' } }, 'tool_choice.function'],
    [{ tools: [tool()], tool_choice: tool('stir') }, 'tool_choice'],
    [{ tools: [tool()], tool_choice: allowed('auto', 'stir') }, 'tool_choice'],
    [{ tools: [tool()], tool_choice: allowed('any', 'boil') }, 'tool_choice.allowed_tools'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
  ])('are refused with the name of the invalid field: %j', (body, param) => {
    expect(() => readTools(body)).toThrow(refused(param));
  });

  it('are refused when they are custom tools, which would be misread', () => {
    const custom = { type: 'custom', custom: { name: 'c' } };
    expect(() => readTools({ tools: [custom] })).toThrow(refused('tools[0]', 'unsupported_parameter'));
    expect(() => readTools({ tools: [tool()], tool_choice: custom })).toThrow(
      refused('tool_choice', 'unsupported_parameter'),
    );
  });
});
