// Converts callers' schemas to the vendor's own Schema message, a subset of OpenAPI 3.0 (SDK type `Schema`), for models
// without JSON Schema. Every node has one type, and null is a flag; there are no references, no empty objects, and only
// texts in lists of values.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { described } from '../../conversation/schema-descriptions.ts';
import { withoutReferences } from '../../conversation/schema-references.ts';
import { alternativesOf, only, typeOf, unexpressed, withPlainKeywords } from './json-schema.ts';

/**
 * @param at path of the schema in the caller's body
 * @returns undefined for a schema that this language cannot express
 * @throws GatewayError invalid_request for a schema whose references grow too large
 */
export function openApiSchema(schema: JsonObject, at: string): JsonObject | undefined {
  return convert(withoutReferences(schema, at));
}

function convert(schema: JsonObject): JsonObject | undefined {
  const node = withPlainKeywords(schema);
  const types = typesOf(node);
  const nullable = types.includes('null') || node.nullable === true || hasNull(node.enum);
  const converted = convertOf(
    node,
    types.filter((type) => type !== 'null'),
  );
  return converted && nullable ? { ...converted, nullable: true } : converted;
}

function convertOf(node: JsonObject, types: readonly string[]): JsonObject | undefined {
  const several = alternativesOf(node);
  if (several !== undefined) return alternatives(about(node), several);
  if (types.length > 1) {
    const { title, description, ...bare } = node;
    return alternatives(
      only(node, ['title', 'description']),
      types.map((type) => ({ ...bare, type })),
    );
  }
  const [type] = types;
  switch (type) {
    case 'object':
      return objectOf(node);
    case 'array':
      return { ...plain(node, 'array'), ...only(node, ['minItems', 'maxItems']), items: itemsOf(node) };
    case 'integer':
    case 'number':
      return { ...plain(node, type), ...only(node, ['minimum', 'maximum']) };
    case 'string':
      return {
        ...plain(node, 'string'),
        ...only(node, ['minLength', 'maxLength', 'pattern']),
        ...enumOf(node),
      };
    case 'boolean':
      return plain(node, 'boolean');
    default:
      return undefined;
  }
}

/** Null alone has no type. A missing type follows from other keywords; the fallback is a string. */
function typesOf(node: JsonObject): string[] {
  const { type, properties, items, prefixItems, enum: values } = node;
  const several = alternativesOf(node);
  if (several !== undefined) return several.some((one) => one.type === 'null') ? ['null'] : [];
  const listed = Array.isArray(values) ? values.map(typeOf) : [];
  const named = [...new Set([type ?? listed].flat())].filter((one) => typeof one === 'string');
  if (named.length > 0) return named;
  if (properties !== undefined) return ['object'];
  return items !== undefined || prefixItems !== undefined ? ['array'] : ['string'];
}

function hasNull(values: unknown): boolean {
  return Array.isArray(values) && values.includes(null);
}

/** @param words title and description, the only keywords allowed beside alternatives; a single alternative gets them */
function alternatives(words: JsonObject, schemas: readonly JsonObject[]): JsonObject | undefined {
  const converted = schemas.map(convert).filter((one) => one !== undefined);
  const [first] = converted;
  if (converted.length > 1) return { ...words, anyOf: converted };
  if (first === undefined) return undefined;
  const descriptions = [words.description, first.description].filter((one) => one !== undefined);
  return { ...first, ...words, ...(descriptions.length > 0 && { description: descriptions.join(' ') }) };
}

const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

function plain(node: JsonObject, type: string): JsonObject {
  const format = formats[type]?.find((one) => one === node.format);
  return { type, ...about(node), ...(format !== undefined && { format }) };
}

/** Title and description, including the keywords that the language cannot express. */
function about(node: JsonObject): JsonObject {
  const description = described(node.description, unexpressed(node, 'openapi'));
  return { ...only(node, ['title']), ...(description !== undefined && { description }) };
}

function enumOf({ enum: values }: JsonObject): JsonObject {
  if (!Array.isArray(values)) return {};
  const texts = values.filter((value) => typeof value === 'string' && value !== '');
  return texts.length > 0 ? { enum: texts } : {};
}

/** Undefined for an object without properties, which the vendor refuses. */
function objectOf(node: JsonObject): JsonObject | undefined {
  const entries = Object.entries(isObject(node.properties) ? node.properties : {}).flatMap(([name, one]) => {
    const converted = isObject(one) ? convert(one) : undefined;
    return converted === undefined ? [] : [[name, converted] as const];
  });
  if (entries.length === 0) return undefined;
  const properties = Object.fromEntries(entries);
  const required = Array.isArray(node.required)
    ? node.required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name))
    : [];
  return {
    ...plain(node, 'object'),
    properties,
    ...(required.length > 0 && { required }),
    // In the caller's order; the vendor's default is alphabetical.
    propertyOrdering: Object.keys(properties),
  };
}

function itemsOf({ items, prefixItems }: JsonObject): JsonObject {
  const single = isObject(items) ? convert(items) : undefined;
  const listed = Array.isArray(items) ? items : prefixItems;
  const several = alternatives({}, objectsOf(listed));
  return single ?? several ?? { type: 'string' };
}
