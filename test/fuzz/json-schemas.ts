// Random JSON Schemas as callers write them: every usual keyword, references, recursion, and sometimes an empty schema.
import type { JsonObject } from '../../common/json.ts';
import type { Random } from '../support/access/random.ts';

/** Returns a schema for parameters of a tool or for a response; its root is an object. */
export function objectSchema(random: Random, withDefinitions = random.chance(0.3)): JsonObject {
  const names = withDefinitions ? ['node', 'pair'] : [];
  const depth = 1 + random.below(3);
  const root = object(random, { depth, names });
  if (names.length === 0) return random.chance(0.05) ? { type: 'object' } : root;
  const definitions = {
    // A recursive definition.
    node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, value: scalar(random) } },
    pair: object(random, { depth: 1, names: [] }),
  };
  return { ...root, $defs: definitions };
}

/** Returns any schema that callers may use where the root is free. */
export function anySchema(random: Random): JsonObject {
  return random.pick([
    () => objectSchema(random),
    () => ({}),
    () => ({ type: 'array', items: objectSchema(random, false) }),
    () => ({ anyOf: [objectSchema(random, false), { type: 'null' }] }),
  ])();
}

interface SchemaPosition {
  readonly depth: number;
  /** Definitions that the schema can refer to. */
  readonly names: readonly string[];
}

function object(random: Random, location: SchemaPosition): JsonObject {
  const names = ['name', 'cups', 'größe', 'a b', 'type', '$x', 'required', 'items', 'ünter-strich_'];
  const count = random.below(4);
  const properties = Object.fromEntries(
    Array.from({ length: count }, () => [random.pick(names), schema(random, inside(location))]),
  );
  const required = Object.keys(properties).filter(() => random.chance(0.6));
  return {
    type: 'object',
    ...(random.chance(0.9) && { properties }),
    ...(random.chance(0.7) && { required }),
    ...(random.chance(0.5) && { additionalProperties: random.pick([false, true, { type: 'string' }]) }),
    ...notes(random),
  };
}

function inside({ depth, names }: SchemaPosition): SchemaPosition {
  return { depth: depth - 1, names };
}

function schema(random: Random, location: SchemaPosition): JsonObject {
  if (location.depth <= 0) return scalar(random);
  const makers: readonly (() => JsonObject)[] = [
    () => scalar(random),
    () => scalar(random),
    () => object(random, location),
    () => ({ type: 'array', items: schema(random, inside(location)), ...sizes(random) }),
    () => ({ anyOf: [schema(random, inside(location)), { type: 'null' }], ...notes(random) }),
    () => ({ oneOf: [scalar(random), object(random, inside(location))] }),
    () => ({ allOf: [object(random, inside(location))] }),
    () => (location.names.length === 0 ? scalar(random) : { $ref: `#/$defs/${random.pick(location.names)}` }),
  ];
  return random.pick(makers)();
}

function scalar(random: Random): JsonObject {
  const makers: readonly (() => JsonObject)[] = [
    () => ({ type: 'string', ...notes(random) }),
    () => ({ type: 'string', enum: ['a', 'b', 'ü'] }),
    () => ({ type: 'string', format: random.pick(['date-time', 'email', 'uuid', 'color']) }),
    () => ({ type: 'string', minLength: 1, maxLength: 40, pattern: '^[a-z]+$' }),
    () => ({ type: 'integer', minimum: 0, maximum: 10 }),
    () => ({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 }),
    () => ({ type: 'boolean', default: true }),
    () => ({ type: ['string', 'null'] }),
    () => ({ type: 'null' }),
    () => ({ const: 'fixed' }),
    () => ({ enum: [1, 2] }),
    () => ({ type: 'string', examples: ['x'], deprecated: true }),
  ];
  return random.pick(makers)();
}

function notes(random: Random): JsonObject {
  return {
    ...(random.chance(0.2) && { title: 'A title' }),
    ...(random.chance(0.2) && { description: 'What it is: “this”.' }),
  };
}

function sizes(random: Random): JsonObject {
  return random.chance(0.3) ? { minItems: 1, maxItems: 5, uniqueItems: true } : {};
}
