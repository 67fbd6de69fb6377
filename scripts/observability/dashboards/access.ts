// Access records at proxies: the change feed, the tiers of records, Redis.
import type { Dashboard } from '../dashboard.ts';

const lookups = 'rate(gateway_key_lookups_total{$scope}[$__rate_interval])';

export const access: Dashboard = {
  name: 'access',
  title: 'Access cache and feed',
  description:
    'Whether proxies know who may call. The feed informs them of changes; records come from memory, then Redis, then the control plane.',
  about: 'gateway_feed_age_seconds',
  rows: [
    {
      title: 'Feed',
      panels: [
        {
          kind: 'stat',
          title: 'Oldest feed',
          description: 'Of the proxy that has waited longest. Above 20 s a revocation does not reach it.',
          unit: 's',
          thresholds: [20, 600],
          queries: [{ expr: 'max(gateway_feed_age_seconds{$scope})', legend: 'age' }],
        },
        {
          kind: 'stat',
          title: 'Proxies with a silent feed',
          description: 'Above 20 s, or nothing received.',
          unit: 'short',
          thresholds: [1, 2],
          queries: [
            {
              expr: 'count(gateway_feed_age_seconds{$scope} > 20 or gateway_feed_age_seconds{$scope} != gateway_feed_age_seconds{$scope}) or vector(0)',
              legend: 'proxies',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Let in unconfirmed',
          description: 'Part of the look-ups that were served by records that could not be confirmed any more (stale).',
          unit: 'percentunit',
          thresholds: [0.001, 0.05],
          queries: [
            {
              expr: `(sum(rate(gateway_key_lookups_total{$scope, tier="stale"}[$__rate_interval])) or vector(0)) / sum(${lookups})`,
              legend: 'stale',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Refused because unknown',
          description: 'access_unavailable: neither a cache nor the control plane could identify the key.',
          unit: 'reqps',
          thresholds: [0.001, 1],
          queries: [
            {
              expr: 'sum(rate(gateway_requests_total{$scope, code="access_unavailable"}[$__rate_interval])) or vector(0)',
              legend: 'refused',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Found in memory',
          description: 'Part of the look-ups that waited for nothing.',
          unit: 'percentunit',
          thresholds: [0.9, 0.5],
          queries: [
            {
              expr: `sum(rate(gateway_key_lookups_total{$scope, tier="memory"}[$__rate_interval])) / sum(${lookups})`,
              legend: 'memory',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Watchers',
          description: 'Proxies that the replicas of the control plane inform of changes, of all namespaces.',
          unit: 'short',
          queries: [{ expr: 'sum(gateway_control_plane_watchers)', legend: 'watchers' }],
        },
        {
          kind: 'timeseries',
          title: 'Age of the feed',
          description: 'By proxy, the ten oldest. At GATEWAY_ACCESS_MAX_STALE (1 h unless set) the proxy refuses.',
          unit: 's',
          width: 24,
          thresholds: [20, 2700],
          queries: [{ expr: 'topk(10, gateway_feed_age_seconds{$scope})', legend: '{{namespace}}/{{pod}}' }],
        },
      ],
    },
    {
      title: 'Records',
      panels: [
        {
          kind: 'timeseries',
          title: 'Look-ups by tier',
          description:
            'memory and redis are caches; control_plane: resolved; negative: known not to be there; stale: could not be confirmed.',
          unit: 'cps',
          stacked: true,
          queries: [{ expr: `sum by (tier) (${lookups})`, legend: '{{tier}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Records in Redis not trusted',
          description:
            'outdated: the feed knows a newer one, which is usual after changes. unreadable: cache keys differ, or another program writes there. clock: the clock of some proxy is ahead. signature: it opens and was not signed by the control plane: forged, or a public key is missing. ahead: newer than the feed, usual for a moment.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (reason) (rate(gateway_access_cache_ignored_total{$scope}[$__rate_interval]))',
              legend: '{{reason}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Redis failed',
          description: 'Commands of the record cache that failed, took above 50 ms or were not tried after failures.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (namespace, job, operation) (rate(gateway_access_cache_failures_total{$scope}[$__rate_interval]))',
              legend: '{{namespace}} {{job}} {{operation}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Proxies to which Redis does not respond',
          description:
            'They continue without it: records come from memory and the control plane, rate limits apply to each proxy alone.',
          unit: 'short',
          thresholds: [1, 2],
          queries: [
            {
              expr: 'count by (namespace, job) (gateway_redis_up{$scope} == 0) or 0 * count by (namespace, job) (gateway_redis_up{$scope})',
              legend: '{{namespace}} {{job}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Refusals of keys',
          description:
            'By code. access_not_found in numbers: a client that still sends a revoked key, or an attacker who guesses.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (code) (rate(gateway_requests_total{$scope, code=~"virtual_key_required|access_not_found|access_blocked|policy_access_denied|access_unavailable"}[$__rate_interval]))',
              legend: '{{code}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Stops',
          description:
            'Of the proxy with most of them in memory: what operators have stopped, by who has made the stop.',
          unit: 'short',
          queries: [{ expr: 'max by (by) (gateway_stops{$scope})', legend: '{{by}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Background tasks that failed',
          description: 'By task; the log has the cause.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (task) (rate(gateway_background_failures_total{$scope}[$__rate_interval]))',
              legend: '{{task}}',
            },
          ],
        },
      ],
    },
  ],
};
