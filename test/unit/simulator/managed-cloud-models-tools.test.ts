import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type Acceptance,
  assistant,
  call,
  expectAcceptance,
  expectRefusal,
  hello,
  llama,
  mistral,
  novaLite,
  type Refusal,
  result,
  text,
  toolConfig,
  toolSpec,
  turn,
  user,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const schema = (json: unknown) => ({ tools: [toolSpec('boil', { inputSchema: { json } })] });

describe('tools of the managed cloud models', () => {
  const config = (toolConfig: object) => ({ toolConfig });

  it.each<Refusal>([
    [
      'none',
      config({ tools: [] }),
      "Value '[]' at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    ['a choice without tools', config({ toolChoice: { auto: {} } }), "Value null at 'toolConfig.tools'"],
    [
      'a name with a space',
      config({ tools: [toolSpec('boil water')] }),
      "Value 'boil water' at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern",
    ],
    [
      'a name above 64',
      config({ tools: [toolSpec('x'.repeat(65))] }),
      'Member must have length less than or equal to 64',
    ],
    [
      'a description that is empty',
      config({ tools: [toolSpec('boil', { description: '' })] }),
      "Value '' at 'toolConfig.tools.1.member.toolSpec.description'",
    ],
    [
      'no schema',
      config({ tools: [{ toolSpec: { name: 'boil' } }] }),
      "Value null at 'toolConfig.tools.1.member.toolSpec.inputSchema'",
    ],
    [
      'a schema that is text',
      config(schema('{}')),
      'The format of the value at toolConfig.tools.0.toolSpec.inputSchema.json is invalid. Provide a json object for the field and try again.',
    ],
    [
      'a schema without a type',
      config(schema({})),
      'The value at toolConfig.tools.0.toolSpec.inputSchema.json.type must be one of the following: object.',
    ],
    ['a schema of a list', config(schema({ type: 'array' })), 'must be one of the following: object.'],
    [
      'definitions in a schema',
      config(schema({ type: 'object', $defs: {} })),
      'The model returned the following errors: Malformed input request: #/toolConfig/tools/0/toolSpec/inputSchema/json: extraneous key [$defs] is not permitted',
      novaLite,
    ],
    [
      'closed objects in a schema',
      config(schema({ type: 'object', additionalProperties: false })),
      'extraneous key [additionalProperties] is not permitted',
      novaLite,
    ],
    ['two of one name', config({ tools: [toolSpec('boil'), toolSpec('boil')] }), 'tools: Tool names must be unique.'],
    [
      'a strict one with an open schema',
      config({ tools: [toolSpec('boil', { strict: true })] }),
      "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      'a strict one of a model without',
      config({ tools: [toolSpec('boil', { strict: true })] }),
      "This model doesn't support the strict field.",
      llama,
    ],
    [
      'a system tool of a model without',
      config({ tools: [{ systemTool: { name: 'nova_grounding' } }] }),
      "This model doesn't support the systemTool field.",
    ],
    [
      'an unknown kind',
      config({ tools: [{ function: {} }] }),
      'The Tool object at toolConfig.tools.0 must set one of the following keys: toolSpec, systemTool, cachePoint.',
    ],
    [
      'an unknown choice',
      config({ tools: [toolSpec('boil')], toolChoice: { none: {} } }),
      'The ToolChoice object at toolConfig.toolChoice must set one of the following keys: auto, any, tool.',
    ],
    [
      'a choice of none of them',
      config({ tools: [toolSpec('boil')], toolChoice: { tool: { name: 'stir' } } }),
      "Tool 'stir' not found in provided tools",
    ],
    [
      'a forced one where none is forced',
      config({ tools: [toolSpec('boil')], toolChoice: { any: {} } }),
      "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
      llama,
    ],
    [
      'a named one where none is forced',
      config({ tools: [toolSpec('boil')], toolChoice: { tool: { name: 'boil' } } }),
      'toolConfig.toolChoice.tool',
      'cohere.command-r-plus-v1:0',
    ],
    [
      'a forced one of a model that always thinks',
      config({ tools: [toolSpec('boil')], toolChoice: { any: {} } }),
      'Forced tool use is not supported',
      'us.anthropic.claude-fable-5-1',
    ],
  ])('refuse %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    ['a schema with definitions', config(schema({ type: 'object', $defs: {}, oneOf: [] }))],
    ['the three keys of a schema', config(schema({ type: 'object', properties: {}, required: [] })), novaLite],
    ['a forced one', config({ tools: [toolSpec('boil')], toolChoice: { tool: { name: 'boil' } } }), novaLite],
    ['auto', config({ tools: [toolSpec('boil')], toolChoice: { auto: {} } }), llama],
    ['any', config({ tools: [toolSpec('boil')], toolChoice: { any: {} } }), mistral],
    ['a system tool', config({ tools: [{ systemTool: { name: 'nova_grounding' } }] }), novaLite],
    [
      'a strict one',
      config({
        tools: [
          toolSpec('boil', {
            strict: true,
            inputSchema: { json: { type: 'object', properties: {}, additionalProperties: false } },
          }),
        ],
      }),
    ],
  ])('accept %s', (...row) => expectAcceptance(simulator, row));
});

