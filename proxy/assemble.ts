// Puts the full proxy together, once, from the outside in: records, ledger, guardrails, providers.
import { hostname } from 'node:os';
import { type CatalogWatch, openCatalog } from '../catalog/file.ts';
import { catalogAge, catalogState } from '../catalog/in-force.ts';
import { type Background, createBackground } from '../common/background.ts';
import { systemClock } from '../common/clock.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { RateShare } from '../common/shares.ts';
import { systemTimers } from '../common/timers.ts';
import { version } from '../common/version.ts';
import { sentKey } from './access/credentials.ts';
import { accessLimits } from './access/limits.ts';
import { openRecordKeys, type RecordKeys } from './access/record-keys.ts';
import { createRecordSource, type LiveRecordSource, type RecordCache } from './access/record-source.ts';
import { stoppedNow } from './access/stops.ts';
import type { Budgets } from './budgets/budgets.ts';
import { LeasedBudgets } from './budgets/leased-budgets.ts';
import { CapabilityTable, idleRows } from './catalog/capabilities.ts';
import { type ControlPlaneClient, createControlPlaneClient, openControlPlaneTls } from './control-plane/client.ts';
import type { ServiceNetwork } from './guardrails/inspection/live-guardrails.ts';
import { Admission } from './http/admission.ts';
import type { BodyLimits } from './http/body.ts';
import { countMsMax } from './http/counts.ts';
import type { Exchange } from './http/exchange.ts';
import { createAskModel } from './http/guardrail-questions.ts';
import { createHandler } from './http/handler.ts';
import { ReadOn } from './http/read-on.ts';
import type { FetchStored } from './http/stored-request.ts';
import { createWatchdog } from './http/watchdog.ts';
import { Adoption } from './journal/adoption.ts';
import { openJournalFolder } from './journal/journal-folder.ts';
import { JournaledBudgets } from './journal/journaled-budgets.ts';
import { Journals } from './journal/journals.ts';
import type { Ledger } from './ledger/ledger.ts';
import { createRequestLedger } from './ledger/request-ledger.ts';
import { openBackgroundResponses } from './open-background.ts';
import { openDispatch } from './open-dispatch.ts';
import { openGuardrails } from './open-guardrails.ts';
import { openRequestLog } from './open-requests.ts';
import { openResponseCache } from './open-response-cache.ts';
import { openShadows } from './open-shadows.ts';
import {
  openLookupShare,
  openLoopScheduler,
  openUpstream,
  type Upstream,
  type UpstreamShares,
} from './open-upstream.ts';
import { PriceTable } from './pricing/price-book.ts';
import { providersByName, wireFormatProviders } from './providers/index.ts';
import { LocalRates } from './rates/local-rates.ts';
import type { Rates } from './rates/rates.ts';
import { RedisRates } from './rates/redis-rates.ts';
import { rateScripts } from './rates/scripts.ts';
import { createSharedRates } from './rates/shared-rates.ts';
import { createRedisRecords, recordCommands } from './record-cache/redis-records.ts';
import { createRedisConnection, type RedisConnection, redisDeadlineMs } from './redis/connection.ts';
import { createRecorder, openAttachedKey, type RunningProxy, serve, timeLimits } from './serve.ts';
import type { ProxySettings } from './settings.ts';
import { shares, useOf } from './shares.ts';
import { createMetrics, type ProxyMetrics } from './telemetry/metrics.ts';
import { CustomProviders } from './upstream/custom-providers.ts';
import { exchangePlain } from './upstream/plain-exchange.ts';
import { createUsageLog, type LiveUsageLog, usageMemoryBytesMax } from './usage/live-usage-log.ts';
import { Ordinals } from './usage/ordinals.ts';
import { overflowShardBytesMax, RedisOverflow } from './usage/redis-overflow.ts';

export interface ProxyOptions {
  readonly log: Logger;
  /** The network of guardrail services. */
  readonly serviceNetwork?: ServiceNetwork;
}

