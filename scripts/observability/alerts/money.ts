// Alerts about money: budgets, usage on its way to the ledger, cost, and vendors' bills.
import { catalogDaysMax } from '../../../catalog/in-force.ts';
import type { AlertGroup } from './alert.ts';

export const moneyAlerts: readonly AlertGroup[] = [
  {
    name: 'model-gateway-money',
    alerts: [
      {
        name: 'GatewayLedgerUnavailable',
        severity: 'critical',
        for: '2m',
        expr: 'sum by (namespace, job) (rate(gateway_requests_total{code="ledger_unavailable"}[5m])) > 0',
        summary: 'Budgets cannot be checked in {{ $labels.namespace }}',
        description:
          'Callers with a budget are refused with 503 ledger_unavailable: leases are spent and the control plane does not respond to acquisitions, or waiting usage has filled the memory.',
        runbook: 'ledger-unavailable',
      },
      {
        name: 'GatewayUsageDelayed',
        severity: 'warning',
        for: '5m',
        expr: 'gateway_usage_oldest_seconds > 300',
        summary: 'Usage waits for {{ $value | humanizeDuration }} in {{ $labels.namespace }}/{{ $labels.pod }}',
        description:
          'The control plane does not acknowledge reports. Nothing is lost while there is room, in memory and in Redis.',
        runbook: 'usage-delayed',
      },
      {
        name: 'GatewayUsageQueueFull',
        severity: 'critical',
        for: '1m',
        expr: 'gateway_usage_queued_bytes > 48 * 1024 * 1024',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} has {{ $value | humanize1024 }}B of unreported usage',
        description: 'At 64 MiB it refuses requests with 503 ledger_unavailable.',
        runbook: 'usage-delayed',
      },
      {
        name: 'GatewayJournalFailing',
        severity: 'warning',
        for: '0m',
        expr: 'increase(gateway_journal_failures_total[10m]) > 0',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} cannot write its journal',
        description:
          'Its folder is full or may not be written. Requests continue; if the proxy is killed now, the money of its leases becomes unconfirmed.',
        runbook: 'unsettled',
      },
      {
        name: 'GatewayUsageLost',
        severity: 'critical',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_usage_events_total{outcome="lost"}[15m])) > 0',
        summary: '{{ $value | humanize }} usage events were lost in {{ $labels.namespace }}',
        description:
          'They are not in the ledger. The log of the proxy has the reason; the reservations of their requests stay charged as unconfirmed.',
        runbook: 'usage-lost',
      },
      {
        name: 'GatewayUsageSkipped',
        severity: 'warning',
        for: '15m',
        expr: 'sum by (namespace, job, reason) (increase(gateway_usage_skipped_total[15m])) > 0',
        summary: 'Usage stays in Redis in {{ $labels.namespace }}: {{ $labels.reason }}',
        description:
          'unreadable: written under another cache key; refused or denied: the control plane does not accept it from this proxy.',
        runbook: 'usage-lost',
      },
      {
        name: 'GatewayUnpricedModels',
        severity: 'info',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_unpriced_requests_total[1h])) > 0',
        summary: 'Models without a price are used in {{ $labels.namespace }}',
        description:
          'Or something of a model that has none, such as its images: it counts as nothing, or as the nearest that has one. An operator sets the prices.',
        runbook: 'unpriced',
      },
      {
        name: 'GatewayCatalogOld',
        severity: 'warning',
        for: '1h',
        expr: `max by (namespace, job) (gateway_catalog_age_seconds or gateway_control_plane_catalog_age_seconds) > ${catalogDaysMax} * 86400`,
        summary: 'Models and prices are {{ $value | humanizeDuration }} old in {{ $labels.namespace }}',
        description: 'Vendors have changed prices since: the costs of requests in the ledger may be wrong.',
        runbook: 'catalog',
      },
      {
        name: 'GatewayCatalogRejected',
        severity: 'warning',
        for: '10m',
        expr: 'max by (namespace, job) (gateway_catalog_rejected or gateway_control_plane_catalog_rejected) > 0',
        summary: 'The catalog file is refused in {{ $labels.namespace }}',
        description:
          'GATEWAY_CATALOG_FILE or its signature is invalid; the log has the reason. The last good one is in force, and a program that is restarted now fails to start.',
        runbook: 'catalog',
      },
      {
        name: 'GatewayGuardrailsFailing',
        severity: 'warning',
        for: '10m',
        expr: 'sum by (guardrail, decision) (rate(gateway_guardrail_decisions_total{decision=~"failed_.*|unavailable"}[5m])) > 0',
        summary: 'The guardrail {{ $labels.guardrail }} fails ({{ $labels.decision }})',
        description:
          'failed_pass: unchecked text passes; failed_block: it is refused. A service does not respond, or a text is too long. unavailable: it is refused with 503, because the gateway lacks time or room to inspect it.',
        runbook: 'guardrails-failing',
      },
    ],
  },
  {
    name: 'model-gateway-cost',
    // Each evaluation reads a week of samples.
    interval: '5m',
    recorded: [
      {
        name: 'gateway:cost_usd_per_hour:rate1h',
        expr: 'sum by (provider, model) (rate(gateway_cost_usd_total[1h])) * 3600',
      },
    ],
    alerts: [
      {
        name: 'GatewayCostSpike',
        severity: 'warning',
        for: '30m',
        expr: 'sum(gateway:cost_usd_per_hour:rate1h) > 3 * sum(avg_over_time(gateway:cost_usd_per_hour:rate1h[1w] offset 1h)) and sum(gateway:cost_usd_per_hour:rate1h) > 5',
        summary: 'Requests cost {{ $value | humanize }} USD an hour, three times what is usual',
        description:
          'Compared with the average of the week, above 5 USD an hour. The page Cost shows which provider and model.',
        runbook: 'cost-spike',
      },
    ],
  },
  {
    name: 'model-gateway-bills',
    alerts: [
      {
        name: 'GatewayBillDrift',
        severity: 'warning',
        for: '15m',
        expr: 'max by (namespace, job) (gateway_control_plane_bill_drift_rows{state="unexplained"}) > 0',
        summary: '{{ $value | humanize }} differences between bills and ledger have no explanation',
        description:
          'A vendor billed more or less than the ledger has of a day, provider key and model, beyond the bound of its organization, and no evidence accounts for it.',
        runbook: 'bill-drift',
      },
      {
        name: 'GatewayBillDriftUnsettled',
        severity: 'info',
        for: '72h',
        expr: 'max by (namespace, job) (gateway_control_plane_bill_drift_rows{state="explained"}) > 0',
        summary: '{{ $value | humanize }} differences between bills and ledger wait to be settled',
        description:
          'Their reasons are known. An owner or admin of the organization records each by an adjustment, or accepts it.',
        runbook: 'bill-drift',
      },
      {
        name: 'GatewayBillDaysMissing',
        severity: 'warning',
        for: '6h',
        expr: 'max by (namespace, job) (gateway_control_plane_bill_days_missing) > 0',
        summary: '{{ $value | humanize }} days of bills are not imported',
        description:
          'They are final at the vendor, and the same document was imported for days before. The import that runs daily fails, or stopped.',
        runbook: 'bills-missing',
      },
      {
        name: 'GatewayBillsNotCompared',
        severity: 'warning',
        for: '0m',
        expr: 'sum by (namespace, job) (increase(gateway_control_plane_bill_days_compared_total{outcome="failed"}[1h])) > 0',
        summary: 'Days of bills cannot be compared with the ledger',
        description: 'The log of the control plane names day, vendor and cause; each is tried again every ten minutes.',
        runbook: 'bills-missing',
      },
    ],
  },
];
