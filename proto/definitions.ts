// Definitions of services and messages, in the form of @grpc/grpc-js. A type is compiled when its first message is read
// or written: compiling the whole contract, with a descriptor of every message, takes a third of the processor time of a
// program's start. The options are those of package-definition.ts; a test compares both.
import protobuf from 'protobufjs/light.js';
import { isObject } from '../common/json.ts';
import contract from './generated/contract.json' with { type: 'json' };

/** @template Input an object of the message's type; fields may be absent */
export interface WireMessage<Input, Output> {
  serialize(message: Input): Buffer;
  /** @throws Error if the bytes are no message of this type */
  deserialize(bytes: Uint8Array): Output;
}

/** The types of request and response are those that the generator makes from the same contract. */
export interface WireMethod<Request, RequestOutput, Response, ResponseOutput> {
  /** "/gateway.v1.VirtualKeys/Get" */
  readonly path: string;
  /** "get" */
  readonly originalName: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (request: Request) => Buffer;
  readonly requestDeserialize: (bytes: Uint8Array) => RequestOutput;
  readonly responseSerialize: (response: Response) => Buffer;
  readonly responseDeserialize: (bytes: Uint8Array) => ResponseOutput;
}

const packageName = 'gateway.v1';

interface Method {
  readonly requestType: string;
  readonly requestStream?: boolean;
  readonly responseType: string;
  readonly responseStream?: boolean;
}

interface Descriptor {
  readonly fields?: Readonly<Record<string, { readonly type: string }>>;
  readonly values?: object;
  readonly methods?: Readonly<Record<string, Method>>;
}

const all: Readonly<Record<string, Descriptor>> = contract.nested.gateway.nested.v1.nested;
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
  const methods = methodsOf(service);
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new Error(`the contract has no method ${service}.${name}`);
  const request = messageDefinition<unknown, object>(method.requestType);
  const response = messageDefinition<unknown, Response>(method.responseType);
  return {
    path: `/${packageName}.${service}/${name}`,
    originalName: name.slice(0, 1).toLowerCase() + name.slice(1),
    requestStream: method.requestStream === true,
    responseStream: method.responseStream === true,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
  };
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

function methodsOf(service: string): Readonly<Record<string, Method>> {
  return (Object.hasOwn(all, service) ? all[service]?.methods : undefined) ?? {};
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
    const descriptor = Object.hasOwn(all, one) ? all[one] : undefined;
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
