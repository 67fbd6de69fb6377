// Series that are written down because alerts compare them over a week, or because several alerts and panels read them.
import type { Recorded } from './alert.ts';

const ownFailures = 'internal_error|overloaded|access_unavailable|ledger_unavailable|no_healthy_target';
const ofProvider = 'provider!="none"';
const failed = `${ofProvider}, status=~"429|5..", code=~"provider_error|upstream_.*"`;

export const recorded: readonly Recorded[] = [
  {
    // What the gateway answers with 5xx for reasons of its own; upstream_… are of providers.
    name: 'gateway:own_failures:ratio_rate5m',
    expr: `sum by (namespace, job) (rate(gateway_requests_total{code=~"${ownFailures}"}[5m])) / sum by (namespace, job) (rate(gateway_requests_total[5m]))`,
  },
  {
    name: 'gateway:provider_requests:rate5m',
    expr: `sum by (provider) (rate(gateway_requests_total{${ofProvider}}[5m]))`,
  },
  {
    name: 'gateway:provider_failures:ratio_rate5m',
    expr: `sum by (provider) (rate(gateway_requests_total{${failed}}[5m])) / sum by (provider) (rate(gateway_requests_total{${ofProvider}}[5m]))`,
  },
  {
    name: 'gateway:cost_usd_per_hour:rate1h',
    expr: 'sum by (provider, model) (rate(gateway_cost_nano_usd_total[1h])) * 3600 / 1e9',
  },
];
