// Opens the listeners of the control plane: the gRPC server and the JSON API.
import { trustedProxies } from '../common/caller-address.ts';
import { Callers, noProxyHeader } from '../common/callers.ts';
import { systemClock } from '../common/clock.ts';
import { openConnectionShare } from '../common/connection-cap.ts';
import { descriptorsMax } from '../common/descriptors.ts';
import { stoppingIdleMs } from '../common/idle-connections.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { sparing } from '../common/logger.ts';
import type { TlsSource } from '../common/tls.ts';
import type { GrpcRequestDeps } from './api/grpc-requests.ts';
import { startGrpcServer } from './api/grpc-server.ts';
import { type HttpApi, type HttpApiDeps, type HttpApiOptions, startHttpApi } from './api/http-api.ts';
import type { ControlPlaneSettings } from './settings.ts';

export interface ListenerParts extends Pick<GrpcRequestDeps, 'access' | 'ledger'> {
  readonly tls: TlsSource | undefined;
  readonly calls: HttpApiDeps;
  readonly reports: Pick<
    GrpcRequestDeps,
    'reportDecisions' | 'reportRefusedKeys' | 'reportRequests' | 'reportCaptures'
  >;
}

/** Opens the gRPC server and the JSON API. Both share the connections, and one grace when they are closed. */
export async function openListeners(
  settings: ControlPlaneSettings,
  { tls, calls, access, ledger, reports }: ListenerParts,
  lifecycle: Lifecycle,
) {
  const open: OpenListener[] = [];
  let stoppingMs = stoppingIdleMs;
  lifecycle.onClose('listeners', async () => {
    await Promise.all(open.map((server) => server.close(settings.drainGrace, stoppingMs)));
  });
  const { grpcListen: address, proxyCertificates, reflection } = settings;
  const connections = openConnectionShare(descriptorsMax());
  const grpc = await startGrpcServer(
    { address, tls, callers: callersOf(settings, calls.log), connections, proxyCertificates, reflection },
    { ...calls, access, ledger, ...reports },
  );
  open.push(grpc);
  const http = await openHttpApi(settings, { tls, connections }, calls);
  open.push(http);
  /** @param idleMs how long idle connections may wait for a request when the listeners are closed */
  const closeAfter = (idleMs: number): void => {
    stoppingMs = idleMs;
  };
  return { grpc, http, closeAfter };
}

function openHttpApi(
  settings: ControlPlaneSettings,
  listener: Pick<HttpApiOptions, 'tls' | 'connections'>,
  calls: HttpApiDeps,
): Promise<HttpApi> {
  const callers = callersOf(settings, calls.log);
  const { httpListen: address, httpHosts, consoleUrl } = settings;
  const hosts = consoleUrl === undefined ? httpHosts : [...httpHosts, consoleUrl.hostname];
  return startHttpApi({ address, ...listener, callers, hosts }, calls);
}

/** Within this time a PROXY header must arrive. */
const headerTimeoutMs = 5_000;

/** Makes the callers of one listener. */
function callersOf({ trustedProxies: blocks, proxyProtocol }: ControlPlaneSettings, log: Logger): Callers {
  const logRefused = sparing<{ reason: string; address: string }>(
    (fields) => log.warn(fields, noProxyHeader),
    systemClock,
  );
  return new Callers({
    isTrusted: trustedProxies(blocks),
    proxyProtocol,
    headerTimeoutMs,
    onRefused: (reason, address) => logRefused({ reason, address }),
  });
}

interface OpenListener {
  close(graceMs: number, idleMs: number): Promise<void>;
}