/** @throws Error that explains the remedy: a port in use, settings that contradict each other */
export async function assemble(
  settings: ProxySettings,
  options: ProxyOptions,
  lifecycle: Lifecycle,
): Promise<RunningProxy> {
  const { log } = options;
  const clock = systemClock;
  const metrics = createMetrics();
  const background = createBackground({ log, onFailure: (task) => metrics.backgroundFailure(task) });
  const redis = openRedis(settings, log, lifecycle);
  const catalog = await openCatalog(settings, log, lifecycle);
  const { recordKeys: keys, recordKeysFile: file } = settings;
  const recordKeys = openRecordKeys(
    { keys, file, maxStaleMs: settings.maxStale },
    { log, clock, limits: accessLimits },
  );
  lifecycle.onClose('public keys of records', () => recordKeys.close());
  const links = { log, redis, metrics, catalog, recordKeys };
  const controlPlane = await openControlPlane(settings, links, lifecycle);
  const lookups = openLookupShare(metrics.shares);
  const loop = openLoopScheduler(metrics.shares);
  const shared = { ...options, metrics, background, redis, controlPlane, recordKeys, lookups, loop };
  const money = await openMoney(settings, shared, lifecycle);
  const records = openRecords(settings, shared, money, lifecycle);
  const { admission, readOn } = openAdmission(settings, metrics);
  const watchdog = createWatchdog(timeLimits(settings), clock);
  lifecycle.onClose('watchdog', () => watchdog.close());
  const upstream = openUpstream(settings, shared, lifecycle);
  const fetchStored: FetchStored = (request, context) => exchangePlain(request, context, { ...upstream, ...settings });
  const backgroundResponses = openBackgroundResponses(settings, { ...shared, admission, fetchStored });
  const isStopped = stoppedNow(records, () => clock.now());
  const { dispatch, health, loads } = openDispatch(settings, { ...upstream, ...shared, isStopped }, lifecycle);
  metrics.observe({
    ...{ admission, health, loads, redis, readOn, backgroundResponses },
    ...{ feedAgeMs: () => records.feed().ageMs, stops: () => records.stops() },
    budgets: () => money.leases.totals(),
    usage: money.usageLog.gauges,
    catalog: { ageSeconds: () => catalogAge(clock.now()), isRejected: () => catalog.isRejected },
  });

  const stopping = { now: false, refuses: false };
  const prices = new PriceTable();
  const models = { ...openModels(settings, log, upstream), loads, prices, now: () => clock.now() };
  const ledger = openLedger(settings, shared, { ...money, prices }, lifecycle);
  const shadows = openShadows(settings, { ...shared, ...models, admission, ledger, dispatch });
  const askModel = createAskModel({ ...models, ledger, dispatch, monotonic: () => clock.monotonic() });
  const handler = createHandler({
    ...models,
    records,
    ledger,
    dispatch,
    fetchStored,
    countMs: Math.min(countMsMax, settings.firstByteTimeout),
    servedFormats: settings.clientFormats,
    admission,
    watchdog,
    bodyLimits: openBodyLimits(settings, admission, log),
    guardrails: openGuardrails(settings, shared, { ...upstream, askModel, isStopped }, lifecycle),
    responseCache: openResponseCache(settings, shared),
    ...{ readOn, shadows, backgroundResponses },
    loop,
    attachedKey: openAttachedKey(settings, log, lifecycle),
    isDraining: () => stopping.refuses,
    record: recordingKeys(records, createRecorder(metrics, log, openRequestLog(shared, lifecycle))),
  });
  const notReady = () => records.notReady();
  const following = { readOn, shadows, backgroundResponses };
  return serve(settings, { log, metrics, watchdog, ...following, lifecycle, handler, stopping, notReady });
}

/** What requests may call. */
function openModels(settings: ProxySettings, log: Logger, { targets }: Pick<Upstream, 'targets'>) {
  const idle = idleRows(settings.capabilities);
  if (idle.length > 0) log.warn({ models: idle }, 'rows of GATEWAY_TRAITS_FILE are for no provider');
  const capabilities = new CapabilityTable(settings.capabilities);
  const customProviders = new CustomProviders(wireFormatProviders, capabilities);
  return { providers: providersByName, targets, capabilities, customProviders };
}

/** Limits on requests and bytes in flight, and on responses that are read on afterwards. */
function openAdmission(settings: ProxySettings, { shares, readOn: results }: ProxyMetrics) {
  const { inFlightMax, bufferedBytesMax, readOnMax: max } = settings;
  const organizationShare = settings.organizationShare / 100;
  const admission = new Admission({ inFlightMax, bufferedBytesMax, organizationShare });
  const readOn = new ReadOn({ max, organizationShare }, results);
  shares.watch('requests', () => useOf(admission.requests));
  shares.watch('buffered_bytes', () => useOf(admission.bytes));
  shares.watch('read_on', () => useOf(readOn.responses));
  return { admission, readOn };
}

/** A request that was refused before authentication is recorded with the key that it sent. */
function recordingKeys(records: LiveRecordSource, record: (exchange: Exchange) => void): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.record.keyId === undefined && exchange.record.status >= 400)
      Object.assign(
        exchange.record,
        sentKey(exchange.headers, (keyHash) => records.reclaim(keyHash)),
      );
    record(exchange);
  };
}

/** A body that could never get enough room is refused for its size, not for a lack of room. */
function openBodyLimits(settings: ProxySettings, { bytes }: Admission, log: Logger): BodyLimits {
  const bodyBytesMax = Math.min(settings.bodyBytesMax, bytes.largest);
  if (bodyBytesMax < settings.bodyBytesMax)
    log.info(
      { body_bytes_max: bodyBytesMax },
      'GATEWAY_BODY_BYTES_MAX is above what one key may have of GATEWAY_BUFFERED_BYTES_MAX, which bounds bodies now',
    );
  return { ...settings, bodyBytesMax };
}

