// Identifies the caller by the call's credential: a bearer token, looked up by its SHA-256, or a verified client
// certificate. Nothing is cached, so a revoked token stops working on every replica with the transaction that revokes
// it.
import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Peer } from '../../common/callers.ts';
import { credentialPrefixes, hashCredential, isWellFormedCredential } from '../../common/credential.ts';
import { isSuspended } from '../store/organization-table.ts';
import type { Schema } from '../store/schema.ts';
import type { Caller, CallerSession, ProxyCaller } from './caller.ts';
import { CallError } from './errors.ts';
import { isSessionSuspended, liveSessions, unendedSessions } from './live-sessions.ts';

export interface AuthenticationDeps {
  /** SHA-256 of the bootstrap token; undefined if there is none. */
  readonly bootstrapHash: string | undefined;
}

/** The credentials of a call. */
export interface Credentials {
  /** Value of the `authorization` metadata or header. */
  readonly authorization: string | undefined;
  /** The proxy that a verified client certificate identifies. */
  readonly certificateProxy: CertificateProxy | undefined;
  /** Address of the caller, without port. */
  readonly from: string;
}

export interface CertificateProxy {
  readonly id: string;
  readonly organizationId: string | undefined;
}

/** A well-formed credential, which is worth a look-up. */
export type Presented =
  | { readonly kind: 'operator' | 'session' | 'proxy' | 'bootstrap'; readonly hash: string; readonly from: string }
  | { readonly kind: 'certificate'; readonly proxy: CertificateProxy; readonly from: string };

/** Does not read the database. @throws CallError */
export function readCredentials(credentials: Credentials): Presented {
  const { authorization, certificateProxy, from } = credentials;
  if (authorization === undefined) {
    if (certificateProxy === undefined) throw unauthenticated('send `authorization: Bearer <token>`');
    return { kind: 'certificate', proxy: certificateProxy, from };
  }
  const token = /^bearer ([\x21-\x7e]{1,256})$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthenticated('send the token as `authorization: Bearer <token>`');
  for (const kind of ['operator', 'session', 'proxy', 'bootstrap'] as const) {
    if (!token.startsWith(credentialPrefixes[kind])) continue;
    if (!isWellFormedCredential(kind, token)) {
      throw unauthenticated('the token is malformed: something is missing or mistyped');
    }
    return { kind, hash: hashCredential(token), from };
  }
  throw unauthenticated(
    'send a token that begins with `gw-op-`, `gw-proxy-` or `gw-boot-`; no other credential is accepted here',
  );
}

/** @throws CallError if the token is not accepted, or no longer accepted */
export async function authenticate(
  db: Kysely<Schema>,
  presented: Presented,
  context: { readonly now: number; readonly deps: AuthenticationDeps },
): Promise<Caller> {
  switch (presented.kind) {
    case 'operator':
      return await operator(db, presented.hash, presented.from, context.now);
    case 'session':
      return await session(db, presented.hash, presented.from, context.now);
    case 'proxy':
      return await proxy(db, presented.hash, presented.from);
    case 'certificate':
      return { kind: 'proxy', ...presented.proxy, from: presented.from };
    case 'bootstrap':
      return await bootstrap(db, presented.hash, presented.from, context.deps.bootstrapHash);
  }
}

