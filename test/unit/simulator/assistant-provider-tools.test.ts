import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import { boil, expectAcceptance, expectRefusal, type Refusal } from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const tool = (change: object) => ({ tools: [{ ...boil, ...change }] });
const input = (input_schema: unknown) => tool({ input_schema });
const object = (properties: object, change: object = {}) => ({ type: 'object', properties, ...change });
const invalid = /^tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12/;

describe('tools of the assistant provider', () => {
  it.each<Refusal>([
    ['as an object', { tools: {} }, 'tools: Input should be a valid array'],
    ['null', { tools: null }, 'tools: Input should be a valid array'],
    ['that are no objects', { tools: [7] }, 'tools.0: Input should be an object'],
    ['without a name', tool({ name: undefined }), 'tools.0.custom.name: Field required'],
    ['with an empty name', tool({ name: '' }), 'tools.0.custom.name: String should have at least 1 character'],
    [
      'with a dot in the name',
      tool({ name: 'a.b' }),
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    ['with a name above 128', tool({ name: 'x'.repeat(129) }), /^tools.0.custom.name: String should match/],
    ['of one name', { tools: [boil, boil] }, 'tools: Tool names must be unique.'],
    ['with an unknown field', tool({ parameters: {} }), 'tools.0.custom.parameters: Extra inputs are not permitted'],
    [
      'in the form of another vendor',
      { tools: [{ type: 'function', function: { name: 'boil', parameters: {} } }] },
      /^tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: 'bash_20250124', /,
    ],
    ['with a description that is no text', tool({ description: 7 }), /^tools.0.custom.description: Input/],
    ['strict as text', tool({ strict: 'yes' }), 'tools.0.custom.strict: Input should be a valid boolean'],
    [
      'of the vendor under another name',
      { tools: [{ type: 'web_search_20250305', name: 'search' }] },
      "tools.0.web_search_20250305.name: Input should be 'web_search'",
    ],
    [
      'of the vendor with another’s field',
      { tools: [{ type: 'bash_20250124', name: 'bash', max_uses: 1 }] },
      'tools.0.bash_20250124.max_uses: Extra inputs are not permitted',
    ],
  ])('refuses tools %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['of the least form', { tools: [{ name: 'a', input_schema: { type: 'object' } }] }],
    ['of the caller by type', tool({ type: 'custom' })],
    [
      'with every field',
      tool({
        cache_control: { type: 'ephemeral' },
        defer_loading: false,
        eager_input_streaming: true,
        input_examples: [{ cups: 2 }],
        allowed_callers: ['direct'],
        strict: false,
      }),
    ],
    ['with a name of 128', tool({ name: 'x'.repeat(128) })],
    [
      'of the vendor',
      {
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            max_uses: 3,
            user_location: { type: 'approximate', city: 'Ulm' },
          },
          { type: 'web_fetch_20260318', name: 'web_fetch', citations: { enabled: true }, use_cache: true },
          { type: 'bash_20250124', name: 'bash' },
          { type: 'computer_toolset_20260801' },
          boil,
        ],
      },
    ],
  ])('accepts tools %s', (_name, change) => expectAcceptance(simulator, change));
});

