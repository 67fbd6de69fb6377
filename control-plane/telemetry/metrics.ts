// The control plane's metrics (the only prom-client of this program). Label values come from fixed tables.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type CertificateEnds, certificateGauge, createCertificateEnds } from '../../common/certificate-ends.ts';
import { lossCounters, shareRefusedCounter, shareUsedGauge } from '../../common/shared-metrics.ts';
import { version } from '../../common/version.ts';
import { storedProblems } from '../../proto/words/access.ts';
import type { AuditWatchMetrics } from '../audit/watch.ts';
import type { LedgerMetrics } from '../ledger/metrics.ts';
import { openStates } from '../reconciliation/standing.ts';
import { compareOutcomes, type ReconciliationMetrics } from '../reconciliation/start.ts';
import type { CallMetrics } from '../rpc/respond.ts';
import type { Shares } from '../rpc/shares.ts';
import type { SelectorMetrics } from '../services/selector-watch.ts';
import type { WebhookMetrics } from '../webhooks/deliver.ts';
import { tryOutcomes } from '../webhooks/deliveries.ts';
import type { OrganizationNames } from './organization-names.ts';

export interface ControlPlaneMetrics
  extends AuditWatchMetrics,
    CallMetrics,
    LedgerMetrics,
    ReconciliationMetrics,
    SelectorMetrics,
    WebhookMetrics {
  /** The program registers every certificate that it opens here. */
  readonly certificates: CertificateEnds;
  /** Calls isWritable at each scrape. */
  watchDatabase(isWritable: () => boolean): void;
  /** Reads the names of organizations at each scrape. */
  watchOrganizations(names: () => Promise<OrganizationNames>): void;
  /** Reads the shares at each scrape. */
  watchShares(shares: Pick<Shares, 'states'>): void;
  /** The Prometheus text. */
  collect(): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface MetricsDeps {
  /** The newest revision that this replica knows. */
  feedRevision(): number;
  readonly catalog: CatalogGauges;
  readonly auditVerifyEveryMs: number;
}

export interface CatalogGauges {
  ageSeconds(): number;
  isRejected(): boolean;
}

export function createMetrics(deps: MetricsDeps): ControlPlaneMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gateway_build_info',
    help: 'Always 1; its label is the version.',
    labelNames: ['version'] as const,
    registers,
  }).set({ version }, 1);
  const certificates = createCertificateEnds();
  new Gauge(certificateGauge(certificates.read, registers));
  for (const options of lossCounters(registers)) new Counter(options);
  const calls = new Counter({
    name: 'gateway_control_plane_calls_total',
    help: 'Calls by method and gRPC code, of gRPC and the JSON API together.',
    labelNames: ['method', 'code'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'gateway_control_plane_call_duration_seconds',
    help: 'Duration of a unary call.',
    labelNames: ['method'] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
    registers,
  });
  const watchers = new Gauge({
    name: 'gateway_control_plane_watchers',
    help: 'Proxies that watch the change feed of this replica.',
    registers,
  });
  const webhookTries = new Counter({
    name: 'gateway_control_plane_webhook_tries_total',
    help: 'Tries to deliver to webhooks by outcome: delivered, postponed (tried again later), given_up.',
    labelNames: ['outcome'] as const,
    registers,
  });
  // The series start at 0, because Prometheus sees no increase in a series that starts at 1.
  for (const outcome of tryOutcomes) webhookTries.inc({ outcome }, 0);
  new Gauge({
    name: 'gateway_control_plane_feed_revision',
    help: 'The newest revision that this replica has read from the database.',
    registers,
    collect() {
      this.set(deps.feedRevision());
    },
  });
  catalogGauges(registers, deps.catalog);
  return {
    certificates,
    called: (method, code, seconds) => {
      calls.inc({ method, code });
      duration.observe({ method }, seconds);
    },
    watcherCame: () => watchers.inc(),
    watcherWent: () => watchers.dec(),
    webhookTried: (outcome) => webhookTries.inc({ outcome }),
    ...auditMetrics(registers, deps.auditVerifyEveryMs),
    ...ledgerMetrics(registers),
    ...reconciliationMetrics(registers),
    ...selectorMetrics(registers),
    watchDatabase: (isWritable) => databaseGauge(registers, isWritable),
    watchOrganizations: (names) => organizationInfo(registers, names),
    watchShares: (shares) => {
      new Gauge(shareUsedGauge(() => shares.states(), registers));
      new Counter(shareRefusedCounter(() => shares.states(), registers));
    },
    collect: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

function databaseGauge(registers: Registry[], isWritable: () => boolean): void {
  new Gauge({
    name: 'gateway_control_plane_database_writable',
    help: 'Whether there is room to write the SQLite database, 0 or 1; always 1 over PostgreSQL, whose server knows.',
    registers,
    collect() {
      this.set(isWritable() ? 1 : 0);
    },
  });
}

function organizationInfo(registers: Registry[], names: () => Promise<OrganizationNames>): void {
  new Gauge({
    name: 'gateway_control_plane_organization_info',
    help: 'Always 1; its labels are the id and the present name of an organization, of the oldest 1,000. All replicas report the same.',
    labelNames: ['organization_id', 'name'] as const,
    registers,
    async collect() {
      const present = await names();
      this.reset();
      for (const { id, name } of present) this.set({ organization_id: id, name }, 1);
    },
  });
}

function catalogGauges(registers: Registry[], { ageSeconds, isRejected }: CatalogGauges): void {
  new Gauge({
    name: 'gateway_control_plane_catalog_age_seconds',
    help: 'Age of the catalog of models and prices in force, since its day.',
    registers,
    collect() {
      this.set(ageSeconds());
    },
  });
  new Gauge({
    name: 'gateway_control_plane_catalog_rejected',
    help: 'Whether the configured catalog file is invalid, 0 or 1: the last good one is in force.',
    registers,
    collect() {
      this.set(isRejected() ? 1 : 0);
    },
  });
}

function auditMetrics(registers: Registry[], everyMs: number): AuditWatchMetrics {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const intact = gauge(
    'gateway_control_plane_audit_intact',
    'Whether the audit log was intact when last verified, 0 or 1. 1 until it was verified for the first time.',
  );
  intact.set(1);
  const verified = gauge(
    'gateway_control_plane_audit_verified_timestamp_seconds',
    'When the audit log was last verified, by any replica, seconds since 1970; 0: never.',
  );
  gauge(
    'gateway_control_plane_audit_verify_interval_seconds',
    'GATEWAY_AUDIT_VERIFY_EVERY: the interval of verification.',
  ).set(everyMs / 1000);
  const failed = new Counter({
    name: 'gateway_control_plane_audit_anchor_failures_total',
    help: 'Times that the folder of audit anchors could not be read or written.',
    registers,
  });
  return {
    auditVerified: ({ isIntact, verifiedAt }) => {
      intact.set(isIntact ? 1 : 0);
      if (verifiedAt !== undefined) verified.set(verifiedAt / 1000);
    },
    auditAnchorFailed: () => failed.inc(),
  };
}

function selectorMetrics(registers: Registry[]): SelectorMetrics {
  const found = new Gauge({
    name: 'gateway_control_plane_stored_selectors_found',
    help: 'Stored selectors of models with a problem, at the last check, by problem: alias (written with one; applies now), unmatched (matches no known model), no_provider (can never select anything), shadowed (a price that another one overrides).',
    labelNames: ['problem'] as const,
    registers,
  });
  for (const problem of storedProblems.words) found.set({ problem }, 0);
  return {
    selectorsFound: (counts) => {
      for (const problem of storedProblems.words) found.set({ problem }, counts[problem]);
    },
  };
}

function ledgerMetrics(registers: Registry[]): LedgerMetrics {
  const acquisitions = new Counter({
    name: 'gateway_control_plane_draws_total',
    help: 'Acquisitions of leases by outcome: granted, exceeded, busy, gone, window, deleted, lost, ignored, full.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const events = new Counter({
    name: 'gateway_control_plane_usage_events_total',
    help: 'Reported events by result: recorded, duplicate (in the ledger before), unknown (no such organization).',
    labelNames: ['result'] as const,
    registers,
  });
  const over = new Counter({
    name: 'gateway_control_plane_budget_overruns_total',
    help: 'Reports that raised a window of a budget above its amount, or further above it.',
    registers,
  });
  const expired = new Counter({
    name: 'gateway_control_plane_sessions_expired_total',
    help: 'Sessions of silent proxies: their reservations became unconfirmed.',
    registers,
  });
  const closed = new Counter({
    name: 'gateway_control_plane_sessions_closed_total',
    help: 'Sessions closed by their proxies or by a successor: their money is free again.',
    registers,
  });
  return {
    acquired: (outcome) => acquisitions.inc({ outcome }),
    reported: (reported) => {
      for (const result of ['recorded', 'duplicate', 'unknown'] as const) {
        events.inc({ result }, reported[result]);
      }
      over.inc(reported.over);
    },
    sessionsExpired: (count) => expired.inc(count),
    sessionClosed: () => closed.inc(),
  };
}

function reconciliationMetrics(registers: Registry[]): ReconciliationMetrics {
  const compared = new Counter({
    name: 'gateway_control_plane_bill_days_compared_total',
    help: 'Days of bills compared with the ledger by outcome: written, outdated (something changed meanwhile; compared again), failed.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of compareOutcomes) compared.inc({ outcome }, 0);
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const states = 'by state: preliminary (the vendor may still change it), unexplained, explained';
  const labelled = { labelNames: ['state'] as const, registers };
  const rows = new Gauge({
    name: 'gateway_control_plane_bill_drift_rows',
    help: `Differences between bills and ledger that are not settled, ${states}. All replicas report the same.`,
    ...labelled,
  });
  const usd = new Gauge({
    name: 'gateway_control_plane_bill_drift_usd',
    help: `Sum of the absolute differences that are not settled, ${states}. All replicas report the same.`,
    ...labelled,
  });
  const missing = gauge(
    'gateway_control_plane_bill_days_missing',
    'Days that are final at the vendor and not imported since, of documents that are imported. All replicas report the same.',
  );
  const pending = gauge(
    'gateway_control_plane_bill_days_pending',
    'Days of bills that wait to be compared. All replicas report the same.',
  );
  return {
    billDayCompared: (outcome) => compared.inc({ outcome }),
    billsStand: ({ drift, missingDays, daysPending }) => {
      for (const state of openStates) {
        rows.set({ state }, drift[state].rows);
        usd.set({ state }, drift[state].nano / 1e9);
      }
      missing.set(missingDays);
      pending.set(daysPending);
    },
  };
}
