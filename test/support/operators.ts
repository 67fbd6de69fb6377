// A really started control plane for tests of the operators' side, called over gRPC or the JSON API, and its people.
import {
  type Client,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import type { Clock } from '../../common/clock.ts';
import { createCredential } from '../../common/credential.ts';
import { createLogger } from '../../common/logger.ts';
import { createSealKey } from '../../common/seal.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../../control-plane/app.ts';
import { callCodes } from '../../control-plane/rpc/errors.ts';
import { readControlPlaneSettings } from '../../control-plane/settings.ts';
import type { ErrorDetail__Output } from '../../proto/generated/gateway/v1/ErrorDetail.ts';
import { errorDetail, services } from '../../proto/load.ts';
import { createDatabase } from './postgres.ts';

/** The result of a call: the response, or the code, message and detail of its error. */
export type Called =
  | { readonly code: 'OK'; readonly response: JsonResponse }
  | { readonly code: string; readonly message: string; readonly detail: ErrorDetail__Output };

// biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every method
export type JsonResponse = any;

export interface OperatorsPlane {
  readonly plane: ControlPlane;
  readonly bootstrapToken: string;
  readonly masterKey: string;
  /** Every log line. */
  readonly logs: string[];
  readonly clock: MovableClock;
  /** Over gRPC; `token` undefined sends none. @param method such as "VirtualKeys.Create" */
  call(method: string, token: string | undefined, request?: object): Promise<Called>;
  /** As call, but returns the response or throws. */
  expect(method: string, token: string, request?: object): Promise<JsonResponse>;
  close(): Promise<void>;
}

export interface PlaneOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly masterKey?: string;
  readonly bootstrapToken?: string;
  readonly webhookNetwork?: ControlPlaneOptions['webhookNetwork'];
  readonly rates?: ControlPlaneOptions['rates'];
  readonly readTxt?: ControlPlaneOptions['readTxt'];
  readonly embedded?: boolean;
  readonly consoleFolder?: string;
}

/** Tests change and export more per second than an organization does per minute. */
export const freely: ControlPlaneOptions['rates'] & object = {
  change_rate: { perMinute: 1_000_000, burst: 1_000_000 },
  export_rate: { perMinute: 1_000_000, burst: 1_000_000 },
};

/** Two replicas over one database; the first operator can be created at either. */
export async function startReplicas(databaseUrl: string): Promise<readonly [OperatorsPlane, OperatorsPlane]> {
  const env = { GATEWAY_DATABASE_URL: databaseUrl };
  const one = await startOperatorsPlane({ env });
  const { masterKey, bootstrapToken } = one;
  return [one, await startOperatorsPlane({ env, masterKey, bootstrapToken })];
}

export async function startOperatorsPlane(options: PlaneOptions = {}): Promise<OperatorsPlane> {
  const logs: string[] = [];
  const log = createLogger({
    name: 'test',
    level: 'debug',
    stream: { write: (line) => void logs.push(line) },
  });
  const bootstrapToken = options.bootstrapToken ?? createCredential('bootstrap');
  const masterKey = options.masterKey ?? createSealKey();
  const clock = new MovableClock();
  const settings = readControlPlaneSettings({
    GATEWAY_GRPC_LISTEN: '127.0.0.1:0',
    GATEWAY_HTTP_LISTEN: '127.0.0.1:0',
    GATEWAY_ADMIN_LISTEN: '127.0.0.1:0',
    GATEWAY_DATABASE_URL: 'sqlite::memory:',
    GATEWAY_MASTER_KEY: masterKey,
    GATEWAY_BOOTSTRAP_TOKEN: bootstrapToken,
    GATEWAY_DRAIN_GRACE: '2s',
    ...options.env,
  });
  const { rates = {}, webhookNetwork = {}, embedded = false, consoleFolder, readTxt } = options;
  const plane = await startControlPlane(settings, {
    ...{ log, clock, webhookNetwork, rates, embedded, consoleFolder },
    ...(readTxt && { readTxt }),
  });
  const grpc = new GrpcCaller(`127.0.0.1:${plane.grpcPort}`);
  return {
    plane,
    bootstrapToken,
    masterKey,
    logs,
    clock,
    call: (method, token, request = {}) => grpc.call(method, token, request),
    expect: async (method, token, request = {}) => responseOf(await grpc.call(method, token, request), method),
    close: async () => {
      grpc.close();
      await plane.close();
    },
  };
}

interface OpenedDatabase {
  readonly env: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

/** For `describe.each`: the operators' side is the same over both. */
export const databases: readonly { readonly name: string; open(): Promise<OpenedDatabase> }[] = [
  { name: 'SQLite', open: async () => ({ env: {}, drop: async () => undefined }) },
  {
    name: 'PostgreSQL',
    open: async () => {
      const { url, drop } = await createDatabase();
      return { env: { GATEWAY_DATABASE_URL: url }, drop };
    },
  },
];

export function responseOf(called: Called, method = 'the call'): JsonResponse {
  if ('response' in called) return called.response;
  throw new Error(`${method}: ${called.code} ${called.message}`);
}

/** The error of a refused call. @throws Error if it was accepted */
export async function refusal(calling: Promise<Called>) {
  const called = await calling;
  if ('response' in called) throw new Error('it was accepted');
  const violations = Object.fromEntries(called.detail.violations.map((v) => [v.field, v.description]));
  return { code: called.code, reason: called.detail.reason, message: called.message, violations };
}

/** The invalid fields of a refused call. */
export async function violated(calling: Promise<Called>): Promise<string[]> {
  return Object.keys((await refusal(calling)).violations);
}

export class MovableClock implements Clock {
  offsetMs = 0;

