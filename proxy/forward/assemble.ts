// Assembles the proxy in forward mode, as a sidecar: one virtual key, one client certificate, one egress gateway.
import type { CertificateEnds } from '../../common/certificate-ends.ts';
import { systemClock } from '../../common/clock.ts';
import type { Lifecycle } from '../../common/lifecycle.ts';
import type { Logger } from '../../common/logger.ts';
import { type ClientTlsSource, watchClientTlsFiles } from '../../common/tls.ts';
import { Admission } from '../http/admission.ts';
import { createWatchdog, type TimeLimits } from '../http/watchdog.ts';
import { openLookupShare, openLookups } from '../open-lookups.ts';
import { createRecorder, openAttachedKey, type RunningProxy, serve, timeLimits } from '../serve.ts';
import type { ProxySettings } from '../settings.ts';
import type { ShareUses } from '../shares.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { AddressPolicy } from '../upstream/addresses.ts';
import { createTransport, type Transport } from '../upstream/transport.ts';
import { createForwardHandler } from './handler.ts';

interface TransportOptions extends ForwardOptions {
  readonly uses: ShareUses;
  readonly certificates: CertificateEnds;
}

export interface ForwardOptions {
  /** Scheme, host and port. */
  readonly egress: string;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
}

/** @throws ListenError; Error that names a file that cannot be used */
export async function assembleForward(
  settings: ProxySettings,
  { egress, log, lifecycle }: ForwardOptions,
): Promise<RunningProxy> {
  const metrics = createMetrics();
  const { inFlightMax, bufferedBytesMax } = settings;
  const admission = new Admission({
    inFlightMax,
    bufferedBytesMax,
    organizationShare: 1,
    keyAlpha: Number.POSITIVE_INFINITY,
  });
  metrics.observeAdmission(admission);
  const watchdog = createWatchdog(later(timeLimits(settings)), systemClock);
  lifecycle.onClose('watchdog', () => watchdog.close());
  const stopping = { now: false, refuses: false };
  const handler = createForwardHandler({
    egress,
    admission,
    watchdog,
    transport: await openTransport(settings, {
      egress,
      log,
      lifecycle,
      uses: metrics.shares,
      certificates: metrics.certificates,
    }),
    connectTimeoutMs: settings.connectTimeout,
    attachedKey: openAttachedKey(settings, log, lifecycle),
    isDraining: () => stopping.refuses,
    record: createRecorder(metrics, log),
  });
  // The sidecar is ready even if the egress gateway is away: the application decides whether its own pod is ready.
  const notReady = () => undefined;
  return serve(settings, { log, metrics, watchdog, lifecycle, handler, stopping, notReady });
}

const laterMs = 10_000;

/**
 * Adds time to the limits that the egress gateway has too, so that it times out first and can report what it waited
 * for. Limits on reading by the caller stay unchanged, because only this proxy sees them.
 */
function later(limits: TimeLimits): TimeLimits {
  const { firstByteMs, idleMs, totalMs } = limits;
  return {
    ...limits,
    firstByteMs: firstByteMs + laterMs,
    idleMs: idleMs + laterMs,
    totalMs: totalMs + laterMs,
  };
}

/**
 * Less than 75 s, after which the egress gateway closes an idle connection, so that no request meets a closing
 * connection.
 */
const keepAliveMs = 30_000;
/** New replicas of the egress gateway get their share of connections within minutes. */
const connectionAgeMs = 300_000;

async function openTransport(settings: ProxySettings, options: TransportOptions): Promise<Transport> {
  const { egress, lifecycle, uses } = options;
  const { protocol, hostname, port } = new URL(egress);
  const isSecure = protocol === 'https:';
  const tls = isSecure ? await openTls(settings, options) : undefined;
  // The operator configured this address, so it may be private, as that of a Service is.
  const hostAndPort = `${hostname}:${port || (isSecure ? '443' : '80')}`;
  const transport = createTransport({
    addresses: new AddressPolicy({
      privateUpstreams: [{ hostAndPort, organization: undefined }],
      denyCidrs: [],
    }),
    resolve: openLookups(settings, openLookupShare(uses), new Set([hostname])).resolve,
    connectTimeoutMs: settings.connectTimeout,
    keepAliveMs,
    connectionAgeMs,
    originsMax: 1,
    tls,
  });
  lifecycle.onClose('connections to the egress gateway', () => transport.close());
  return transport;
}

async function openTls(
  { forwardCertFile: certFile, forwardKeyFile: keyFile, forwardCa: ca, forwardCaFile: caFile }: ProxySettings,
  { log, lifecycle, certificates }: TransportOptions,
): Promise<ClientTlsSource> {
  const files = { certFile, keyFile, caFile, ca: caFile === undefined ? ca : undefined };
  const source = await watchClientTlsFiles(files, { log });
  lifecycle.onClose('certificate for the egress gateway', () => source.close());
  certificates.chain('egress', () => source.current.cert);
  certificates.authorities('egress_authorities', () => source.current.ca);
  return source;
}
