// Definitions of services and messages are those of the whole contract: the same paths, bytes and objects.
import type { MethodDefinition } from '@grpc/proto-loader';
import { describe, expect, it } from 'vitest';
import { messageDefinition, methodDefinition, serviceDefinition } from '../../../proto/definitions.ts';
import { enumNames, fieldsOf, isMessage, methodTypes } from '../../../proto/json/contract.ts';
import { errorDetail, services } from '../../../proto/load.ts';
import { packageDefinition } from '../../../proto/package-definition.ts';

const whole = packageDefinition();
const methods = Object.keys(services).flatMap((service) =>
  Object.entries(whole[`gateway.v1.${service}`] ?? {}).map(([name, definition]) => ({
    service,
    name,
    definition: definition as MethodDefinition<object, object>,
  })),
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

it('are of all services', () => {
  const all = Object.keys(whole).filter((name) => !('format' in (whole[name] ?? {})));
  expect(Object.keys(services).map((name) => `gateway.v1.${name}`)).toEqual(all.toSorted());
  expect(methods.length).toBeGreaterThan(100);
});

describe.each(methods)('$service.$name', ({ service, name, definition }) => {
  const method = serviceDefinition(service)[name] as unknown as MethodDefinition<object, object>;

  it('has the same path, and reads and writes the same', () => {
    const { path, originalName, requestStream, responseStream } = definition;
    expect(method).toMatchObject({ path, originalName, requestStream, responseStream });
    const { requestType, responseType } = methodTypes(`${service}.${name}`);
    for (const request of [{}, filled(requestType)]) {
      const bytes = definition.requestSerialize(request);
      expect(method.requestSerialize(request).equals(bytes)).toBe(true);
      expect(method.requestDeserialize(bytes)).toEqual(definition.requestDeserialize(bytes));
    }
    for (const response of [{}, filled(responseType)]) {
      const bytes = definition.responseSerialize(response);
      expect(method.responseSerialize(response).equals(bytes)).toBe(true);
      expect(method.responseDeserialize(bytes)).toEqual(definition.responseDeserialize(bytes));
    }
  });
});

it('reads the details of an error', () => {
  const bytes = errorDetail.serialize({ reason: 'not_found', violations: [{ field: 'id', description: 'x' }] });
  expect(messageDefinition('ErrorDetail').deserialize(bytes)).toMatchObject({ reason: 'not_found' });
});

it('does not exist for what the contract does not have', () => {
  expect(() => methodDefinition('Keys', 'Get')).toThrow('the contract has no method Keys.Get');
  expect(() => methodDefinition('VirtualKeys', 'toString')).toThrow('has no method');
  expect(() => serviceDefinition('Keys')).toThrow('the contract has no service Keys');
});