  now(): number {
    return Date.now() + this.offsetMs;
  }

  monotonic(): number {
    return performance.now();
  }
}

type Codes = Readonly<Record<number, string>>;
const codeNames: Codes = Object.fromEntries(Object.entries(callCodes).map(([name, { grpc }]) => [grpc, name]));

/**
 * Calls any method of the contract except streams of requests; the result of a response stream is the list of its
 * messages.
 */
export class GrpcCaller {
  readonly #clients: ReadonlyMap<string, Client>;

  constructor(target: string, channel = credentials.createInsecure(), options: object = {}) {
    this.#clients = new Map(
      Object.entries(services).map(([name, definition]) => {
        const Constructor = makeGenericClientConstructor(definition, name);
        return [name, new Constructor(target, channel, options)];
      }),
    );
  }

  call(method: string, token: string | undefined, request: object): Promise<Called> {
    const [service = '', name = ''] = method.split('.');
    const definitions: Readonly<Record<string, ServiceDefinition>> = services;
    const definition = definitions[service];
    const { path, requestSerialize, responseDeserialize } = definition?.[name] ?? {};
    const client = this.#clients.get(service);
    if (client === undefined || path === undefined || !requestSerialize || !responseDeserialize) {
      throw new Error(`no method ${method}`);
    }
    const deadline = { deadline: Date.now() + 10_000 };
    return new Promise((resolve) => {
      const refuse = (error: ServiceError) => {
        const [bytes] = error.metadata.get('gateway-error-bin');
        const detail = errorDetail.deserialize(Buffer.from(bytes ?? ''));
        resolve({ code: codeNames[error.code] ?? `code ${error.code}`, message: error.details, detail });
      };
      const wire = [path, requestSerialize, responseDeserialize, request, metadataWith(token), deadline] as const;
      if (definition?.[name]?.responseStream) {
        const messages: unknown[] = [];
        client
          .makeServerStreamRequest(...wire)
          .on('data', (message) => messages.push(message))
          .on('error', refuse)
          .on('end', () => resolve({ code: 'OK', response: messages }));
        return;
      }
      client.makeUnaryRequest(...wire, (error, response) => {
        if (error === null) resolve({ code: 'OK', response });
        else refuse(error);
      });
    });
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}

export function metadataWith(token: string | undefined): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

export interface Someone {
  readonly id: string;
  readonly token: string;
}

export interface OwnedTenant {
  readonly id: string;
  readonly owner: Someone;
}

export interface TestTenant extends OwnedTenant {
  readonly admin: Someone;
  readonly member: Someone;
}

/** Uses the bootstrap token up. */
export async function bootstrap(plane: OperatorsPlane): Promise<Someone> {
  const made = await plane.expect('OperatorTokens.Bootstrap', plane.bootstrapToken, { name: 'platform' });
  return { id: made.operator.id, token: made.token };
}

/** An organization with an owner, an admin and a member who all have tokens. */
export async function createTenant(plane: OperatorsPlane, platform: Someone, name: string): Promise<TestTenant> {
  const owned = await createOwned(plane, platform, name);
  return {
    ...owned,
    admin: await createPerson(plane, owned, 'ROLE_ADMIN'),
    member: await createPerson(plane, owned, 'ROLE_MEMBER'),
  };
}

/** An organization with an owner alone. */
export async function createOwned(plane: OperatorsPlane, platform: Someone, name: string): Promise<OwnedTenant> {
  const made = await plane.expect('Organizations.Create', platform.token, { name, owner: { name: 'Olga' } });
  return { id: made.organization.id, owner: { id: made.owner.id, token: made.ownerToken } };
}

let names = 0;

export function freshName(prefix: string): string {
  names++;
  return `${prefix} ${names}`;
}

/** A new person in the organization, with a token. */
export async function createPerson(plane: OperatorsPlane, tenant: OwnedTenant, role: string): Promise<Someone> {
  const { token } = tenant.owner;
  const request = { organizationId: tenant.id, name: freshName(role), role };
  const person = await plane.expect('People.Create', token, request);
  const made = await plane.expect('OperatorTokens.Create', token, { personId: person.id, name: 'test' });
  return { id: person.id, token: made.value };
}

/** A key scoped to the organization, unless fields say otherwise. */
export function createKey(plane: OperatorsPlane, tenant: OwnedTenant, fields: object = {}): Promise<JsonResponse> {
  return plane.expect('VirtualKeys.Create', tenant.owner.token, {
    organizationId: tenant.id,
    scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id },
    name: freshName('key'),
    ...fields,
  });
}
