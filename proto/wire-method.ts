// What a method of the contract is on the wire, by whichever of the two codecs reads and writes its messages:
// definitions.ts compiles them, plain-messages.ts does not.
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

export const packageName = 'gateway.v1';

interface Method {
  readonly requestType: string;
  readonly requestStream?: boolean;
  readonly responseType: string;
  readonly responseStream?: boolean;
}

export interface FieldDescriptor {
  readonly type: string;
  readonly id: number;
  readonly rule?: string;
  /** Only for a map. */
  readonly keyType?: string;
}

/** A message, an enum or a service. */
export interface Descriptor {
  readonly fields?: Readonly<Record<string, FieldDescriptor>>;
  readonly oneofs?: Readonly<Record<string, { readonly oneof: readonly string[] }>>;
  readonly values?: Readonly<Record<string, number>>;
  readonly methods?: Readonly<Record<string, Method>>;
}

const all: Readonly<Record<string, Descriptor>> = contract.nested.gateway.nested.v1.nested;

/** Undefined for a scalar, and for what the contract does not have. */
export function descriptorOf(name: string): Descriptor | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

export function methodsOf(service: string): Readonly<Record<string, Method>> {
  return descriptorOf(service)?.methods ?? {};
}

/** @throws Error if the contract has no such method */
export function wireMethod<Response>(
  [service, name]: readonly [service: string, name: string],
  codec: <Input, Output>(type: string) => WireMessage<Input, Output>,
): WireMethod<unknown, object, unknown, Response> {
  const methods = methodsOf(service);
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new Error(`the contract has no method ${service}.${name}`);
  const request = codec<unknown, object>(method.requestType);
  const response = codec<unknown, Response>(method.responseType);
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
