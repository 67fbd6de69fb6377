// The gRPC server, the only user of @grpc/grpc-js in this program: operators' methods from the table of methods, Access
// and Ledger for proxies, health, and reflection if it is set. It only knows the transport; services/ decides who may
// do what.
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  experimental,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerErrorResponse,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  setLogger,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation, type ServingStatusMap } from 'grpc-health-check';
import { plainAddress } from '../../common/caller-address.ts';
import type { Callers } from '../../common/callers.ts';
import { admitConnection, capConnections } from '../../common/connection-cap.ts';
import { ListenError, listen } from '../../common/listen.ts';
import type { ListenAddress } from '../../common/settings.ts';
import type { OccupiedShare } from '../../common/shares.ts';
import type { TlsSource } from '../../common/tls.ts';
import type { ResolveRequest__Output } from '../../proto/generated/gateway/v1/ResolveRequest.ts';
import type { WatchRequest__Output } from '../../proto/generated/gateway/v1/WatchRequest.ts';
import type { WatchResponse } from '../../proto/generated/gateway/v1/WatchResponse.ts';
import { errorDetail, packageDefinition, services } from '../../proto/load.ts';
import type { CertificateProxy, Credentials } from '../rpc/authentication.ts';
import { certificateProxyOf, isConfidential, peerOf } from '../rpc/authentication.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { CallError, callCodes } from '../rpc/errors.ts';
import { createInFlight, type Outcome, type RespondDeps, respond } from '../rpc/respond.ts';
import type { AccessService } from '../services/access.ts';
import type { ReportDecisions } from '../services/guardrail-decisions.ts';
import type { LedgerService } from '../services/ledger.ts';
import type { ReportRefusedKeys } from '../services/refused-keys.ts';
import { type AuthenticateProxy, rememberProxies } from '../services/remembered-proxies.ts';
import type { Dispatcher } from './dispatch.ts';
import { type DownloadStream, GrpcWatchStream, sendChunks } from './grpc-streams.ts';
import { isDownload, isMethodName, type MethodName } from './methods.ts';

export interface GrpcServer {
  readonly port: number;
  /** Sets the status of grpc.health.v1. While it is false, proxies are sent to another replica at once. */
  setServing(serving: boolean): void;
  /** Accepts no more connections, sends watchers elsewhere, lets calls finish within the grace, and cuts the rest. */
  close(graceMs: number): Promise<void>;
}

export interface GrpcServerDeps extends RespondDeps {
  readonly dispatcher: Dispatcher;
  readonly access: AccessService;
  readonly ledger: LedgerService;
  readonly reportDecisions: ReportDecisions;
  readonly reportRefusedKeys: ReportRefusedKeys;
}

export interface GrpcServerOptions {
  readonly address: ListenAddress;
  /** Undefined for plaintext. */
  readonly tls: TlsSource | undefined;
  /** For this listener only. */
  readonly callers: Callers;
  /** Shared with the other listeners. */
  readonly connections: OccupiedShare;
  readonly proxyCertificates: readonly CertificateProxy[];
  readonly reflection: boolean;
}

/** In both directions. The largest response is a record with all provider keys of an organization. */
const messageBytesMax = 4 * 1024 * 1024;

const serverOptions = {
  'grpc.max_receive_message_length': messageBytesMax,
  'grpc.max_send_message_length': messageBytesMax,
  // A proxy has one watch and up to 64 resolves on a connection.
  'grpc.max_concurrent_streams': 256,
  // Detects peers that disappeared silently. Proxies ping every 5 s; this server accepts any number of pings.
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // A proxy's watch keeps its connection busy, so a connection that is idle for this long belongs to no proxy.
  'grpc.max_connection_idle_ms': 300_000,
  // Megabytes of one connection's streams; the library's default is unlimited.
  'grpc-node.max_session_memory': 64,
};

/** How long the last response has to leave the machine after it was written. */
const flushMs = 500;

