// Alerts of the control plane.
import type { AlertGroup } from './alert.ts';

export const controlPlaneAlerts: readonly AlertGroup[] = [
  {
    name: 'model-gateway-control-plane',
    alerts: [
      {
        name: 'GatewayControlPlaneDown',
        severity: 'critical',
        for: '3m',
        expr: 'absent(gateway_control_plane_watchers)',
        summary: 'No replica of the control plane runs',
        description:
          'Keys that proxies know keep working for GATEWAY_ACCESS_MAX_STALE (1 h unless set), and budgets until their leases are spent; new keys and changes do not work.',
        runbook: 'control-plane-down',
      },
      {
        name: 'GatewayControlPlaneNoWatchers',
        severity: 'critical',
        for: '5m',
        expr: 'sum(gateway_control_plane_watchers) == 0 and on () count(gateway_feed_age_seconds) > 0',
        summary: 'No proxy watches the control plane, though proxies run',
        description: 'No change reaches any of them: certificates, proxy tokens or NetworkPolicies.',
        runbook: 'feed',
      },
      {
        name: 'GatewayControlPlaneBehind',
        severity: 'warning',
        for: '2m',
        expr: 'max by (namespace, job) (gateway_control_plane_feed_revision) - on (namespace, job) group_right () gateway_control_plane_feed_revision > 0',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} is {{ $value }} revisions behind the other replicas',
        description:
          'It cannot read the primary, or waits for it. Its proxies notice within 20 s and use another replica.',
        runbook: 'control-plane-failing',
      },
      {
        name: 'GatewayControlPlaneFailing',
        severity: 'critical',
        for: '5m',
        expr: 'sum by (namespace, job) (rate(gateway_control_plane_calls_total{code=~"INTERNAL|UNAVAILABLE"}[5m])) / sum by (namespace, job) (rate(gateway_control_plane_calls_total[5m])) > 0.05',
        summary: 'The control plane fails {{ $value | humanizePercentage }} of its calls',
        description: 'UNAVAILABLE: the database is away; INTERNAL: a defect, and the log has its cause.',
        runbook: 'control-plane-failing',
      },
      {
        name: 'GatewayDatabaseNotWritable',
        severity: 'critical',
        for: '1m',
        expr: 'gateway_control_plane_database_writable == 0',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} cannot write its SQLite database',
        description:
          'Its disk is full or read-only: nothing can be changed, acquired or reported, and it is not ready. Proxies serve what they have.',
        runbook: 'database-disk',
      },
      {
        name: 'GatewayControlPlaneSlow',
        severity: 'warning',
        for: '10m',
        expr: 'histogram_quantile(0.99, sum by (le, namespace, job, method) (rate(gateway_control_plane_call_duration_seconds_bucket{method=~"Access.Resolve|Ledger.Draw"}[5m]))) > 0.5',
        summary: '{{ $labels.method }} takes {{ $value | humanizeDuration }} (p99)',
        description:
          'Requests wait for it: for a new key, or when a lease of a budget is spent. Most often the cause is the database.',
        runbook: 'control-plane-failing',
      },
      {
        name: 'GatewayBudgetOverrun',
        severity: 'warning',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_control_plane_budget_overruns_total[15m])) > 0',
        summary: 'Usage took a budget above its limit',
        description:
          'A provider charged more than the reservation of a request, or usage came without a reservation. docs/budgets.md explains when this may happen.',
        runbook: 'budget-overrun',
      },
      {
        name: 'GatewaySessionsExpired',
        severity: 'warning',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_control_plane_sessions_expired_total[15m])) > 0',
        summary: '{{ $value | humanize }} proxies fell silent without settling their budgets',
        description:
          'The money of their leases is unconfirmed: it counts as spent until late reports settle it or an operator releases it. The pods were killed, or cut off from the control plane.',
        runbook: 'unsettled',
      },
      {
        name: 'GatewayWebhooksGivenUp',
        severity: 'warning',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_control_plane_webhook_tries_total{outcome="given_up"}[1h])) > 0',
        summary: 'Webhooks were given up',
        description: 'The receiver of budget thresholds did not accept them in time; they are not sent again.',
        runbook: 'webhooks',
      },
      {
        name: 'GatewayAuditBroken',
        severity: 'critical',
        for: '0m',
        expr: 'min by (namespace, job) (gateway_control_plane_audit_intact) == 0',
        summary: 'The audit log was tampered with, or the database has gone back',
        description:
          'Its chain does not fit itself, or does not fit its anchors. The author of the change could write to the database.',
        runbook: 'audit-log',
      },
      {
        name: 'GatewayAuditUnverified',
        severity: 'warning',
        for: '15m',
        expr: 'time() - max by (namespace, job) (gateway_control_plane_audit_verified_timestamp_seconds) > 3 * max by (namespace, job) (gateway_control_plane_audit_verify_interval_seconds)',
        summary: 'The audit log was not verified for {{ $value | humanizeDuration }}',
        description: 'No replica has time for it, or each one fails: the log has the cause.',
        runbook: 'audit-log',
      },
      {
        name: 'GatewayAuditAnchorsFailing',
        severity: 'warning',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_control_plane_audit_anchor_failures_total[3h])) > 1',
        summary: 'The folder of audit anchors cannot be used',
        description:
          'New anchors of the audit log are not written there; the log and the webhook still get them. Most often the volume is full or lost.',
        runbook: 'audit-log',
      },
      {
        name: 'GatewayUsageOfNobody',
        severity: 'info',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_control_plane_usage_events_total{result="unknown"}[1h])) > 0',
        summary: 'Usage was reported for organizations that do not exist',
        description:
          'Proxies of another installation report here, or the database was restored to a time before the organization.',
        runbook: 'usage-lost',
      },
    ],
  },
];
