// A control plane of another version: the real one behind a relay with a contract that is made at run time, newer by
// fields, enum values and kinds in every message, or older by missing ones. Bytes pass unchanged, except where a test
// rewrites a response.
import {
  type Client,
  credentials,
  type Metadata,
  makeGenericClientConstructor,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  type StatusObject,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import type { Descriptor, Field } from '../../proto/compatibility.ts';
import { contract } from '../../proto/load.ts';
import type { JsonResponse } from './operators.ts';

/** Number of everything that newerContract adds. */
export const addedNumber = 1000;

/**
 * Every message has a further field `addedLater`, every oneof a member `addedTo<Name>`, every enum a value
 * `<NAME>_ADDED_LATER`.
 */
export function newerContract(of: Descriptor = contract): Descriptor {
  return mapTypes(of, (type, name) => {
    if (type.values) return { ...type, values: { ...type.values, [`${name}_ADDED_LATER`]: addedNumber } };
    if (!type.fields) return type;
    const added: Record<string, Field> = { addedLater: { type: 'string', id: addedNumber } };
    const oneofs = Object.entries(type.oneofs ?? {}).map(([oneof, { oneof: members }]) => {
      if (oneof.startsWith('_')) return [oneof, { oneof: members }] as const;
      const member = `addedTo${oneof}`;
      added[member] = { type: 'string', id: addedNumber + 1 };
      return [oneof, { oneof: [...members, member] }] as const;
    });
    const fields = { ...type.fields, ...added };
    return { ...type, fields, ...(type.oneofs && { oneofs: Object.fromEntries(oneofs) }) };
  });
}

/** @param lacking names of missing services, `Service.Method`s or `Message.field`s */
export function olderContract(lacking: readonly string[]): Descriptor {
  const lacks = new Set(lacking);
  const without = <T>(name: string, members: Readonly<Record<string, T>> = {}) =>
    Object.fromEntries(Object.entries(members).filter(([member]) => !lacks.has(`${name}.${member}`)));
  return mapTypes(contract, (type, name) => {
    if (type.methods) return { ...type, methods: lacks.has(name) ? {} : without(name, type.methods) };
    if (!type.fields) return type;
    const oneofs = Object.entries(type.oneofs ?? {}).flatMap(([oneof, { oneof: members }]) => {
      const left = members.filter((member) => !lacks.has(`${name}.${member}`));
      return left.length > 0 ? [[oneof, { oneof: left }] as const] : [];
    });
    const fields = without(name, type.fields);
    return { ...type, fields, ...(type.oneofs && { oneofs: Object.fromEntries(oneofs) }) };
  });
}

function mapTypes(of: Descriptor, map: (type: Descriptor, name: string) => Descriptor): Descriptor {
  const types = Object.entries(of.nested?.gateway?.nested?.v1?.nested ?? {});
  const mapped = Object.fromEntries(types.map(([name, type]) => [name, map(type, name)]));
  return { nested: { gateway: { nested: { v1: { nested: mapped } } } } };
}

/** Changes each message of a response; a stream message may become several. */
export type Rewrite = (message: JsonResponse, method: string) => JsonResponse;

export interface Relay {
  readonly port: number;
  close(): void;
}

export interface RelayOptions {
  /** Port of the control plane behind the relay. */
  readonly port: number;
  readonly contract: Descriptor;
  readonly rewrite?: Rewrite;
}

export async function startRelay({ port, contract: spoken, rewrite = (same) => same }: RelayOptions): Promise<Relay> {
  const options = { keepCase: false, longs: String, enums: String, defaults: false, oneofs: false };
  const definitions = fromJSON(spoken as Parameters<typeof fromJSON>[0], options);
  const Upstream = makeGenericClientConstructor({}, 'upstream');
  const upstream = new Upstream(`127.0.0.1:${port}`, credentials.createInsecure());
  const server = new Server();
  for (const service of ['Access', 'Ledger', 'Guardrails']) {
    const definition = definitions[`gateway.v1.${service}`] as ServiceDefinition;
    if (Object.keys(definition).length === 0) continue;
    const handlers = Object.entries(definition).map(([name, { path, requestStream, ...method }]) => {
      const again = (bytes: Buffer) => {
        const messages = [rewrite(method.responseDeserialize(bytes), `${service}.${name}`)].flat();
        return messages.map((message) => method.responseSerialize(message));
      };
      // Parts of a request that the other version does not know are lost on the way.
      const translate = (bytes: Buffer) => method.requestSerialize(method.requestDeserialize(bytes));
      const way = { upstream, path, translate, again };
      return [name, requestStream ? relayStream(way) : relayCall(way)] as const;
    });
    server.addService(withBytes(definition), Object.fromEntries(handlers));
  }
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error ? reject(error) : resolve(at),
    ),
  );
  return {
    port: bound,
    close: () => {
      server.forceShutdown();
      upstream.close();
    },
  };
}

interface Way {
  readonly upstream: Client;
  readonly path: string;
  translate(request: Buffer): Buffer;
  again(response: Buffer): readonly Buffer[];
}

const bytes = (buffer: Buffer) => buffer;

function withBytes(definition: ServiceDefinition): ServiceDefinition {
  const raw = {
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
  return Object.fromEntries(Object.entries(definition).map(([name, method]) => [name, { ...method, ...raw }]));
}

function relayCall({ upstream, path, translate, again }: Way): UntypedHandleCall {
  return (
    call: { request: Buffer; metadata: Metadata },
    done: (error: ServiceError | null, response?: Buffer) => void,
  ) => {
    upstream.makeUnaryRequest(
      path,
      bytes,
      bytes,
      translate(call.request),
      credentialOf(call.metadata),
      (error, response) => done(error, response && again(response)[0]),
    );
  };
}

function relayStream({ upstream, path, translate, again }: Way): UntypedHandleCall {
  return (call: JsonResponse) => {
    const stream = upstream.makeBidiStreamRequest(path, bytes, bytes, credentialOf(call.metadata));
    call.on('data', (request: Buffer) => stream.write(translate(request)));
    call.on('end', () => stream.end());
    call.on('cancelled', () => stream.cancel());
    stream.on('data', (response: Buffer) => {
      for (const message of again(response)) call.write(message);
    });
    stream.on('error', () => undefined);
    stream.on('status', ({ code, details }: StatusObject) => call.emit('error', { code, details }));
  };
}

/** The other headers belong to this connection only. */
function credentialOf(metadata: Metadata): Metadata {
  const own = metadata.clone();
  for (const name of Object.keys(own.getMap())) if (name !== 'authorization') own.remove(name);
  return own;
}
