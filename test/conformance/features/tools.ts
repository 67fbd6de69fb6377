// Features of tools and of the format of a response.
import { boil, stir } from '../providers/tools.ts';
import {
  dropped,
  emulated,
  type Feature,
  type Json,
  native,
  type Outcome,
  refused,
  reported,
  usually,
} from './feature.ts';

const both = [boil, stir];
const named = { type: 'function', function: { name: 'boil' } };
const { name, description, parameters } = boil.function;

const strictly = (cups: Json) => ({
  type: 'function',
  function: {
    name: 'boil',
    parameters: { type: 'object', properties: { cups }, required: ['cups'], additionalProperties: false },
    strict: true,
  },
});
const inDescription = (schema: string, lost?: string): Outcome => ({
  is: 'emulated',
  names: 'tools.parameters',
  how: 'in the description',
  at: `${schema}.properties.cups.description`,
  value: 'How many. (pattern: "^[1-9]$")',
  ...(lost !== undefined && { dropped: lost }),
});

export const toolFeatures: readonly Feature[] = [
  {
    name: '`tools`',
    ask: { tools: both },
    at: usually(native('tools.0.function.name', name), {
      'managed-cloud-models': native('toolConfig.tools.0.toolSpec', {
        name,
        description,
        inputSchema: { json: parameters },
      }),
      'assistant-provider': native('tools.0', { name, description, input_schema: parameters }),
      'search-provider': native('tools.0.functionDeclarations.0.name', name),
    }),
  },
  {
    name: '`tool_choice: "required"`',
    ask: { tools: both, tool_choice: 'required' },
    at: usually(native('tool_choice', 'required'), {
      'managed-cloud-models': native('toolConfig.toolChoice', { any: {} }),
      'assistant-provider': native('tool_choice', { type: 'any' }),
      'search-provider': native('toolConfig.functionCallingConfig', { mode: 'ANY' }),
    }),
  },
  {
    name: '`tool_choice: "required"`, of a model that cannot be forced',
    ask: { tools: both, tool_choice: 'required' },
    models: {
      'managed-cloud-models': 'us.anthropic.claude-sonnet-5-5',
      'assistant-provider': 'claude-sonnet-5-5',
    },
    at: usually(native('tool_choice', 'required'), {
      'managed-cloud-models': dropped('tool_choice'),
      'assistant-provider': dropped('tool_choice'),
      'search-provider': native('toolConfig.functionCallingConfig', { mode: 'ANY' }),
    }),
  },
  {
    name: '`tool_choice` that names a tool',
    ask: { tools: both, tool_choice: named },
    at: usually(native('tool_choice', named), {
      'managed-cloud-models': native('toolConfig.toolChoice', { tool: { name } }),
      'assistant-provider': native('tool_choice', { type: 'tool', name }),
      'search-provider': native('toolConfig.functionCallingConfig', {
        mode: 'ANY',
        allowedFunctionNames: [name],
      }),
    }),
  },
  {
    name: '`tool_choice: "none"`',
    ask: { tools: both, tool_choice: 'none' },
    at: usually(native('tool_choice', 'none'), {
      'managed-cloud-models': emulated('no tools are sent', 'messages.0.content.0.text', 'Hello'),
      'assistant-provider': native('tool_choice', { type: 'none' }),
      'search-provider': native('toolConfig.functionCallingConfig', { mode: 'NONE' }),
    }),
  },
  {
    name: '`tool_choice` of the type `allowed_tools`',
    ask: {
      tools: both,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } },
    },
    at: usually(emulated('the others are not sent', 'tools.length', 1), {
      'gpt-provider': native('tool_choice.type', 'allowed_tools'),
      'managed-cloud-models': emulated('the others are not sent', 'toolConfig.tools.length', 1),
      'search-provider': emulated('the others are not sent', 'tools.0.functionDeclarations.length', 1),
    }),
  },
  {
    name: '`parallel_tool_calls: false`',
    ask: { tools: both, parallel_tool_calls: false },
    at: usually(native('parallel_tool_calls', false), {
      'managed-cloud-models': native('additionalModelRequestFields.tool_choice.disable_parallel_tool_use', true),
      'assistant-provider': native('tool_choice.disable_parallel_tool_use', true),
      'search-provider': dropped('parallel_tool_calls'),
    }),
  },
  {
    name: '`strict` of a function',
    ask: { tools: [strictly({ type: 'integer' })] },
    at: usually(native('tools.0.function.strict', true), {
      'managed-cloud-models': native('toolConfig.tools.0.toolSpec.strict', true),
      'assistant-provider': native('tools.0.strict', true),
      'search-provider': dropped('tools.strict'),
    }),
  },
  {
    name: 'limits of values in the schema of a `strict` function (`pattern`, `default`, `multipleOf`…)',
    ask: { tools: [strictly({ type: 'string', description: 'How many.', pattern: '^[1-9]$' })] },
    at: usually(native('tools.0.function.parameters.properties.cups.pattern', '^[1-9]$'), {
      'managed-cloud-models': inDescription('toolConfig.tools.0.toolSpec.inputSchema.json'),
      'assistant-provider': inDescription('tools.0.input_schema'),
      'search-provider': inDescription('tools.0.functionDeclarations.0.parametersJsonSchema', 'tools.strict'),
    }),
  },
  {
    name: 'tools of the type `custom`',
    ask: { tools: [{ type: 'custom', custom: { name: 'sketch' } }] },
    at: usually(refused('tools[0]'), {
      'gpt-provider': native('tools.0.custom.name', 'sketch'),
    }),
  },
  {
    name: 'several calls in one response',
    ask: { tools: both },
    says: {
      toolCalls: [
        { name: 'boil', arguments: '{"cups":2}' },
        { name: 'stir', arguments: '{}' },
      ],
    },
    at: usually(reported('choices.0.message.tool_calls.1.function.name', 'stir')),
  },
  {
    name: '`functions` and `function_call` (deprecated)',
    ask: { functions: [boil.function], function_call: { name } },
    at: usually(reported('choices.0.message.function_call.name', name)),
  },
];

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, cups: { type: 'integer' } },
  required: ['name', 'cups'],
  additionalProperties: false,
};
const order = { type: 'json_schema', json_schema: { name: 'order', schema, strict: true } };

