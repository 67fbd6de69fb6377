// Puts the money of requests together: leases, journal, usage, rates.
import type { Background } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { systemTimers } from '../common/timers.ts';
import type { Budgets } from './budgets/budgets.ts';
import { LeasedBudgets } from './budgets/leased-budgets.ts';
import type { ControlPlaneClient } from './control-plane/client.ts';
import { Adoption } from './journal/adoption.ts';
import { openJournalFolder } from './journal/journal-folder.ts';
import { JournaledBudgets } from './journal/journaled-budgets.ts';
import { Journals } from './journal/journals.ts';
import type { Ledger } from './ledger/ledger.ts';
import { createRequestLedger } from './ledger/request-ledger.ts';
import type { PriceTable } from './pricing/price-book.ts';
import { LocalRates } from './rates/local-rates.ts';
import type { Rates } from './rates/rates.ts';
import { RedisRates } from './rates/redis-rates.ts';
import { rateScripts } from './rates/scripts.ts';
import { createSharedRates } from './rates/shared-rates.ts';
import { ValueRates } from './rates/value-rates.ts';
import { type RedisConnection, redisDeadlineMs } from './redis/connection.ts';
import type { ProxySettings } from './settings.ts';
import type { ProxyMetrics } from './telemetry/metrics.ts';
import { createUsageLog, type LiveUsageLog, usageMemoryBytesMax } from './usage/live-usage-log.ts';
import { Ordinals } from './usage/ordinals.ts';
import { overflowShardBytesMax, RedisOverflow } from './usage/redis-overflow.ts';

/** What the ledger is built on. */
export interface MoneyParts {
  readonly log: Logger;
  readonly metrics: ProxyMetrics;
  readonly background: Background;
  readonly redis: RedisConnection | undefined;
  readonly controlPlane: Pick<ControlPlaneClient, 'ledger'>;
}

/** The parts that use the ledger of the control plane. */
export interface Money {
  readonly leases: LeasedBudgets;
  /** The budgets in which requests reserve money. */
  readonly budgets: Budgets;
  readonly usageLog: LiveUsageLog;
}

/** Opens leases and the usage log, with a journal if a folder is set. */
export async function openMoney(
  settings: ProxySettings,
  { log, metrics, background, redis: connection, controlPlane }: MoneyParts,
  lifecycle: Lifecycle,
): Promise<Money> {
  const clock = systemClock;
  const deps = {
    client: controlPlane.ledger,
    clock,
    timers: systemTimers,
    random: Math.random,
    log,
    background,
  };
  const ordinals = new Ordinals();
  const folder = settings.journalDir && (await openJournalFolder(settings.journalDir));
  const journals =
    folder &&
    new Journals({
      folder,
      log,
      metrics: metrics.journals,
      atEndOfTick: setImmediate,
      timers: systemTimers,
      nextOrdinal: (session) => ordinals.next(session),
      onRenew: (session) => leases.renewSession(session),
    });
  const { cacheKey: sealKeys } = settings;
  const overflow =
    connection && sealKeys && new RedisOverflow({ connection, sealKeys, clock, shardBytesMax: overflowShardBytesMax });
  const usageLog = createUsageLog({
    ...deps,
    overflow,
    ordinals,
    journals: journals || undefined,
    memoryBytesMax: usageMemoryBytesMax,
    metrics: metrics.usage,
  });
  const leases = new LeasedBudgets({
    ...deps,
    metrics: metrics.slices,
    usage: usageLog,
    onSession: (session, state) => {
      if (!journals) return;
      if (state === 'open') journals.begin(session);
      else journals.end(session);
    },
  });
  const adoption =
    folder &&
    new Adoption({
      ...deps,
      folder,
      metrics: metrics.journals,
      onRecorded: usageLog.keep,
      onClosed: (session) => leases.adopted(session),
    });
  lifecycle.onClose('ledger', async () => {
    const until = clock.monotonic() + ledgerCloseMs;
    if (adoption) adoption.close();
    await Promise.all([leases.close(until), usageLog.close(until)]);
    await leases.endSession(until);
    if (journals) journals.close();
    if (folder) await folder.close();
  });
  return { leases, budgets: journals ? new JournaledBudgets(leases, journals) : leases, usageLog };
}

/** Time for the last reports and releases. Unacknowledged usage then goes to Redis, or becomes unconfirmed. */
const ledgerCloseMs = 5_000;

/** Opens the ledger of requests: budgets, rates and usage. */
export function openLedger(
  settings: ProxySettings,
  shared: MoneyParts,
  { budgets, leases, usageLog, prices }: Money & { readonly prices: PriceTable },
  lifecycle: Lifecycle,
): Ledger {
  const { limits: metrics, budgets: budgetMetrics } = shared.metrics;
  const { outputTokensDefault } = settings;
  return createRequestLedger({
    budgets,
    usageLog,
    outputTokensDefault,
    metrics,
    budgetMetrics,
    rates: openRates(shared, () => leases.sessions, lifecycle),
    prices,
  });
}

function openRates(
  { metrics: { limits: metrics }, background, redis: connection }: MoneyParts,
  proxies: () => number,
  lifecycle: Lifecycle,
): Rates {
  const clock = systemClock;
  const onTake = () => metrics.countedLocally();
  if (connection === undefined) return new ValueRates(new LocalRates({ clock, onTake }), clock);
  const local = new LocalRates({ clock, onTake, proxies });
  const redis = new RedisRates({
    alone: local,
    onLeased: () => metrics.decidedByLeases(),
    connection,
    background,
    clock,
    timers: systemTimers,
    scripts: rateScripts,
    deadlineMs: redisDeadlineMs,
  });
  lifecycle.onClose('leases', () => redis.close());
  return new ValueRates(createSharedRates({ redis, local }), clock);
}
