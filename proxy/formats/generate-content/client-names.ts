// Names of fields in a client's request. The vendor reads JSON of Protocol Buffers, where every field has two names:
// `inlineData` and `inline_data`. Source: protobuf.dev, "ProtoJSON Format".
import type { JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';

/**
 * The same object with its names in camel case; objects inside keep theirs.
 * @param at path of the object, empty for the body
 * @throws GatewayError invalid_request if a field has both of its names
 */
export function camelNames(value: JsonObject, at: string): JsonObject {
  const names = Object.keys(value);
  if (!names.some((name) => name.includes('_'))) return value;
  const renamed = new Map<string, unknown>();
  for (const name of names) {
    const own = name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
    const path = below(at, name);
    if (renamed.has(own)) throw invalid(path, `${path} is there twice`);
    renamed.set(own, value[name]);
  }
  return Object.fromEntries(renamed);
}

/** The path of a field. @param at path of the object, empty for the body */
export function below(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
