// Definitions of single methods are those of the whole contract: the same paths, bytes and objects.
import { describe, expect, it } from 'vitest';
import { enumNames, fieldsOf, isMessage, methodTypes } from '../../../proto/json/contract.ts';
import { errorDetail, services } from '../../../proto/load.ts';
import { singleMessage, singleMethod } from '../../../proto/single-methods.ts';

const methods = Object.entries(services).flatMap(([service, table]) =>
  Object.entries(table)
    .filter(([name]) => /^[A-Z]/.test(name))
    .map(([name, definition]) => ({ service, name, definition })),
);

/** A message with a value in every field, down to a depth; long numbers beyond the precision of doubles. */
function filled(type: string, depth = 3): object {
  return Object.fromEntries(
    Object.entries(fieldsOf(type)).flatMap(([name, { type: of, rule, keyType }]) => {
      if (isMessage(of) && depth === 0) return [];
      const one = isMessage(of) ? filled(of, depth - 1) : (enumNames(of)?.[0] ?? scalar(of));
      return [[name, keyType !== undefined ? { key: one } : rule === 'repeated' ? [one, one] : one]];
    }),
  );
}

function scalar(type: string): unknown {
  if (type === 'string') return 'text ö';
  if (type === 'bool') return true;
  if (type === 'bytes') return Buffer.from([0, 255]);
  if (type === 'double' || type === 'float') return 0.5;
  return /64$/.test(type) ? '9007199254740993' : 7;
}

describe.each(methods)('$service.$name', ({ service, name, definition }) => {
  const single = singleMethod<object>(service, name);

  it('has the same path, and reads and writes the same', () => {
    expect(single.path).toBe(definition.path);
    const { requestType, responseType } = methodTypes(`${service}.${name}`);
    for (const request of [{}, filled(requestType)])
      expect(single.requestSerialize(request).equals(definition.requestSerialize(request as never))).toBe(true);
    for (const response of [{}, filled(responseType)]) {
      const bytes = definition.responseSerialize(response as never);
      expect(single.responseDeserialize(bytes)).toEqual(definition.responseDeserialize(bytes));
    }
  });
});

it('reads the details of an error', () => {
  const bytes = errorDetail.serialize({ reason: 'not_found', violations: [{ field: 'id', description: 'x' }] });
  expect(singleMessage('ErrorDetail')(bytes)).toEqual(errorDetail.deserialize(bytes));
});

it('does not exist for what the contract does not have', () => {
  expect(() => singleMethod('Keys', 'Get')).toThrow('the contract has no method Keys.Get');
  expect(() => singleMethod('VirtualKeys', 'toString')).toThrow('has no method');
});
