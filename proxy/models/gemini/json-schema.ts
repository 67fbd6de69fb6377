// Converts callers' schemas to the JSON Schema that the vendor reads (`parametersJsonSchema`, `responseJsonSchema`):
// fewer keywords, and none beside a reference. Unsupported keywords move into the description, where the model reads
// them.
import { isNumber, isWhole } from '../../../common/exact-number.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { described, someSchema } from '../../conversation/schema-descriptions.ts';

/** The limit on the nesting of the request's body also limits the depth of a caller's schema. */
export function jsonSchema(schema: JsonObject): JsonObject {
  const node = withPlainKeywords(schema);
  if (typeof node.$ref === 'string') return { $ref: definitionPath(node.$ref), ...definitionsOf(node) };
  const fullDescription = described(node.description, unexpressed(node, 'json-schema'));
  return {
    ...only(node, keywords),
    ...(fullDescription !== undefined && { description: fullDescription }),
    ...enumOf(node),
    ...childrenOf(node),
    ...definitionsOf(node),
  };
}

/** Keywords that narrow or describe values, and that neither of the vendor's schema languages has. */
const unread = [
  ...['default', 'multipleOf', 'uniqueItems', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minProperties', 'maxProperties', 'patternProperties', 'propertyNames', 'dependentRequired'],
  ...['dependentSchemas', 'contains', 'minContains', 'maxContains', 'not', 'if', 'then', 'else', 'examples'],
];
const unreadBy = {
  'json-schema': [...unread, 'pattern', 'minLength', 'maxLength'],
  openapi: unread,
} as const satisfies Record<ModelCapabilities['schemaLanguage'], readonly string[]>;

/** The keywords of a node that the schema language cannot express. */
export function unexpressed(node: JsonObject, language: ModelCapabilities['schemaLanguage']): JsonObject {
  const { enum: values } = node;
  const lists = language === 'openapi' ? isText : isTextOrNumber;
  const isCut = Array.isArray(values) && !values.every((value) => lists(value) || value === null);
  const isNarrowed = language === 'openapi' && alternativesOf(node) === undefined;
  return {
    ...only(node, unreadBy[language]),
    ...(isCut && { enum: values }),
    ...(isNarrowed && only(node, ['anyOf', 'oneOf'])),
  };
}

const shapes = ['type', 'properties', 'items', 'prefixItems', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

/** The alternatives of a node; undefined if it has none, or if they only narrow the node's own shape. */
export function alternativesOf({ anyOf, oneOf }: JsonObject): JsonObject[] | undefined {
  const several = objectsOf(anyOf ?? oneOf);
  const haveShape = several.some((one) => shapes.some((keyword) => one[keyword] !== undefined));
  return haveShape ? several : undefined;
}

/** Whether a keyword of the schema moves into a description with its translation. */
export function movesKeywords(schema: JsonObject, language: ModelCapabilities['schemaLanguage']): boolean {
  return someSchema(schema, (one) => {
    if (typeof one.$ref === 'string') return false;
    return Object.keys(unexpressed(withPlainKeywords(one), language)).length > 0;
  });
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTextOrNumber(value: unknown): boolean {
  return typeof value === 'string' || isNumber(value);
}

/**
 * Replaces `const`, `allOf` and exclusive bounds, which neither of the vendor's schema languages has, by keywords that
 * they have. The exclusive bounds stay as well.
 */
export function withPlainKeywords(schema: JsonObject): JsonObject {
  const { const: constant, allOf, ...rest } = schema;
  const { exclusiveMinimum, exclusiveMaximum } = rest;
  const merged = Array.isArray(allOf) ? merge([rest, ...allOf.filter(isObject)]) : rest;
  return {
    ...merged,
    ...(constant !== undefined && { enum: [constant], type: merged.type ?? typeOf(constant) }),
    ...(isNumber(exclusiveMinimum) && { minimum: exclusiveMinimum }),
    ...(isNumber(exclusiveMaximum) && { maximum: exclusiveMaximum }),
  };
}

export function only(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]));
}

const keywords = [
  ...['$id', '$anchor', 'type', 'format', 'title', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'required', 'propertyOrdering'],
];

/**
 * Merges properties and required names of all schemas. For every other keyword, the first schema that has it decides.
 */
function merge(schemas: readonly JsonObject[]): JsonObject {
  const properties = schemas.flatMap((one) => (isObject(one.properties) ? Object.entries(one.properties) : []));
  const required = schemas.flatMap((one) => (Array.isArray(one.required) ? one.required : []));
  return {
    ...Object.assign({}, ...schemas.toReversed()),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** The type of a JSON value. */
export function typeOf(value: unknown): string | undefined {
  if (isNumber(value)) return isWhole(value) ? 'integer' : 'number';
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return typeof value;
    default:
      return value === null ? 'null' : undefined;
  }
}

/** The vendor accepts only texts and numbers in the list. */
function enumOf({ enum: values }: JsonObject): JsonObject {
  if (!Array.isArray(values)) return {};
  const taken = values.filter(isTextOrNumber);
  return taken.length > 0 ? { enum: taken } : {};
}

function childrenOf(schema: JsonObject): JsonObject {
  const { items, prefixItems, anyOf, oneOf, properties, additionalProperties: others } = schema;
  // Older schemas use a list of items instead of prefixItems.
  const prefix = Array.isArray(items) ? items : prefixItems;
  const several = anyOf ?? oneOf;
  return {
    ...(isObject(items) && { items: jsonSchema(items) }),
    ...(Array.isArray(prefix) && { prefixItems: prefix.filter(isObject).map(jsonSchema) }),
    ...(Array.isArray(several) && { anyOf: several.filter(isObject).map(jsonSchema) }),
    ...(isObject(properties) && { properties: named(properties) }),
    ...(others !== undefined && { additionalProperties: isObject(others) ? jsonSchema(others) : others }),
  };
}

function definitionsOf({ $defs, definitions }: JsonObject): JsonObject {
  const all = { ...(isObject(definitions) && definitions), ...(isObject($defs) && $defs) };
  return Object.keys(all).length > 0 ? { $defs: named(all) } : {};
}

function named(schemas: JsonObject): JsonObject {
  const entries = Object.entries(schemas).map(([name, one]) => [name, isObject(one) ? jsonSchema(one) : one]);
  return Object.fromEntries(entries);
}

/** `definitions` is the older name of `$defs`. */
function definitionPath(reference: string): string {
  return reference.replace(/^#\/definitions\//, '#/$defs/');
}
