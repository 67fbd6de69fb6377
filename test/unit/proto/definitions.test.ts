// Definitions of services and messages are those of the whole contract: the same paths, bytes and objects.
import type { MethodDefinition } from '@grpc/proto-loader';
import { describe, expect, it } from 'vitest';
import { compiledMessage } from '../../../proto/compiled-messages.ts';
import {
  loadCompiler,
  messageDefinition,
  methodDefinition,
  plainMessagesMax,
  serviceDefinition,
} from '../../../proto/definitions.ts';
import { enumNames, fieldsOf, isMessage, methodTypes } from '../../../proto/json/contract.ts';
import { errorDetail, services } from '../../../proto/load.ts';
import { packageDefinition } from '../../../proto/package-definition.ts';
import { plainMessage, plainMethod } from '../../../proto/plain-messages.ts';
import { wireMethod } from '../../../proto/wire-method.ts';

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
  const compiled = wireMethod([service, name], compiledMessage) as unknown as MethodDefinition<object, object>;
  const plain = plainMethod(service, name) as unknown as MethodDefinition<object, object>;

  it.each([
    ['compiled', compiled],
    ['plain', plain],
  ])('has the same path, and reads and writes the same, %s', (_codec, method) => {
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

it('reads the first messages of a type plainly, and later ones by compiled code', async () => {
  const message = { reason: 'not_found', violations: [{ field: 'id', description: 'x' }] };
  const { serialize, deserialize } = messageDefinition<object, object>('ErrorDetail');
  const bytes = compiledMessage<object, object>('ErrorDetail').serialize(message);
  const cut = bytes.subarray(0, -1);
  expect(serialize(message).equals(bytes)).toBe(true);
  expect(deserialize(bytes)).toMatchObject(message);
  // Both codecs refuse what is no message, each in its own words.
  expect(() => deserialize(cut)).toThrow('cut short');
  for (let one = 3; one < plainMessagesMax; one++) expect(deserialize(bytes)).toMatchObject(message);
  await loadCompiler();
  expect(serialize(message).equals(bytes)).toBe(true);
  expect(deserialize(bytes)).toMatchObject(message);
  expect(() => deserialize(cut)).toThrow('index out of range');
});

it('has the definitions of a service', () => {
  const { Get } = serviceDefinition('VirtualKeys');
  expect(Get).toMatchObject({ path: '/gateway.v1.VirtualKeys/Get', originalName: 'get', requestStream: false });
});

it('reads the details of an error', () => {
  const bytes = errorDetail.serialize({ reason: 'not_found', violations: [{ field: 'id', description: 'x' }] });
  expect(messageDefinition('ErrorDetail').deserialize(bytes)).toMatchObject({ reason: 'not_found' });
});

it('reads plainly what it does not know, and refuses what is no message', () => {
  const bytes = errorDetail.serialize({ reason: 'not_found', violations: [] });
  const unknown = Buffer.from([0x98, 0x3f, 0x96, 0x01, 0x9a, 0x3f, 0x01, 0x41, 0x99, 0x3f, 1, 2, 3, 4, 5, 6, 7, 8]);
  const { serialize, deserialize } = plainMessage<object, object>('ErrorDetail');
  expect(deserialize(Buffer.concat([unknown, bytes]))).toMatchObject({ reason: 'not_found', violations: [] });
  for (let end = 1; end < bytes.length; end++)
    expect(() => deserialize(bytes.subarray(0, end)), String(end)).toThrow(/cut short/);
  expect(() => serialize({ violations: [1] })).toThrow('must be an object');
  expect(() => plainMessage('Nothing').deserialize(bytes)).toThrow('no message Nothing');
  const limit = plainMessage<object, { kind: unknown }>('Limit');
  expect(() => limit.serialize({ kind: 'LIMIT_KIND_UNKNOWN' })).toThrow('is no LimitKind');
  // A value of a later version is its number.
  expect(limit.deserialize(limit.serialize({ kind: 99 })).kind).toBe(99);
});

it('does not exist for what the contract does not have', () => {
  expect(() => methodDefinition('Keys', 'Get')).toThrow('the contract has no method Keys.Get');
  expect(() => methodDefinition('VirtualKeys', 'toString')).toThrow('has no method');
  expect(() => serviceDefinition('Keys')).toThrow('the contract has no service Keys');
});
