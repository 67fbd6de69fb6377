// Calls methods of the contract on one connection (the only importer of @grpc/grpc-js). Every call ends: by a deadline
// or, for downloads, because keepalive pings detect a dead connection.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkServerIdentity } from 'node:tls';
import {
  type ChannelCredentials,
  Client as Connection,
  credentials,
  Metadata,
  type ServiceError,
  setLogger,
  status,
} from '@grpc/grpc-js';
import { familyOf } from '../common/addresses.ts';
import type { ErrorDetail__Output } from '../proto/generated/gateway/v1/ErrorDetail.ts';
import type { services } from '../proto/load.ts';
import { plainMessage, plainMethod } from '../proto/plain-messages.ts';
import type { WireMethod } from '../proto/wire-method.ts';
import { CallFailure } from './call-failure.ts';
import { usageMistake } from './failure.ts';
import { parseServer, type Target } from './target.ts';

export { CallFailure };

type Services = typeof services;
type Declared<T> = {
  [Key in keyof T as string extends Key ? never : number extends Key ? never : Key]: T[Key];
};
type Methods = {
  [Service in keyof Services as `${Service}.${Extract<keyof Declared<Services[Service]>, string>}`]: never;
};

/** For example "VirtualKeys.Rotate". */
export type MethodName = keyof Methods;

type Definition<Name> = Name extends `${infer Service extends keyof Services}.${infer Method}`
  ? Method extends keyof Declared<Services[Service]>
    ? Declared<Services[Service]>[Method]
    : never
  : never;
/** Request type of a method, from the contract's serializer. */
export type RequestOf<Name> =
  Definition<Name> extends { requestSerialize: (value: infer Request) => Buffer } ? Request : never;
/** Response type of a method, from the contract's deserializer. */
export type ResponseOf<Name> =
  Definition<Name> extends { responseDeserialize: (bytes: Buffer) => infer Response } ? Response : never;

export interface Client {
  /** @throws CallFailure */
  call<Name extends MethodName>(method: Name, request: RequestOf<Name>): Promise<ResponseOf<Name>>;
  /** The same for a method and a request from a table and the command line. @throws CallFailure */
  ask(method: MethodName, request: object): Promise<object>;
  /** Calls a method with a streamed response. @throws CallFailure during reading */
  download(method: 'Usage.Export', request: object): AsyncIterable<ResponseOf<'Usage.Export'>>;
  close(): void;
}

const channelOptions = {
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.max_receive_message_length': 4 * 1024 * 1024,
  // The user waits for one connection attempt, not for a series of them.
  'grpc.initial_reconnect_backoff_ms': 500,
  'grpc.service_config_disable_resolution': 1,
  // Tokens must not go through a proxy that the user did not name.
  'grpc.enable_http_proxy': 0,
};

/** Opens no connection; the first call connects. @throws Failure if the target cannot be dialled */
export function dial(target: Target): Client {
  // The library would write to standard error, in addition to our own message about the same error.
  setLogger({ error: () => {}, info: () => {}, debug: () => {} });
  const connection = new Connection(dialled(target.server), channelCredentials(target), {
    ...channelOptions,
    ...nameOptions(target),
  });
  const metadata = new Metadata();
  if (target.token !== undefined) metadata.set('authorization', `Bearer ${target.token.reveal()}`);
  const invokeOnce = <Response>(method: MethodName, request: unknown, deadline: number) =>
    new Promise<Response>((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = definitionOf<Response>(method);
      const options = { deadline };
      const done = (error: ServiceError | null, response?: Response) =>
        error === null && response !== undefined ? resolve(response) : reject(failureOf(error));
      connection.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, options, done);
    });
  const invoke = async <Response>(method: MethodName, request: unknown): Promise<Response> => {
    const deadline = Date.now() + target.timeoutMs;
    for (;;) {
      try {
        return await invokeOnce(method, request, deadline);
      } catch (error) {
        await waitForShare(error, deadline);
      }
    }
  };
  return {
    call: (method, request) => invoke(method, request),
    ask: invoke,
    download: (method, request) => {
      const { path, requestSerialize, responseDeserialize } = definitionOf<ResponseOf<'Usage.Export'>>(method);
      return chunks(connection.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata));
    },
    close: () => connection.close(),
  };
}

/**
 * Waits until the caller may retry. Nothing was done yet, and a command with many calls should finish.
 * @throws the given error if it has no retry time, or if the retry would be after the deadline
 */
async function waitForShare(error: unknown, deadline: number): Promise<void> {
  const seconds = error instanceof CallFailure ? error.retryAfter : undefined;
  if (seconds === undefined || Date.now() + seconds * 1000 >= deadline) throw error;
  await sleep(seconds * 1000);
}

/**
 * Addresses are dialled directly. As a DNS name an address would become the TLS server name, which must not be an
 * address.
 */
function dialled(server: string): string {
  const { host, port } = parseServer(server);
  const family = familyOf(host);
  if (family === undefined) return `dns:///${host}:${port}`;
  return family === 'ipv4' ? `ipv4:${host}:${port}` : `ipv6:[${host}]:${port}`;
}

async function* chunks<Chunk>(stream: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* stream;
  } catch (error) {
    throw isServiceError(error) ? callFailure(error) : error;
  }
}

function failureOf(error: ServiceError | null): Error {
  return error === null ? new Error('a call ended without a response') : callFailure(error);
}

function callFailure(error: ServiceError): CallFailure {
  const [bytes] = error.metadata?.get('gateway-error-bin') ?? [];
  const detail =
    bytes === undefined
      ? undefined
      : plainMessage<never, ErrorDetail__Output>('ErrorDetail').deserialize(Buffer.from(bytes));
  return new CallFailure(error.details, {
    code: status[error.code] ?? 'UNKNOWN',
    reason: detail?.reason,
    violations: detail?.violations ?? [],
    retryAfter: detail?.reason === 'too_many_requests' ? retryAfterOf(error) : undefined,
  });
}

function retryAfterOf({ metadata }: ServiceError): number | undefined {
  const [seconds] = metadata.get('retry-after');
  return typeof seconds === 'string' && /^\d{1,5}$/.test(seconds) ? Number(seconds) : undefined;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'details' in error && 'metadata' in error;
}

function definitionOf<Response>(method: MethodName): WireMethod<unknown, object, unknown, Response> {
  const [service = '', name = ''] = method.split('.');
  return plainMethod(service, name);
}

/**
 * TLS server names cannot be addresses. This name replaces an address, and the certificate is verified for the address.
 */
const nameOfAddress = 'address.invalid';

function channelCredentials({ server, transport }: Target): ChannelCredentials {
  if (transport.kind === 'plaintext') return credentials.createInsecure();
  const { caFile, serverName } = transport;
  const { host } = parseServer(server);
  const expected = serverName ?? host;
  try {
    return credentials.createSsl(caFile === undefined ? null : readFileSync(caFile), null, null, {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(expected, certificate),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    throw usageMistake(`the authorities in ${caFile} cannot be used: ${why}`);
  }
}

function nameOptions({ server, transport }: Target): object {
  if (transport.kind === 'plaintext') return {};
  const { host } = parseServer(server);
  const name = transport.serverName ?? (familyOf(host) === undefined ? undefined : nameOfAddress);
  return name === undefined ? {} : { 'grpc.ssl_target_name_override': name };
}
