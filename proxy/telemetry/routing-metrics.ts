// Metrics of failed attempts and of targets that are out.
import { Gauge, type Registry } from 'prom-client';
import type { FailureCause, HealthEvents, OutCounts } from '../routing/health.ts';
import { failureCauses } from '../routing/health-events.ts';
import type { ReportResult } from '../routing/refused-key-reports.ts';
import {
  type HedgeResult,
  type HintResult,
  hedgeResults,
  hintResults,
  type RecoveryResult,
  recoveryResults,
} from '../routing/results.ts';
import type { Tally } from './tally.ts';

export interface RoutingMetrics {
  /**
   * An attempt failed before anything was passed on, or in a stream that another attempt was to follow.
   * @param isFollowed another attempt follows
   */
  attemptFailed(cause: FailureCause | 'other', isFollowed: boolean): void;
  /** The stream of a route with recovery broke off after a part of it was passed on. */
  streamBroke(result: RecoveryResult): void;
  /** A late request was hedged, or not. */
  hedged(result: HedgeResult): void;
  readonly health: Pick<HealthEvents, 'onEjected' | 'onKeyOut'>;
  /** Refused provider keys were reported to the control plane, or could not be. */
  keyReport(result: ReportResult, keys: number): void;
  /** Hints that proxies share over Redis. */
  hints(result: HintResult, count: number): void;
}

export function routingMetrics(tally: Tally): RoutingMetrics {
  const failed = tally({
    name: 'gateway_failed_attempts_total',
    help: 'Attempts that failed before anything was passed on, or whose stream another attempt was to follow, by cause (dead, timeout, server, key, access, quota, rate, other), and whether another attempt followed',
    labelNames: ['cause', 'followed'],
  });
  const broken = tally({
    name: 'gateway_broken_streams_total',
    help: 'Streams of routes with recovery that a provider cut after a part of them was passed on, by what followed: another attempt from the start (restarted) or from the text that the caller had (continued), an error because nothing may follow on what the caller had (final), or because no further attempt was possible or responded (failed)',
    labelNames: ['result'],
  });
  for (const result of recoveryResults) broken(result);
  const hedges = tally({
    name: 'gateway_hedges_total',
    help: 'Late requests of routes with hedging, by which of two attempts responded first (first, hedge; none), or by why there was no second one: enough of the route’s requests are hedged (no_share), no other target (no_target), no money in a budget (no_money), too many further attempts (no_retry)',
    labelNames: ['result'],
  });
  for (const result of hedgeResults) hedges(result);
  const ejections = tally({
    name: 'gateway_ejections_total',
    help: 'Models at hosts that get no attempts for a while, and refused provider keys, by the cause of the last failure',
    labelNames: ['cause'],
  });
  const keyReports = tally({
    name: 'gateway_refused_key_reports_total',
    help: 'Refused provider keys that were reported to the control plane, or dropped: there was no room while it was away, or it refused the report',
    labelNames: ['result'],
  });
  for (const result of ['reported', 'dropped'] as const) keyReports(result);
  const hints = tally({
    name: 'gateway_target_hints_total',
    help: 'What proxies share over Redis about targets: sent, received (of another proxy, and new), ignored (it cannot be opened), failed (calls of Redis)',
    labelNames: ['result'],
  });
  for (const result of hintResults) hints(result);
  for (const cause of failureCauses) {
    ejections(cause);
    for (const followed of ['true', 'false']) failed(cause, followed);
  }
  failed('other', 'false');
  return {
    attemptFailed: (cause, isFollowed) => void failed(cause, String(isFollowed)).pending++,
    streamBroke: (result) => void broken(result).pending++,
    hedged: (result) => void hedges(result).pending++,
    keyReport: (result, keys) => {
      keyReports(result).pending += keys;
    },
    hints: (result, count) => {
      hints(result).pending += count;
    },
    health: {
      onEjected: ({ cause }) => void ejections(cause).pending++,
      onKeyOut: ({ cause }) => void ejections(cause).pending++,
    },
  };
}

/** @param read is called at each scrape */
export function targetsOutGauge(read: () => OutCounts & { readonly full: number }, registers: Registry[]): Gauge {
  return new Gauge({
    name: 'gateway_targets_out',
    help: 'What gets no attempts now, by kind: models at hosts (host: for one organization, host_for_all), provider keys (key), models whose rate limit has nothing left (rate_limit), models with a key that have as many requests as they bear, which others are preferred to (full)',
    labelNames: ['kind'],
    registers,
    collect() {
      const { hosts, sharedHosts, keys, limits, full } = read();
      this.set({ kind: 'host' }, hosts);
      this.set({ kind: 'host_for_all' }, sharedHosts);
      this.set({ kind: 'key' }, keys);
      this.set({ kind: 'rate_limit' }, limits);
      this.set({ kind: 'full' }, full);
    },
  });
}
