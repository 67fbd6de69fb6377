// Composition root of the injector: the only code that constructs objects that live longer than a review.
import { startAdminServer } from '../common/admin-server.ts';
import { systemClock } from '../common/clock.ts';
import { createLifecycle, type Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { watchTlsFiles } from '../common/tls.ts';
import { watchEgressCa } from './egress-ca.ts';
import { type HandedImage, watchHanded } from './handed.ts';
import { startReviewServer } from './server.ts';
import type { InjectorSettings } from './settings.ts';
import { createMetrics } from './telemetry/metrics.ts';

export interface Injector {
  readonly port: number;
  readonly adminPort: number;
  /** The injector stops being ready and refuses new connections; reviews in progress finish, then everything closes. */
  close(): Promise<void>;
}

export interface InjectorOptions {
  readonly log: Logger;
}

/** A review takes milliseconds, and the API server waits at most five seconds. */
export const drainGraceMs = 5000;

/** @throws Error that names the cause and the remedy, such as a port in use or an unreadable certificate */
export async function startInjector(settings: InjectorSettings, { log }: InjectorOptions): Promise<Injector> {
  const lifecycle = createLifecycle(log);
  try {
    return await assemble(settings, log, lifecycle);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function assemble(settings: InjectorSettings, log: Logger, lifecycle: Lifecycle): Promise<Injector> {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, egressCaFile: caFile } = settings;
  const tls = await watchTlsFiles({ certFile, keyFile }, { log });
  lifecycle.onClose('certificate', () => tls.close());
  const egressCa = caFile === undefined ? undefined : await watchEgressCa(caFile, { log });
  lifecycle.onClose('authorities of the egress gateway', () => egressCa?.close());
  const handed = settings.handedDir === undefined ? undefined : await watchHanded(settings.handedDir, { log });
  lifecycle.onClose('what the keeper hands over', () => handed?.close());
  const imageNow = (): HandedImage =>
    settings.image === undefined && handed !== undefined
      ? handed.image
      : { image: settings.image, imageProblem: undefined };
  const metrics = createMetrics();
  metrics.certificates.chain('server', () => tls.current.cert);
  metrics.certificates.authorities('egress_authorities', () => egressCa?.current);
  let phase: 'starting' | 'serving' | 'draining' = 'starting';
  // Started before the review server, so that it still responds while that server drains.
  const admin = await startAdminServer(settings.adminListen, {
    metrics: () => metrics.collect(),
    notReady: () => (phase === 'serving' ? imageNow().imageProblem : `it is ${phase}`),
  });
  lifecycle.onClose('admin', () => admin.close());
  const { egressUrl, controlPlane, modes, ...resources } = settings;
  const server = await startReviewServer(
    { address: settings.listen, tls },
    {
      settings: () => ({
        egressUrl,
        controlPlane,
        modes,
        resources,
        egressCa: egressCa?.current,
        ...imageNow(),
        namespaces: handed?.namespaces,
      }),
      metrics,
      log,
      clock: systemClock,
    },
  );
  lifecycle.onClose('reviews', () => server.close(drainGraceMs));
  phase = 'serving';
  return {
    port: server.port,
    adminPort: admin.port,
    close: async () => {
      phase = 'draining';
      await lifecycle.close();
    },
  };
}
