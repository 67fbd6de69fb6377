// Takes a call to its handler: it authenticates the caller, authorizes the call, then calls the handler. A change is
// authorized again inside its own transaction: changes run one after another, so a caller whose rights an earlier
// change revoked cannot make a later one.
import type { Kysely, KyselyPlugin } from 'kysely';
import type { Clock } from '../../common/clock.ts';
import { minuteMs } from '../../common/durations.ts';
import type { ShareOwner } from '../../common/shares.ts';
import { pastedCredentials } from '../domain/pasted-credentials.ts';
import { authenticate, type Credentials, type Presented, readCredentials } from '../rpc/authentication.ts';
import { type Audience, actorOf, type Caller, type OperatorCaller, type ProxyCaller } from '../rpc/caller.ts';
import { invalidRequest } from '../rpc/checked.ts';
import { CallError, notFound, permissionDenied } from '../rpc/errors.ts';
import { Holders } from '../rpc/share-holders.ts';
import type { Shares } from '../rpc/shares.ts';
import type {
  BootstrapMethod,
  ChangeCall,
  ChangeMethod,
  Download,
  DownloadMethod,
  Method,
  OpenMethod,
  OperatorMethod,
  Outcome,
  OutsideCall,
  PlannedMethod,
  ProxyMethod,
  ReadMethod,
  ServiceDeps,
} from '../services/method.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type MethodName, methodNamed } from './methods.ts';

export interface Dispatcher {
  /**
   * A method of operators, of the bootstrap token, or of anyone.
   * @param signal aborted, with a CallError, when the caller has left: a read ends before its next statement
   * @throws CallError, StoreUnavailableError
   */
  call(name: MethodName, credentials: Credentials, request: unknown, signal?: AbortSignal): Promise<object>;
  /** A method of operators for which isDownload is true. @throws CallError, StoreUnavailableError */
  download(name: MethodName, credentials: Credentials, request: unknown): Promise<Download>;
  /** Authenticates a proxy. @throws CallError, StoreUnavailableError */
  proxy(credentials: Credentials): Promise<ProxyCaller>;
}

export interface DispatchDeps {
  readonly store: Store;
  readonly services: ServiceDeps;
  readonly shares: Shares;
  readonly clock: Clock;
}

interface Call {
  readonly name: MethodName;
  readonly presented: Presented;
  readonly request: unknown;
  readonly owner: ShareOwner;
  readonly signal?: AbortSignal | undefined;
}

export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const holders = new Holders(deps);
  return {
    call: async (name, credentials, request, signal) => {
      const method = methodNamed(name);
      if (method.audience === 'anyone') {
        const { store, shares, clock, services } = deps;
        return await method.handle({ from: credentials.from, store, shares, clock, deps: services }, request);
      }
      const presented = readCredentials(credentials);
      if (method.audience === 'proxy') throw permissionDenied(audienceNeeded.proxy);
      const call = { name, presented, request, signal, owner: await holders.ownerOf(presented) };
      return await holders.watch(presented, () => operate(deps, method, call));
    },
    download: async (name, credentials, request) => {
      const method = methodNamed(name);
      if (method.audience !== 'operator' || method.effect !== 'download') {
        throw new Error(`${name} returns a message, not a stream`);
      }
      const presented = readCredentials(credentials);
      const call = { name, presented, request, owner: await holders.ownerOf(presented) };
      return await holders.watch(presented, () => download(deps, method, call));
    },
    proxy: async (credentials) => expectAudience('proxy', await holders.caller(readCredentials(credentials))),
  };
}

async function operate(
  deps: DispatchDeps,
  method: Exclude<Method<unknown, object>, ProxyMethod | OpenMethod<unknown, object>>,
  call: Call,
): Promise<object> {
  const { shares } = deps;
  if (method.audience === 'operator' && method.effect === 'read') {
    shares.take('read_rate', call.owner.organization);
    return await inOrder(shares, method, call, () => read(deps, method, call));
  }
  if (method.audience === 'operator' && method.effect === 'trial') {
    shares.take('read_rate', call.owner.organization);
    return await method.handle(outside(deps, method, call), call.request);
  }
  if (method.audience === 'operator' && method.effect === 'download')
    throw new Error(`${call.name} returns a stream, not a message`);
  shares.take('change_rate', call.owner.organization);
  if (method.audience === 'bootstrap')
    return await shares.inOrder('changes', call.owner, () => bootstrap(deps, method, call));
  const from = outside(deps, method, call);
  if (method.effect === 'planned') {
    // Authorizes first: only callers who may make this request have work done for them.
    await from.read(async () => undefined);
    const handle = await method.plan(from, call.request);
    return await shares.inOrder('changes', call.owner, () => change(deps, method, call, handle));
  }
  await method.prepare?.(from, call.request);
  const handle = (changing: ChangeCall) => method.handle(changing, call.request);
  return await shares.inOrder('changes', call.owner, () => change(deps, method, call, handle));
}

async function inOrder<T>(
  shares: Shares,
  { readsSums }: ReadMethod<unknown, object>,
  { owner, signal }: Call,
  work: () => Promise<T>,
): Promise<T> {
  const end = readsSums === true ? shares.beginSumRead(owner.organization) : () => {};
  try {
    return await shares.inOrder('reads', owner, work, signal);
  } finally {
    end();
  }
}

function read(deps: DispatchDeps, method: ReadMethod<unknown, object>, call: Call): Promise<object> {
  const { signal } = call;
  return deps.store.snapshot(async (snapshot) => {
    const db = signal === undefined ? snapshot : snapshot.withPlugin(stopWith(signal));
    const now = deps.clock.now();
    const caller = await authorize(deps, method, call, { db, now });
    return await method.handle({ db, caller, now, deps: deps.services }, call.request);
  });
}