describe('tool calls and results in the history', () => {
  it.each<Refusal>([
    [
      'without tools in the request',
      { messages: turn([call('a')], result('a')).messages },
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    ],
    [
      'without a result',
      turn([call('a')], text),
      'Expected toolResult blocks at messages.2.content for the following Ids: a',
    ],
    [
      'with two results missing',
      turn([call('a'), call('b'), call('c')], result('b')),
      'Expected toolResult blocks at messages.2.content for the following Ids: a, c',
    ],
    [
      'with a result for another id',
      turn([call('a')], result('b')),
      'Expected toolResult blocks at messages.2.content for the following Ids: a',
    ],
    [
      'with two results for one call',
      turn([call('a')], result('a'), result('a')),
      'The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.',
    ],
    [
      'with a result without a call',
      { toolConfig, messages: [user(result('a'))] },
      'The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks of previous turn.',
    ],
    [
      'with a result one turn too late',
      { toolConfig, messages: [hello, assistant(call('a')), user(text), assistant(text), user(result('a'))] },
      'Expected toolResult blocks at messages.2.content',
    ],
    [
      'at the very end',
      { toolConfig, messages: [hello, assistant(call('a'))] },
      'Expected toolResult blocks at messages.2.content for the following Ids: a',
    ],
    [
      'with one id twice',
      turn([call('a'), call('a')], result('a'), result('a')),
      'The toolUse blocks at messages.1.content contain duplicate Ids: a',
    ],
    [
      'with an id of an earlier turn',
      {
        toolConfig,
        messages: [...turn([call('a')], result('a')).messages, assistant(call('a')), user(result('a'))],
      },
      'messages.3.content.0: `tool_use` ids must be unique',
    ],
    [
      'with an id of other characters',
      turn([call('a b')], result('a b')),
      "Value 'a b' at 'messages.2.member.content.1.member.toolUse.toolUseId'",
    ],
    [
      'with an id above 64',
      turn([call('x'.repeat(65))], result('x'.repeat(65))),
      'Member must have length less than or equal to 64',
    ],
    [
      'with an id of characters that only the service accepts',
      turn([call('a.b:c')], result('a.b:c')),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      'with an id that is not nine characters',
      turn([call('a')], result('a')),
      "String should match pattern '^[a-zA-Z0-9]{9}$'",
      mistral,
    ],
    [
      'with a name of other characters',
      turn([call('a', 'boil.water')], result('a')),
      'Member must satisfy regular expression pattern',
    ],
    [
      'with input that is text',
      turn([call('a', 'boil', '{}')], result('a')),
      'The format of the value at messages.1.content.0.toolUse.input is invalid. Provide a json object for the field and try again.',
    ],
    [
      'with input that is null',
      turn([call('a', 'boil', null)], result('a')),
      "Value null at 'messages.2.member.content.1.member.toolUse.input'",
    ],
    [
      'without content in a result',
      turn([call('a')], { toolResult: { toolUseId: 'a' } }),
      "Value null at 'messages.3.member.content.1.member.toolResult.content'",
    ],
    [
      'with a list as JSON',
      turn([call('a')], result('a', { content: [{ json: [] }] })),
      'The format of the value at messages.2.content.0.toolResult.content.0.json is invalid. Provide a json object for the field and try again.',
    ],
    [
      'with an empty error',
      turn([call('a')], result('a', { content: [], status: 'error' })),
      'The content field at messages.2.content.0.toolResult cannot be empty when status value is error.',
    ],
    [
      'with a blank text in a result',
      turn([call('a')], result('a', { content: [{ text: '' }] })),
      'The text field in the ContentBlock object at messages.2.content.0.toolResult.content.0 is blank.',
    ],
    [
      'with an unknown status',
      turn([call('a')], result('a', { status: 'failed' })),
      'Member must satisfy enum value set: [success, error]',
    ],
    [
      'with a status of a model without',
      turn([call('a')], result('a', { status: 'error' })),
      "This model doesn't support the status field.",
      llama,
    ],
    [
      'with a text before the results',
      turn([call('a'), call('b')], text, result('a'), result('b')),
      'messages.2: Did not find 2 `tool_result` block(s) at the beginning of this message.',
    ],
    [
      'with a text behind the results, of another family',
      turn([call('a')], result('a'), text),
      'messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.',
      novaLite,
    ],
  ])('are refused %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    ['in any order', turn([call('a'), call('b')], result('b'), result('a'))],
    ['with a text before the calls and one behind the results', turn([text, call('a')], result('a'), text)],
    ['without content', turn([call('a')], result('a', { content: [] }))],
    [
      'with an error',
      turn([call('a')], result('a', { status: 'error', content: [{ json: { code: 1, none: null } }] })),
    ],
    ['with any characters of the service', turn([call('a.b:c')], result('a.b:c')), novaLite],
    ['with nine characters', turn([call('abcdefgh1')], result('abcdefgh1')), mistral],
    ['with a tool that is no longer offered', turn([call('a', 'stir')], result('a'))],
    ['with a cache point behind them', turn([call('a')], result('a'), { cachePoint: { type: 'default' } })],
    [
      'with a cache point behind them, of a family that mixes nothing',
      turn([call('a')], result('a'), { cachePoint: { type: 'default' } }),
      novaLite,
    ],
  ])('are accepted %s', (...row) => expectAcceptance(simulator, row));
});
