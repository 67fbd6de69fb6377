// Definitions of single methods and messages, for a program that calls a few and ends. load.ts defines the whole
// contract, with a descriptor of every message, which takes most of the processor time of such a program. The options
// are those of load.ts, so requests and responses have the same form; a test compares both.
import protobuf from 'protobufjs/light.js';
import { isObject } from '../common/json.ts';
import contract from './generated/contract.json' with { type: 'json' };

/** The type of the response is the one that the generator makes from the same contract. */
export interface SingleMethod<Response> {
  /** "/gateway.v1.VirtualKeys/Get" */
  readonly path: string;
  /** @param request an object of the request's type */
  requestSerialize(request: unknown): Buffer;
  responseDeserialize(bytes: Uint8Array): Response;
}

const packageName = 'gateway.v1';

interface Descriptor {
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
  readonly values?: object;
  readonly methods?: Readonly<Record<string, { readonly requestType: string; readonly responseType: string }>>;
}

const all: Readonly<Record<string, Descriptor>> = contract.nested.gateway.nested.v1.nested;

/** @throws Error if the contract has no such method */
export function singleMethod<Response>(service: string, name: string): SingleMethod<Response> {
  const methods = (Object.hasOwn(all, service) ? all[service]?.methods : undefined) ?? {};
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new Error(`the contract has no method ${service}.${name}`);
  const { requestType, responseType } = method;
  const types = typesFor([requestType, responseType]);
  const request = types.lookupType(`${packageName}.${requestType}`);
  return {
    path: `/${packageName}.${service}/${name}`,
    requestSerialize: (value) => Buffer.from(request.encode(request.fromObject(isObject(value) ? value : {})).finish()),
    responseDeserialize: reader<Response>(types, responseType),
  };
}

/** Reads a message from bytes. @throws Error if the contract has no such message */
export function singleMessage<Message>(type: string): (bytes: Uint8Array) => Message {
  return reader(typesFor([type]), type);
}

const conversion = { longs: String, enums: String, defaults: true, oneofs: true } as const;

function reader<Message>(types: protobuf.Root, name: string): (bytes: Uint8Array) => Message {
  const type = types.lookupType(`${packageName}.${name}`);
  return (bytes) => type.toObject(type.decode(bytes), conversion) as Message;
}

/** The named types, and those that their fields need. */
function typesFor(names: readonly string[]): protobuf.Root {
  const needed = new Map<string, Descriptor>();
  const add = (name: string) => {
    const descriptor = Object.hasOwn(all, name) ? all[name] : undefined;
    // Scalars have no descriptor.
    if (descriptor === undefined || needed.has(name)) return;
    needed.set(name, descriptor);
    for (const { type } of Object.values(descriptor.fields ?? {})) add(type);
  };
  for (const name of names) add(name);
  return protobuf.Root.fromJSON({
    nested: { gateway: { nested: { v1: { nested: Object.fromEntries(needed) } } } },
  } as protobuf.INamespace);
}
