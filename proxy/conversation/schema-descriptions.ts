// What the keywords of a JSON Schema say, in words: for models whose language of schemas has no such keyword. The model reads it in
// the description.
import { isObject, type JsonObject } from '../../common/json.ts';

/** The description with what no keyword says any more: `Stars. (minimum: 1, maximum: 5)` */
export function described(description: unknown, keywords: JsonObject): string | undefined {
  const words = Object.entries(keywords).map(([keyword, value]) => `${keyword}: ${JSON.stringify(value)}`);
  const given = typeof description === 'string' && description !== '' ? [description] : [];
  const parts = words.length === 0 ? given : [...given, `(${words.join(', ')})`];
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Keywords whose members are schemas under names of the caller's. */
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const single = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'];

/** Whether one of the schemas inside of a schema, or it itself, is so. However deep it is, it takes no stack. */
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
