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
import { CapabilityTable, idleRows } from './catalog/capabilities.ts';
import { type ControlPlaneClient, createControlPlaneClient } from './control-plane/client.ts';
import { openControlPlaneTls } from './control-plane/client-tls.ts';
import { targetsEncoder } from './control-plane/wire-targets.ts';
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
import { openBackgroundResponses } from './open-background.ts';
import { openCaptures } from './open-captures.ts';
import { openDispatch } from './open-dispatch.ts';
import { openGuardrails } from './open-guardrails.ts';
import { type Money, openLedger, openMoney } from './open-ledger.ts';
import { openLookupShare } from './open-lookups.ts';
import { openRequestLog } from './open-requests.ts';
import { openResponseCache } from './open-response-cache.ts';
import { openShadows } from './open-shadows.ts';
import { openLoopScheduler, openUpstream, type Upstream, type UpstreamShares } from './open-upstream.ts';
import { PriceTable } from './pricing/price-book.ts';
import { providersByName, wireFormatProviders } from './providers/index.ts';
import { createRedisRecords, recordCommands } from './record-cache/redis-records.ts';
import { createRedisConnection, type RedisConnection } from './redis/connection.ts';
import type { Health } from './routing/health.ts';
import { createRecorder, openAttachedKey, type RunningProxy, serve, timeLimits } from './serve.ts';
import type { ProxySettings } from './settings.ts';
import { shares, useOf } from './shares.ts';
import { createMetrics, type ProxyMetrics } from './telemetry/metrics.ts';
import { CustomProviders } from './upstream/custom-providers.ts';
import { exchangePlain } from './upstream/plain-exchange.ts';

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
  const recordKeys = openKeysOfRecords(settings, log, lifecycle);
  const reported: Reported = { health: undefined };
  const links = { log, redis, metrics, catalog, recordKeys, reported };
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
  reported.health = health;
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
    captures: openCaptures(shared, lifecycle),
    loop,
    attachedKey: openAttachedKey(settings, log, lifecycle),
    isDraining: () => stopping.refuses,
    record: recordingKeys(records, createRecorder(metrics, log, openRequestLog(shared, lifecycle))),
  });
  const notReady = () => records.notReady();
  const following = { readOn, shadows, backgroundResponses };
  return serve(settings, { log, metrics, watchdog, ...following, lifecycle, handler, stopping, notReady });
}

function openKeysOfRecords(
  { recordKeys: keys, recordKeysFile: file, maxStale }: ProxySettings,
  log: Logger,
  lifecycle: Lifecycle,
) {
  const recordKeys = openRecordKeys(
    { keys, file, maxStaleMs: maxStale },
    { log, clock: systemClock, limits: accessLimits },
  );
  lifecycle.onClose('public keys of records', () => recordKeys.close());
  return recordKeys;
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

/** What the control plane's client reports, made after it. */
interface Reported {
  health: Pick<Health, 'report'> | undefined;
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

async function openControlPlane(
  settings: ProxySettings,
  {
    log,
    redis,
    metrics: { certificates },
    catalog,
    recordKeys,
    reported,
  }: Pick<Shared, 'log' | 'redis' | 'metrics' | 'recordKeys'> & {
    readonly catalog: CatalogWatch;
    readonly reported: Reported;
  },
  lifecycle: Lifecycle,
): Promise<ControlPlaneClient> {
  const { controlPlaneCaFile: caFile, controlPlaneCertFile: certFile, controlPlaneKeyFile: keyFile } = settings;
  const tls = settings.controlPlaneTls ? await openControlPlaneTls({ caFile, certFile, keyFile }, log) : undefined;
  lifecycle.onClose('control-plane certificates', () => tls?.close());
  certificates.chain('control_plane', () => tls?.certificate());
  certificates.authorities('control_plane_authorities', () => tls?.authorities());
  const encodeTargets = targetsEncoder(systemClock);
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
      targets: () => reported.health && encodeTargets(reported.health.report),
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