/** Runs no further statement once nobody waits for the result. */
function stopWith(signal: AbortSignal): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      signal.throwIfAborted();
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

/** The work may take long, so each read authorizes the caller again: a caller who loses the right stops reading. */
function outside(deps: DispatchDeps, method: OperatorMethod<unknown, object>, call: Call): OutsideCall {
  const read = <T>(work: (db: Kysely<Schema>, caller: OperatorCaller) => Promise<T>) =>
    deps.shares.inOrder('reads', call.owner, () =>
      deps.store.snapshot(async (db) => {
        const caller = await authorize(deps, method, call, { db, now: deps.clock.now() });
        if (method.effect === 'change' || method.effect === 'planned') expectNoCredential(call);
        return await work(db, caller);
      }),
    );
  return { now: deps.clock.now(), read, deps: deps.services, owner: call.owner };
}

async function download(deps: DispatchDeps, method: DownloadMethod<unknown>, call: Call): Promise<Download> {
  const { owner } = call;
  deps.shares.take('export_rate', owner.organization);
  const end = deps.shares.occupyExport(owner);
  try {
    const from = outside(deps, method, call);
    // Authorizes first: only callers who may make this request learn which of its fields are wrong.
    await from.read(async () => undefined);
    return { ...(await method.handle(from, call.request)), done: end };
  } catch (error) {
    end();
    throw error;
  }
}

async function change(
  deps: DispatchDeps,
  method: ChangeMethod<unknown, object> | PlannedMethod<unknown, object>,
  call: Call,
  handle: (call: ChangeCall) => Promise<Outcome<object>>,
): Promise<object> {
  // Authorizes before the transaction takes the feed's row, so that strangers cannot delay other callers' changes.
  const caller = await deps.store.snapshot((db) => authorize(deps, method, call, { db, now: deps.clock.now() }));
  expectNoCredential(call);
  const context = { actor: actorOf(caller), from: caller.from, action: call.name };
  return await deps.store.change(context, async (tx) => {
    const confirmed = await authorize(deps, method, call, tx);
    return await handle({ ...tx, caller: confirmed, deps: deps.services });
  });
}

async function bootstrap(deps: DispatchDeps, method: BootstrapMethod<unknown, object>, call: Call): Promise<object> {
  const authorizeBootstrap = async ({ db, now }: Instant) =>
    expectAudience('bootstrap', await authenticate(db, call.presented, { now, deps: deps.services }));
  const caller = await deps.store.snapshot((db) => authorizeBootstrap({ db, now: deps.clock.now() }));
  expectNoCredential(call);
  const context = { actor: actorOf(caller), from: caller.from, action: call.name };
  return await deps.store.change(context, async (tx) => {
    await authorizeBootstrap(tx);
    return await method.handle({ ...tx, deps: deps.services }, call.request);
  });
}

/** Changes are stored and audited, so their requests must contain no credential. @throws CallError */
function expectNoCredential({ request }: Call): void {
  const pasted = pastedCredentials(request);
  if (pasted.length > 0) throw invalidRequest(pasted);
}

interface Instant {
  readonly db: Kysely<Schema>;
  readonly now: number;
}

/** @returns the operator. @throws CallError unless they may call this method on the resource that the request names */
async function authorize(
  deps: DispatchDeps,
  method: OperatorMethod<unknown, object>,
  call: Call,
  { db, now }: Instant,
): Promise<OperatorCaller> {
  const caller = expectAudience('operator', await authenticate(db, call.presented, { now, deps: deps.services }));
  if (!method.roles.includes(caller.role)) {
    throw permissionDenied(`this needs the role ${method.roles.join(' or ')}; yours is ${caller.role}`);
  }
  expectRecentSignIn(method, call, { caller, now });
  const organizationId = await method.organization(call.request, { db, caller, now });
  const reachesAll = method.platformReachesAll === true && caller.role === 'platform_operator';
  const reaches = organizationId === (caller.organizationId ?? null) || reachesAll;
  // The response is the same for a resource of another organization and for one that does not exist.
  if (organizationId === undefined || !reaches) throw notFound('id');
  return caller;
}

/** An access token that leaked, or a browser that was left alone, changes nothing that others rely on. */
function expectRecentSignIn(
  method: OperatorMethod<unknown, object>,
  { request }: Call,
  { caller, now }: { readonly caller: OperatorCaller; readonly now: number },
): void {
  if (caller.session === undefined || now - caller.session.authenticatedAt <= recentSignInMs) return;
  if (method.needsRecentSignIn?.(request) !== true) return;
  throw new CallError('reauthentication_required', 'this needs a sign-in within the last 15 minutes: sign in again');
}

const recentSignInMs = 15 * minuteMs;

const audienceNeeded: Record<Audience, string> = {
  operator: 'this method is for operators: send a token that begins with `gw-op-`',
  proxy: 'this method is for proxies: send a token that begins with `gw-proxy-`, or a client certificate',
  bootstrap: 'this method is for the bootstrap token, which begins with `gw-boot-`',
};

function expectAudience<Kind extends Audience>(kind: Kind, caller: Caller): Extract<Caller, { readonly kind: Kind }> {
  if (!isAudience(kind, caller)) throw permissionDenied(audienceNeeded[kind]);
  return caller;
}

function isAudience<Kind extends Audience>(
  kind: Kind,
  caller: Caller,
): caller is Extract<Caller, { readonly kind: Kind }> {
  return caller.kind === kind;
}
