// The shape of a message that was stored as JSON, derived from the contract.
import { aFlag, aList, aMap, aNumber, anObject, aString, at, type Shape } from '../../common/json-shape.ts';
import { enumNames, type FieldType, fieldsOf } from './contract.ts';

/**
 * A message of the contract, as JSON.stringify writes it. Fields may be absent, because older versions may have written
 * it.
 */
export function aMessage<Message>(type: string): Shape<Message> {
  let shapes: readonly (readonly [name: string, Shape<unknown>])[] | undefined;
  return (value) => {
    const message = anObject(value);
    shapes ??= Object.entries(fieldsOf(type)).map(([name, field]) => [name, shapeOf(field)] as const);
    for (const [name, shape] of shapes) if (message[name] != null) at(name, shape, message[name]);
    return message as Message;
  };
}

function shapeOf({ type, rule, keyType }: FieldType): Shape<unknown> {
  const one = scalars[type] ?? (enumNames(type) === undefined ? aMessage(type) : aString);
  if (keyType !== undefined) return aMap(one);
  return rule === 'repeated' ? aList(one) : one;
}

/** A decimal text, or a number if it is small. */
const aLong: Shape<unknown> = (value) => (typeof value === 'number' ? value : aString(value));

const scalars: Readonly<Record<string, Shape<unknown>>> = {
  string: aString,
  bool: aFlag,
  int32: aNumber,
  uint32: aNumber,
  double: aNumber,
  float: aNumber,
  int64: aLong,
  uint64: aLong,
};
