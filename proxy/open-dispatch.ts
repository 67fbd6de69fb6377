// Constructs the dispatch of requests: images on connections of their own, large calls in workers.
import { extname, join } from 'node:path';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import { systemTimers } from '../common/timers.ts';
import { openLookups, openTransport, type Upstream, type UpstreamShares } from './open-upstream.ts';
import { Chains } from './routing/chain.ts';
import { createDispatch, type Dispatch } from './routing/dispatch.ts';
import { Health } from './routing/health.ts';
import { RetryBudget } from './routing/retry-budget.ts';
import type { ProxySettings } from './settings.ts';
import { type ShareUses, useOf } from './shares.ts';
import type { TranslationWorkerName } from './translation-worker.ts';
import { AddressPolicy } from './upstream/addresses.ts';
import { Translation } from './upstream/translation.ts';
import { TranslationWorkers } from './upstream/translation-workers.ts';

export interface DispatchParts extends Pick<Upstream, 'transport'>, UpstreamShares {
  readonly metrics: { readonly shares: ShareUses };
}

export function openDispatch(
  settings: ProxySettings,
  { transport, lookups, loop, metrics }: DispatchParts,
  lifecycle: Lifecycle,
): Dispatch {
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
  return createDispatch({
    transport,
    translation: new Translation({ workers, loop }),
    limits: settings,
    now: () => systemClock.now(),
    chains: new Chains({
      health: new Health({ clock: systemClock }),
      clock: systemClock,
      retryBudget: new RetryBudget({ clock: systemClock }),
      timers: systemTimers,
      random: Math.random,
    }),
    images: {
      transport: imageTransport,
      limits: { ...settings, imageTimeoutMs: settings.imageTimeout },
      loop,
    },
  });
}

/** The file beside this one, with the same extension: scripts/build.ts puts it beside the bundle. */
const workerName: TranslationWorkerName = 'translation-worker';
const workerFile = join(import.meta.dirname, `${workerName}${extname(import.meta.filename)}`);
