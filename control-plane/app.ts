// Assembles the control plane once, from the database outwards. Everything that lives longer than a call is constructed
// here.
import { hostname } from 'node:os';
import { type CatalogWatch, openCatalog } from '../catalog/file.ts';
import { catalogAge, catalogState } from '../catalog/in-force.ts';
import { startAdminServer } from '../common/admin-server.ts';
import { createBackground } from '../common/background.ts';
import { type Clock, systemClock } from '../common/clock.ts';
import { hashCredential } from '../common/credential.ts';
import { createReadTxt, type ReadTxt } from '../common/dns-txt.ts';
import { createGuardedPost, type GuardOptions } from '../common/guarded-request.ts';
import { stoppingIdleMs } from '../common/idle-connections.ts';
import { createLifecycle, type Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { PrivateUpstreams } from '../common/private-upstreams.ts';
import { type TlsSource, watchTlsFiles } from '../common/tls.ts';
import { baseUrlTemplates } from '../common/vendor-settings.ts';
import { version } from '../common/version.ts';
import { createDispatcher } from './api/dispatch.ts';
import type { GrpcRequestDeps } from './api/grpc-requests.ts';
import { assertEveryMethodHasARow } from './api/methods.ts';
import { permissionsOf } from './api/permissions.ts';
import { createAuditLog } from './audit/audit-export.ts';
import { type AuditWatchDeps, type AuditWatchSettings, startAuditWatch } from './audit/watch.ts';
import { createIssuerNetwork } from './auth/outgoing.ts';
import type { OutsideTokens } from './auth/outside-tokens.ts';
import { type Feed, startFeed } from './changes/feed.ts';
import { consoleOnMachine, openConsole } from './console/open.ts';
import { webhookAddresses } from './domain/webhook.ts';
import { createGuardrailWork, type GuardrailWork, type GuardrailWorkDeps } from './guardrails/guardrail-work.ts';
import { startExpiry } from './ledger/expiry.ts';
import { startUsageUpkeep, type UsageUpkeepDeps } from './ledger/usage-upkeep.ts';
import { openListeners } from './open-listeners.ts';
import { type ReconciliationDeps, startReconciliation } from './reconciliation/start.ts';
import { Followers } from './requests/followers.ts';
import { type RequestUpkeepDeps, startRequestUpkeep } from './requests/upkeep.ts';
import { createShares, type OtherRates, type ReportedResource, type Shares } from './rpc/shares.ts';
import { createScim, type ScimDeps } from './scim/endpoint.ts';
import { type AccessService, createAccessService, defaultAccessLimits } from './services/access.ts';
import { createReportCaptures } from './services/capture-report.ts';
import { type CaptureUpkeepDeps, startCaptureUpkeep } from './services/capture-upkeep.ts';
import { createReportDecisions, type ReportDecisionsDeps } from './services/guardrail-decisions.ts';
import { createLedgerService } from './services/ledger.ts';
import type { Replica, ServiceDeps } from './services/method.ts';
import { type RecordKeyUpkeepDeps, startRecordKeyUpkeep } from './services/record-key-upkeep.ts';
import { openRecordSigner, type RecordSigner } from './services/record-signer.ts';
import { createReportRefusedKeys, type ReportRefusedKeysDeps } from './services/refused-keys.ts';
import { createReportRequests } from './services/request-report.ts';
import { type SelectorWatch, type SelectorWatchDeps, startSelectorWatch } from './services/selector-watch.ts';
import type { ControlPlaneSettings } from './settings.ts';
import { databaseKind, openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import { type ControlPlaneMetrics, createMetrics } from './telemetry/metrics.ts';
import { createOrganizationNames } from './telemetry/organization-names.ts';
import { watchReadiness } from './telemetry/readiness.ts';
import { startFoldTask } from './usage/fold-task.ts';
import { createUsageDays, type UsageDays } from './usage/partitions.ts';
import { createKeyTests, type KeyTestsDeps } from './vendors/key-tests.ts';
import { bodyStartBytesMax } from './webhooks/attempt.ts';
import { startWebhooks, type WebhooksDeps } from './webhooks/start.ts';

export interface ControlPlane {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly adminPort: number;
  /**
   * Reports not ready, accepts no more connections, sends watchers elsewhere, lets calls finish within the grace, then
   * closes everything.
   * @param idleMs how long idle connections to the JSON API live, because a request may be under way on each
   */
  close(idleMs?: number): Promise<void>;
}

export interface ControlPlaneOptions {
  readonly log: Logger;
  readonly clock?: Clock;
  /** The network of webhook receivers, and of vendors in tests of keys. */
  readonly webhookNetwork?: Pick<GuardOptions, 'resolve' | 'ca'>;
  readonly rates?: OtherRates;
  /** Default: reads DNS records at the system's servers. */
  readonly readTxt?: ReadTxt;
  /** Whether both planes run in this process on one machine: links sign in at the console. */
  readonly embedded?: boolean;
  /** The built console, if it is elsewhere than beside the program. */
  readonly consoleFolder?: string | undefined;
}

/**
 * @throws Error that says how to fix it: a port in use, a database that cannot be reached, a certificate that cannot be
 * read
 */
export async function startControlPlane(
  settings: ControlPlaneSettings,
  { log, clock = systemClock, webhookNetwork = {}, rates = {}, embedded = false, ...options }: ControlPlaneOptions,
): Promise<ControlPlane> {
  const lifecycle = createLifecycle(log);
  try {
    const { consoleFolder, readTxt = createReadTxt() } = options;
    return await assemble(settings, { log, clock, webhookNetwork, rates, embedded, consoleFolder, readTxt }, lifecycle);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function assemble(
  settings: ControlPlaneSettings,
  { log, clock, webhookNetwork, rates, embedded, consoleFolder, readTxt }: Required<ControlPlaneOptions>,
  lifecycle: Lifecycle,
): Promise<ControlPlane> {
  assertEveryMethodHasARow();
  const tls = await openTls(settings, log, lifecycle);
  const catalog = await openCatalog(settings, log, lifecycle);
  const store = await openDatabase(settings, { log, clock }, lifecycle);
  const feed = await startFeed({ store, log });
  lifecycle.onClose('change feed', () => feed.close());
  const usageDays = openUsageUpkeep({ store, clock, keptMs: settings.usageKept, log }, lifecycle);
  openRecordKeyUpkeep({ store, masterKeys: settings.masterKey, log }, lifecycle);
  openCaptureUpkeep({ store, masterKeys: settings.masterKey, log }, lifecycle);
  const metrics = openMetrics(settings, { feed, clock, catalog, tls });
  const receivers = webhookAddresses({ deny: settings.denyCidrs, allow: settings.webhookAddresses });
  const post = createGuardedPost({ ...webhookNetwork, allows: receivers.allows, bodyStartBytesMax });
  openWebhooks({ store, masterKeys: settings.masterKey, post, clock, log, metrics }, lifecycle);
  openAuditWatch({ ...auditWatchSettings(settings), store, clock, log, metrics }, lifecycle);
  openReconciliation({ store, feed, clock, keptMs: settings.usageKept, log, metrics }, lifecycle);

  const selectors = openSelectorWatch({ store, clock, log, metrics }, lifecycle);
  const signer = openSigner(settings, log, lifecycle);
  const [sealKeys, limits] = [settings.masterKey, defaultAccessLimits];
  const access = createAccessService({ store, feed, sealKeys, signer, clock, log, limits });
  const shares = createShares(clock, rates);
  metrics.watchShares(shares);
  metrics.watchOrganizations(createOrganizationNames(store));
  const followers = new Followers();
  const { issuers, ...trusting } = trustOutside(settings, webhookNetwork, clock);
  const services = serviceDeps(settings, {
    ...{ network: webhookNetwork, readTxt, ...trusting },
    webhookAddresses: receivers,
    webhookPost: post,
    guardrailWork: openGuardrailWork({ shares, clock, log }, lifecycle),
    followers,
    replica: describeReplica(settings, {
      ...{ feed, clock, access, selectors, catalog, signer },
      linkBase: () => (embedded ? consoleOnMachine(settings, listeners.http.port) : undefined),
    }),
  });
  const dispatcher = createDispatcher({ store, services, shares, clock });
  const windowRow = { store, days: usageDays, usageKeptMs: settings.usageKept, clock, log, metrics };
  const ledger = createLedgerService({ ...windowRow, background: createBackground({ log }) });
  openExpiry({ store, log, metrics }, lifecycle);

  const readiness = watchReadiness({ store, clock });
  lifecycle.onClose('readiness', () => readiness.close());
  metrics.watchDatabase(() => readiness.isWritable());
  // Started before the listeners and closed after them, so that it still responds while they drain.
  const admin = await startAdminServer(settings.adminListen, {
    metrics: () => metrics.collect(),
    notReady: () => readiness.notReady(),
  });
  lifecycle.onClose('admin', () => admin.close());

  const reports = reportsOf({ store, clock, log }, shares, lifecycle);
  const outside = { links: embedded, folder: consoleFolder, network: issuers, masterKeys: settings.masterKey };
  const page = openConsole(settings, { store, shares, clock, log, services, ...outside }, lifecycle);
  const scim = openScim(settings, { store, shares, clock });
  const calls = { dispatcher, console: page, scim, clock, log, metrics };
  const listeners = await openListeners(settings, { tls, calls, access, ledger, reports }, lifecycle);
  readiness.started((ready) => listeners.grpc.setServing(ready));
  return {
    grpcPort: listeners.grpc.port,
    httpPort: listeners.http.port,
    adminPort: admin.port,
    close: async (idleMs = stoppingIdleMs) => {
      listeners.closeAfter(idleMs);
      readiness.drain();
      followers.stop();
      await lifecycle.close();
    },
  };
}

/** What proxies report besides usage. Each change is one of its organization, whichever proxy reports it. */
function reportsOf(
  deps: ReportDecisionsDeps & ReportRefusedKeysDeps & Omit<RequestUpkeepDeps, 'days'>,
  shares: Shares,
  lifecycle: Lifecycle,
): Pick<GrpcRequestDeps, 'reportDecisions' | 'reportRefusedKeys' | 'reportRequests' | 'reportCaptures'> {
  const inOrderOf = (key: string) => (organization: string, work: () => Promise<void>) =>
    shares.inOrder('changes', { organization, key }, work);
  const admitted = (resource: ReportedResource) => (organization: string, amount: number) =>
    shares.admit(resource, organization, amount);
  const days = createUsageDays(deps, 'requests');
  const upkeep = startRequestUpkeep({ ...deps, days });
  lifecycle.onClose('request upkeep', () => upkeep.close());
  return {
    reportDecisions: createReportDecisions({ ...deps, inOrder: inOrderOf('guardrails') }),
    reportRefusedKeys: createReportRefusedKeys({ ...deps, inOrder: inOrderOf('provider keys') }),
    reportRequests: createReportRequests({ ...deps, days, admit: admitted('request_rows') }),
    reportCaptures: createReportCaptures({ ...deps, admit: admitted('captures') }),
  };
}

interface OpenedServices
  extends Pick<
    ServiceDeps,
    | 'webhookAddresses'
    | 'webhookPost'
    | 'readTxt'
    | 'guardrailWork'
    | 'replica'
    | 'followers'
    | 'privateIssuers'
    | 'outsideTokens'
  > {
  readonly network: KeyTestsDeps['network'];
}

function serviceDeps(settings: ControlPlaneSettings, { network, ...opened }: OpenedServices): ServiceDeps {
  const privateUpstreams = new PrivateUpstreams(settings.privateUpstreams);
  const { endpointHostSuffixes, denyCidrs } = settings;
  const templates = baseUrlTemplates(settings);
  return {
    ...opened,
    keyTests: createKeyTests({ templates, endpointHostSuffixes, privateUpstreams, denyCidrs, network }),
    masterKeys: settings.masterKey,
    bootstrapHash: settings.bootstrapToken && hashCredential(settings.bootstrapToken.reveal()),
    privateUpstreams,
    usageKeptMs: settings.usageKept,
  };
}

/** Issuers that organizations name, and what verifies their tokens. */
function trustOutside(settings: ControlPlaneSettings, network: KeyTestsDeps['network'], clock: Clock) {
  const privateIssuers = new PrivateUpstreams(settings.privateIssuers);
  const issuers = createIssuerNetwork({ privateIssuers, denyCidrs: settings.denyCidrs, network });
  let opened: Promise<OutsideTokens> | undefined;
  // A control plane without service accounts needs neither the library nor its memory.
  const outsideTokens = () => {
    opened ??= import('./auth/outside-tokens.ts').then(
      ({ OutsideTokens }) => new OutsideTokens({ network: issuers, now: () => clock.now() }),
    );
    return opened;
  };
  return { issuers, privateIssuers, outsideTokens };
}

function openScim(
  { consoleUrl, tlsCertFile }: ControlPlaneSettings,
  deps: Pick<ScimDeps, 'store' | 'shares' | 'clock'>,
) {
  return createScim({ ...deps, publicUrl: consoleUrl, overTls: tlsCertFile !== undefined });
}

function openUsageUpkeep(
  { clock, ...deps }: Omit<UsageUpkeepDeps, 'days'> & { readonly clock: Clock },
  lifecycle: Lifecycle,
): UsageDays {
  const days = createUsageDays({ store: deps.store, clock });
  const upkeep = startUsageUpkeep({ ...deps, days });
  lifecycle.onClose('usage upkeep', () => upkeep.close());
  const folds = startFoldTask(deps);
  lifecycle.onClose('sums of usage', () => folds.close());
  return days;
}

function openExpiry(deps: Parameters<typeof startExpiry>[0], lifecycle: Lifecycle): void {
  const expiry = startExpiry(deps);
  lifecycle.onClose('expiry of sessions', () => expiry.close());
}

function openRecordKeyUpkeep(deps: RecordKeyUpkeepDeps, lifecycle: Lifecycle): void {
  const recordKeys = startRecordKeyUpkeep(deps);
  lifecycle.onClose('record keys', () => recordKeys.close());
}

function openCaptureUpkeep(deps: CaptureUpkeepDeps, lifecycle: Lifecycle): void {
  const captures = startCaptureUpkeep(deps);
  lifecycle.onClose('captures', () => captures.close());
}

function openGuardrailWork(deps: GuardrailWorkDeps, lifecycle: Lifecycle): GuardrailWork {
  const work = createGuardrailWork(deps);
  lifecycle.onClose('guardrail work', () => work.close());
  return work;
}

function openWebhooks(deps: WebhooksDeps, lifecycle: Lifecycle): void {
  const webhooks = startWebhooks(deps);
  lifecycle.onClose('webhooks', () => webhooks.close());
}

interface MeasuredParts {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly catalog: CatalogWatch;
  readonly tls: TlsSource | undefined;
}

function openMetrics(
  settings: ControlPlaneSettings,
  { feed, clock, catalog, tls }: MeasuredParts,
): ControlPlaneMetrics {
  const metrics = createMetrics({
    feedRevision: () => feed.position.revision,
    catalog: { ageSeconds: () => catalogAge(clock.now()), isRejected: () => catalog.isRejected },
    auditVerifyEveryMs: settings.auditVerifyEvery,
  });
  metrics.certificates.chain('server', () => tls?.current.cert);
  metrics.certificates.authorities('client_authorities', () => tls?.current.ca);
  return metrics;
}

function openReconciliation(deps: ReconciliationDeps, lifecycle: Lifecycle): void {
  const reconciliation = startReconciliation(deps);
  lifecycle.onClose('reconciliation', () => reconciliation.close());
}

function openSigner(settings: ControlPlaneSettings, log: Logger, lifecycle: Lifecycle): RecordSigner {
  const signer = openRecordSigner(settings, { log });
  lifecycle.onClose('the key of records', () => signer.close());
  return signer;
}

function auditWatchSettings(settings: ControlPlaneSettings): AuditWatchSettings {
  return {
    everyMs: settings.auditVerifyEvery,
    signingKey: settings.auditSigningKey,
    folder: settings.auditAnchorFolder,
    organizationId: settings.auditAnchorOrganization,
  };
}

function openAuditWatch(deps: AuditWatchDeps, lifecycle: Lifecycle): void {
  const audit = startAuditWatch(deps);
  lifecycle.onClose('the check of the audit log', () => audit.close());
}

function openSelectorWatch(deps: SelectorWatchDeps, lifecycle: Lifecycle): SelectorWatch {
  const selectors = startSelectorWatch(deps);
  lifecycle.onClose('the check of stored selectors', () => selectors.close());
  return selectors;
}

interface ReplicaParts {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly access: AccessService;
  readonly selectors: SelectorWatch;
  readonly catalog: CatalogWatch;
  readonly signer: RecordSigner;
  readonly linkBase: Replica['linkBase'];
}

function describeReplica(
  settings: ControlPlaneSettings,
  { feed, clock, access, selectors, catalog, signer, linkBase }: ReplicaParts,
): Replica {
  return {
    version,
    host: hostname(),
    startedAt: clock.now(),
    feed,
    clock,
    database: databaseKind(settings.databaseUrl.reveal()),
    watchers: () => access.watchers(),
    selectors: () => selectors.last(),
    catalog: () => catalogState(catalog),
    recordKey: () => signer.keyId,
    permissionsOf,
    linkBase,
  };
}

async function openDatabase(
  settings: ControlPlaneSettings,
  { log, clock }: Pick<Required<ControlPlaneOptions>, 'log' | 'clock'>,
  lifecycle: Lifecycle,
): Promise<Store> {
  const store = await openStore({
    url: settings.databaseUrl.reveal(),
    log,
    clock,
    changesKeptMs: settings.changesKept,
    onAuditEvent: settings.auditLog ? createAuditLog(log) : undefined,
  });
  lifecycle.onClose('database', () => store.close());
  return store;
}

async function openTls(
  settings: ControlPlaneSettings,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<TlsSource | undefined> {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, tlsClientCaFile: caFile } = settings;
  if (certFile === undefined || keyFile === undefined) return undefined;
  const tls = await watchTlsFiles({ certFile, keyFile, caFile }, { log });
  lifecycle.onClose('certificates', () => tls.close());
  return tls;
}
