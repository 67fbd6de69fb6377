// The parts around the request path that both modes of the proxy share: listeners, admin, the record of each request,
// the drain.
import { setTimeout as sleep } from 'node:timers/promises';
import { startAdminServer } from '../common/admin-server.ts';
import { trustedProxies } from '../common/caller-address.ts';
import { Callers, noProxyHeader } from '../common/callers.ts';
import { systemClock } from '../common/clock.ts';
import { descriptorsMax } from '../common/descriptors.ts';
import { stoppingIdleMs } from '../common/idle-connections.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { sparing } from '../common/logger.ts';
import { OccupiedShare } from '../common/shares.ts';
import { watchTlsFiles } from '../common/tls.ts';
import { type AttachedKey, watchAttachedKey } from './access/attached-key.ts';
import type { BackgroundResponses } from './http/background-responses.ts';
import { Connections, connectionBounds } from './http/connections.ts';
import type { Exchange } from './http/exchange.ts';
import type { ReadOn } from './http/read-on.ts';
import type { Handler } from './http/request-lifecycle.ts';
import { type ListenerTls, startTrafficServer, type TrafficServer } from './http/server.ts';
import type { Shadows } from './http/shadows.ts';
import type { TimeLimits, Watchdog } from './http/watchdog.ts';
import type { RequestLog } from './requests/request-log.ts';
import { rowOf } from './requests/request-row.ts';
import type { ProxySettings } from './settings.ts';
import { shares, useOf } from './shares.ts';
import { createAccessLog } from './telemetry/access-log.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';

export interface RunningProxy {
  readonly port: number;
  /** Of the listener with TLS, if there is one. */
  readonly tlsPort: number | undefined;
  readonly adminPort: number;
  /**
   * Not ready, no new connections; requests on open ones finish within the grace, the rest is cut; then everything is
   * closed.
   * @param idleMs how long idle connections live, because a request may be under way on each
   */
  drain(idleMs?: number): Promise<void>;
}

/** How far a drain has come. */
export interface Stopping {
  /** It has begun: the proxy is not ready. */
  now: boolean;
  /** Its end is near: requests that are still coming on open connections are refused. The request path reads it. */
  refuses: boolean;
}

export interface Serving {
  readonly log: Logger;
  readonly metrics: ProxyMetrics;
  readonly watchdog: Watchdog;
  readonly lifecycle: Lifecycle;
  readonly handler: Handler;
  /** These are absent in a proxy that only forwards. */
  readonly readOn?: ReadOn;
  readonly shadows?: Shadows;
  readonly backgroundResponses?: BackgroundResponses;
  readonly stopping: Stopping;
  /** Undefined = ready; otherwise the reason. */
  notReady(): string | undefined;
}

/** @throws ListenError; Error that names an unusable file */
export async function serve(settings: ProxySettings, serving: Serving): Promise<RunningProxy> {
  const { log, metrics, watchdog, lifecycle, stopping } = serving;
  const connections = openConnections(settings, serving);
  const isTrusted = trustedProxies(settings.trustedProxies);
  const logRefused = sparing<RefusedConnection>((fields) => log.warn(fields, noProxyHeader), systemClock);
  const start = async (address: ProxySettings['listen'], tls?: ListenerTls) => {
    const server = await startTrafficServer({
      address,
      tls,
      headerBytesMax: settings.headerBytesMax,
      headersTimeoutMs: settings.headersTimeout,
      clock: systemClock,
      callers: new Callers({
        isTrusted,
        proxyProtocol: settings.proxyProtocol,
        headerTimeoutMs: settings.headersTimeout,
        onRefused: (reason, address) => {
          metrics.malformed('invalid_request');
          logRefused({ reason, address });
        },
      }),
      handler: serving.handler,
      consoleOrigin: settings.consoleOrigin,
      connections,
      open: () => watchdog.watched,
      onMalformed: (code) => metrics.malformed(code),
      onDefect: (err) => log.error({ err }, 'the request path threw'),
    });
    lifecycle.onClose('traffic listener', () => server.destroy());
    return server;
  };
  const traffic = await start(settings.listen);
  const tls = await openTls(settings, serving);
  const secure = tls && settings.tlsListen && (await start(settings.tlsListen, tls));
  const admin = await startAdminServer(settings.adminListen, {
    metrics: () => metrics.render(),
    notReady: () => (stopping.now ? 'draining' : serving.notReady()),
  });
  lifecycle.onClose('admin listener', () => admin.close());
  const listeners = secure === undefined ? [traffic] : [traffic, secure];
  return {
    port: traffic.port,
    tlsPort: secure?.port,
    adminPort: admin.port,
    drain: async (idleMs = stoppingIdleMs) => {
      stopping.now = true;
      // Nobody waits for copies of requests, so they are the first to go.
      serving.shadows?.stop();
      serving.backgroundResponses?.hurry();
      await finished(listeners, { graceMs: settings.drainGrace, idleMs }, serving);
      await lifecycle.close();
    },
  };
}

