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
        // Only if it was scraped within the last week: installations without sidecars have no injector.
        expr: 'absent(gateway_injector_reviews_total) and on () count(last_over_time(gateway_injector_reviews_total[1w])) > 0',
        summary: 'No replica of the injector runs',
        description:
          'Pods of namespaces that opted in cannot be created: the webhook fails closed. Running pods are not affected.',
        runbook: 'injector',
      },
      {
        name: 'GatewayInjectorUnreadable',
        severity: 'warning',
        for: '5m',
        expr: 'sum by (namespace, job) (rate(gateway_injector_reviews_total{outcome="unreadable"}[5m])) > 0',
        summary: 'The injector receives requests that it cannot read',
        description:
          'Another program than the API server calls it, or the webhook is registered for other objects than pods.',
        runbook: 'injector',
      },
      {
        name: 'GatewayInjectorRefusing',
        severity: 'warning',
        for: '10m',
        expr: 'sum by (namespace, job) (increase(gateway_injector_reviews_total{outcome="refused"}[10m])) > 0',
        summary: 'The injector refuses pods',
        description:
          'Their annotations or names contradict what it would inject; the event of the ReplicaSet or Job names them and the reason.',
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
  {
    name: 'model-gateway-keeper',
    alerts: [
      {
        name: 'GatewayKeeperDown',
        severity: 'warning',
        for: '10m',
        // Only if it was scraped within the last week: installations without sidecars have no keeper.
        expr: 'absent(gateway_keeper_leader) and on () count(last_over_time(gateway_keeper_leader[1w])) > 0',
        summary: 'No keeper runs',
        description:
          'Injectors continue with what they know. A webhook configuration that is applied anew stays without its authority, and the keeper’s certificates are not renewed.',
        runbook: 'keeper',
      },
      {
        name: 'GatewayKeeperFailing',
        severity: 'warning',
        for: '15m',
        expr: 'max by (namespace, job, task) (gateway_keeper_task_failing) == 1',
        summary: 'The keeper fails at a task: {{ $labels.task }}',
        description: 'Its log has the cause: a right that is missing, an object that is not there, or the API server.',
        runbook: 'keeper',
      },
      {
        name: 'GatewayKeeperWithoutLeader',
        severity: 'warning',
        for: '15m',
        expr: 'max by (namespace, job) (gateway_keeper_leader) == 0',
        summary: 'No keeper is active',
        description: 'None of them gets the Lease model-gateway-keeper: it is not there, or may not be written.',
        runbook: 'keeper',
      },
      {
        name: 'GatewayWebhooksGone',
        severity: 'warning',
        for: '15m',
        expr: 'max by (namespace, job) (gateway_keeper_webhook_present) == 0',
        summary: 'There is no webhook configuration: pods start without sidecars',
        description:
          'It was deleted, which is the way out of an outage. Apply the manifests again, and restart pods that started meanwhile.',
        runbook: 'injector',
      },
      {
        name: 'GatewayNamespacesLeftOut',
        severity: 'info',
        for: '1h',
        expr: 'max by (namespace, job) (gateway_keeper_namespaces_left_out) > 0',
        summary: 'Sizes of {{ $value }} namespaces are not followed',
        description: 'More namespaces set sizes than there is room for. Their sidecars have the default size.',
        runbook: 'keeper',
      },
    ],
  },
];
