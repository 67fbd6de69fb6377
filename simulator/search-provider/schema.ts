// The two schema languages of the vendor: its own Schema message, a subset of OpenAPI's, and JSON Schema. Refusals have
// the texts that users quote; where none was found, the text follows the form of the others.
import { isObject, type Json } from '../checks.ts';
import { anyValue, enumeration, flag, float, int64, join, listOf, mapOf, message, type Reader, text } from './proto.ts';
import { invalidField } from './refusal.ts';

const type = enumeration('Type', [
  'TYPE_UNSPECIFIED',
  'STRING',
  'NUMBER',
  'INTEGER',
  'BOOLEAN',
  'ARRAY',
  'OBJECT',
  'NULL',
]);

export interface Schema {
  readonly type?: ReturnType<typeof type>;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly Schema[];
  readonly propertyOrdering?: readonly string[];
  readonly default?: unknown;
  readonly example?: unknown;
}

export const schema: Reader<Schema> = (value, path) => readSchema(value, path);

const readSchema: Reader<Schema> = message('Schema', {
  type,
  format: text,
  title: text,
  description: text,
  nullable: flag,
  enum: listOf(text),
  items: schema,
  minItems: int64,
  maxItems: int64,
  properties: mapOf(schema),
  required: listOf(text),
  minProperties: int64,
  maxProperties: int64,
  minimum: float,
  maximum: float,
  minLength: int64,
  maxLength: int64,
  pattern: text,
  anyOf: listOf(schema),
  propertyOrdering: listOf(text),
  default: anyValue,
  example: anyValue,
});

/** @throws Refusal */
export function checkSchema(node: Schema, path: string): void {
  if (node.anyOf !== undefined) {
    checkAlternatives(node, node.anyOf, path);
    return;
  }
  if (node.type === undefined || node.type === 'TYPE_UNSPECIFIED') {
    throw invalidField(`${path}.type`, 'must be specified');
  }
  const formats = formatsOf[node.type] ?? [];
  if (node.format !== undefined && !formats.includes(node.format)) {
    throw invalidField(`${path}.format`, formatMessage(node.type, formats));
  }
  if (node.enum !== undefined) checkEnum(node.enum, node, path);
  if (node.type === 'ARRAY') {
    if (node.items === undefined) throw invalidField(`${path}.items`, 'missing field.');
    checkSchema(node.items, `${path}.items`);
  } else if (node.items !== undefined) throw invalidField(`${path}.items`, 'only allowed for ARRAY type');
  checkProperties(node, path);
}

function checkAlternatives(node: Schema, alternatives: readonly Schema[], path: string): void {
  const beside = Object.keys(node).find((key) => !besideAlternatives.includes(key));
  if (beside !== undefined || alternatives.length === 0) {
    throw invalidField(`${path}.any_of`, 'when using any_of, it must be the only field set');
  }
  alternatives.forEach((one, index) => void checkSchema(one, `${path}.any_of[${index}]`));
}

const besideAlternatives = ['anyOf', 'description', 'title', 'nullable', 'default'];

function checkEnum(values: readonly string[], node: Schema, path: string): void {
  if (node.type !== 'STRING') throw invalidField(`${path}.enum`, 'only allowed for STRING type');
  const empty = values.indexOf('');
  if (empty >= 0) throw invalidField(`${path}.enum[${empty}]`, 'cannot be empty');
}

function checkProperties(node: Schema, path: string): void {
  const { properties = {}, required = [], propertyOrdering = [] } = node;
  if (node.type !== 'OBJECT') {
    const field = (['properties', 'required'] as const).find((name) => node[name] !== undefined);
    if (field !== undefined) throw invalidField(`${path}.${field}`, 'only allowed for OBJECT type');
    return;
  }
  if (Object.keys(properties).length === 0) {
    throw invalidField(`${path}.properties`, 'should be non-empty for OBJECT type');
  }
  for (const [field, names] of [
    ['required', required],
    ['property_ordering', propertyOrdering],
  ] as const) {
    const unknown = names.findIndex((name) => !Object.hasOwn(properties, name));
    if (unknown >= 0) throw invalidField(`${path}.${field}[${unknown}]`, 'property is not defined');
  }
  for (const [name, property] of Object.entries(properties)) {
    checkSchema(property, `${path}.properties[${name}]`);
  }
}

// Newer pages list more formats for strings, but users still quote this refusal, so callers should avoid the new
// formats.
const formatsOf: Readonly<Record<string, readonly string[]>> = {
  STRING: ['enum', 'date-time'],
  INTEGER: ['int32', 'int64'],
  NUMBER: ['float', 'double', 'int32', 'int64'],
};

function formatMessage(type: string, formats: readonly string[]): string {
  if (formats.length === 0) return 'only allowed for STRING, INTEGER and NUMBER types';
  return `only ${formats.map((name) => `'${name}'`).join(' and ')} are supported for ${type} type`;
}

/** Translates the schema to JSON Schema, as far as a sample of it requires. */
export function jsonSchemaOf(node: Schema): Json {
  return {
    ...node,
    ...(node.type !== undefined && { type: node.type.toLowerCase() }),
    ...(node.items !== undefined && { items: jsonSchemaOf(node.items) }),
    ...(node.anyOf !== undefined && { anyOf: node.anyOf.map(jsonSchemaOf) }),
    ...(node.properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(node.properties).map(([name, property]) => [name, jsonSchemaOf(property)]),
      ),
    }),
  };
}

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/**
 * Allows unknown keywords, because the vendor documents that it ignores them.
 * @throws Refusal
 */
export function checkJsonSchema(node: unknown, path: string, root: unknown = node): void {
  if (!isObject(node)) {
    // `true` and `false` are valid schemas, except at the root.
    if (typeof node === 'boolean' && node !== root) return;
    throw invalidField(path, 'must be a JSON Schema object');
  }
  if (node.$ref !== undefined) {
    checkReference(node, path, root);
    return;
  }
  for (const name of [node.type ?? []].flat()) {
    if (!types.includes(String(name))) throw invalidField(`${path}.type`, `unknown type '${String(name)}'`);
  }
  if (node.enum !== undefined && !isEnum(node.enum)) {
    throw invalidField(`${path}.enum`, 'only strings and numbers are supported');
  }
  for (const [name, child] of childrenOf(node)) checkJsonSchema(child, join(path, name), root);
}

function checkReference(node: Json, path: string, root: unknown): void {
  const beside = Object.keys(node).find((key) => !key.startsWith('$'));
  if (beside !== undefined) {
    throw invalidField(path, `$ref is set, no other properties except those starting with $ may be: ${beside}`);
  }
  const steps = String(node.$ref).replace(/^#\/?/, '').split('/').filter(Boolean);
  const found = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), root);
  if (!String(node.$ref).startsWith('#') || !isObject(found)) {
    throw invalidField(`${path}.$ref`, `reference ${String(node.$ref)} is not defined`);
  }
}

function isEnum(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number');
}

function childrenOf(node: Json): readonly (readonly [string, unknown])[] {
  const inMaps = ['properties', '$defs'].flatMap((key) =>
    Object.entries(isObject(node[key]) ? node[key] : {}).map(([name, child]) => [`${key}[${name}]`, child] as const),
  );
  const inLists = ['anyOf', 'oneOf', 'prefixItems'].flatMap((key) =>
    (Array.isArray(node[key]) ? node[key] : []).map((child, index) => [`${key}[${index}]`, child] as const),
  );
  const single = ['items', 'additionalProperties']
    .filter((key) => node[key] !== undefined)
    .map((key) => [key, node[key]] as const);
  return [...inMaps, ...inLists, ...single];
}
