// JSON in one form: equal values have equal texts, whatever the order of their members. For keys of caches, not for what
// is sent to anyone. Numbers keep their spelling, so `1` and `1.0` are different values here.
import { ExactNumber } from './exact-number.ts';
import { isObject } from './json.ts';

/**
 * @param value as parseJson or parseExactJson returns it. Members that are undefined are left out, as by
 * JSON.stringify; names are in the order of their UTF-16 units (RFC 8785, section 3.2.3)
 */
export function canonicalJson(value: unknown): string {
  if (value instanceof ExactNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map((one: unknown) => canonicalJson(one ?? null)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  // The default order of sort() is that of UTF-16 units.
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
