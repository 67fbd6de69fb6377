// Tools, and schemas of responses and of tools, that the simulated search vendor accepts.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { type Acceptance, cases, expectAcceptance, expectRefusal, type Refusal } from './post-generate.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const config = (fields: object) => ({ generationConfig: fields });
const flash35 = 'gemini-3.5-flash';

describe('the output schema of a request', () => {
  const json = (fields: object) => config({ responseMimeType: 'application/json', ...fields });
  const object = (fields: object) => json({ responseSchema: { type: 'OBJECT', ...fields } });
  const at = '* GenerateContentRequest.generation_config.response_schema';

  it.each(
    cases<Refusal>([
      [
        'an unknown type',
        config({ responseMimeType: 'text/html' }),
        '* GenerateContentRequest.generation_config.response_mime_type: allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.\n',
      ],
      [
        'a schema without its type',
        config({ responseSchema: { type: 'STRING' } }),
        "Response_schema with a response mime type 'text/plain' is unsupported",
      ],
      ['a JSON Schema without its type', config({ responseJsonSchema: {} }), /^Response_json_schema with/],
      ['both schemas', json({ responseSchema: { type: 'STRING' }, responseJsonSchema: {} }), /^Only one of/],
      ['no type', json({ responseSchema: { description: 'a' } }), `${at}.type: must be specified\n`],
      ['an object of nothing', object({}), `${at}.properties: should be non-empty for OBJECT type\n`],
      [
        'an object of nothing within',
        object({ properties: { a: { type: 'OBJECT', properties: {} } } }),
        `${at}.properties[a].properties: should be non-empty for OBJECT type\n`,
      ],
      [
        'an unknown required property',
        object({ properties: { a: { type: 'STRING' } }, required: ['a', 'toString'] }),
        `${at}.required[1]: property is not defined\n`,
      ],
      ['a list of nothing', json({ responseSchema: { type: 'ARRAY' } }), `${at}.items: missing field.\n`],
      [
        'a format of texts',
        object({ properties: { a: { type: 'STRING', format: 'email' } } }),
        `${at}.properties[a].format: only 'enum' and 'date-time' are supported for STRING type\n`,
      ],
      [
        'an enum of numbers',
        json({ responseSchema: { type: 'INTEGER', enum: ['1'] } }),
        `${at}.enum: only allowed for STRING type\n`,
      ],
      [
        'an empty enum value',
        json({ responseSchema: { type: 'STRING', enum: ['a', ''] } }),
        `${at}.enum[1]: cannot be empty\n`,
      ],
      [
        'alternatives beside a type',
        json({ responseSchema: { type: 'STRING', anyOf: [{ type: 'STRING' }] } }),
        `${at}.any_of: when using any_of, it must be the only field set\n`,
      ],
      ['additionalProperties', object({ additionalProperties: false }), /Unknown name "additionalProperties"/],
      ['a reference', json({ responseSchema: { $ref: '#/a' } }), /Unknown name "\$ref"/],
      ['exclusive bounds', json({ responseSchema: { type: 'NUMBER', exclusiveMinimum: 1 } }), /Unknown name/],
      [
        'a reference with others beside',
        json({ responseJsonSchema: { $ref: '#/$defs/a', description: 'b', $defs: { a: {} } } }),
        /\$ref is set/,
      ],
      ['a reference to nothing', json({ responseJsonSchema: { items: { $ref: '#/$defs/a' } } }), /is not defined/],
      ['an unknown type of JSON Schema', json({ responseJsonSchema: { type: 'STRING' } }), /unknown type 'STRING'/],
      ['a JSON Schema that is none', json({ responseJsonSchema: true }), /must be a JSON Schema object/],
      ['an enum of flags', json({ responseJsonSchema: { enum: [true] } }), /only strings and numbers/],
      [
        'functions beside it, of an older model',
        { ...json({}), tools: [{ functionDeclarations: [{ name: 'a' }] }] },
        "Function calling with a response mime type: 'application/json' is unsupported",
      ],
      [
        'a search beside it, of an older model',
        { ...json({}), tools: [{ googleSearch: {} }] },
        "Tool use with a response mime type: 'application/json' is unsupported",
      ],
      [
        'a forced function beside it',
        {
          ...json({}),
          tools: [{ functionDeclarations: [{ name: 'a' }] }],
          toolConfig: { functionCallingConfig: { mode: 'ANY' } },
        },
        "Forced function calling (ANY mode) with a response mime type: 'application/json' is unsupported",
        flash35,
      ],
    ]),
  )('refuses %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      [
        'all of its own schema language',
        object({
          title: 'a',
          description: 'b',
          nullable: true,
          minProperties: 1,
          maxProperties: '9',
          properties: {
            a: {
              type: 'string',
              minLength: '1',
              maxLength: 9,
              pattern: '^a',
              format: 'date-time',
              example: 1,
            },
            b: {
              type: 'array',
              items: { type: 'NUMBER', format: 'double', minimum: 0 },
              minItems: 1,
              maxItems: 2,
            },
            c: { anyOf: [{ type: 'INTEGER', format: 'int32' }, { type: 'NULL' }], description: 'c' },
            d: { type: 'STRING', format: 'enum', enum: ['x', 'y'], default: 'x' },
          },
          required: ['a'],
          propertyOrdering: ['d', 'c', 'b', 'a'],
        }),
      ],
      [
        'JSON Schema, with what it does not read',
        json({
          responseJsonSchema: {
            type: 'object',
            properties: { a: { $ref: '#/$defs/a' }, b: { type: ['string', 'null'], pattern: 'x' }, c: true },
            additionalProperties: false,
            required: ['a'],
            $defs: { a: { enum: [1, 'two'] } },
          },
        }),
      ],
      [
        'one of several words',
        config({ responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['a'] } }),
      ],
      [
        'functions beside it, of a newer model',
        { ...json({}), tools: [{ functionDeclarations: [{ name: 'a' }] }] },
        flash35,
      ],
    ]),
  )('accepts %s', (_name, row) => expectAcceptance(simulator, row));
});

