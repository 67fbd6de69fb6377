// The gRPC server: its listener, TLS, health, and reflection if it is set. grpc-requests.ts serves the calls.
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { experimental, Server, ServerCredentials, type ServiceDefinition, setLogger } from '@grpc/grpc-js';
import { HealthImplementation, type ServingStatusMap } from 'grpc-health-check';
import { admitConnection, capConnections } from '../../common/connection-cap.ts';
import { ListenError, listen } from '../../common/listen.ts';
import type { ListenAddress } from '../../common/settings.ts';
import type { OccupiedShare } from '../../common/shares.ts';
import type { TlsSource } from '../../common/tls.ts';
import { services } from '../../proto/load.ts';
import { type GrpcRequestDeps, type GrpcRequestOptions, GrpcRequests } from './grpc-requests.ts';

export interface GrpcServer {
  readonly port: number;
  /** Sets the status of grpc.health.v1. While it is false, proxies are sent to another replica at once. */
  setServing(serving: boolean): void;
  /** Accepts no more connections, sends watchers elsewhere, lets calls finish within the grace, and cuts the rest. */
  close(graceMs: number): Promise<void>;
}

export interface GrpcServerOptions extends GrpcRequestOptions {
  readonly address: ListenAddress;
  /** Shared with the other listeners. */
  readonly connections: OccupiedShare;
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

/** Loaded only where it is on: it takes longer than all else at the start. */
async function addReflection(server: Server): Promise<void> {
  // A package of CommonJS: a bundle gives its exports only as the default.
  const { ReflectionService } = (await import('@grpc/reflection')).default;
  const { packageDefinition } = await import('../../proto/package-definition.ts');
  new ReflectionService(packageDefinition()).addToServer(server);
}

/** @throws ListenError */
export async function startGrpcServer(options: GrpcServerOptions, deps: GrpcRequestDeps): Promise<GrpcServer> {
  // Unless it gets a logger, the library writes to standard error what this program logs anyway.
  const say = (...parts: unknown[]) => deps.log.debug({ library: 'grpc' }, parts.join(' '));
  setLogger({ error: say, info: say, debug: say });
  const server = new Server(serverOptions);
  const requests = new GrpcRequests(options, deps);
  for (const [name, definition] of Object.entries<ServiceDefinition>(services)) {
    server.addService(definition, requests.implement(name, definition));
  }
  const health = new HealthImplementation(statuses('SERVING'));
  health.addToServer(server);
  if (options.reflection) await addReflection(server);
  const listener = await (options.callers.expectsHeaders ? bindBehindHeaders : bind)(server, options);
  return {
    port: listener.port,
    setServing: (serving) => {
      requests.serving = serving;
      for (const [name, status] of Object.entries(statuses(serving ? 'SERVING' : 'NOT_SERVING'))) {
        health.setStatus(name, status);
      }
    },
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      listener.close();
      requests.endWatches();
      await requests.inFlight.idle(graceMs);
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