describe('the input schema of a tool', () => {
  it.each<Refusal>([
    ['missing', tool({ input_schema: undefined }), 'tools.0.custom.input_schema: Field required'],
    ['without a type', input({ properties: {} }), 'tools.0.custom.input_schema.type: Field required'],
    ['that is no object', input({ type: 'array' }), "tools.0.custom.input_schema.type: Input should be 'object'"],
    [
      'with alternatives at its root',
      input({ type: 'object', anyOf: [{}] }),
      'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    ],
    ['with properties as a list', input({ type: 'object', properties: [] }), invalid],
    ['with an unknown type', input(object({ a: { type: 'str' } })), invalid],
    ['with no type of several', input(object({ a: { type: [] } })), invalid],
    ['with no alternative', input(object({ a: { anyOf: [] } })), invalid],
    ['with a type null', input(object({ a: { type: null } })), invalid],
    ['required as a flag', input(object({ a: { type: 'string', required: true } })), invalid],
    ['of draft 4', input(object({ a: { type: 'number', minimum: 0, exclusiveMinimum: true } })), invalid],
    ['with items as a list', input(object({ a: { type: 'array', items: [{ type: 'string' }] } })), invalid],
    ['with an enum that is none', input(object({ a: { enum: 'x' } })), invalid],
  ])('is refused %s', (...row) => expectRefusal(simulator, row));

  it('may contain keywords that a strict schema may not', () =>
    expectAcceptance(
      simulator,
      input(
        object({
          a: {
            oneOf: [
              { type: 'string', minLength: 2 },
              { type: 'integer', exclusiveMinimum: 0 },
            ],
          },
          b: { type: ['string', 'null'], pattern: '(?=a)' },
          c: { $ref: '#' },
          d: true,
        }),
      ),
    ));

  it('may have neither properties nor required names', () =>
    expectAcceptance(simulator, input({ type: 'object', properties: null, required: null })));
});

describe('the choice among tools', () => {
  const choice = (tool_choice: unknown, tools: readonly object[] = [boil]) => ({ tools, tool_choice });

  it.each<Refusal>([
    ['as text', choice('auto'), 'tool_choice: Input should be an object'],
    ['null', choice(null), 'tool_choice: Input should be an object'],
    [
      'of another vendor',
      choice({ type: 'function', function: { name: 'boil' } }),
      /^tool_choice: Input tag 'function'/,
    ],
    ['without a name', choice({ type: 'tool' }), 'tool_choice.tool.name: Field required'],
    ['of a tool not given', choice({ type: 'tool', name: 'stir' }), "Tool 'stir' not found in provided tools"],
    [
      'of a tool, with none given',
      choice({ type: 'tool', name: 'boil' }, []),
      "Tool 'boil' not found in provided tools",
    ],
    [
      'of any, with none given',
      choice({ type: 'any' }, []),
      'tool_choice.any may only be specified while providing tools',
    ],
    ['of none, with none given', choice({ type: 'none' }, []), /^tool_choice.none may only be specified/],
    [
      'of none, with a wish for parallel calls',
      choice({ type: 'none', disable_parallel_tool_use: true }),
      'tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted',
    ],
    ['with parallel calls as text', choice({ type: 'auto', disable_parallel_tool_use: 'no' }), /valid boolean$/],
  ])('is refused %s', (...row) => expectRefusal(simulator, row));

  it.each<readonly [string, object]>([
    ['auto', choice({ type: 'auto', disable_parallel_tool_use: true })],
    ['any', choice({ type: 'any' })],
    ['one', choice({ type: 'tool', name: 'boil', disable_parallel_tool_use: false })],
    ['none', choice({ type: 'none' })],
  ])('is accepted: %s', (_name, change) => expectAcceptance(simulator, change));
});

const withFormat = (schema: unknown) => ({ output_config: { format: { type: 'json_schema', schema } } });
const closed = (properties: object, change: object = {}) =>
  object(properties, { additionalProperties: false, required: Object.keys(properties), ...change });
const at = 'output_config.format.schema: ';

describe('a schema for the output', () => {
  it.each<Refusal>([
    [
      'with an open object',
      withFormat(object({})),
      `${at}For 'object' type, 'additionalProperties' must be explicitly set to false`,
    ],
    [
      'with an open object inside',
      withFormat(closed({ a: { type: 'array', items: object({}) } })),
      /must be explicitly set/,
    ],
    ['with an object open to a schema', withFormat(object({}, { additionalProperties: {} })), /must be explicitly set/],
    [
      'with bounds of a number',
      withFormat(closed({ a: { type: 'number', minimum: 0, maximum: 9 } })),
      `${at}For 'number' type, properties maximum, minimum are not supported`,
    ],
    [
      'with bounds of a text',
      withFormat(closed({ a: { type: 'string', minLength: 1 } })),
      `${at}For 'string' type, properties minLength are not supported`,
    ],
    [
      'with more than one item at least',
      withFormat(closed({ a: { type: 'array', items: { type: 'string' }, minItems: 2 } })),
      `${at}For 'array' type, 'minItems' values other than 0 or 1 are not supported`,
    ],
    ['with so many items at most', withFormat(closed({ a: { type: 'array', maxItems: 2 } })), /maxItems are not/],
    [
      'with one of several',
      withFormat(closed({ a: { oneOf: [{ type: 'string' }] } })),
      `${at}Schema type 'oneOf' is not supported`,
    ],
    ['with an unknown format', withFormat(closed({ a: { type: 'string', format: 'iban' } })), /'format' value 'iban'/],
    [
      'with a pattern that looks ahead',
      withFormat(closed({ a: { type: 'string', pattern: '(?=a)' } })),
      /'pattern' value/,
    ],
    [
      'without a type',
      withFormat(closed({ a: { description: 'x' } })),
      /^output_config.format.schema: Schema must have/,
    ],
    ['with an enum of objects', withFormat(closed({ a: { enum: [{}] } })), /must be primitive$/],
    [
      'that leads elsewhere',
      withFormat(closed({ a: { $ref: 'https://example.com/a' } })),
      /^output.*External reference/,
    ],
    ['that leads nowhere', withFormat(closed({ a: { $ref: '#/$defs/a' } })), /cannot be resolved$/],
    [
      'that leads back to itself',
      withFormat(closed({ a: { $ref: '#' } })),
      /Recursive reference '#' is not supported$/,
    ],
    [
      'with 25 things left open',
      withFormat(
        closed(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`k${i}`, { type: 'string' }])), {
          required: [],
        }),
      ),
      /^Schemas contains too many optional parameters \(25\).*\(limit: 24\)\.$/,
    ],
    [
      'with 17 unions',
      withFormat(
        closed(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, { type: ['string', 'null'] }]))),
      ),
      /^Schemas contains too many parameters with union types \(17 /,
    ],
    [
      'of a strict tool with an open object',
      tool({ strict: true }),
      "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
    ],
    [
      'of 21 strict tools',
      {
        tools: Array.from({ length: 21 }, (_, i) => ({
          name: `t${i}`,
          strict: true,
          input_schema: closed({}),
        })),
      },
      'Too many strict tools (21). The limit is 20.',
    ],
    [
      'beside citations',
      {
        ...withFormat(closed({})),
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'document',
                source: { type: 'text', media_type: 'text/plain', data: 'x' },
                citations: { enabled: true },
              },
            ],
          },
        ],
      },
      'Citations cannot be enabled when output_config.format is used.',
    ],
    [
      'beside words of the assistant to begin with',
      {
        ...withFormat(closed({})),
        model: 'claude-sonnet-4-5',
        messages: [
          { role: 'user', content: 'x' },
          { role: 'assistant', content: '{' },
        ],
      },
      'Prefilling assistant messages is not supported with output_config.format.',
    ],
  ])('is refused %s', (...row) => expectRefusal(simulator, row));

  it('is accepted with all supported keywords', () =>
    expectAcceptance(
      simulator,
      withFormat(
        closed(
          {
            name: { type: 'string', format: 'email', description: 'x', title: 'x' },
            code: { type: 'string', pattern: '^[A-Z]{2}\\d+$' },
            kind: { enum: ['black', 'green', null] },
            unit: { const: 'g' },
            note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            leaves: { type: 'array', items: { $ref: '#/$defs/leaf' }, minItems: 1 },
            more: { $ref: '#/$defs/leaf' },
            left: { type: 'integer', default: 3 },
          },
          {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            $defs: { leaf: closed({ weight: { type: ['number', 'null'] } }) },
            required: ['name'],
          },
        ),
      ),
    ));

  it('is accepted for a strict tool with the same keywords', () =>
    expectAcceptance(simulator, tool({ strict: true, input_schema: closed({ cups: { type: 'integer' } }) })));
});
