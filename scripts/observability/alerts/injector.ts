// Alerts of the injector.
import type { AlertGroup } from './alert.ts';

export const injectorAlerts: readonly AlertGroup[] = [
  {
    name: 'model-gateway-injector',
    alerts: [
      {
        name: 'GatewayInjectorDown',
        severity: 'critical',
        for: '3m',
        // Where it was scraped within the week: installations without sidecars have none.
        expr: 'absent(gateway_injector_reviews_total) and on () count(last_over_time(gateway_injector_reviews_total[1w])) > 0',
        summary: 'No replica of the injector runs',
        description:
          'Pods of namespaces that opted in cannot be created: the webhook fails closed. Running pods are not concerned.',
        runbook: 'injector',
      },
      {
        name: 'GatewayInjectorUnreadable',
        severity: 'warning',
        for: '5m',
        expr: 'sum by (namespace, job) (rate(gateway_injector_reviews_total{outcome="unreadable"}[5m])) > 0',
        summary: 'The injector is asked what it cannot read',
        description:
          'Somebody else than the API server calls it, or the webhook is registered for other objects than pods.',
        runbook: 'injector',
      },
      {
        name: 'GatewayInjectorRefusing',
        severity: 'warning',
        for: '10m',
        expr: 'sum by (namespace, job) (increase(gateway_injector_reviews_total{outcome="refused"}[10m])) > 0',
        summary: 'The injector refuses pods',
        description:
          'Their annotations or names contradict what it would inject; the event of the ReplicaSet or Job says which and why.',
        runbook: 'injector',
      },
      {
        name: 'GatewayInjectorSlow',
        severity: 'warning',
        for: '10m',
        expr: 'histogram_quantile(0.99, sum by (le, namespace, job) (rate(gateway_injector_review_duration_seconds_bucket[5m]))) > 0.5',
        summary: 'The injector takes {{ $value | humanizeDuration }} for a review (p99)',
        description: 'Creating a pod waits for it; from 5 s on it fails.',
        runbook: 'injector',
      },
    ],
  },
];
