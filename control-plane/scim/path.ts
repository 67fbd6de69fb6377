// Paths of PATCH and filters of lists: the part of RFC 7644's grammar that issuers use. An unknown name is an error, not
// a property that is made. Pure.
import { parseJson } from '../../common/json.ts';
import { ScimError } from './error.ts';
import { withoutSchema } from './resource.ts';
import { type Attribute, attributeNamed, isIgnored, type ResourceSchema, writable } from './schema.ts';

const lengthMax = 1024;

export interface Equality {
  readonly attribute: Attribute;
  readonly value: string | boolean;
}

export interface Path {
  readonly attribute: Attribute;
  /** Which values of a list. */
  readonly where: Equality | undefined;
  readonly sub: Attribute | undefined;
}

/** @returns undefined for an attribute that is not stored. @throws ScimError invalidPath */
export function readPath(schema: ResourceSchema, text: string): Path | undefined {
  const path = withoutSchema(schema, text.trim());
  if (path.length > lengthMax) throw invalidPath();
  if (isIgnored(schema, path)) return undefined;
  const [, name = '', filter, sub] = /^([$\w-]+)(?:\[(.+)\])?(?:\.([$\w-]+))?$/.exec(path) ?? [];
  if (isIgnored(schema, name)) return undefined;
  const attribute = attributeNamed(writable(schema), name);
  if (attribute === undefined) throw invalidPath();
  const where = filter === undefined ? undefined : readEquality(attribute.sub ?? [], filter);
  const part = sub === undefined ? undefined : attributeNamed(attribute.sub ?? [], sub);
  const isWrong =
    (filter !== undefined && (where === undefined || !attribute.multiValued)) || (sub !== undefined && !part);
  if (isWrong) throw invalidPath();
  return { attribute, where, sub: part };
}

function invalidPath(): ScimError {
  return new ScimError(400, 'path names no attribute that can be changed', 'invalidPath');
}

/** `type eq "work"`. Undefined: it is something else. */
function readEquality(attributes: readonly Attribute[], text: string): Equality | undefined {
  const [, name = '', literal = ''] = /^\s*([$\w-]+)\s+eq\s+(.+?)\s*$/i.exec(text) ?? [];
  const attribute = attributeNamed(attributes, name);
  const value = parseJson(literal);
  if (attribute === undefined) return undefined;
  if (typeof value === 'string') return { attribute, value };
  return typeof value === 'boolean' && attribute.type === 'boolean' ? { attribute, value } : undefined;
}

/** A filter of a list: an attribute and its value. */
export interface Filter {
  /** In lower case: `username`, `externalid`, `emails.value`, `displayname`, `id`. */
  readonly name: string;
  readonly value: string;
}

/** @param names that may be filtered by, in lower case @throws ScimError invalidFilter */
export function readFilter(schema: ResourceSchema, text: string, names: readonly string[]): Filter {
  const plain = withoutSchema(schema, text.trim());
  const [, name = '', literal = ''] =
    /^([$\w.-]+)\s+eq\s+(.+)$/i.exec(plain) ?? /^emails\[\s*(value)\s+eq\s+(.+?)\s*\]$/i.exec(plain) ?? [];
  const lower = name.toLowerCase();
  const filtered = lower === 'value' || lower === 'emails' ? 'emails.value' : lower;
  const value = plain.length > lengthMax ? undefined : parseJson(literal);
  if (names.includes(filtered) && typeof value === 'string') return { name: filtered, value };
  throw new ScimError(400, `filter must be ${names.map((one) => `${one} eq "…"`).join(' or ')}`, 'invalidFilter');
}
