// Describes keywords of a JSON Schema in words, for models whose schema language lacks them. The model reads them in
// the description.
import { isObject, type JsonObject } from '../../common/json.ts';

/** The description, with the keywords that the schema can no longer express: `Stars. (minimum: 1, maximum: 5)` */
export function described(description: unknown, keywords: JsonObject): string | undefined {
  const words = Object.entries(keywords).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  const given = typeof description === 'string' && description !== '' ? [description] : [];
  const parts = words.length === 0 ? given : [...given, `(${words.join(', ')})`];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Keywords whose members are schemas under names that the caller chose. */
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const single = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'];

/**
 * Whether the schema, or one of the schemas inside it, satisfies the condition. The depth of a schema takes no stack.
 */
export function someSchema(schema: JsonObject, isSo: (one: JsonObject) => boolean): boolean {
  const open = [schema];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (isSo(one)) return true;
    for (const inner of innerSchemas(one)) open.push(inner);
  }
  return false;
}

function innerSchemas(schema: JsonObject): JsonObject[] {
  const members = maps.flatMap((name) => {
    const map = schema[name];
    return isObject(map) ? Object.values(map) : [];
  });
  const items = lists.flatMap((name): unknown[] => {
    const list = schema[name];
    return Array.isArray(list) ? list : [];
  });
  return [...members, ...items, ...single.map((name) => schema[name])].filter(isObject);
}
