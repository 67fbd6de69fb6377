// Converts a schema in the vendor's own language (SDK type `Schema` of @google/genai, after OpenAPI 3.0) to JSON Schema:
// types in lower case, bounds as numbers, and null as a type.
import { isObject, type JsonObject } from '../../../common/json.ts';

/** Keywords whose values are schemas by name. */
const byName: ReadonlySet<string> = new Set(['properties', '$defs', 'defs']);
/** Keywords whose values are a schema or a list of them. */
const below: ReadonlySet<string> = new Set(['items', 'anyOf', 'prefixItems', 'additionalProperties']);
/** The SDK writes them as text, because they are of 64 bits. */
const bounds: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
]);
/** Keywords of the vendor only. */
const own: ReadonlySet<string> = new Set(['propertyOrdering', 'property_ordering', 'nullable', 'type', 'example']);

/** Own keywords that JSON Schema lacks. */
const lost: ReadonlySet<string> = new Set(['propertyOrdering', 'example']);

/** @param lose gets each keyword that is lost */
export function chatSchema(schema: JsonObject, lose: (keyword: string) => void): JsonObject {
  for (const name of Object.keys(schema)) if (lost.has(camel(name))) lose(camel(name));
  const entries = Object.entries(schema).filter(([name]) => !own.has(camel(name)));
  const type = typeOf(schema);
  return {
    ...(type !== undefined && { type }),
    ...Object.fromEntries(entries.map(([name, value]) => [camel(name), keywordValue(camel(name), value, lose)])),
  };
}

/** Only the vendor's keywords have a second name; `$defs` and the like stay. */
function camel(name: string): string {
  return name.replaceAll(/(?<=[a-z])_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function typeOf({ type, nullable }: JsonObject): unknown {
  const known = typeof type === 'string' ? type.toLowerCase() : type;
  if (known === undefined || known === 'type_unspecified') return undefined;
  return nullable === true && typeof known === 'string' ? [known, 'null'] : known;
}

function keywordValue(name: string, value: unknown, lose: (keyword: string) => void): unknown {
  const oneSchema = (one: unknown) => (isObject(one) ? chatSchema(one, lose) : one);
  if (byName.has(name) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, oneSchema(one)]));
  }
  if (below.has(name)) return Array.isArray(value) ? value.map(oneSchema) : oneSchema(value);
  if (bounds.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
  return value;
}