/** @throws ListenError */
export async function startGrpcServer(options: GrpcServerOptions, deps: GrpcServerDeps): Promise<GrpcServer> {
  // Unless it gets a logger, the library writes to standard error what this program logs anyway.
  const say = (...parts: unknown[]) => deps.log.debug({ library: 'grpc' }, parts.join(' '));
  setLogger({ error: say, info: say, debug: say });
  const server = new Server(serverOptions);
  const gate = new RequestGate(options, deps);
  for (const [name, definition] of Object.entries<ServiceDefinition>(services)) {
    server.addService(definition, gate.implement(name, definition));
  }
  const health = new HealthImplementation(statuses('SERVING'));
  health.addToServer(server);
  if (options.reflection) new ReflectionService(packageDefinition).addToServer(server);
  const listener = await (options.callers.expectsHeaders ? bindBehindHeaders : bind)(server, options);
  return {
    port: listener.port,
    setServing: (serving) => {
      gate.serving = serving;
      for (const [name, status] of Object.entries(statuses(serving ? 'SERVING' : 'NOT_SERVING'))) {
        health.setStatus(name, status);
      }
    },
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      listener.close();
      gate.endWatches();
      await gate.inFlight.idle(graceMs);
      await Promise.race([closed, sleep(flushMs)]);
      // Health watches keep their connections open for ever.
      server.forceShutdown();
    },
  };
}

function statuses(status: 'SERVING' | 'NOT_SERVING'): ServingStatusMap {
  const names = ['', ...Object.keys(services).map((name) => `gateway.v1.${name}`)];
  return Object.fromEntries(names.map((name) => [name, status]));
}

interface BoundListener {
  readonly port: number;
  /** Closes what the library does not close. */
  close(): void;
}

/**
 * The library opens its own listener and exposes no connection of it. With PROXY headers, this listener accepts the
 * connections and gives them to the library.
 */
async function bindBehindHeaders(
  server: Server,
  { address, tls, callers, connections }: GrpcServerOptions,
): Promise<BoundListener> {
  const injector = server.createConnectionInjector(credentials(tls));
  // The library's socket wrappers read the bytes behind the header without a further call.
  const proceed = () => {};
  const peerOf = (socket: Socket) => callers.peerOf(socket);
  const inject = (socket: Socket) => admitConnection(connections, socket, peerOf) && injector.injectConnection(socket);
  const listener = createServer({ noDelay: true }, (socket) => callers.accept(socket, () => inject(socket), proceed));
  listener.maxConnections = connections.capacity;
  await listen(listener, address, 'GATEWAY_GRPC_LISTEN');
  return { port: (listener.address() as AddressInfo).port, close: () => void listener.close() };
}

async function bind(server: Server, options: GrpcServerOptions): Promise<BoundListener> {
  const port = await bindPort(server, options);
  const { callers, connections } = options;
  for (const listener of listenersOf(server)) capConnections(listener, connections, (socket) => callers.peerOf(socket));
  return { port, close: () => {} };
}

/**
 * The library keeps its listeners private and does not cap their connections.
 * @throws Error if this version of grpc-js keeps them elsewhere
 */
function listenersOf(server: Server): readonly NetServer[] {
  const { http2Servers } = server as unknown as { readonly http2Servers?: ReadonlyMap<NetServer, unknown> };
  if (http2Servers === undefined) throw new Error('this version of grpc-js does not show its listeners');
  return [...http2Servers.keys()];
}

