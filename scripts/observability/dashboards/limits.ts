// Deliberate refusals: rates, budgets, guardrails.
import type { Dashboard } from '../dashboard.ts';

export const limits: Dashboard = {
  name: 'limits',
  title: 'Limits',
  description: 'Rates, budgets and guardrails: who is refused, why, and whether what decides about it is at hand.',
  about: 'gateway_in_flight_requests',
  rows: [
    {
      title: 'Rates',
      panels: [
        {
          kind: 'timeseries',
          title: 'Refused by rates',
          description: 'By level and kind of the limit.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (level, kind) (rate(gateway_rate_limit_refusals_total{$scope}[$__rate_interval]))',
              legend: '{{level}} {{kind}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Counted by one proxy alone',
          description:
            'Redis did not respond, or none is set: limits then apply to each proxy, so callers get up to as many times as there are proxies.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (namespace, job) (rate(gateway_rate_limit_local_total{$scope}[$__rate_interval]))',
              legend: '{{namespace}} {{job}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Decided without Redis, by leases',
          description:
            'Of busy limits a proxy takes a part in advance, or knows for a moment that they are full. Compare with all requests.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (namespace, job) (rate(gateway_rate_limit_leased_total{$scope}[$__rate_interval]))',
              legend: '{{namespace}} {{job}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'All refusals of limits',
          description: 'As callers see them: 402 and 429, by code.',
          unit: 'reqps',
          stacked: true,
          queries: [
            {
              expr: 'sum by (code) (rate(gateway_requests_total{$scope, code=~"rate_limit_exceeded|concurrency_limit_exceeded|budget_exceeded|budget_busy|model_not_priced"}[$__rate_interval]))',
              legend: '{{code}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Budgets',
      panels: [
        {
          kind: 'timeseries',
          title: 'Refused by budgets',
          description:
            'exceeded: it is spent; busy: requests in flight have reserved the rest; unavailable: the control plane could not be reached.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (level, reason) (rate(gateway_budget_refusals_total{$scope}[$__rate_interval]))',
              legend: '{{level}} {{reason}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Acquisitions',
          description:
            'Responses of the control plane to proxies that acquire money. exceeded and busy are refusals of budgets, not failures.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (outcome) (rate(gateway_budget_draws_total{$scope}[$__rate_interval]))',
              legend: '{{outcome}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Money in leases of proxies',
          description:
            'Free for requests, or reserved by requests in flight. This money is not yet spent and not free for other proxies.',
          unit: 'currencyUSD',
          stacked: true,
          queries: [
            { expr: 'sum(gateway_budget_available_usd{$scope})', legend: 'free' },
            { expr: 'sum(gateway_budget_reserved_usd{$scope})', legend: 'reserved by requests' },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Acquired and released per hour',
          description: 'Acquired less released is spent, over time.',
          unit: 'currencyUSD',
          queries: [
            {
              expr: 'sum(rate(gateway_budget_acquired_usd_total{$scope}[$__rate_interval])) * 3600',
              legend: 'acquired',
            },
            {
              expr: 'sum(rate(gateway_budget_released_usd_total{$scope}[$__rate_interval])) * 3600',
              legend: 'released',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Slices',
          description: 'Of budgets, by proxy.',
          unit: 'short',
          queries: [{ expr: 'topk(10, gateway_budget_slices{$scope})', legend: '{{namespace}}/{{pod}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Shut, and lost on the way',
          description:
            'Part of the acquired money that becomes free automatically if a proxy is killed; and reservations for usage that was lost.',
          unit: 'currencyUSD',
          queries: [
            { expr: 'sum(gateway_budget_shut_usd{$scope})', legend: 'shut' },
            {
              expr: 'sum(increase(gateway_budget_pending_charges_lost_usd_total{$scope}[$__range]))',
              legend: 'lost in the time shown',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Journals of killed proxies',
          description: 'Usage that was adopted from them, and times that a journal could not be written.',
          unit: 'short',
          queries: [
            {
              expr: 'sum(increase(gateway_usage_adopted_total{$scope}[$__rate_interval]))',
              legend: 'adopted',
            },
            {
              expr: 'sum(increase(gateway_journal_failures_total{$scope}[$__rate_interval]))',
              legend: 'failed',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Reported usage that is kept',
          description: 'For how long, to be reported again should the database lose it; the shortest of all proxies.',
          unit: 's',
          queries: [{ expr: 'min(gateway_usage_kept_seconds{$scope})', legend: 'kept' }],
        },
        {
          kind: 'timeseries',
          title: 'Estimated costs',
          description:
            'Requests whose provider did not report all that they used, by the reason. All but left and no_usage are charged their reservation.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (reason) (rate(gateway_estimated_requests_total{$scope}[$__rate_interval]))',
              legend: '{{reason}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Read on for their usage',
          description: 'Responses whose caller had left, or may not have them: in flight, and outcomes per second.',
          unit: 'short',
          queries: [
            { expr: 'sum(gateway_read_on_requests{$scope})', legend: 'under way' },
            {
              expr: 'sum by (result) (rate(gateway_read_on_total{$scope}[$__rate_interval]))',
              legend: '{{result}} per second',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Responses in the background',
          description:
            'Responses that a vendor generates after their request: followed until they are over, and how they ended per second.',
          unit: 'short',
          queries: [
            { expr: 'sum(gateway_background_responses{$scope})', legend: 'under way' },
            {
              expr: 'sum by (result) (rate(gateway_background_responses_total{$scope}[$__rate_interval]))',
              legend: '{{result}} per second',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Models without a price',
          description: 'Requests whose cost counts as nothing; under a budget they are refused.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (namespace, job) (rate(gateway_unpriced_requests_total{$scope}[$__rate_interval]))',
              legend: '{{namespace}} {{job}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Shares of what is scarce',
      panels: [
        {
          kind: 'timeseries',
          title: 'Used, by resource',
          description: 'Of the whole resource; the fullest replica. docs/limits.md, Shares, explains each resource.',
          unit: 'percentunit',
          queries: [{ expr: 'max by (job, resource) (gateway_share_used{$scope})', legend: '{{job}} {{resource}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Refused, by resource',
          description:
            'The owner had its share already, and the rest is for others: the log line of the failure names the owner.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (job, resource) (rate(gateway_share_refused_total{$scope}[$__rate_interval]))',
              legend: '{{job}} {{resource}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Guardrails',
      panels: [
        {
          kind: 'timeseries',
          title: 'Decisions of guardrails',
          description: 'Without passed texts, by guardrail. failed_…: the check itself failed, and its rule decided.',
          unit: 'cps',
          queries: [
            {
              expr: 'topk(15, sum by (guardrail, decision) (rate(gateway_guardrail_decisions_total{$scope, decision!="pass"}[$__rate_interval])))',
              legend: '{{guardrail}} {{decision}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Services that guardrails call',
          description:
            'By kind and outcome; at every outcome but a response, the failure rule of the guardrail decides.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (kind, outcome) (rate(gateway_guardrail_questions_total{$scope}[$__rate_interval]))',
              legend: '{{kind}} {{outcome}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Time of guardrails, p99',
          description: 'Of one request by stage, services included.',
          unit: 's',
          queries: [
            {
              expr: 'histogram_quantile(0.99, sum by (le, stage) (rate(gateway_guardrail_seconds_bucket{$scope}[$__rate_interval])))',
              legend: '{{stage}}',
            },
          ],
        },
      ],
    },
  ],
};