async function operator(db: Kysely<Schema>, hash: string, from: string, now: number): Promise<Caller> {
  const row = await db
    .selectFrom('operator_tokens')
    .innerJoin('people', 'people.id', 'operator_tokens.person_id')
    .leftJoin('organizations', 'organizations.id', 'people.organization_id')
    .select([
      'people.id',
      'people.organization_id',
      'people.role',
      'people.kind',
      'people.active',
      'organizations.suspended',
      'organizations.suspended_ends_at',
      'operator_tokens.ends_at',
      'operator_tokens.session_id',
    ])
    .where('operator_tokens.hash', '=', hash)
    .where('operator_tokens.revoked_at', 'is', null)
    .where('operator_tokens.ends_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || row.active === 0) throw notAccepted();
  const { suspended, suspended_ends_at } = row;
  if (suspended !== null && isSuspended({ suspended, suspended_ends_at }, now)) throw notAccepted();
  const ofSession = row.session_id === null ? undefined : await sessionOfProgram(db, row.session_id, now);
  return {
    kind: 'operator',
    personId: row.id,
    organizationId: row.organization_id ?? undefined,
    role: row.role,
    ...(row.kind === 'service' && { isServiceAccount: true }),
    tokenEndsAt: row.ends_at,
    ...(ofSession !== undefined && { session: ofSession }),
    from,
  };
}

/** A program's token ends with the session in which somebody approved the program, but not when that is idle. */
async function sessionOfProgram(db: Kysely<Schema>, id: string, now: number): Promise<CallerSession> {
  const row = await unendedSessions(db, now).where('console_sessions.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notAccepted();
  return { id: row.id, authenticatedAt: row.authenticated_at };
}

async function session(db: Kysely<Schema>, hash: string, from: string, now: number): Promise<Caller> {
  const row = await liveSessions(db, now)
    .innerJoin('console_tokens', 'console_tokens.session_id', 'console_sessions.id')
    .select('console_tokens.ends_at as token_ends_at')
    .where('console_tokens.hash', '=', hash)
    .where('console_tokens.ends_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || isSessionSuspended(row, now)) throw notAccepted();
  return {
    kind: 'operator',
    personId: row.person_id,
    organizationId: row.organization_id ?? undefined,
    role: row.role,
    tokenEndsAt: row.token_ends_at,
    session: { id: row.id, authenticatedAt: row.authenticated_at },
    from,
  };
}

async function proxy(db: Kysely<Schema>, hash: string, from: string): Promise<ProxyCaller> {
  const row = await db
    .selectFrom('proxy_tokens')
    .select(['id', 'organization_id'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw notAccepted();
  return { kind: 'proxy', id: row.id, organizationId: row.organization_id ?? undefined, from };
}

async function bootstrap(
  db: Kysely<Schema>,
  hash: string,
  from: string,
  expected: string | undefined,
): Promise<Caller> {
  if (expected === undefined || !timingSafeEqual(Buffer.from(hash), Buffer.from(expected))) {
    throw notAccepted();
  }
  const feed = await db.selectFrom('feed').select('bootstrapped_at').executeTakeFirst();
  if (feed === undefined || feed.bootstrapped_at !== null) throw notAccepted();
  return { kind: 'bootstrap', from };
}

function notAccepted(): CallError {
  return unauthenticated('the token is unknown, revoked or past its end, or its person or organization is suspended');
}

function unauthenticated(message: string): CallError {
  return new CallError('unauthenticated', message);
}

/**
 * The other end of a connection.
 * @param printed the library's text: "127.0.0.1:4711", "::1:4711", or "unknown" once the connection is gone
 */
export function peerOf(printed: string): Peer {
  const [, remoteAddress = printed, port] = /^(.*):(\d+)$/.exec(printed) ?? [];
  return { remoteAddress, remotePort: port === undefined ? undefined : Number(port) };
}

/** Whether secrets may be sent to this peer: no third party reads TLS or traffic that stays on the machine. */
export function isConfidential(overTls: boolean, address: string): boolean {
  return overTls || address === '::1' || address.startsWith('127.');
}

/**
 * The first of the configured proxies that the certificate names.
 * @param subjectAltName as node:tls prints it: "DNS:name, URI:name"; values with odd characters are quoted, and match
 * nothing
 */
export function certificateProxyOf(
  subjectAltName: string | undefined,
  proxies: readonly CertificateProxy[],
): CertificateProxy | undefined {
  // A quoted value may contain ", DNS:other", so a text with quotes cannot be split safely.
  if (subjectAltName === undefined || subjectAltName.includes('"')) return undefined;
  const names = new Set(
    subjectAltName.split(', ').flatMap((entry) => {
      const match = /^(?:DNS|URI):(.+)$/.exec(entry);
      return match?.[1] === undefined ? [] : [match[1]];
    }),
  );
  return proxies.find((proxy) => names.has(proxy.id));
}
