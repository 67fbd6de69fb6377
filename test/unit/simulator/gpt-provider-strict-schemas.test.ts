// Strict schemas of the simulated Responses API, refused in the texts that the vendor's users have quoted.
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../simulator/gpt-provider/refusal.ts';
import { checkStrictSchema } from '../../../simulator/gpt-provider/responses/strict-schema.ts';

const of = { name: "response_format 'reply'", path: 'text.format.schema', code: 'invalid_json_schema' } as const;
const closed = (properties: object, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const list = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };

function refusalOf(schema: unknown): Refusal {
  try {
    checkStrictSchema(schema, of);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('the schema is accepted');
}

const required = "'required' is required to be supplied and to be an array including every key in properties.";
const additional = "'additionalProperties' is required to be supplied and to be false.";

describe('a strict schema', () => {
  it.each([
    ['without properties', { type: 'object' }, `context=(), ${additional}`],
    ['that is open', { ...closed({}), additionalProperties: true }, `context=(), ${additional}`],
    ['with an optional property', closed({ a: text, b: text }, ['a']), `context=(), ${required} Missing 'b'.`],
    ['that requires what it lacks', closed({}, ['c']), `context=(), ${required} Extra required key 'c' supplied.`],
    [
      'with such an object in a list',
      closed({ teams: list(closed({ roles: text }, [])) }),
      `context=('properties', 'teams', 'items'), ${required} Missing 'roles'.`,
    ],
    ['that is a list of open objects', list({ type: 'object' }), `context=('items',), ${additional}`],
    [
      'with an open alternative',
      closed({ a: { anyOf: [{ type: 'null' }, { type: ['object', 'null'] }] } }),
      `context=('properties', 'a', 'anyOf', '1'), ${additional}`,
    ],
    [
      'with an open definition',
      { ...closed({}), $defs: { step: { type: 'object' } } },
      `context=('$defs', 'step'), ${additional}`,
    ],
  ])('%s is refused', (_name, schema, message) => {
    const { error, status } = refusalOf(schema);
    expect(error.message).toBe(`Invalid schema for response_format 'reply': In ${message}`);
    expect([status, error.param, error.code]).toEqual([400, 'text.format.schema', 'invalid_json_schema']);
  });

  it('that closes and requires everything is accepted', () => {
    const step = closed({ words: list(text), next: { anyOf: [{ $ref: '#/$defs/step' }, { type: 'null' }] } });
    expect(() => checkStrictSchema({ ...closed({ first: step }), $defs: { step } }, of)).not.toThrow();
  });
});
