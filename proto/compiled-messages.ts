// Messages of the contract read and written by code that protobufjs compiles for each type, when its first message is
// read or written: compiling the whole contract, with a descriptor of every message, takes a third of the processor time
// of a program's start. The options are those of package-definition.ts; a test compares both.
import protobuf from 'protobufjs/light.js';
import { isObject } from '../common/json.ts';
import { type Descriptor, descriptorOf, packageName, type WireMessage } from './wire-method.ts';

const typesByName = new Map<string, protobuf.Type>();
const conversion = { longs: String, enums: String, defaults: true, oneofs: true } as const;

/** @throws Error, when it is first used, if the contract has no such message */
export function compiledMessage<Input, Output>(name: string): WireMessage<Input, Output> {
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
