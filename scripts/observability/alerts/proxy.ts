// Alerts of proxies: requests, providers, knowledge of keys.
import type { AlertGroup } from './alert.ts';

// kube-state-metrics reports limits of native sidecars, which are init containers, in another metric.
const memoryLimits =
  'max by (namespace, pod, container) (kube_pod_container_resource_limits{resource="memory"} or kube_pod_init_container_resource_limits{resource="memory"})';

/** 5xx codes that the gateway causes; upstream_… codes are providers'. */
const ownFailures = 'internal_error|overloaded|access_unavailable|ledger_unavailable|no_healthy_target';
const internalErrors = 'gateway_requests_total{code="internal_error"}';
const ofProvider = 'provider!="none"';
const failedThere = `${ofProvider}, status=~"429|5..", code=~"provider_error|upstream_.*"`;

/** The time until a certificate expires; of all pods with one use, the shortest. */
const certificateLeft = 'min by (namespace, job, use) (gateway_certificate_not_after_seconds) - time()';

export const proxyAlerts: readonly AlertGroup[] = [
  {
    name: 'model-gateway-requests',
    recorded: [
      {
        name: 'gateway:own_failures:ratio_rate5m',
        expr: `sum by (namespace, job) (rate(gateway_requests_total{code=~"${ownFailures}"}[5m])) / sum by (namespace, job) (rate(gateway_requests_total[5m]))`,
      },
    ],
    alerts: [
      {
        name: 'GatewayFailing',
        severity: 'critical',
        for: '5m',
        expr: 'gateway:own_failures:ratio_rate5m > 0.01',
        summary: 'The gateway in {{ $labels.namespace }} fails {{ $value | humanizePercentage }} of its requests',
        description:
          'More than 1 % of the requests end in 5xx for reasons of the gateway itself. The code names the reason: the panel "Failures of the gateway" of the page Traffic.',
        runbook: 'failing',
      },
      {
        name: 'GatewayInternalErrors',
        severity: 'warning',
        for: '0m',
        // The first error of a process starts a series, which increase() does not count.
        expr: `sum by (namespace, job) (increase(${internalErrors}[10m])) > 0 or sum by (namespace, job) (${internalErrors} unless ${internalErrors} offset 10m) > 0`,
        summary: 'Requests in {{ $labels.namespace }} fail because of a defect of the gateway',
        description: 'internal_error is a defect, always. The log has its cause by the request id.',
        runbook: 'failing',
      },
      {
        name: 'GatewayOverloaded',
        severity: 'critical',
        for: '2m',
        expr: 'sum by (namespace, job) (rate(gateway_requests_total{code="overloaded"}[5m])) > 0',
        summary: 'The gateway in {{ $labels.namespace }} refuses requests as overloaded',
        description: 'Requests in flight or bytes in memory are at their limit, in all or for one organization.',
        runbook: 'overloaded',
      },
      {
        name: 'GatewayNearlyFull',
        severity: 'warning',
        for: '5m',
        expr: 'gateway_in_flight_requests / gateway_in_flight_limit > 0.8 or gateway_buffered_bytes / gateway_buffered_bytes_limit > 0.8',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} is at {{ $value | humanizePercentage }} of its limits',
        description: 'Of requests in flight, or of bytes in memory. At 100 % it refuses as overloaded.',
        runbook: 'overloaded',
      },
      {
        name: 'GatewayEventLoopLate',
        severity: 'warning',
        for: '10m',
        expr: 'nodejs_eventloop_lag_p99_seconds > 0.25 and on (namespace, pod, job) gateway_build_info',
        summary: 'The event loop of {{ $labels.namespace }}/{{ $labels.pod }} is {{ $value | humanizeDuration }} late',
        description: 'The process has too little CPU or too much to do; everything in it waits as long.',
        runbook: 'overloaded',
      },
      {
        name: 'GatewayMemoryNearLimit',
        severity: 'warning',
        for: '10m',
        expr: `(process_resident_memory_bytes and on (namespace, pod, job) gateway_build_info) / on (namespace, pod, container) group_left () ${memoryLimits} > 0.9`,
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} uses {{ $value | humanizePercentage }} of its memory',
        description: 'Above its limit the kernel ends the process, with all its open requests.',
        runbook: 'overloaded',
      },
      {
        name: 'GatewayLogLinesLost',
        severity: 'warning',
        for: '0m',
        expr: 'increase(gateway_log_lines_lost_total[10m]) > 0',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} could not write {{ $value | humanize }} lines of its log',
        description:
          'The disk of its log is full, or no process reads its output. Everything else continues; the lines are lost.',
        runbook: 'log-lines-lost',
      },
      {
        name: 'GatewayDescriptorsShort',
        severity: 'warning',
        for: '2m',
        expr: '(process_open_fds / process_max_fds and on (namespace, pod, job) gateway_build_info) > 0.9 or increase(gateway_accept_failures_total[10m]) > 0',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} has no descriptors left, or nearly none',
        description:
          'New connections, of callers and to providers, need one each. Open ones stay; new ones are refused or closed.',
        runbook: 'descriptors',
      },
      {
        name: 'GatewayOverheadHigh',
        severity: 'warning',
        for: '10m',
        expr: 'histogram_quantile(0.99, sum by (le, namespace, job) (rate(gateway_overhead_seconds_bucket[5m]))) > 0.05',
        summary:
          'The gateway in {{ $labels.namespace }} takes {{ $value | humanizeDuration }} before it calls a provider (p99)',
        description:
          'About a millisecond is usual. It includes callers that send slowly, guardrails that call services, and waiting for budgets and for the control plane: the page Latency.',
        runbook: 'slow',
      },
      {
        name: 'GatewayEgressUnreachable',
        severity: 'critical',
        for: '2m',
        // A process that names a provider has reached the egress gateway, or is one.
        expr: 'sum by (namespace, job) (rate(gateway_requests_total{provider="none", code=~"upstream_unreachable|upstream_timeout|upstream_protocol_error"}[5m])) > 0',
        summary: 'Sidecars in {{ $labels.namespace }} do not reach the egress gateway',
        description:
          'Their log names the cause: no replica is ready, a certificate is not trusted or has expired, or a NetworkPolicy is in the way.',
        runbook: 'egress-unreachable',
      },
      {
        name: 'GatewayTargetDown',
        severity: 'warning',
        for: '5m',
        expr: 'up{job=~"model-gateway/.*"} == 0',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} of {{ $labels.job }} does not respond to Prometheus',
        description:
          'Its admin listener cannot be reached: the process is gone or hangs, or a NetworkPolicy keeps Prometheus out.',
        runbook: 'target-down',
      },
      {
        name: 'GatewayCertificateEndsSoon',
        severity: 'warning',
        for: '1h',
        // cert-manager and the keeper renew certificates of 90 days 30 days before they expire.
        expr: `${certificateLeft} < 21 * 24 * 3600`,
        summary: 'A certificate of {{ $labels.job }} ends in {{ $value | humanizeDuration }}: {{ $labels.use }}',
        description:
          'It should have been renewed by now: by cert-manager, the keeper, or the operator with plain.sh. Programs read renewed files automatically.',
        runbook: 'certificates',
      },
      {
        name: 'GatewayCertificateEnds',
        severity: 'critical',
        for: '10m',
        expr: `${certificateLeft} < 7 * 24 * 3600`,
        summary: 'A certificate of {{ $labels.job }} ends in {{ $value | humanizeDuration }}: {{ $labels.use }}',
        description:
          'Then connections with it are refused: of proxies, of sidecars, or of the API server, which creates no pod with a sidecar any more.',
        runbook: 'certificates',
      },
      {
        name: 'GatewayVersionsMixed',
        severity: 'info',
        for: '6h',
        expr: 'count(count by (version) (gateway_build_info)) > 1',
        summary: '{{ $value }} versions of Model Gateway run side by side',
        description:
          'Any two neighbouring versions work together, so nothing is broken; pods that were injected before an upgrade keep their version until they are restarted.',
        runbook: 'versions',
      },
      {
        name: 'GatewayBackgroundFailures',
        severity: 'warning',
        for: '15m',
        expr: 'sum by (namespace, job, task) (rate(gateway_background_failures_total[5m])) > 0',
        summary: 'The task "{{ $labels.task }}" of the gateway in {{ $labels.namespace }} keeps failing',
        description: 'No request fails at once because of it; the log has the cause.',
        runbook: 'failing',
      },
    ],
  },
  {
    name: 'model-gateway-providers',
    recorded: [
      {
        name: 'gateway:provider_requests:rate5m',
        expr: `sum by (provider) (rate(gateway_requests_total{${ofProvider}}[5m]))`,
      },
      {
        name: 'gateway:provider_failures:ratio_rate5m',
        expr: `sum by (provider) (rate(gateway_requests_total{${failedThere}}[5m])) / sum by (provider) (rate(gateway_requests_total{${ofProvider}}[5m]))`,
      },
    ],
    alerts: [
      {
        name: 'GatewayProviderFailing',
        severity: 'warning',
        for: '10m',
        expr: 'gateway:provider_failures:ratio_rate5m > 0.1 and on (provider) gateway:provider_requests:rate5m > 0.05',
        summary: '{{ $labels.provider }} fails {{ $value | humanizePercentage }} of its requests',
        description:
          'They end in 429 or 5xx of the provider, or on the way to it. The page Providers shows which, and whether it is one provider or all.',
        runbook: 'provider-failing',
      },
      {
        name: 'GatewayProviderKeyRefused',
        severity: 'warning',
        for: '5m',
        expr: 'sum by (provider) (rate(gateway_requests_total{code="upstream_authentication_failed"}[5m])) > 0',
        summary: '{{ $labels.provider }} refuses a stored key',
        description:
          'The key of an organization was revoked or has expired at the provider. The access log names the organization; an owner or admin replaces the key.',
        runbook: 'provider-key',
      },
      {
        name: 'GatewayProviderKeyOut',
        severity: 'warning',
        for: '10m',
        // Each is tried again every five minutes, and stays out if it is refused again.
        expr: 'max by (namespace, job) (max_over_time(gateway_targets_out{kind="key"}[10m])) > 0',
        summary: '{{ $value }} provider keys get no requests in {{ $labels.namespace }}',
        description:
          'Their vendors refuse them. While an organization has another key of the provider, its callers notice nothing, and that key has all requests.',
        runbook: 'provider-key',
      },
      {
        name: 'GatewayProviderSlow',
        severity: 'warning',
        for: '15m',
        expr: 'histogram_quantile(0.95, sum by (le, gen_ai_provider_name) (rate(gen_ai_server_time_to_first_token_seconds_bucket[10m]))) > 20',
        summary: 'Streams of {{ $labels.gen_ai_provider_name }} begin after {{ $value | humanizeDuration }} (p95)',
        description:
          'About a second is usual; models that think at length take more. Compare the providers on the page Latency.',
        runbook: 'slow',
      },
    ],
  },
  {
    name: 'model-gateway-access',
    alerts: [
      {
        name: 'GatewayAccessUnavailable',
        severity: 'critical',
        for: '2m',
        expr: 'sum by (namespace, job) (rate(gateway_requests_total{code="access_unavailable"}[5m])) > 0',
        summary: 'The gateway in {{ $labels.namespace }} cannot check keys',
        description:
          'Neither a cache nor the control plane can identify a key, so requests are refused with 503 access_unavailable.',
        runbook: 'access-unavailable',
      },
      {
        name: 'GatewayFeedSilent',
        severity: 'warning',
        for: '2m',
        expr: 'gateway_feed_age_seconds > 20',
        summary:
          '{{ $labels.namespace }}/{{ $labels.pod }} has received nothing from the control plane for {{ $value | humanizeDuration }}',
        description:
          'Revocations do not reach this proxy. It serves the records that it knows, until GATEWAY_ACCESS_MAX_STALE (1 h unless set).',
        runbook: 'feed',
      },
      {
        name: 'GatewayFeedNeverHeard',
        severity: 'warning',
        for: '5m',
        // True only for NaN, which is not equal to itself.
        expr: 'gateway_feed_age_seconds != gateway_feed_age_seconds',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} has never reached the control plane',
        description:
          'Its address, token or certificate may be wrong, or a NetworkPolicy is in the way. It serves records from Redis, as stale.',
        runbook: 'feed',
      },
      {
        name: 'GatewayFeedNearlyTooOld',
        severity: 'critical',
        for: '1m',
        expr: 'gateway_feed_age_seconds > 2700',
        summary: '{{ $labels.namespace }}/{{ $labels.pod }} soon refuses all requests',
        description:
          'Its records were confirmed {{ $value | humanizeDuration }} ago; from GATEWAY_ACCESS_MAX_STALE (1 h unless set) on it responds with 503 access_unavailable.',
        runbook: 'feed',
      },
      {
        name: 'GatewayRedisFailing',
        severity: 'warning',
        for: '5m',
        expr: 'count by (namespace, job) (gateway_redis_up == 0) > 0',
        summary: 'Redis does not respond to {{ $value }} proxies in {{ $labels.namespace }}',
        description:
          'Requests continue without it: records come from memory and the control plane, and rate limits apply to each proxy alone.',
        runbook: 'redis',
      },
      {
        name: 'GatewayRatesLocal',
        severity: 'warning',
        for: '5m',
        expr: 'sum by (namespace, job) (rate(gateway_rate_limit_local_total[5m])) > 0 and count by (namespace, job) (gateway_redis_up == 0) > 0',
        summary: 'Rate limits apply to each proxy alone in {{ $labels.namespace }}',
        description:
          'Redis is set and fails, so callers may use up to as many times their limits as there are proxies. Budgets are not affected.',
        runbook: 'redis',
      },
      {
        name: 'GatewayCacheUnreadable',
        severity: 'warning',
        for: '15m',
        expr: 'sum by (namespace, job) (rate(gateway_access_cache_ignored_total{reason=~"unreadable|signature"}[5m])) > 0',
        summary: 'The gateway in {{ $labels.namespace }} does not trust the records in Redis',
        description:
          'Proxies have different cache keys or public keys of records (usual for a moment when one is rotated), or another program writes to this Redis.',
        runbook: 'cache-unreadable',
      },
    ],
  },
];