interface Shared extends ProxyOptions, UpstreamShares {
  readonly metrics: ProxyMetrics;
  readonly background: Background;
  readonly redis: RedisConnection | undefined;
  readonly controlPlane: ControlPlaneClient;
  readonly recordKeys: RecordKeys;
}

function openRedis(
  { redis: target, redisPrefix: prefix }: ProxySettings,
  log: Logger,
  lifecycle: Lifecycle,
): RedisConnection | undefined {
  if (target === undefined) return undefined;
  const connection = createRedisConnection({ target, prefix, log });
  lifecycle.onClose('Redis', () => connection.close());
  return connection;
}

/** The parts that use the ledger of the control plane. */
interface Money {
  readonly leases: LeasedBudgets;
  /** The budgets in which requests reserve money. */
  readonly budgets: Budgets;
  readonly usageLog: LiveUsageLog;
}

async function openMoney(
  settings: ProxySettings,
  { log, metrics, background, redis: connection, controlPlane }: Shared,
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

function openLedger(
  settings: ProxySettings,
  shared: Shared,
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
  { metrics: { limits: metrics }, background, redis: connection }: Shared,
  proxies: () => number,
  lifecycle: Lifecycle,
): Rates {
  const clock = systemClock;
  const onTake = () => metrics.countedLocally();
  if (connection === undefined) return new LocalRates({ clock, onTake });
  const local = new LocalRates({ clock, onTake, proxies });
  const redis = new RedisRates({
    alone: local,
    connection,
    background,
    clock,
    timers: systemTimers,
    scripts: rateScripts,
    deadlineMs: redisDeadlineMs,
  });
  lifecycle.onClose('leases', () => redis.close());
  return createSharedRates({ redis, local });
}

async function openControlPlane(
  settings: ProxySettings,
  {
    log,
    redis,
    metrics: { certificates },
    catalog,
    recordKeys,
  }: Pick<Shared, 'log' | 'redis' | 'metrics' | 'recordKeys'> & { readonly catalog: CatalogWatch },
  lifecycle: Lifecycle,
): Promise<ControlPlaneClient> {
  const { controlPlaneCaFile: caFile, controlPlaneCertFile: certFile, controlPlaneKeyFile: keyFile } = settings;
  const tls = settings.controlPlaneTls ? await openControlPlaneTls({ caFile, certFile, keyFile }, log) : undefined;
  lifecycle.onClose('control-plane certificates', () => tls?.close());
  certificates.chain('control_plane', () => tls?.certificate());
  certificates.authorities('control_plane_authorities', () => tls?.authorities());
  const controlPlane = createControlPlaneClient({
    addresses: settings.controlPlane,
    name: settings.controlPlaneName,
    token: settings.proxyToken,
    credentials: tls?.credentials,
    onRenewal: tls?.onRenewal,
    allowPlaintext: settings.controlPlanePlaintext,
    recordKeys,
    self: {
      version,
      host: hostname(),
      redis: () => (redis === undefined ? 'none' : redis.state()),
      catalog: () => catalogState(catalog),
      recordKeys: () => recordKeys.state(),
    },
  });
  lifecycle.onClose('control-plane client', () => controlPlane.close());
  return controlPlane;
}

function openRecords(settings: ProxySettings, deps: Shared, { leases }: Money, lifecycle: Lifecycle): LiveRecordSource {
  const unknownCredentials = new RateShare(shares.unknown_credentials.bounds);
  deps.metrics.shares.watch('unknown_credentials', () => ({
    used: unknownCredentials.used(systemClock.monotonic()),
    refused: unknownCredentials.refused,
  }));
  const records = createRecordSource({
    unknownCredentials,
    cache: openCache(settings, deps),
    maxStaleMs: settings.maxStale,
    limits: accessLimits,
    onReclaim: ({ budgetId, window }) => leases.reclaim(budgetId, window),
    onEpochChange: (change, epoch) => leases.epochChanged(change, epoch),
    clock: systemClock,
    timers: systemTimers,
    random: Math.random,
    ...deps,
    metrics: deps.metrics.access,
  });
  lifecycle.onClose('records', () => records.close());
  return records;
}

function openCache(settings: ProxySettings, deps: Shared): RecordCache | undefined {
  const { cacheKey: sealKeys, maxStale: maxStaleMs } = settings;
  if (deps.redis === undefined || sealKeys === undefined) return undefined;
  return createRedisRecords({
    commands: recordCommands(deps.redis),
    sealKeys,
    recordKeys: deps.recordKeys,
    maxStaleMs,
    limits: accessLimits,
    clock: systemClock,
    background: deps.background,
    metrics: deps.metrics.access,
  });
}
