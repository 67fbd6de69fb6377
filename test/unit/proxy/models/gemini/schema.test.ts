import { describe, expect, it } from 'vitest';
import { jsonSchema } from '../../../../../proxy/models/gemini/json-schema.ts';
import { openApiSchema } from '../../../../../proxy/models/gemini/openapi-schema.ts';

describe('a schema in the vendor’s subset of JSON Schema', () => {
  it.each([
    ['const is a list of one', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['const of a number', { const: 1.5 }, { type: 'number', enum: [1.5] }],
    ['a list of values that it has no words for', { enum: [true, null] }, { description: '(enum: [true,null])' }],
    ['a list of mixed values', { enum: ['a', null, 1] }, { enum: ['a', 1] }],
    ['oneOf is anyOf', { oneOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }] }],
    ['types together stay', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
    [
      'limits of values are in the description, and comments are omitted',
      { type: 'string', description: 'Tea.', pattern: 'x', $comment: 'y', not: { const: 'z' } },
      { type: 'string', description: 'Tea. (not: {"const":"z"}, pattern: "x")' },
    ],
    ['a reference has no keywords beside it', { $ref: '#/$defs/a', description: 'x' }, { $ref: '#/$defs/a' }],
    [
      'definitions by their newer name',
      { $ref: '#/definitions/a', definitions: { a: { const: 1 } } },
      { $ref: '#/$defs/a', $defs: { a: { type: 'integer', enum: [1] } } },
    ],
    ['allOf of one', { allOf: [{ $ref: '#/$defs/a' }], description: 'x' }, { $ref: '#/$defs/a' }],
    [
      'allOf of several',
      { type: 'object', allOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: true } }] },
      { type: 'object', properties: { a: {}, b: true }, required: ['a'] },
    ],
    [
      'exclusive bounds',
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      { type: 'number', minimum: 0, maximum: 1, description: '(exclusiveMinimum: 0, exclusiveMaximum: 1)' },
    ],
    ['items in a list', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
    [
      'values of a map',
      { additionalProperties: { const: 'a' } },
      { additionalProperties: { type: 'string', enum: ['a'] } },
    ],
    [
      'properties called like keywords',
      { properties: { $ref: { type: 'string' }, const: { type: 'string' } } },
      { properties: { $ref: { type: 'string' }, const: { type: 'string' } } },
    ],
  ])('is converted: %s', (_what, schema, expected) => {
    expect(jsonSchema(schema)).toEqual(expected);
  });
});

describe('a schema in the vendor’s OpenAPI form', () => {
  const of = (schema: object) => openApiSchema({ ...schema }, 'tools');

  it.each([
    ['null as a flag', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'null among alternatives',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'x' },
      { type: 'integer', description: 'x', nullable: true },
    ],
    ['null among values', { enum: ['a', null] }, { type: 'string', enum: ['a'], nullable: true }],
    [
      'types together',
      { type: ['string', 'integer'], description: 'x' },
      {
        description: 'x',
        anyOf: [{ type: 'string' }, { type: 'integer' }],
      },
    ],
    [
      'what narrows alternatives',
      { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'x', default: 'a' },
      { description: 'x (default: "a")', anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'the one alternative that is left, with the words of both',
      { anyOf: [{ type: 'integer', multipleOf: 5 }, { type: 'null' }], description: 'x' },
      { type: 'integer', description: 'x (multipleOf: 5)', nullable: true },
    ],
    [
      'alternatives that only narrow the schema beside them',
      { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }] },
      {
        type: 'object',
        description: '(anyOf: [{"required":["a"]}])',
        properties: { a: { type: 'string' } },
        propertyOrdering: ['a'],
      },
    ],
    ['numbers in a list', { enum: [1, 2] }, { type: 'integer', description: '(enum: [1,2])' }],
    ['an empty text in a list', { enum: ['', 'a'] }, { type: 'string', enum: ['a'], description: '(enum: ["","a"])' }],
    ['formats that it knows', { type: 'string', format: 'date-time' }, { type: 'string', format: 'date-time' }],
    ['formats that it refuses', { type: 'string', format: 'email' }, { type: 'string' }],
    ['a list of anything', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
    [
      'a list in order',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
    ['anything at all', {}, { type: 'string' }],
    ['an object without properties', { type: 'object', additionalProperties: true }, undefined],
    ['nothing', { type: 'null' }, undefined],
    [
      'references',
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'boolean' } } },
      { type: 'object', properties: { a: { type: 'boolean' } }, propertyOrdering: ['a'] },
    ],
    [
      'an undefined property is not required',
      {
        type: 'object',
        properties: { b: { type: 'string' }, a: { type: 'object' } },
        required: ['a', 'b', 'c'],
      },
      { type: 'object', properties: { b: { type: 'string' } }, required: ['b'], propertyOrdering: ['b'] },
    ],
  ])('is converted: %s', (_what, schema, expected) => {
    expect(of(schema)).toEqual(expected);
  });
});
