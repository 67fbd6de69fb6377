import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../common/json.ts';
import { inputSchema, StrictSchemas } from '../../../../../proxy/models/claude/schema.ts';

const take = (schema: JsonObject) => new StrictSchemas().take(schema);
const object = (properties: JsonObject, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const string = { type: 'string' };

describe('the input schema of a Claude tool', () => {
  it.each([
    ['is an object where there is none', undefined, { type: 'object', properties: {} }],
    [
      'is an object where it does not say',
      { properties: { a: string } },
      { type: 'object', properties: { a: string } },
    ],
    ['is an object where it may be null', { type: ['object', 'null'] }, { type: 'object', properties: {} }],
    [
      'is unchanged otherwise',
      object({ a: { type: 'integer', minimum: 1 } }),
      object({ a: { type: 'integer', minimum: 1 } }),
    ],
    [
      'describes alternatives at the root',
      { description: 'Either.', anyOf: [{ required: ['a'] }] },
      { type: 'object', properties: {}, description: 'Either. (anyOf: [{"required":["a"]}])' },
    ],
    [
      'may be a reference',
      { $ref: '#/$defs/a', $defs: { a: object({}) } },
      { type: 'object', $ref: '#/$defs/a', $defs: { a: object({}) } },
    ],
  ])('is mapped: it %s', (_what, parameters, expected) => {
    expect(inputSchema(parameters)).toEqual(expected);
  });
});

describe('a strict schema for a Claude model', () => {
  it.each([
    [
      'closes every object',
      { type: 'object', properties: { a: { type: 'object', properties: { b: string } } } },
      {
        type: 'object',
        properties: { a: { type: 'object', properties: { b: string }, additionalProperties: false } },
        additionalProperties: false,
      },
    ],
    [
      'describes unsupported keywords',
      { ...object({ a: { type: 'integer', minimum: 1, description: 'Stars.' } }), minProperties: 1 },
      {
        ...object({ a: { type: 'integer', description: 'Stars. (minimum: 1)' } }),
        description: '(minProperties: 1)',
      },
    ],
    [
      'keeps formats that the vendor knows',
      object({ a: { ...string, format: 'uuid' }, b: { ...string, format: 'color' } }),
      object({ a: { ...string, format: 'uuid' }, b: { ...string, description: '(format: "color")' } }),
    ],
    [
      'keeps that an array is not empty',
      object({
        a: { type: 'array', items: string, minItems: 1 },
        b: { type: 'array', items: string, minItems: 2 },
      }),
      object({
        a: { type: 'array', items: string, minItems: 1 },
        b: { type: 'array', items: string, description: '(minItems: 2)' },
      }),
    ],
    [
      'takes any for one',
      object({ a: { oneOf: [string, { type: 'null' }] } }),
      object({ a: { anyOf: [string, { type: 'null' }] } }),
    ],
    [
      'takes the values for the type',
      object({ a: { type: 'string', enum: ['x', null] }, b: { const: 1 } }),
      object({ a: { enum: ['x', null] }, b: { const: 1 } }),
    ],
    [
      'keeps several types',
      object({ a: { type: ['string', 'null'], format: 'date' } }),
      object({ a: { type: ['string', 'null'], format: 'date' } }),
    ],
    [
      'keeps a reference and nothing beside it',
      {
        ...object({ a: { $ref: '#/$defs/b', description: 'x' } }),
        $defs: { b: { ...string, minLength: 1 } },
        $schema: 'http://json-schema.org/draft-07/schema#',
      },
      { ...object({ a: { $ref: '#/$defs/b' } }), $defs: { b: { ...string, description: '(minLength: 1)' } } },
    ],
    ['keeps titles', object({ a: { ...string, title: 'A' } }), object({ a: { ...string, title: 'A' } })],
    [
      'may be a reference',
      { $ref: '#/definitions/a', definitions: { a: object({ b: string }) } },
      { $ref: '#/definitions/a', definitions: { a: object({ b: string }) } },
    ],
    [
      'may contain an allOf of one',
      object({ a: { allOf: [string], description: 'x' } }),
      object({ a: { allOf: [string], description: 'x' } }),
    ],
  ])('is mapped: it %s', (_what, schema, expected) => {
    expect(take(schema)).toEqual(expected);
  });

  it.each([
    ['an empty schema', {}],
    ['a property that allows anything', object({ a: true })],
    ['an object with any names', { type: 'object' }],
    ['an object with values of one type', { type: 'object', properties: { a: string }, additionalProperties: string }],
    ['an object with names by pattern', { ...object({ a: string }), patternProperties: { '^x': string } }],
    ['a schema that contains itself', object({ children: { type: 'array', items: { $ref: '#' } } })],
    [
      'a schema that contains itself indirectly',
      {
        ...object({ a: { $ref: '#/$defs/a' } }),
        $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: object({ a: { $ref: '#/$defs/a' } }) },
      },
    ],
    ['a reference to nowhere', object({ a: { $ref: '#/$defs/a' } })],
    ['a reference to another document', object({ a: { $ref: 'https://example.com/schema' } })],
    ['several objects at once', { allOf: [object({ a: string }), object({ b: string })] }],
    ['alternatives beside properties', { ...object({ a: string }), anyOf: [{ type: 'object', required: ['a'] }] }],
    ['values that are objects', object({ a: { enum: [{ b: 1 }] } })],
    ['tuples', object({ a: { type: 'array', items: [string] } })],
    [
      'a schema that is nested too deep',
      Array.from({ length: 101 }).reduce<JsonObject>((inner) => object({ a: inner }), string),
    ],
    [
      '25 properties that may be missing',
      object(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`p${i}`, string])), []),
    ],
    [
      '17 values of several types',
      object(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`p${i}`, { type: ['string', 'null'] }]))),
    ],
  ])('is not possible for %s', (_what, schema) => {
    expect(take(schema)).toBeUndefined();
  });

  it('is counted with all its references, however often they repeat, in linear time', () => {
    // Each definition refers to the next one twice, which would be 2^40 properties if each were visited.
    const names = Array.from({ length: 40 }, (_, i) => `d${i}`);
    const defs = names.map((name, i) => [
      name,
      object({ a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } }),
    ]);
    const schema = (leaf: JsonObject) => ({
      ...object({ a: { $ref: '#/$defs/d0' } }),
      $defs: { ...Object.fromEntries(defs), d40: leaf },
    });
    expect(take(schema(object({ a: string })))).toBeDefined();
    expect(take(schema(object({ a: string }, [])))).toBeUndefined();
  });

  it('shares its limits with the other schemas of its request', () => {
    const twelve = object(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`p${i}`, string])), []);
    const schemas = new StrictSchemas();
    expect(schemas.take(twelve)).toBeDefined();
    expect(schemas.take(twelve)).toBeDefined();
    expect(schemas.take(object({ a: string }, []))).toBeUndefined();
    expect(schemas.take(object({ a: string }))).toBeDefined();
  });

  it('is limited to twenty in a request', () => {
    const schemas = new StrictSchemas();
    const taken = Array.from({ length: 21 }, () => schemas.take(object({ a: string })));
    expect(taken.filter((one) => one !== undefined)).toHaveLength(20);
  });

  it('is a copy of the caller’s schema', () => {
    const schema = Object.freeze(object({ a: Object.freeze({ ...string, minLength: 1 }) }));
    expect(take(schema)).not.toBe(schema);
  });
});
