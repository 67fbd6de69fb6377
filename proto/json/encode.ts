// Writes a response as proto3 JSON: every field with a value, absent optional fields left out, names in lowerCamelCase,
// 64-bit numbers as strings, enums by name.
import { isObject } from '../../common/json.ts';
import { type FieldType, fieldsOf, isMessage } from './contract.ts';

/** @param value from the contract's deserializer */
export function toJson(message: string, value: object): object {
  const given: ReadonlyMap<string, unknown> = new Map(Object.entries(value));
  return Object.fromEntries(
    Object.entries(fieldsOf(message)).flatMap(([name, field]) => {
      const item = given.get(name);
      return item === undefined || item === null ? [] : [[name, fieldToJson(field, item)]];
    }),
  );
}

function fieldToJson({ type, rule, keyType }: FieldType, item: unknown): unknown {
  if (!isMessage(type)) return item;
  if (keyType !== undefined && isObject(item)) {
    const entries = Object.entries(item);
    return Object.fromEntries(entries.map(([key, one]) => [key, isObject(one) ? toJson(type, one) : one]));
  }
  if (rule === 'repeated' && Array.isArray(item)) {
    return item.map((one: unknown) => (isObject(one) ? toJson(type, one) : one));
  }
  return isObject(item) ? toJson(type, item) : item;
}
