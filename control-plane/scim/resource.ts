// Reads resources from JSON by their schema: only known attributes come out, under their own names. Issuers differ in
// the case of names and send "False" for false. Pure.
import { isObject, type JsonObject } from '../../common/json.ts';
import { invalidValue } from './error.ts';
import { type Attribute, attributeNamed, isIgnored, type ResourceSchema, writable } from './schema.ts';

const textLengthMax = 512;
export const valuesMax = 20_000;

/** The attributes of a whole resource. Unknown ones are left out, as RFC 7644 allows. @throws ScimError */
export function readResource(schema: ResourceSchema, body: unknown): JsonObject {
  if (!isObject(body)) throw invalidValue('the body must be a JSON object');
  const { schemas } = body;
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(schema.id))) {
    throw invalidValue(`schemas must contain ${schema.id}`);
  }
  const resource: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const attribute = attributeNamed(writable(schema), withoutSchema(schema, name));
    const read = attribute && !isIgnored(schema, name) ? readValue(attribute, value) : undefined;
    if (attribute !== undefined && read !== undefined) resource[attribute.name] = read;
  }
  return complete(schema, resource);
}

/** @throws ScimError for a required attribute without a value */
export function complete(schema: ResourceSchema, resource: JsonObject): JsonObject {
  const missing = schema.attributes.find(({ name, required }) => required && resource[name] === undefined);
  if (missing !== undefined) throw invalidValue(`${missing.name} is required`);
  return resource;
}

/** The name of an attribute without the URN of its schema before it. */
export function withoutSchema({ id }: ResourceSchema, name: string): string {
  return name.toLowerCase().startsWith(`${id.toLowerCase()}:`) ? name.slice(id.length + 1) : name;
}

/** @returns undefined for null and an empty list: no value. @throws ScimError */
export function readValue(attribute: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readOne(attribute, value);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > valuesMax) throw invalidValue(`${attribute.name} has more than ${valuesMax} values`);
  const read = list.map((one) => readElement(attribute, one)).filter(isObject);
  return read.length === 0 ? undefined : withOnePrimary(read);
}

/** One value of a list. A text stands for its `value`. */
export function readElement(attribute: Attribute, value: unknown): JsonObject | undefined {
  const read = readOne(attribute, typeof value === 'string' ? { value } : value);
  return isObject(read) && Object.keys(read).length > 0 ? read : undefined;
}

function readOne(attribute: Attribute, value: unknown): unknown {
  switch (attribute.type) {
    case 'string':
    case 'reference':
      return readText(attribute, value);
    case 'boolean':
      return readFlag(attribute, value);
    case 'complex':
      return readComplex(attribute, value);
  }
}

function readText({ name }: Attribute, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > textLengthMax || /[\p{Cc}\p{Cs}]/u.test(value)) {
    throw invalidValue(`${name} must be a text of at most ${textLengthMax} characters without control characters`);
  }
  return value === '' ? undefined : value;
}

/** Entra sends "True" and "False". */
function readFlag({ name }: Attribute, value: unknown): boolean {
  const flag = typeof value === 'string' ? { true: true, false: false }[value.toLowerCase()] : value;
  if (typeof flag === 'boolean') return flag;
  throw invalidValue(`${name} must be true or false`);
}

function readComplex({ name, sub = [] }: Attribute, value: unknown): JsonObject | undefined {
  if (!isObject(value)) throw invalidValue(`${name} must be an object`);
  const read: JsonObject = {};
  for (const [key, part] of Object.entries(value)) {
    const attribute = attributeNamed(sub, key);
    if (attribute === undefined || attribute.readOnly) continue;
    const one = readValue(attribute, part);
    if (one !== undefined) read[attribute.name] = one;
  }
  return Object.keys(read).length === 0 ? undefined : read;
}

/** The last primary value makes the others none. */
export function withOnePrimary(values: readonly JsonObject[]): readonly JsonObject[] {
  const last = values.findLastIndex(({ primary }) => primary === true);
  return values.map((one, index) => (one.primary === true && index !== last ? { ...one, primary: false } : one));
}

/** Leaves attributes out, as `attributes` and `excludedAttributes` of a request say. */
export function projected(resource: JsonObject, query: URLSearchParams): JsonObject {
  const [only, without] = ['attributes', 'excludedAttributes'].map((name) => namesIn(query.get(name)));
  const always = ['schemas', 'id', 'meta'];
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => {
      if (always.includes(name)) return true;
      const lower = name.toLowerCase();
      return (only === undefined || only.has(lower)) && without?.has(lower) !== true;
    }),
  );
}

/** Names of attributes, of `name.givenName` and of names with a schema the attribute. */
function namesIn(list: string | null): ReadonlySet<string> | undefined {
  if (list === null || list === '') return undefined;
  return new Set(
    list.split(',').map((name) => {
      const plain = name.trim().toLowerCase().split(':').at(-1) ?? '';
      return plain.split('.')[0] ?? '';
    }),
  );
}
