// Requests that differ in a schema: of a tool, of a strict tool, of the response.
import { group, spoken, tool, user } from './request-parts.ts';
import type { CorpusRequest, Json } from './requests.ts';

/** By special case: the schema of one member `a`, and further fields of the root. */
const pieces: Readonly<Record<string, { readonly a: Json; readonly root?: Json }>> = {
  text: { a: { type: 'string', description: 'A text.' } },
  'whole number': { a: { type: 'integer' } },
  'bounds of a number': { a: { type: 'integer', minimum: 1, maximum: 5 } },
  'exclusive bounds': { a: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 } },
  'bounds of int64': { a: { type: 'integer', maximum: 9007199254740991 } },
  multiple: { a: { type: 'number', multipleOf: 0.5 } },
  pattern: { a: { type: 'string', pattern: '^[a-z]+$' } },
  lengths: { a: { type: 'string', minLength: 1, maxLength: 9 } },
  date: { a: { type: 'string', format: 'date-time' } },
  email: { a: { type: 'string', format: 'email' } },
  default: { a: { type: 'string', default: 'tea' } },
  choice: { a: { type: 'string', enum: ['tea', 'coffee'] } },
  'choice of numbers': { a: { type: 'integer', enum: [1, 2] } },
  'choice with null': { a: { enum: ['tea', null] } },
  constant: { a: { const: 'tea' } },
  'text or null': { a: { type: ['string', 'null'] } },
  'one of two': { a: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
  'exactly one of two': { a: { oneOf: [{ type: 'string' }, { type: 'boolean' }] } },
  list: { a: { type: 'array', items: { type: 'string' } } },
  'bounds of a list': {
    a: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, uniqueItems: true },
  },
  'list of anything': { a: { type: 'array' } },
  tuple: { a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] } },
  object: {
    a: {
      type: 'object',
      properties: { b: { type: 'string' } },
      required: ['b'],
      additionalProperties: false,
    },
  },
  map: { a: { type: 'object', additionalProperties: { type: 'integer' } } },
  'object of anything': { a: { type: 'object' } },
  reference: {
    a: { $ref: '#/$defs/cup' },
    root: {
      $defs: {
        cup: {
          type: 'object',
          properties: { size: { type: 'integer' } },
          required: ['size'],
          additionalProperties: false,
        },
      },
    },
  },
  'reference to itself': {
    a: { $ref: '#/$defs/node' },
    root: {
      $defs: {
        node: {
          type: 'object',
          properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
          required: ['next'],
          additionalProperties: false,
        },
      },
    },
  },
  'all of two': {
    a: {
      allOf: [
        { type: 'object', properties: { b: { type: 'string' } } },
        { type: 'object', properties: { c: { type: 'string' } } },
      ],
    },
  },
  'title and examples': { a: { type: 'string', title: 'A', examples: ['tea'] } },
  comment: {
    a: { type: 'string', $comment: 'not for the model' },
    root: { $schema: 'https://json-schema.org/draft/2020-12/schema' },
  },
};

const whole = ({ a, root = {} }: { readonly a: Json; readonly root?: Json }): Json => ({
  type: 'object',
  properties: { a },
  required: ['a'],
  additionalProperties: false,
  ...root,
});

const uses: Readonly<Record<string, (schema: Json) => Json>> = {
  'schema of a tool': (schema) => ({ tools: [tool('pick', schema)] }),
  'schema of the response': (schema) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'picked', schema, strict: true } },
  }),
};

const pieced = Object.entries(uses).flatMap(([use, fields]) =>
  group(
    use,
    Object.fromEntries(
      Object.entries(pieces).map(([name, piece]) => [name, { ...spoken(user('Pick.')), ...fields(whole(piece)) }]),
    ),
  ),
);

const strict = group('a strict tool', {
  plain: {
    ...spoken(user('Pick.')),
    tools: [tool('pick', whole({ a: { type: 'string' } }), { strict: true })],
  },
  'with limits': {
    ...spoken(user('Pick.')),
    tools: [tool('pick', whole({ a: { type: 'integer', minimum: 1, maximum: 5 } }), { strict: true })],
  },
});

const odd = group('a tool', {
  'without parameters': { ...spoken(user('Pick.')), tools: [tool('pick')] },
  'with an empty schema': { ...spoken(user('Pick.')), tools: [tool('pick', {})] },
  'without a description': {
    ...spoken(user('Pick.')),
    tools: [{ type: 'function', function: { name: 'pick', parameters: { type: 'object', properties: {} } } }],
  },
  'with a long name': {
    ...spoken(user('Pick.')),
    tools: [tool('p'.repeat(64), { type: 'object', properties: {} })],
  },
  'among twenty': {
    ...spoken(user('Pick.')),
    tools: Array.from({ length: 20 }, (_, at) => tool(`pick_${at}`, whole({ a: { type: 'integer' } }))),
  },
});

export const schemaRequests: readonly CorpusRequest[] = [...pieced, ...strict, ...odd];