describe('tools of the search provider', () => {
  const declared = (...functionDeclarations: object[]) => ({ tools: [{ functionDeclarations }] });
  const boil = { name: 'boil' };
  const choice = (functionCallingConfig: object) => ({
    ...declared(boil),
    toolConfig: { functionCallingConfig },
  });
  const at = '* GenerateContentRequest.tools[0].function_declarations[0]';

  it.each(
    cases<Refusal>([
      [
        'an empty tool',
        { tools: [{}] },
        /tools\[0\].tool_type: required one_of 'tool_type' must have one initialized field/,
      ],
      ['a tool with no functions', declared(), /tool_type/],
      ['no name', declared({ description: 'a' }), /Invalid function name/],
      [
        'a name that starts with a digit',
        declared({ name: '1a' }),
        /^\* .*\[0\].name: Invalid function name. Must start with/,
      ],
      ['a name with a slash', declared({ name: 'a/b' }), /Invalid function name/],
      ['a name above 128', declared({ name: 'a'.repeat(129) }), /maximum length of 128/],
      [
        'a name twice',
        { tools: [declared(boil).tools[0], declared(boil).tools[0]] },
        'Duplicate function declaration found: boil',
      ],
      ['513 functions', declared(...Array.from({ length: 513 }, (_, i) => ({ name: `f${i}` }))), /At most 512/],
      [
        'both kinds of parameters',
        declared({ ...boil, parameters: { type: 'STRING' }, parametersJsonSchema: {} }),
        /mutually exclusive/,
      ],
      [
        'parameters of nothing',
        declared({ ...boil, parameters: { type: 'OBJECT', properties: {} } }),
        `${at}.parameters.properties: should be non-empty for OBJECT type\n`,
      ],
      [
        'parameters that are no object',
        declared({ ...boil, parameters: { type: 'STRING' } }),
        /parameters.type: should be OBJECT/,
      ],
      [
        'JSON parameters that are no object',
        declared({ ...boil, parametersJsonSchema: { type: 'array' } }),
        /should be object/,
      ],
      [
        'strict, as elsewhere',
        declared({ ...boil, strict: true }),
        /Unknown name "strict" at 'tools\[0\].function_declarations\[0\]'/,
      ],
      ['an older search', { tools: [{ googleSearchRetrieval: {} }] }, /Please use google_search tool instead/],
      [
        'a choice without functions',
        { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
        'Function calling config is set without function_declarations.',
      ],
      [
        'allowed names without ANY',
        choice({ mode: 'AUTO', allowedFunctionNames: ['boil'] }),
        /only be set when the function calling mode is ANY/,
      ],
      [
        'an unknown allowed name',
        choice({ mode: 'ANY', allowedFunctionNames: ['boil', 'stir'] }),
        /allowed_function_names\[1\]: function stir/,
      ],
      [
        'a search beside functions, of an older model',
        { tools: [{ googleSearch: {} }, declared(boil).tools[0]] },
        'Tool use with function calling is unsupported',
      ],
      [
        'a search beside functions without a word',
        { tools: [{ googleSearch: {} }, declared(boil).tools[0]] },
        'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
        flash35,
      ],
    ]),
  )('refuses %s', (_name, row) => expectRefusal(simulator, row));

  it.each(
    cases<Acceptance>([
      ['names with all they may have', declared({ name: '_a.b:c-D1' })],
      ['JSON parameters of nothing', declared({ ...boil, parametersJsonSchema: { type: 'object', properties: {} } })],
      ['all modes', choice({ mode: 'VALIDATED', allowedFunctionNames: ['boil'] })],
      ['the vendor’s own tools', { tools: [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }] }],
      [
        'a search beside functions',
        {
          tools: [{ googleSearch: {}, functionDeclarations: [boil] }],
          toolConfig: { includeServerSideToolInvocations: true },
        },
        flash35,
      ],
    ]),
  )('accepts %s', (_name, row) => expectAcceptance(simulator, row));
});