function openConnections({ connectionsMax: wanted }: ProxySettings, { log, metrics }: Serving): Connections {
  const descriptors = descriptorsMax();
  const { max, refusedMax } = connectionBounds(descriptors);
  if (wanted > max)
    log.warn({ descriptors, connections_max: max }, 'GATEWAY_CONNECTIONS_MAX is more than there are descriptors for');
  const share = new OccupiedShare({
    capacity: Math.min(wanted, max),
    alpha: shares.connections.bounds.alpha,
  });
  metrics.shares.watch('connections', () => useOf(share));
  return new Connections({ share, refusedMax });
}

interface RefusedConnection {
  readonly reason: string;
  readonly address: string | undefined;
}

export function openAttachedKey(
  { attachKey: key, attachKeyFile: file }: ProxySettings,
  log: Logger,
  lifecycle: Lifecycle,
): AttachedKey | undefined {
  const attached = key && watchAttachedKey({ key, file }, { log });
  lifecycle.onClose('attached key', () => attached?.close());
  return attached;
}

export function timeLimits(settings: ProxySettings): TimeLimits {
  return {
    bodyGraceMs: settings.bodyGrace,
    bodyRateMin: settings.bodyRateMin,
    firstByteMs: settings.firstByteTimeout,
    idleMs: settings.idleTimeout,
    readerMs: settings.readerTimeout,
    readOnMs: settings.readOnSeconds * 1000,
    totalMs: settings.totalTimeout,
  };
}

/**
 * @param requests absent in a proxy that only forwards
 * @returns a function that counts and logs a finished request, and adds its row
 */
export function createRecorder(
  metrics: ProxyMetrics,
  log: Logger,
  requests?: Pick<RequestLog, 'add'>,
): (exchange: Exchange) => void {
  const logRequest = createAccessLog(log);
  return (exchange) => {
    const { startedAt, dispatchedAt, record } = exchange;
    const total = (record.readOnAt ?? systemClock.monotonic()) - startedAt;
    metrics.request(record, {
      total,
      overhead: dispatchedAt === undefined ? undefined : dispatchedAt - startedAt,
      firstByte: record.firstByteAt === undefined ? undefined : record.firstByteAt - startedAt,
    });
    logRequest(exchange, total);
    const row = requests && rowOf(exchange, total, systemClock.now());
    if (row !== undefined) requests?.add(row);
  };
}

async function openTls(
  { tlsCertFile: certFile, tlsKeyFile: keyFile, tlsClientCaFile: caFile }: ProxySettings,
  { log, lifecycle, metrics: { certificates } }: Serving,
): Promise<ListenerTls | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined;
  const source = await watchTlsFiles({ certFile, keyFile, caFile }, { log });
  lifecycle.onClose('certificate of the traffic listener', () => source.close());
  certificates.chain('server', () => source.current.cert);
  certificates.authorities('client_authorities', () => source.current.ca);
  const logRefused = sparing<RefusedConnection>(
    (fields) => log.warn(fields, 'a connection was refused: it did not come to TLS'),
    systemClock,
  );
  return { source, onRefused: (reason, address) => logRefused({ reason, address }) };
}

/**
 * Time for the last reports of usage. Until then a request on an open connection is served, and its connection closed: a
 * caller cannot know that a drain has begun.
 */
const lastReportsMs = 5_000;

interface Drain {
  readonly graceMs: number;
  readonly idleMs: number;
}

/** Waits for open requests, at most for the grace. Requests that are still open then are cut and named in the log. */
async function finished(
  listeners: readonly TrafficServer[],
  { graceMs, idleMs }: Drain,
  { watchdog, log, readOn, shadows, backgroundResponses, stopping }: Serving,
): Promise<void> {
  // No caller waits for responses that are read on, or generated in the background, but their usage has to be charged
  // in time.
  const stop = () => {
    stopping.refuses = true;
    readOn?.stop();
    backgroundResponses?.stop();
  };
  if (graceMs <= lastReportsMs) stop();
  const giveUp = setTimeout(stop, Math.max(0, graceMs - lastReportsMs));
  const timer = setTimeout(() => {
    for (const { id } of watchdog.watched)
      log.warn({ request_id: id }, 'cut: still open at the end of the drain grace');
    for (const listener of listeners) listener.destroy();
  }, graceMs);
  const latestMs = Math.max(0, graceMs - lastReportsMs);
  await Promise.all(listeners.map((listener) => listener.drain(Math.min(idleMs, latestMs), latestMs)));
  clearTimeout(timer);
  await noticed(watchdog, readOn);
  await readOn?.idle();
  await backgroundResponses?.idle();
  await shadows?.idle();
  clearTimeout(giveUp);
}

const noticeMs = 1000;
const noticeStepMs = 10;

/** A connection is closed before its request notices, and only then its response is read on. */
async function noticed({ watched }: Watchdog, readOn: ReadOn | undefined): Promise<void> {
  for (let ms = 0; ms < noticeMs && [...watched].length > (readOn?.open ?? 0); ms += noticeStepMs)
    await sleep(noticeStepMs);
}
