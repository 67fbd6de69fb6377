import { describe, expect, it } from 'vitest';
import { withoutReferences } from '../../../../proxy/conversation/schema-references.ts';
import { GatewayError } from '../../../../proxy/errors.ts';

const at = 'tools[0].function.parameters';

describe('references of a schema', () => {
  it.each([
    ['definitions under either name', { $ref: '#/$defs/a' }, { $defs: { a: { type: 'string' } } }, { type: 'string' }],
    ['of the older name', { $ref: '#/definitions/a' }, { definitions: { a: { type: 'string' } } }, { type: 'string' }],
    ['escaped names', { $ref: '#/$defs/a~1b%20c~0' }, { $defs: { 'a/b c~': { const: 1 } } }, { const: 1 }],
    [
      'keywords beside a reference win',
      { $ref: '#/$defs/a', title: 'mine' },
      { $defs: { a: { title: 'its' } } },
      { title: 'mine' },
    ],
    ['one that leads outside', { $ref: 'https://example.com/schema' }, {}, {}],
    ['one that leads nowhere', { $ref: '#/$defs/none' }, {}, {}],
    [
      'one of a chain',
      { $ref: '#/$defs/a' },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'null' } } },
      { type: 'null' },
    ],
  ])('are replaced: %s', (_what, property, definitions, expected) => {
    const schema = { type: 'object', properties: { it: property }, ...definitions };
    expect(withoutReferences(schema, at)).toEqual({ type: 'object', properties: { it: expected } });
  });

  it('are replaced inside lists and items, and kept where they are data', () => {
    const schema = {
      anyOf: [{ $ref: '#/$defs/a' }],
      items: { $ref: '#/$defs/a' },
      default: { $ref: '#/$defs/a' },
      $defs: { a: { type: 'integer' } },
    };
    expect(withoutReferences(schema, at)).toEqual({
      anyOf: [{ type: 'integer' }],
      items: { type: 'integer' },
      default: { $ref: '#/$defs/a' },
    });
  });

  it('properties named like keywords are kept', () => {
    const schema = { properties: { $defs: { type: 'string' }, definitions: { type: 'number' } } };
    expect(withoutReferences(schema, at)).toEqual(schema);
  });

  it('of a definition to itself end as any object', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
    expect(withoutReferences({ $ref: '#/$defs/node', $defs: { node } }, at)).toEqual({
      type: 'object',
      properties: { next: { type: 'object' } },
    });
    expect(withoutReferences({ properties: { me: { $ref: '#' } } }, at)).toEqual({
      properties: { me: { properties: { me: { type: 'object' } } } },
    });
  });

  it('are replaced in a copy, not in the schema itself', () => {
    const schema = { $ref: '#/$defs/a', $defs: { a: { enum: [1] } } };
    const before = structuredClone(schema);
    withoutReferences(schema, at);
    expect(schema).toEqual(before);
  });

  it.each([
    [
      'doubling at each step',
      Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [
          `d${i}`,
          { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
        ]),
      ),
    ],
    [
      'one inside the other without end',
      Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`d${i}`, { not: { $ref: `#/$defs/d${i + 1}` } }])),
    ],
  ])('that expand too far are refused: %s', (_how, definitions) => {
    const resolve = () => withoutReferences({ $ref: '#/$defs/d0', $defs: definitions }, at);
    expect(resolve).toThrow(GatewayError);
    expect(resolve).toThrow(expect.objectContaining({ code: 'invalid_request', param: at }));
  });
});
