// The control plane: its calls, its change feed, its ledger.
import type { Dashboard } from '../dashboard.ts';

const calls = 'rate(gateway_control_plane_calls_total{$scope}[$__rate_interval])';
const own = 'and on (namespace, pod, job) gateway_control_plane_watchers';

export const controlPlane: Dashboard = {
  name: 'control-plane',
  title: 'Control plane',
  description:
    'Calls of proxies and operators, the change feed, the ledger of budgets, webhooks. Requests continue without it while the records of proxies are fresh enough.',
  about: 'gateway_control_plane_watchers',
  rows: [
    {
      title: 'Now',
      panels: [
        {
          kind: 'stat',
          title: 'Replicas',
          description: 'That are scraped.',
          unit: 'short',
          thresholds: [2, 1],
          queries: [{ expr: 'count(gateway_control_plane_watchers{$scope})', legend: 'replicas' }],
        },
        {
          kind: 'stat',
          title: 'Watchers',
          description: 'Proxies on the change feed.',
          unit: 'short',
          queries: [{ expr: 'sum(gateway_control_plane_watchers{$scope})', legend: 'watchers' }],
        },
        {
          kind: 'stat',
          title: 'Revision',
          description: 'The newest one that a replica has read: it grows with each change.',
          unit: 'none',
          queries: [{ expr: 'max(gateway_control_plane_feed_revision{$scope})', legend: 'revision' }],
        },
        {
          kind: 'stat',
          title: 'Calls that failed',
          description: 'INTERNAL or UNAVAILABLE: a defect, or the database is away.',
          unit: 'percentunit',
          thresholds: [0.001, 0.05],
          queries: [
            {
              expr: `(sum(rate(gateway_control_plane_calls_total{$scope, code=~"INTERNAL|UNAVAILABLE"}[$__rate_interval])) or vector(0)) / sum(${calls})`,
              legend: 'failed',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Budgets overrun',
          description: 'Reports in the time shown that took a window above its limit.',
          unit: 'short',
          thresholds: [1, 10],
          queries: [
            {
              expr: 'sum(increase(gateway_control_plane_budget_overruns_total{$scope}[$__range]))',
              legend: 'overruns',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Stored selectors to look at',
          description:
            'Limits, prices and allow-lists whose selector of models is an alias or selects nothing; doctor names them.',
          unit: 'short',
          thresholds: [1, 10],
          queries: [
            {
              expr: 'max(sum by (pod) (gateway_control_plane_stored_selectors_found{$scope}))',
              legend: 'selectors',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Sessions expired',
          description:
            'In the time shown: proxies that fell silent without settling. The money of their leases is unconfirmed until late reports come.',
          unit: 'short',
          thresholds: [1, 10],
          queries: [
            {
              expr: 'sum(increase(gateway_control_plane_sessions_expired_total{$scope}[$__range]))',
              legend: 'sessions',
            },
            {
              expr: 'sum(increase(gateway_control_plane_sessions_closed_total{$scope}[$__range]))',
              legend: 'closed in good order',
            },
          ],
        },
      ],
    },
    {
      title: 'Calls',
      panels: [
        {
          kind: 'timeseries',
          title: 'Calls by method',
          description: 'The fifteen most frequent, of gRPC and the JSON API.',
          unit: 'cps',
          queries: [{ expr: `topk(15, sum by (method) (${calls}))`, legend: '{{method}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Calls that were not OK',
          description: 'By method and code; docs/errors.md has the reasons.',
          unit: 'cps',
          queries: [
            {
              expr: 'topk(15, sum by (method, code) (rate(gateway_control_plane_calls_total{$scope, code!="OK"}[$__rate_interval])))',
              legend: '{{method}} {{code}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Time of calls, p95',
          description: 'The ten slowest methods; a whole page above 500 ms is the database.',
          unit: 's',
          thresholds: [0.5, 2.5],
          queries: [
            {
              expr: 'topk(10, histogram_quantile(0.95, sum by (le, method) (rate(gateway_control_plane_call_duration_seconds_bucket{$scope}[$__rate_interval]))))',
              legend: '{{method}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Feed',
      panels: [
        {
          kind: 'timeseries',
          title: 'Watchers by replica',
          description: 'Connections are renewed every five minutes, so their load becomes even automatically.',
          unit: 'short',
          queries: [{ expr: 'gateway_control_plane_watchers{$scope}', legend: '{{pod}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Revisions behind',
          description:
            'Of each replica, against the newest of all. Anything that stays is a replica that cannot read the primary.',
          unit: 'short',
          thresholds: [1, 10],
          queries: [
            {
              expr: 'max by (namespace, job) (gateway_control_plane_feed_revision{$scope}) - on (namespace, job) group_right () gateway_control_plane_feed_revision{$scope}',
              legend: '{{pod}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Changes',
          description: 'New revisions between two points.',
          unit: 'short',
          queries: [
            {
              expr: 'max by (namespace, job) (delta(gateway_control_plane_feed_revision{$scope}[$__rate_interval]))',
              legend: '{{namespace}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Ledger',
      panels: [
        {
          kind: 'timeseries',
          title: 'Acquisitions',
          description:
            'granted, or why not: exceeded and busy are refusals of budgets; the others mean sessions, windows or budgets that ended.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (outcome) (rate(gateway_control_plane_draws_total{$scope}[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Reported usage',
          description: 'duplicate: in the ledger before, which is right; unknown: no such organization.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (result) (rate(gateway_control_plane_usage_events_total{$scope}[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Webhooks',
          description: 'Tries by outcome. given_up: it is not sent again.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (outcome) (rate(gateway_control_plane_webhook_tries_total{$scope}[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Process',
      panels: [
        {
          kind: 'timeseries',
          title: 'CPU',
          description: 'Cores in use.',
          unit: 'short',
          queries: [{ expr: `rate(process_cpu_seconds_total{$scope}[$__rate_interval]) ${own}`, legend: '{{pod}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Memory',
          description: 'Resident.',
          unit: 'bytes',
          queries: [{ expr: `process_resident_memory_bytes{$scope} ${own}`, legend: '{{pod}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Versions',
          description: 'Replicas by version: more than one only during an upgrade.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: `count by (version) (gateway_build_info{$scope} ${own})`, legend: '{{version}}' }],
        },
      ],
    },
  ],
};
