// Callers' schemas in the JSON Schema that the vendor reads (`parametersJsonSchema`, `responseJsonSchema`): fewer keywords, and
// nothing beside a reference. What it has no word for is left out: that narrows values, and the shape stands without it.
import { isNumber, isWhole } from '../../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../../common/json.ts';

/** The guard on the request's body bounds how deep a caller's schema goes. */
export function jsonSchema(schema: JsonObject): JsonObject {
  const node = withPlainKeywords(schema);
  if (typeof node.$ref === 'string') return { $ref: definitionPath(node.$ref), ...definitionsOf(node) };
  return { ...only(node, keywords), ...enumOf(node), ...childrenOf(node), ...definitionsOf(node) };
}

/** `const`, `allOf` and exclusive bounds, which no language of the vendor's has, said with what it has. */
export function withPlainKeywords(schema: JsonObject): JsonObject {
  const { const: constant, allOf, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const merged = Array.isArray(allOf) ? merge([rest, ...allOf.filter(isObject)]) : rest;
  return {
    ...merged,
    ...(constant !== undefined && { enum: [constant], type: merged.type ?? typeOf(constant) }),
    ...(isNumber(exclusiveMinimum) && { minimum: exclusiveMinimum }),
    ...(isNumber(exclusiveMaximum) && { maximum: exclusiveMaximum }),
  };
}

export function only(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]),
  );
}

const keywords = [
  ...['$id', '$anchor', 'type', 'format', 'title', 'description', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'required', 'propertyOrdering'],
];

/** Of objects what they hold and require together; of all else what the first says. */
function merge(schemas: readonly JsonObject[]): JsonObject {
  const properties = schemas.flatMap((one) =>
    isObject(one.properties) ? Object.entries(one.properties) : [],
  );
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

/** The vendor lists texts and numbers only. */
function enumOf({ enum: values }: JsonObject): JsonObject {
  if (!Array.isArray(values)) return {};
  const taken = values.filter((value) => typeof value === 'string' || isNumber(value));
  return taken.length > 0 ? { enum: taken } : {};
}

function childrenOf(schema: JsonObject): JsonObject {
  const { items, prefixItems, anyOf, oneOf, properties, additionalProperties: others } = schema;
  // A list of items is how older schemas say prefixItems.
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