export const formatFeatures: readonly Feature[] = [
  {
    name: '`response_format` of the type `json_object`',
    ask: {
      messages: [{ role: 'user', content: 'Order tea, as JSON.' }],
      response_format: { type: 'json_object' },
    },
    at: usually(native('response_format.type', 'json_object'), {
      'managed-cloud-models': emulated('requested in the prompt', 'system.0.text'),
      'assistant-provider': emulated('requested in the prompt', 'system.0.text'),
      'search-provider': native('generationConfig.responseMimeType', 'application/json'),
    }),
  },
  {
    name: '`response_format` of the type `json_schema`',
    ask: { response_format: order },
    at: usually(native('response_format.json_schema.schema', schema), {
      'managed-cloud-models': native('outputConfig.textFormat.structure.jsonSchema.name', 'order'),
      'assistant-provider': native('output_config.format.schema', schema),
      'search-provider': native('generationConfig.responseJsonSchema.type', 'object'),
    }),
  },
  {
    name: '`json_schema`, of a model without it that can be made to call a tool',
    ask: { response_format: order },
    models: {
      'managed-cloud-models': 'amazon.nova-lite-v1:0',
      'assistant-provider': 'claude-opus-4-1',
    },
    at: usually(native('response_format.json_schema.schema', schema), {
      'managed-cloud-models': emulated('as the input of a tool', 'toolConfig.toolChoice.tool.name', 'json_tool_call'),
      'assistant-provider': emulated('as the input of a tool', 'tool_choice.name', 'json_tool_call'),
      'search-provider': native('generationConfig.responseJsonSchema.type', 'object'),
    }),
  },
  {
    name: '`json_schema`, of a model without it',
    ask: { messages: [{ role: 'user', content: 'Order tea, as JSON.' }], response_format: order },
    models: {
      'studio-ai': 'Phi-4',
      'managed-cloud-models': 'amazon.titan-text-express-v1',
    },
    at: usually(native('response_format.json_schema.schema', schema), {
      'studio-ai': emulated('requested in the prompt', 'messages.0.role', 'system'),
      'managed-cloud-models': emulated('requested in the prompt', 'messages.0.content.1.text', 'Order tea, as JSON.'),
      'assistant-provider': native('output_config.format.schema', schema),
      'search-provider': native('generationConfig.responseJsonSchema.type', 'object'),
    }),
  },
  {
    name: '`json_schema` and `tools`',
    ask: { tools: both, response_format: order },
    at: usually(native('response_format.json_schema.schema', schema), {
      'managed-cloud-models': native('outputConfig.textFormat.structure.jsonSchema.name', 'order'),
      'assistant-provider': native('output_config.format.schema', schema),
      'search-provider': emulated(
        'as the input of a further tool',
        'tools.0.functionDeclarations.2.name',
        'json_tool_call',
      ),
    }),
  },
];
