// A gateway that can provoke every error: tight limits on one proxy, an organization that allows callers' own keys, and
// arbitrary requests.
import type { ErrorCode } from '../../../../proxy/errors.ts';
import type { Behaviour } from '../../../../simulator/index.ts';
import {
  chatBody,
  startGateway,
  type TestGateway,
  type TestOrganization,
  type TestProxy,
} from '../../../support/gateway.ts';
import { openConnection } from '../../../support/raw-http.ts';

export interface World {
  readonly gateway: TestGateway;
  readonly tight: TestProxy;
  readonly key: string;
  /** A key of an organization that allows callers' own provider keys. */
  readonly openKey: string;
  /** That organization. */
  readonly open: TestOrganization;
  readonly projectKey: string;
  /** Every organization so far, by id. */
  readonly organizations: ReadonlyMap<string, TestOrganization>;
  /** Runs at the end. */
  readonly closers: (() => Promise<unknown>)[];
  /** A chat request with the usual key; `sent` overrides its parts. */
  send(sent?: Sent): Promise<ReadResponse>;
  sendRaw(port: number, bytes: string): Promise<ReadResponse>;
  withKey(value: string): Promise<ReadResponse>;
  /** A request to a provider with this behaviour. */
  simulated(behaviour: Behaviour, sent?: Sent): Promise<ReadResponse>;
}

export interface ReadResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null | undefined };
  readonly body: string;
}

export interface Sent {
  readonly url?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Case {
  readonly what: string;
  provoke(world: World): Promise<ReadResponse>;
  /** Default: the table's status. */
  readonly status?: number;
  /** Default: the table's message. */
  readonly message?: string | RegExp;
  readonly param?: string;
  /** Text of the error beside its message. Default: none. */
  readonly hint?: string | RegExp;
  /** `seconds`: any number above 0. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The request could not be parsed, so its error has no request id. */
  readonly noRequest?: true;
  /** A limit or budget decided, and its id is in the log. */
  readonly limited?: true;
}

export const elsewhere = 'tests of its own provoke it';
export const unreached = 'no request reaches it yet';

export type Cases = Readonly<Partial<Record<ErrorCode, readonly Case[] | typeof elsewhere | typeof unreached>>>;

export const chat = '/v1/chat/completions';
export const own = '/v1/gpt-provider/chat/completions';

export function rawHead(key: string, extra: readonly string[] = []): string {
  const lines = [`POST ${chat} HTTP/1.1`, 'host: gateway', `authorization: Bearer ${key}`, ...extra];
  return [...lines, '', ''].join('\r\n');
}

export async function startWorld(): Promise<World> {
  const started = await startGateway();
  const organizations = new Map([[started.organization.id, started.organization]]);
  const createOrganization = async (name: string) => {
    const organization = await started.createOrganization(name);
    organizations.set(organization.id, organization);
    return organization;
  };
  const gateway = { ...started, createOrganization };
  const key = (await gateway.organization.createKey()).value;
  const open = await gateway.createOrganization('open');
  const settings = { access: { callerProviderKeys: true } };
  await open.api.call('Organizations/UpdateSettings', { id: open.id, settings });
  const tight = await gateway.startProxy({
    GATEWAY_IN_FLIGHT_MAX: '1',
    GATEWAY_BODY_GRACE: '200ms',
    GATEWAY_BODY_BYTES_MAX: '1KiB',
    GATEWAY_HEADERS_TIMEOUT: '500ms',
    GATEWAY_HEADER_BYTES_MAX: '2KiB',
    GATEWAY_FIRST_BYTE_TIMEOUT: '200ms',
  });
  const send = async (sent: Sent = {}): Promise<ReadResponse> => {
    const { url = gateway.proxy.url, path = chat, method = 'POST', body = chatBody() } = sent;
    const headers = { 'content-type': 'application/json', ...(sent.headers ?? bearer(key)) };
    const response = await fetch(url + path, { method, headers, ...(method === 'POST' && { body }) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return {
    ...{ gateway, tight, key, open, organizations, send },
    closers: [],
    openKey: (await open.createKey()).value,
    projectKey: (await open.createKey()).value,
    sendRaw,
    withKey: (value) => send({ headers: bearer(value) }),
    simulated: (behaviour, sent) => {
      gateway.simulator.script(behaviour);
      return send(sent);
    },
  };
}

/** A key with one limit, which applies at once at a proxy that has not used the key before. */
export async function limitedKey({ gateway }: World, limit: object): Promise<string> {
  const { id: organizationId, api, createKey } = gateway.organization;
  const { id, value } = await createKey();
  const subject = { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY', id };
  await api.call('Limits/Create', { organizationId, subject, ...limit });
  return value;
}

export function budget(amountUsd: string, period = 'BUDGET_PERIOD_DAY'): object {
  return { kind: 'LIMIT_KIND_BUDGET', amountUsd, period };
}

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

async function sendRaw(port: number, bytes: string): Promise<ReadResponse> {
  const connection = await openConnection(port);
  connection.send(bytes);
  const response = await connection.respond();
  connection.socket.destroy();
  return response;
}
