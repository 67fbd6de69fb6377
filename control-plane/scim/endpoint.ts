// SCIM 2.0 (RFC 7643, RFC 7644) below /scim/v2/ of the JSON API's listener: an issuer provisions people and groups of its
// organization, with a token of its own kind. The token is looked up for each request, and again in each change.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Kysely } from 'kysely';
import { addressGroup } from '../../common/caller-address.ts';
import type { Clock } from '../../common/clock.ts';
import { hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { parseJson } from '../../common/json.ts';
import { limited } from '../auth/deps.ts';
import type { IssuerRow } from '../auth/issuer.ts';
import { CallError } from '../rpc/errors.ts';
import { type Exchange, readBody, single } from '../rpc/http-request.ts';
import type { Shares } from '../rpc/shares.ts';
import { isSuspended } from '../store/organization-table.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, Store, Unchanged } from '../store/store.ts';
import { ScimError, scimBody } from './error.ts';
import { createGroup, deleteGroup, findGroup, groupResources, listGroups, patchGroup, replaceGroup } from './groups.ts';
import { listOf, type Resource, type View } from './lists.ts';
import { invalidationsOf, type ScimChange } from './people.ts';
import { projected } from './resource.ts';
import {
  groupSchema,
  type ResourceSchema,
  resourceType,
  schemaDocument,
  serviceProviderConfig,
  userSchema,
} from './schema.ts';
import { noteUse } from './token-use.ts';
import { createUser, deleteUser, findUser, listUsers, patchUser, replaceUser, userResource } from './users.ts';

export interface ScimDeps {
  readonly store: Store;
  readonly shares: Shares;
  readonly clock: Clock;
  /** The public URL of the console, if it is set: then locations begin with its origin. */
  readonly publicUrl: URL | undefined;
  readonly overTls: boolean;
}

const root = '/scim/v2';
const bodyBytesMax = 1024 * 1024;

interface Sent {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Request {
  readonly exchange: Exchange;
  readonly method: string;
  /** Below the root: `Users`, and an id. */
  readonly kind: string;
  readonly id: string | undefined;
  readonly view: View;
  readonly tokenHash: string;
  readonly token: TokenRow;
}

interface TokenRow {
  readonly id: string;
  readonly usedAt: number | null;
  readonly issuer: IssuerRow;
}

/** Routes as console.ts has them. */
export function createScim(deps: ScimDeps) {
  return {
    routeOf: ({ url = '' }: IncomingMessage) => {
      const [path = ''] = url.split('?', 1);
      if (path !== root && !path.startsWith(`${root}/`)) return undefined;
      return {
        name: `Scim.${['Users', 'Groups'].find((one) => path.startsWith(`${root}/${one}`)) ?? 'About'}`,
        serve: async (exchange: Exchange) => send(exchange.response, await serve(deps, exchange)),
        refuse,
      };
    },
  };
}

function refuse(response: ServerResponse, error: CallError): void {
  const { retryAfter, reason } = error;
  send(response, {
    ...scimBody(error),
    headers: {
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
      ...(reason === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
    },
  });
}

function send(response: ServerResponse, { status, body, headers }: Sent): void {
  if (response.destroyed) return;
  const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      ...headers,
      ...(bytes !== undefined && { 'content-type': 'application/scim+json', 'content-length': bytes.length }),
    })
    .end(bytes);
}

async function serve(deps: ScimDeps, exchange: Exchange): Promise<Sent> {
  const { request, from } = exchange;
  const [, value = ''] = /^bearer ([\x21-\x7e]{1,256})$/i.exec(single(request, 'authorization') ?? '') ?? [];
  if (!isWellFormedCredential('scim', value)) throw unauthenticated();
  const tokenHash = hashCredential(value);
  const group = addressGroup(from);
  const token = await limited(deps, 'unknown_tokens', `scim ${group}`, () =>
    deps.shares.inOrder('reads', { organization: 'strangers', key: group }, () =>
      deps.store.snapshot((db) => tokenOf(db, tokenHash, deps.clock.now())),
    ),
  );
  await noteUse(deps.store, token, deps.clock.now());
  const url = new URL(request.url ?? '', 'http://localhost');
  const [kind = '', id, ...more] = url.pathname.slice(root.length + 1).split('/');
  if (more.length > 0) throw noPath();
  const view = { base: baseOf(deps, request), query: url.searchParams };
  const method = request.method ?? '';
  return await respond(deps, { exchange, method, kind, id: id || undefined, view, tokenHash, token });
}

/** @throws CallError unless the token, its issuer and its organization are in force */
async function tokenOf(db: Kysely<Schema>, hash: string, now: number): Promise<TokenRow> {
  const row = await db
    .selectFrom('scim_tokens')
    .innerJoin('issuers', 'issuers.id', 'scim_tokens.issuer_id')
    .innerJoin('organizations', 'organizations.id', 'issuers.organization_id')
    .selectAll('issuers')
    .select([
      'scim_tokens.id as token_id',
      'scim_tokens.used_at',
      'organizations.suspended',
      'organizations.suspended_ends_at',
    ])
    .where('scim_tokens.hash', '=', hash)
    .where('scim_tokens.revoked_at', 'is', null)
    .where('issuers.enabled', '=', 1)
    .executeTakeFirst();
  if (row === undefined || isSuspended(row, now)) throw unauthenticated();
  const { token_id, used_at, suspended: _, suspended_ends_at: __, ...issuer } = row;
  return { id: token_id, usedAt: used_at, issuer };
}

function respond(deps: ScimDeps, request: Request): Promise<Sent> {
  switch (request.kind) {
    case 'Users':
      return resources(deps, request, users);
    case 'Groups':
      return resources(deps, request, groups);
    default:
      return Promise.resolve(about(request));
  }
}

function about({ method, kind, id, view: { base } }: Request): Sent {
  if (['Me', 'Bulk', '.search'].includes(kind)) throw new ScimError(501, `${kind} is not supported`);
  const schemas = [userSchema, groupSchema];
  const documents: Readonly<Record<string, (schema: ResourceSchema, base: string) => object>> = {
    Schemas: schemaDocument,
    ResourceTypes: resourceType,
  };
  const write = Object.hasOwn(documents, kind) ? documents[kind] : undefined;
  const isConfig = kind === 'ServiceProviderConfig' && id === undefined;
  if (!isConfig && write === undefined) throw noPath();
  if (method !== 'GET') throw new CallError('method_not_allowed', 'this path is read with GET');
  if (write === undefined) return { status: 200, body: serviceProviderConfig(base) };
  if (id === undefined) {
    const list = schemas.map((schema) => write(schema, base));
    return { status: 200, body: listOf(list, { total: list.length, startIndex: 1 }) };
  }
  // Both have no character that a URL encodes but the colon.
  const named = id.replaceAll(/%3a/gi, ':');
  const one = schemas.find((schema) => [schema.id, schema.name].includes(named));
  if (one === undefined) throw noPath();
  return { status: 200, body: write(one, base) };
}

/** How a kind of resource is read and changed. */
interface Kind<Row> {
  readonly target: string;
  /** The end of the action of audit events. */
  readonly name: string;
  find(db: Kysely<Schema>, issuerId: string, id: string): Promise<Row>;
  list(db: Kysely<Schema>, issuerId: string, view: View): Promise<object>;
  show(db: Kysely<Schema>, row: Row, view: View): Promise<Resource>;
  create(tx: ScimChange, body: unknown): Promise<string>;
  replace(tx: ScimChange, row: Row, body: unknown): Promise<boolean>;
  patch(tx: ScimChange, row: Row, body: unknown): Promise<boolean>;
  remove(tx: ScimChange, row: Row): Promise<void>;
}

type UserRow = Awaited<ReturnType<typeof findUser>>;
type GroupRow = Awaited<ReturnType<typeof findGroup>>;

const users: Kind<UserRow> = {
  ...{ target: 'scim_user', name: 'User', find: findUser, list: listUsers },
  show: async (_db, row, view) => userResource(row, view),
  ...{ create: createUser, replace: replaceUser, patch: patchUser, remove: deleteUser },
};

const groups: Kind<GroupRow> = {
  ...{ target: 'scim_group', name: 'Group', find: findGroup, list: listGroups },
  show: async (db, row, view) => {
    const [shown] = await groupResources(db, [row], view);
    if (shown === undefined) throw new Error('a group has no resource');
    return shown;
  },
  ...{ create: createGroup, replace: replaceGroup, patch: patchGroup, remove: deleteGroup },
};

async function resources<Row>(deps: ScimDeps, request: Request, kind: Kind<Row>): Promise<Sent> {
  const { method, id } = request;
  if (id === '.search') throw new ScimError(501, 'search with GET and a filter');
  if (method === 'GET') return await read(deps, request, kind);
  if (method === 'POST' && id === undefined) return await create(deps, request, kind);
  if (id !== undefined && (method === 'PUT' || method === 'PATCH')) return await update(deps, { ...request, id }, kind);
  if (id !== undefined && method === 'DELETE') return await remove(deps, { ...request, id }, kind);
  throw new CallError('method_not_allowed', 'this path has no such method');
}

function read<Row>(deps: ScimDeps, { exchange, id, view, token }: Request, kind: Kind<Row>): Promise<Sent> {
  const { organization_id: organization } = token.issuer;
  deps.shares.take('read_rate', organization);
  return deps.shares.inOrder('reads', { organization, key: token.id }, () =>
    deps.store.snapshot(async (db): Promise<Sent> => {
      if (id === undefined) return { status: 200, body: await kind.list(db, token.issuer.id, view) };
      const shown = await kind.show(db, await kind.find(db, token.issuer.id, id), view);
      const isKnown = tagsIn(exchange, 'if-none-match')?.includes(shown.etag) === true;
      return isKnown ? { status: 304, headers: { etag: shown.etag } } : resourceSent(200, shown, view);
    }),
  );
}

async function create<Row>(deps: ScimDeps, request: Request, kind: Kind<Row>): Promise<Sent> {
  const body = await bodyOf(request.exchange);
  return await change(deps, request, `Scim.Create${kind.name}`, async (tx) => {
    const id = await kind.create(tx, body);
    const shown = await kind.show(tx.db, await kind.find(tx.db, tx.issuer.id, id), request.view);
    const { status, body: sent, headers } = resourceSent(201, shown, request.view);
    return changed(
      tx,
      { kind: kind.target, id },
      {
        result: {
          status,
          headers: { ...headers, location: shown.location },
          ...(sent !== undefined && { body: sent }),
        },
        after: audited(shown),
      },
    );
  });
}

type Named = Request & { readonly id: string };

async function update<Row>(deps: ScimDeps, request: Named, kind: Kind<Row>): Promise<Sent> {
  const { method, exchange, id, view } = request;
  const body = await bodyOf(exchange);
  const verb = method === 'PUT' ? 'Replace' : 'Patch';
  return await change(deps, request, `Scim.${verb}${kind.name}`, async (tx) => {
    const row = await kind.find(tx.db, tx.issuer.id, id);
    const before = await kind.show(tx.db, row, view);
    expectMatch(exchange, before);
    const isChanged = await (method === 'PUT' ? kind.replace(tx, row, body) : kind.patch(tx, row, body));
    if (!isChanged) return { unchanged: resourceSent(200, before, view) };
    const after = await kind.show(tx.db, await kind.find(tx.db, tx.issuer.id, id), view);
    return changed(
      tx,
      { kind: kind.target, id },
      {
        result: resourceSent(200, after, view),
        ...{ before: audited(before), after: audited(after) },
      },
    );
  });
}

async function remove<Row>(deps: ScimDeps, request: Named, kind: Kind<Row>): Promise<Sent> {
  const { exchange, id, view } = request;
  return await change(deps, request, `Scim.Delete${kind.name}`, async (tx) => {
    const row = await kind.find(tx.db, tx.issuer.id, id);
    const before = await kind.show(tx.db, row, view);
    expectMatch(exchange, before);
    await kind.remove(tx, row);
    return changed(tx, { kind: kind.target, id }, { result: { status: 204 }, before: audited(before) });
  });
}

/** A change with its audit event. The token is checked again: a revocation before it counts. */
function change(
  deps: ScimDeps,
  { exchange, token, tokenHash }: Request,
  action: string,
  work: (tx: ScimChange) => Promise<Change<Sent> | Unchanged<Sent>>,
): Promise<Sent> {
  const { organization_id: organization, id } = token.issuer;
  deps.shares.take('change_rate', organization);
  const actor = { kind: 'system', id } as const;
  return deps.shares.inOrder('changes', { organization, key: token.id }, () =>
    deps.store.change({ actor, from: exchange.from, action }, async (tx) => {
      const { issuer } = await tokenOf(tx.db, tokenHash, tx.now);
      return await work({ ...tx, issuer, changedPeople: new Set() });
    }),
  );
}

function changed(
  tx: ScimChange,
  target: Change<Sent>['target'],
  of: Pick<Change<Sent>, 'result' | 'before' | 'after'>,
): Change<Sent> {
  return { ...of, target, organizationId: tx.issuer.organization_id, invalidations: invalidationsOf(tx) };
}

/** Members may be thousands: the audit log has their number. */
function audited({ body: { schemas: _, meta: __, members, ...attributes } }: Resource): object {
  return { ...attributes, ...(Array.isArray(members) && { members: members.length }) };
}

function resourceSent(status: number, { etag, body }: Resource, { query }: View): Sent {
  return { status, body: projected(body, query), headers: { etag } };
}

/** @throws ScimError if the caller knows another version */
function expectMatch(exchange: Exchange, { etag }: Resource): void {
  const tags = tagsIn(exchange, 'if-match');
  if (tags === undefined || tags.includes('*') || tags.includes(etag)) return;
  throw new ScimError(412, 'the resource has changed since it was read');
}

function tagsIn({ request }: Exchange, header: 'if-match' | 'if-none-match'): readonly string[] | undefined {
  return single(request, header)
    ?.split(',')
    .map((tag) => tag.trim());
}

async function bodyOf({ request }: Exchange): Promise<unknown> {
  const type = single(request, 'content-type') ?? '';
  if (!/^application\/(?:scim\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new CallError('unsupported_media_type', 'send Content-Type: application/scim+json');
  }
  const body = parseJson(await readBody(request, bodyBytesMax));
  if (body === undefined) throw new ScimError(400, 'the body is no JSON', 'invalidSyntax');
  return body;
}

function baseOf({ publicUrl, overTls }: ScimDeps, request: IncomingMessage): string {
  const origin = publicUrl?.origin ?? `${overTls ? 'https' : 'http'}://${single(request, 'host')}`;
  return `${origin}${root}`;
}

function noPath(): ScimError {
  return new ScimError(404, 'there is no such path');
}

function unauthenticated(): CallError {
  return new CallError('unauthenticated', 'send `Authorization: Bearer gw-scim-…` with a token that is in force');
}
