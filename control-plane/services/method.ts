// The types of methods in methods.ts, and the context that a handler gets.
import type { Kysely } from 'kysely';
import type { CatalogState } from '../../catalog/in-force.ts';
import type { Clock } from '../../common/clock.ts';
import type { ReadTxt } from '../../common/dns-txt.ts';
import type { GuardedPost } from '../../common/guarded-request.ts';
import type { PrivateUpstreams } from '../../common/private-upstreams.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { DatabaseKind, Role } from '../../proto/words/access.ts';
import type { OutsideTokens } from '../auth/outside-tokens.ts';
import type { Feed } from '../changes/feed.ts';
import type { Watcher } from '../changes/watchers.ts';
import type { WebhookAddresses } from '../domain/webhook.ts';
import type { GuardrailWork } from '../guardrails/guardrail-work.ts';
import type { Followers } from '../requests/followers.ts';
import type { AuthenticationDeps } from '../rpc/authentication.ts';
import type { OperatorCaller } from '../rpc/caller.ts';
import type { Shares } from '../rpc/shares.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, InsertRows, RowLocks, Store, Unchanged } from '../store/store.ts';
import type { KeyTests } from '../vendors/key-tests.ts';
import type { LookedAt } from './selector-watch.ts';

export type Method<Request, Response> =
  | OperatorMethod<Request, Response>
  | BootstrapMethod<Request, Response>
  | OpenMethod<Request, Response>
  | ProxyMethod;

export type OperatorMethod<Request, Response> =
  | ReadMethod<Request, Response>
  | TrialMethod<Request, Response>
  | DownloadMethod<Request>
  | ChangeMethod<Request, Response>
  | PlannedMethod<Request, Response>;

interface OperatorRules<Request> {
  readonly audience: 'operator';
  /** Roles that may call it at all. The handler refuses what a role may not do to a resource. */
  readonly roles: readonly Role[];
  /** Finds the organization of the named resource. An operator can access resources of their own organization only. */
  organization(request: Request, call: ReadCall): Promise<Belongs>;
  /** Whether a platform operator can access every organization. */
  readonly platformReachesAll?: true;
  /** Whether a session of the console needs a recent sign-in for this request. */
  needsRecentSignIn?(request: Request): boolean;
}

export interface ReadMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'read';
  /** Whether it reads many rows of sums: an organization may have few of these in flight. */
  readonly readsSums?: true;
  handle(call: ResponseCall, request: Request): Promise<Response>;
}

/** A method that reads, and then works for long without holding anything of the database. */
export interface TrialMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'trial';
  handle(call: OutsideCall, request: Request): Promise<Response>;
}

/**
 * A method whose response may exceed a message, so it is a stream of bytes: `chunk` in gRPC, a body in the JSON API.
 */
export interface DownloadMethod<Request> extends OperatorRules<Request> {
  readonly effect: 'download';
  /** Resolves once the first chunk exists, so that an error at the start is an ordinary error response. */
  handle(call: DownloadCall, request: Request): Promise<Download>;
}

export interface Download {
  readonly contentType: string;
  readonly filename: string;
  /** If it throws, the sent part must not look complete. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Must be called once nothing more is sent. */
  readonly done?: () => void;
}

export interface ChangeMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'change';
  /**
   * Does checks that take too long for a transaction, because others wait for it. It runs after all cheaper checks and
   * before the change, which repeats the other checks.
   * @throws CallError
   */
  prepare?(call: OutsideCall, request: Request): Promise<void>;
  handle(call: ChangeCall, request: Request): Promise<Outcome<Response>>;
}

/** A change after work that takes too long for a transaction, and on whose result the change depends. */
export interface PlannedMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'planned';
  /**
   * Does the work outside of any transaction.
   * @returns the change, which repeats all checks on which it depends
   * @throws CallError
   */
  plan(call: OutsideCall, request: Request): Promise<(call: ChangeCall) => Promise<Outcome<Response>>>;
}

/** For the bootstrap token, which belongs to no person. */
export interface BootstrapMethod<Request, Response> {
  readonly audience: 'bootstrap';
  handle(call: BootstrapCall, request: Request): Promise<Outcome<Response>>;
}

/** For callers without a credential of the gateway: the handler verifies what the request contains. */
export interface OpenMethod<Request, Response> {
  readonly audience: 'anyone';
  handle(call: OpenCall, request: Request): Promise<Response>;
}

/** For gRPC only; grpc-server.ts implements it. */
export interface ProxyMethod {
  readonly audience: 'proxy';
}

/** An organization's id; null for the platform's own resources; undefined if there is no such resource. */
export type Belongs = string | null | undefined;

export type Outcome<Response> = Change<Response> | Unchanged<Response>;

export interface ReadCall {
  readonly db: Kysely<Schema>;
  readonly caller: OperatorCaller;
  /** Milliseconds since 1970; in a change it is the database's clock. */
  readonly now: number;
}

export interface ResponseCall extends ReadCall {
  readonly deps: ServiceDeps;
}

/** Outside of any transaction. */
export interface OutsideCall extends DownloadCall {
  readonly deps: ServiceDeps;
  /** The caller whose share is used. */
  readonly owner: ShareOwner;
}

export interface DownloadCall {
  readonly now: number;
  /**
   * Reads in a snapshot of its own, in which the caller is authorized again.
   * @throws CallError, StoreUnavailableError
   */
  read<T>(work: (db: Kysely<Schema>, caller: OperatorCaller) => Promise<T>): Promise<T>;
}

export interface OpenCall {
  /** Address of the caller, without port. */
  readonly from: string;
  readonly store: Store;
  readonly shares: Shares;
  readonly clock: Clock;
  readonly deps: ServiceDeps;
}

export interface BootstrapCall {
  readonly db: Kysely<Schema>;
  readonly now: number;
  readonly deps: ServiceDeps;
  /** The revision of every changed row. */
  readonly revision: number;
}

export interface ChangeCall extends ReadCall, BootstrapCall {
  readonly locks: RowLocks;
  readonly insertRows: InsertRows;
}

export interface ServiceDeps extends AuthenticationDeps {
  readonly masterKeys: SealKeys;
  readonly privateUpstreams: PrivateUpstreams;
  /** Hosts of issuers that may be private or plain http. */
  readonly privateIssuers: PrivateUpstreams;
  /** How long requests are kept, in milliseconds. */
  readonly usageKeptMs: number;
  /** Verifies tokens of outside issuers. The library is loaded by the first of them. */
  outsideTokens(): Promise<OutsideTokens>;
  readonly webhookAddresses: WebhookAddresses;
  /** Reaches the same addresses. */
  readonly webhookPost: GuardedPost;
  /** Reads the DNS records that prove domains. */
  readonly readTxt: ReadTxt;
  readonly keyTests: KeyTests;
  readonly guardrailWork: GuardrailWork;
  readonly replica: Replica;
  readonly followers: Followers;
}

/** The replica that responds, as its services know it. */
export interface Replica {
  readonly version: string;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly database: DatabaseKind;
  readonly feed: Pick<Feed, 'position' | 'readAt'>;
  readonly clock: Clock;
  watchers(): readonly Watcher[];
  /** The last check of the stored selectors of all organizations. */
  selectors(): LookedAt | undefined;
  catalog(): CatalogState;
  /** Id of the key with which it signs records. */
  recordKey(): string;
  /** Names of the methods that operators of the role may call. */
  permissionsOf(role: Role): readonly string[];
  /** The console's address on this machine; undefined unless the gateway runs as one process. */
  linkBase(): string | undefined;
}
