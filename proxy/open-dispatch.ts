// Constructs the dispatch of requests: images on connections of their own, large calls in workers.
import { extname, join } from 'node:path';
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { systemTimers } from '../common/timers.ts';
import type { ControlPlaneClient } from './control-plane/client.ts';
import { openLookups } from './open-lookups.ts';
import { openTransport, type Upstream, type UpstreamShares } from './open-upstream.ts';
import type { RedisConnection } from './redis/connection.ts';
import { Chains } from './routing/chain.ts';
import { createDispatch, type Dispatch, type DispatchDeps } from './routing/dispatch.ts';
import {
  Health,
  type HealthEvents,
  type HostEjected,
  type HostEvent,
  type KeyEvent,
  type KeyOut,
  type TargetIdentity,
} from './routing/health.ts';
import { HedgeShare } from './routing/hedge-share.ts';
import { hintCommands } from './routing/redis-hints.ts';
import { RefusedKeyReports } from './routing/refused-key-reports.ts';
import { RetryBudget } from './routing/retry-budget.ts';
import { SharedHints } from './routing/shared-hints.ts';
import { TargetLoads } from './routing/target-loads.ts';
import type { ProxySettings } from './settings.ts';
import { type ShareUses, useOf } from './shares.ts';
import type { RoutingMetrics } from './telemetry/routing-metrics.ts';
import type { TranslationWorkerName } from './translation-worker.ts';
import { AddressPolicy } from './upstream/addresses.ts';
import { Translation } from './upstream/translation.ts';
import { TranslationWorkers } from './upstream/translation-workers.ts';

export interface DispatchParts extends Pick<Upstream, 'transport'>, UpstreamShares {
  readonly metrics: { readonly shares: ShareUses; readonly routing: RoutingMetrics };
  readonly log: Logger;
  readonly background: Background;
  readonly controlPlane: Pick<ControlPlaneClient, 'refusedKeys' | 'platformIdentity'>;
  readonly redis: RedisConnection | undefined;
  readonly isStopped?: DispatchDeps['isStopped'];
}

export function openDispatch(
  settings: ProxySettings,
  parts: DispatchParts,
  lifecycle: Lifecycle,
): { readonly dispatch: Dispatch; readonly health: Health; readonly loads: TargetLoads } {
  const { transport, lookups, loop, metrics } = parts;
  // A private host may be a base URL in the cluster, but a caller must not name it.
  const { denyCidrs } = settings;
  const imageTransport = openTransport(settings, {
    addresses: new AddressPolicy({ denyCidrs, privateUpstreams: [] }),
    resolve: openLookups(settings, lookups).resolve,
    loop,
  });
  lifecycle.onClose('connections to images', () => imageTransport.close());
  const workers = new TranslationWorkers({ file: workerFile });
  lifecycle.onClose('translation', () => workers.close());
  metrics.shares.watch('translation_queue', () => useOf(workers.waiting));
  metrics.shares.watch('translation_workers', () => useOf(workers.working));
  const loads = new TargetLoads({ clock: systemClock });
  const isFull = (identity: TargetIdentity) => loads.isFull(identity);
  const { health, hints } = openHealth(settings, { ...parts, isFull }, lifecycle);
  const dispatch = createDispatch({
    transport,
    hints,
    isStopped: parts.isStopped,
    translation: new Translation({ workers, loop }),
    limits: settings,
    now: () => systemClock.now(),
    chains: new Chains({
      health,
      loads,
      metrics: metrics.routing,
      clock: systemClock,
      retryBudget: new RetryBudget({ clock: systemClock }),
      hedgeShare: new HedgeShare(),
      timers: systemTimers,
      random: Math.random,
    }),
    images: {
      transport: imageTransport,
      limits: { ...settings, imageTimeoutMs: settings.imageTimeout },
      loop,
    },
  });
  return { dispatch, health, loads };
}

interface HealthParts extends DispatchParts {
  isFull(identity: TargetIdentity): boolean;
}

function openHealth(
  { cacheKey: cacheKeys }: ProxySettings,
  { metrics: { routing }, log, background, controlPlane, redis, isFull }: HealthParts,
  lifecycle: Lifecycle,
): { readonly health: Health; readonly hints: SharedHints | undefined } {
  const shared = { clock: systemClock, timers: systemTimers, background, metrics: routing };
  const refusedKeys = new RefusedKeyReports({ ...shared, random: Math.random, client: controlPlane.refusedKeys });
  lifecycle.onClose('refused provider keys', () => refusedKeys.close());
  const { platformIdentity } = controlPlane;
  const hints = redis && new SharedHints({ ...shared, commands: hintCommands(redis), cacheKeys, platformIdentity });
  lifecycle.onClose('hints', () => hints?.close());
  const health = new Health({ clock: systemClock, hints, isFull, ...healthEvents(routing, { log, refusedKeys }) });
  return { health, hints };
}

/** What an operator has to mend, or wants to know of in an outage, is logged when it begins and when it ends. */
interface Notified {
  readonly log: Logger;
  readonly refusedKeys: RefusedKeyReports;
}

function healthEvents({ health }: RoutingMetrics, { log, refusedKeys }: Notified): HealthEvents {
  return {
    onEjected: (event) => {
      health.onEjected?.(event);
      log.warn(hostFields(event), 'a model at a host gets no requests for a while');
    },
    onReadmitted: (event) => log.info(hostFields(event), 'a model at a host gets requests again'),
    onKeyOut: (event) => {
      health.onKeyOut?.(event);
      refusedKeys.add(event);
      log.error(keyFields(event), 'the provider refuses a stored key: its requests go to other keys');
    },
    onKeyReadmitted: (event) => log.info(keyFields(event), 'the provider accepts a stored key again'),
  };
}

function hostFields({ origin, model, organization, ...rest }: HostEvent & Partial<HostEjected>) {
  const { cause, forMs } = rest;
  return { host: origin, model, organization_id: organization, cause, for_ms: forMs && Math.round(forMs) };
}

function keyFields({ organization, providerKeyId, model, ...rest }: KeyEvent & Partial<KeyOut>) {
  return { organization_id: organization, provider_key_id: providerKeyId, model, cause: rest.cause };
}

/** The file beside this one, with the same extension: scripts/build.ts puts it beside the bundle. */
const workerName: TranslationWorkerName = 'translation-worker';
const workerFile = join(import.meta.dirname, `${workerName}${extname(import.meta.filename)}`);