function bindPort(server: Server, { address, tls }: GrpcServerOptions): Promise<number> {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${address.port}`, credentials(tls), (error, port) =>
      error === null ? resolve(port) : reject(new ListenError(address, 'GATEWAY_GRPC_LISTEN', withCode(error))),
    );
  });
}

/** The library reports the system's error code only inside its message. */
function withCode(error: Error): Error {
  return Object.assign(error, { code: /\bE[A-Z]{4,}\b/.exec(error.message)?.[0] });
}

/**
 * Client certificates are requested but not required, because operators use tokens. One that does not verify counts as
 * none.
 */
function credentials(tls: TlsSource | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const provider = new CertificateProvider(tls);
  const authorities = tls.current.ca === undefined ? null : provider;
  return experimental.createCertificateProviderServerCredentials(provider, authorities, false);
}

type CaListener = (update: { caCertificate: Buffer } | null) => void;
type IdentityListener = (update: { certificate: Buffer; privateKey: Buffer } | null) => void;

/**
 * Gives the files' last valid certificates to the library in its own form. The library's own file watcher drops
 * connections when it reads a half-written pair.
 */
class CertificateProvider {
  readonly #tls: TlsSource;
  readonly #stops = new Map<CaListener | IdentityListener, () => void>();

  constructor(tls: TlsSource) {
    this.#tls = tls;
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#listen(listener, () => {
      const { ca } = this.#tls.current;
      listener(ca === undefined ? null : { caCertificate: ca });
    });
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#listen(listener, () => {
      const { cert, key } = this.#tls.current;
      listener({ certificate: cert, privateKey: key });
    });
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#stops.get(listener)?.();
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#stops.get(listener)?.();
  }

  #listen(listener: CaListener | IdentityListener, report: () => void): void {
    this.#stops.set(listener, this.#tls.onChange(report));
    // The library can take the certificates only after the listener's registration has returned.
    process.nextTick(report);
  }
}

type UnaryCall<Request> = ServerUnaryCall<Request, object>;
type DownloadCall = UnaryCall<object> & DownloadStream;
type WatchCall = ServerDuplexStream<WatchRequest__Output, WatchResponse>;
type PeerCall = Pick<UnaryCall<unknown>, 'metadata' | 'getPeer' | 'getAuthContext'>;

class RequestGate {
  readonly inFlight = createInFlight();
  serving = true;
  readonly #options: GrpcServerOptions;
  readonly #deps: GrpcServerDeps;
  readonly #rememberedProxy: AuthenticateProxy;
  readonly #watches = new Set<() => void>();

  constructor(options: GrpcServerOptions, deps: GrpcServerDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#rememberedProxy = rememberProxies((who) => deps.dispatcher.proxy(who), deps.clock);
  }

  implement(service: string, definition: ServiceDefinition): UntypedServiceImplementation {
    if (service === 'Access') return this.#access();
    if (service === 'Ledger') return this.#ledger();
    return { ...this.#operators(service, definition), ...this.#reports(service) };
  }

  /** What proxies report to services of operators. */
  #reports(service: string): UntypedServiceImplementation {
    const { reportDecisions, reportRefusedKeys } = this.#deps;
    switch (service) {
      case 'Guardrails':
        return { ReportDecisions: this.#unary('Guardrails.ReportDecisions', this.#ofProxy(reportDecisions)) };
      case 'ProviderKeys':
        return { ReportRefused: this.#unary('ProviderKeys.ReportRefused', this.#ofProxy(reportRefusedKeys)) };
      default:
        return {};
    }
  }

  #operators(service: string, definition: ServiceDefinition): UntypedServiceImplementation {
    return Object.fromEntries(
      Object.keys(definition).map((name) => {
        const method = `${service}.${name}`;
        if (!isMethodName(method)) throw new Error(`no row for ${method} in methods.ts`);
        if (isDownload(method)) return [name, this.#download(method)];
        const { dispatcher } = this.#deps;
        return [name, this.#unary(method, (request, who) => dispatcher.call(method, who, request))];
      }),
    );
  }

  #access(): UntypedServiceImplementation {
    const { dispatcher, access } = this.#deps;
    const resolve = async (request: ResolveRequest__Output, who: Credentials, call: PeerCall) => {
      this.#requireSecrecy(call);
      this.#requireServing();
      return await access.resolve(await dispatcher.proxy(who), request);
    };
    return {
      Resolve: this.#unary('Access.Resolve', resolve),
      Watch: (call: WatchCall) => void this.#watch(call),
    };
  }

  #ledger(): UntypedServiceImplementation {
    const { ledger } = this.#deps;
    return {
      KeepSession: this.#unary('Ledger.KeepSession', this.#ofProxy(ledger.keepSession)),
      Draw: this.#unary('Ledger.Draw', this.#ofProxy(ledger.draw)),
      Return: this.#unary('Ledger.Return', this.#ofProxy(ledger.release)),
      ReportUsage: this.#unary('Ledger.ReportUsage', this.#ofProxy(ledger.reportUsage)),
      CloseSession: this.#unary('Ledger.CloseSession', this.#ofProxy(ledger.closeSession)),
    };
  }

  #ofProxy<Request>(work: (caller: ProxyCaller, request: Request) => Promise<object>) {
    return async (request: Request, who: Credentials) => {
      this.#requireServing();
      return await work(await this.#rememberedProxy(who), request);
    };
  }

  endWatches(): void {
    for (const end of this.#watches) end();
  }

  #unary<Request>(method: MethodName, work: (request: Request, who: Credentials, call: PeerCall) => Promise<object>) {
    return (call: UnaryCall<Request>, callback: sendUnaryData<object>) => {
      const who = this.#credentials(call);
      const responding = respond(this.#deps, method, who.from, () => work(call.request, who, call));
      this.inFlight.add(responding.then((outcome) => reply(callback, outcome)));
    };
  }

  #download(method: MethodName) {
    return (call: DownloadCall) => {
      const who = this.#credentials(call);
      const sending = respond(this.#deps, method, who.from, async () => {
        const { chunks, done } = await this.#deps.dispatcher.download(method, who, call.request);
        await sendChunks(call, chunks).finally(done);
      });
      const end = (outcome: Outcome<void>) =>
        'error' in outcome ? call.emit('error', serviceError(outcome.error)) : call.end();
      this.inFlight.add(sending.then(end));
    };
  }

  async #watch(call: WatchCall): Promise<void> {
    const { dispatcher, access, metrics } = this.#deps;
    const who = this.#credentials(call);
    const stream = new GrpcWatchStream(call, () => dispatcher.proxy(who), serviceError);
    const end = () => stream.leave();
    this.#watches.add(end);
    const outcome = await respond(this.#deps, 'Access.Watch', who.from, async () => {
      this.#requireServing();
      return await dispatcher.proxy(who);
    });
    if ('error' in outcome) stream.end(outcome.error);
    else {
      metrics.watcherCame();
      await access.watch(outcome.value, stream);
      metrics.watcherWent();
    }
    this.#watches.delete(end);
  }

  #credentials(call: PeerCall): Credentials {
    const authorization = call.metadata.get('authorization')[0]?.toString();
    const certificate = call.getAuthContext().sslPeerCertificate;
    const { callers, proxyCertificates } = this.#options;
    const forwardedFor = () => call.metadata.get('x-forwarded-for').map(String).join(', ') || undefined;
    return {
      authorization,
      certificateProxy: certificateProxyOf(certificate?.subjectaltname, proxyCertificates),
      from: callers.addressOf(peerOf(call.getPeer()), forwardedFor),
    };
  }

  /** Fails fast: a replica that cannot read its database would make proxies wait for its time-outs. */
  #requireServing(): void {
    if (this.serving) return;
    throw new CallError('unavailable', 'this replica cannot serve right now; try another one');
  }

  /** Resolve returns provider secrets, so it needs TLS or loopback. */
  #requireSecrecy(call: PeerCall): void {
    // Checks the peer of the connection, not the address that a trusted peer reports: the secrets go to the peer.
    const { remoteAddress = '' } = peerOf(call.getPeer());
    if (isConfidential(this.#options.tls !== undefined, plainAddress(remoteAddress))) return;
    throw new CallError('tls_required', 'Resolve returns secrets: call it over TLS or loopback');
  }
}

function reply(callback: sendUnaryData<object>, outcome: Outcome<object>): void {
  if ('error' in outcome) callback(serviceError(outcome.error));
  else callback(null, outcome.value);
}

function serviceError(error: CallError): ServerErrorResponse {
  const metadata = new Metadata();
  const { reason, violations } = error;
  metadata.set('gateway-error-bin', errorDetail.serialize({ reason, violations: [...violations] }));
  if (error.retryAfter !== undefined) metadata.set('retry-after', String(error.retryAfter));
  return Object.assign(new Error(error.message), {
    code: callCodes[error.code].grpc,
    details: error.message,
    metadata,
  });
}
