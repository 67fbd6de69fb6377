// Definitions of services and messages, in the form of @grpc/grpc-js. A type is compiled when its first message is read
// or written: compiling the whole contract, with a descriptor of every message, takes a third of the processor time of a
// program's start. The options are those of package-definition.ts; a test compares both.
import protobuf from 'protobufjs/light.js';
import { isObject } from '../common/json.ts';
import {
  type Descriptor,
  descriptorOf,
  methodsOf,
  packageName,
  type WireMessage,
  type WireMethod,
  wireMethod,
} from './wire-method.ts';

export type { WireMessage, WireMethod };

const typesByName = new Map<string, protobuf.Type>();
const conversion = { longs: String, enums: String, defaults: true, oneofs: true } as const;

/** @throws Error if the contract has no such service */
export function serviceDefinition(service: string): Readonly<Record<string, WireMethod<never, object, never, object>>> {
  const names = Object.keys(methodsOf(service));
  if (names.length === 0) throw new Error(`the contract has no service ${service}`);
  return Object.fromEntries(names.map((name) => [name, methodDefinition(service, name)]));
}

/** @throws Error if the contract has no such method */
export function methodDefinition<Response>(
  service: string,
  name: string,
): WireMethod<unknown, object, unknown, Response> {
  return wireMethod<Response>([service, name], messageDefinition);
}

/** @throws Error, when it is first used, if the contract has no such message */
export function messageDefinition<Input, Output>(name: string): WireMessage<Input, Output> {
  return {
    serialize: (message) => {
      const type = typeOf(name);
      const bytes = type.encode(type.fromObject(isObject(message) ? message : {})).finish();
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    },
    deserialize: (bytes) => {
      const type = typeOf(name);
      return type.toObject(type.decode(bytes), conversion) as Output;
    },
  };
}

function typeOf(name: string): protobuf.Type {
  const known = typesByName.get(name);
  if (known !== undefined) return known;
  const type = rootFor(name).lookupType(`${packageName}.${name}`);
  typesByName.set(name, type);
  return type;
}

/** The named type, and those that its fields need. */
function rootFor(name: string): protobuf.Root {
  const needed = new Map<string, Descriptor>();
  const add = (one: string) => {
    const descriptor = descriptorOf(one);
    // Scalars have no descriptor.
    if (descriptor === undefined || needed.has(one)) return;
    needed.set(one, descriptor);
    for (const { type } of Object.values(descriptor.fields ?? {})) add(type);
  };
  add(name);
  return protobuf.Root.fromJSON({
    nested: { gateway: { nested: { v1: { nested: Object.fromEntries(needed) } } } },
  } as protobuf.INamespace);
}
