// What a row of methods.ts says about a method, and what a handler is given.
import type { Kysely } from 'kysely';
import type { CatalogState } from '../../catalog/in-force.ts';
import type { Clock } from '../../common/clock.ts';
import type { PrivateUpstreams } from '../../common/private-upstreams.ts';
import type { SealKeys } from '../../common/seal.ts';
import type { ShareOwner } from '../../common/shares.ts';
import type { DatabaseKind, Role } from '../../proto/words/access.ts';
import type { Feed } from '../changes/feed.ts';
import type { Watcher } from '../changes/watchers.ts';
import type { WebhookAddresses } from '../domain/webhook.ts';
import type { GuardrailWork } from '../guardrails/guardrail-work.ts';
import type { AuthenticationDeps } from '../rpc/authentication.ts';
import type { OperatorCaller } from '../rpc/caller.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, InsertRows, RowLocks, Unchanged } from '../store/store.ts';
import type { LookedAt } from './selector-watch.ts';

export type Method<Request, Response> =
  | OperatorMethod<Request, Response>
  | BootstrapMethod<Request, Response>
  | ProxyMethod;

export type OperatorMethod<Request, Response> =
  | ReadMethod<Request, Response>
  | TrialMethod<Request, Response>
  | DownloadMethod<Request>
  | ChangeMethod<Request, Response>;

interface OperatorRules<Request> {
  readonly audience: 'operator';
  /** Roles that may call it at all; what a role may do to whom is the handler's to refuse. */
  readonly roles: readonly Role[];
  /** Finds whose the named resource is. An operator reaches their own organization's resources only. */
  organization(request: Request, call: ReadCall): Promise<Belongs>;
  /** A platform operator reaches every organization. */
  readonly platformReachesAll?: true;
}

export interface ReadMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'read';
  handle(call: ResponseCall, request: Request): Promise<Response>;
}

/** Reads, and then works for long, while nothing of the database is held. */
export interface TrialMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'trial';
  handle(call: OutsideCall, request: Request): Promise<Response>;
}

/** Answers more than a message may hold, as a stream of bytes: `chunk` in gRPC, a body at the JSON door. */
export interface DownloadMethod<Request> extends OperatorRules<Request> {
  readonly effect: 'download';
  /** Resolves once the first chunk is there, so that what is wrong at the start is an answer like any other. */
  handle(call: DownloadCall, request: Request): Promise<Download>;
}

export interface Download {
  readonly contentType: string;
  readonly filename: string;
  /** When it throws, what was sent must not look complete. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** To be called when nothing more of it is sent, or nothing ever will be. */
  readonly done?: () => void;
}

export interface ChangeMethod<Request, Response> extends OperatorRules<Request> {
  readonly effect: 'change';
  /**
   * Judges what takes too long for a transaction, which others wait for: after all that is cheaper to find wrong, and before the change,
   * which looks at the rest again. @throws CallError
   */
  prepare?(call: OutsideCall, request: Request): Promise<void>;
  handle(call: ChangeCall, request: Request): Promise<Outcome<Response>>;
}

/** For the bootstrap token, which belongs to nobody. */
export interface BootstrapMethod<Request, Response> {
  readonly audience: 'bootstrap';
  handle(call: BootstrapCall, request: Request): Promise<Outcome<Response>>;
}

/** gRPC only, wired in grpc-server.ts. */
export interface ProxyMethod {
  readonly audience: 'proxy';
}

/** An organization's id, null for the platform's own, undefined for what does not exist. */
export type Belongs = string | null | undefined;

export type Outcome<Response> = Change<Response> | Unchanged<Response>;

export interface ReadCall {
  readonly db: Kysely<Schema>;
  readonly caller: OperatorCaller;
  /** Milliseconds since 1970; in a change by the database's clock. */
  readonly now: number;
}

export interface ResponseCall extends ReadCall {
  readonly deps: ServiceDeps;
}

/** Outside of any transaction. */
export interface OutsideCall extends DownloadCall {
  readonly deps: ServiceDeps;
  /** Whose share is used. */
  readonly owner: ShareOwner;
}

export interface DownloadCall {
  readonly now: number;
  /** Reads in a snapshot of its own, in which the caller is authorized anew. @throws CallError, StoreUnavailableError */
  read<T>(work: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
}

export interface BootstrapCall {
  readonly db: Kysely<Schema>;
  readonly now: number;
  readonly deps: ServiceDeps;
  /** Goes into every changed row. */
  readonly revision: number;
}

export interface ChangeCall extends ReadCall, BootstrapCall {
  readonly locks: RowLocks;
  readonly insertRows: InsertRows;
}

export interface ServiceDeps extends AuthenticationDeps {
  readonly masterKeys: SealKeys;
  readonly privateUpstreams: PrivateUpstreams;
  /** How long requests are kept, in milliseconds. */
  readonly usageKeptMs: number;
  readonly webhookAddresses: WebhookAddresses;
  readonly guardrailWork: GuardrailWork;
  readonly replica: Replica;
}

/** The replica that responds, as its services see it. */
export interface Replica {
  readonly version: string;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly database: DatabaseKind;
  readonly feed: Pick<Feed, 'position' | 'readAt'>;
  readonly clock: Clock;
  watchers(): readonly Watcher[];
  /** The stored selectors of all organizations, as last looked at. */
  selectors(): LookedAt | undefined;
  catalog(): CatalogState;
  /** Id of the key that it signs records with. */
  recordKey(): string;
}
