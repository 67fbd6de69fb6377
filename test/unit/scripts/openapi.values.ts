// Values for the tests of the OpenAPI document: requests that match its schemas, the same with one change, and messages
// that the control plane could return.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { enumNames, type FieldType, fieldsOf, isMessage } from '../../../proto/json/contract.ts';
import type { Random } from '../../support/access/random.ts';

/**
 * Returns a value that matches the schema, sometimes without optional fields.
 * @param root the document with the components that schemas refer to
 */
export function sampleOf(root: JsonObject, schema: JsonObject, random: Random): unknown {
  if (typeof schema.$ref === 'string') return sampleOf(root, referred(root, schema.$ref), random);
  if (Array.isArray(schema.enum)) return random.pick(schema.enum);
  const { type } = schema;
  if (Array.isArray(type)) return random.pick<unknown>([0, 7, 2 ** 53 - 1, '0', '7', '18446744073709551615']);
  switch (type) {
    case 'object':
      return objectOf(root, schema, random);
    case 'array':
      return many(random, () => sampleOf(root, objectIn(schema, 'items'), random));
    case 'string':
      return random.pick(['', 'x', 'été 漢 🙂', '0', 'null']);
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return random.pick([0, 1, 50, schema.maximum]);
    case 'number':
      return random.pick([0, -1.5, 0.25, 1e300]);
  }
  throw new Error(`no sample of ${JSON.stringify(schema)}`);
}

function objectOf(root: JsonObject, schema: JsonObject, random: Random): object {
  const { additionalProperties, properties } = schema;
  if (isObject(additionalProperties)) {
    return Object.fromEntries(
      many(random, () => [random.pick(['a', 'B_2', '漢']), sampleOf(root, additionalProperties, random)]),
    );
  }
  const choices = [schema, ...(Array.isArray(schema.allOf) ? schema.allOf : [])].flatMap(membersOf);
  const left = new Set(choices.flatMap((members) => members.toSpliced(random.below(members.length), 1)));
  return Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
      !isObject(property) || left.has(name) || random.chance(0.4) ? [] : [[name, sampleOf(root, property, random)]],
    ),
  );
}

/** Returns the fields of each choice in a schema, of which at most one may be set. */
function membersOf(schema: unknown): readonly string[][] {
  if (!isObject(schema) || !Array.isArray(schema.oneOf)) return [];
  return [
    schema.oneOf.flatMap((one: unknown) =>
      isObject(one) && Array.isArray(one.required) ? one.required.map(String) : [],
    ),
  ];
}

/**
 * Returns the value with another type, range, spelling or name, or merges the fields of two samples. The result may
 * still be valid.
 */
export function mutated(value: unknown, other: unknown, random: Random): unknown {
  if (random.chance(0.2)) return merged(value, other);
  return changed(value, random);
}

function changed(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.9)) {
    const at = random.below(value.length);
    return value.map((item, index) => (index === at ? changed(item, random) : item));
  }
  if (isObject(value)) {
    const names = Object.keys(value);
    if (names.length > 0 && random.chance(0.8)) {
      const at = random.pick(names);
      return { ...value, [at]: changed(value[at], random) };
    }
    if (random.chance(0.7))
      return { ...value, [random.pick(['shoeSize', 'toString', 'id', 'name', ''])]: random.pick(others) };
  }
  return random.pick(others);
}

const others: readonly unknown[] = [
  ...[null, true, false, [], {}, [null], [[]], { a: null }, { shoeSize: 1 }],
  ...[0, 1, -1, 1.5, 1e300, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 64],
  ...['', '0', '1', '01', '-1', '1.0', '1e3', ' 1', '9007199254740993', '18446744073709551615', '18446744073709551616'],
  ...['99999999999999999999', '18446744073709551606', '18446744073709550999', '2_0', 'true', 'x'],
  ...[
    'month',
    'Month',
    'MONTH',
    'BUDGET_PERIOD_MONTH',
    'BUDGET_PERIOD_UNSPECIFIED',
    'unspecified',
    'organization',
    'owner',
  ],
];

function merged(value: unknown, other: unknown): unknown {
  if (!isObject(value) || !isObject(other)) return value;
  const both = Object.entries(value).map(([name, item]) => [name, name in other ? merged(item, other[name]) : item]);
  return { ...other, ...Object.fromEntries(both) };
}

/** As the contract's serializer takes it. */
export function messageOf(type: string, random: Random): object {
  return Object.fromEntries(
    Object.entries(fieldsOf(type)).flatMap(([name, field]) =>
      random.chance(0.4) ? [] : [[name, fieldOf(field, random)]],
    ),
  );
}

function fieldOf({ type, rule, keyType }: FieldType, random: Random): unknown {
  const single = () => (isMessage(type) ? messageOf(type, random) : scalarOf(type, random));
  if (keyType !== undefined) return Object.fromEntries(many(random, () => [random.pick(['a', 'b']), single()]));
  return rule === 'repeated' ? many(random, single) : single();
}

function scalarOf(type: string, random: Random): unknown {
  const names = enumNames(type);
  if (names !== undefined) return random.pick(names);
  switch (type) {
    case 'string':
      return random.pick(['', 'x', '漢']);
    case 'bool':
      return random.chance(0.5);
    case 'uint64':
      return random.pick(['0', '7', '18446744073709551615']);
    case 'int64':
      return random.pick(['0', '-7', '9223372036854775807']);
    case 'uint32':
      return random.pick([0, 1, 2 ** 32 - 1]);
    case 'double':
      return random.pick([0, -0.5]);
  }
  throw new Error(`no value of the type ${type}`);
}

function many<T>(random: Random, make: () => T): T[] {
  return Array.from({ length: random.below(3) }, make);
}

function referred(root: JsonObject, path: string): JsonObject {
  return path.replace('#/', '').split('/').reduce(objectIn, root);
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const found = object[name];
  if (!isObject(found)) throw new Error(`no ${name} in ${JSON.stringify(object).slice(0, 100)}`);
  return found;
}
