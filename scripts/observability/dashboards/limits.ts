// Deliberate refusals: rates, budgets, guardrails.
import type { Dashboard } from '../dashboard.ts';

export const limits: Dashboard = {
  name: 'limits',
  title: 'Limits',
  description:
    'Rates, budgets and guardrails: who is refused, why, and whether what decides about it is at hand.',
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
            'Redis did not answer, or none is set: limits then hold for each proxy, so callers get up to as many times as there are proxies.',
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
            'exceeded: it is spent; busy: requests under way hold what is left; unavailable: the control plane could not be asked.',
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
          title: 'Draws',
          description:
            'What the control plane answered proxies that asked for money. exceeded and busy are refusals of budgets, no failures.',
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
          title: 'Money held by proxies',
          description:
            'In slices: free for requests, or held by requests under way. What is here is not yet spent and not free for others.',
          unit: 'currencyUSD',
          stacked: true,
          queries: [
            { expr: 'sum(gateway_budget_available_nano_usd{$scope}) / 1e9', legend: 'free' },
            { expr: 'sum(gateway_budget_held_nano_usd{$scope}) / 1e9', legend: 'held by requests' },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Drawn and returned per hour',
          description: 'Drawn less returned is spent, over time.',
          unit: 'currencyUSD',
          queries: [
            {
              expr: 'sum(rate(gateway_budget_drawn_nano_usd_total{$scope}[$__rate_interval])) * 3600 / 1e9',
              legend: 'drawn',
            },
            {
              expr: 'sum(rate(gateway_budget_returned_nano_usd_total{$scope}[$__rate_interval])) * 3600 / 1e9',
              legend: 'returned',
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
            'Part of the drawn money that comes back by itself should a proxy be killed; and what was held for usage that was lost.',
          unit: 'currencyUSD',
          queries: [
            { expr: 'sum(gateway_budget_shut_nano_usd{$scope}) / 1e9', legend: 'shut' },
            {
              expr: 'sum(increase(gateway_budget_escrow_lost_nano_usd_total{$scope}[$__range])) / 1e9',
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
          description:
            'For how long, to be reported again should the database lose it; the shortest of all proxies.',
          unit: 's',
          queries: [{ expr: 'min(gateway_usage_kept_seconds{$scope})', legend: 'kept' }],
        },
        {
          kind: 'timeseries',
          title: 'Estimated costs',
          description:
            'Requests whose provider did not report all that they used, by the reason. All but left and no_usage are charged what was held.',
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
          description:
            'Responses whose caller had left, or may not have them: under way, and what became of them per second.',
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
          title: 'Models without a price',
          description: 'Requests whose cost counts as nothing; where a budget applies they are refused.',
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
          description:
            'Of all that there is of it; the fullest replica. What each resource is: docs/limits.md, Shares.',
          unit: 'percentunit',
          queries: [
            { expr: 'max by (job, resource) (gateway_share_used{$scope})', legend: '{{job}} {{resource}}' },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Refused, by resource',
          description:
            'Its owner had its share already, so that others find some: who it was is in the log of what failed.',
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
          title: 'What guardrails did',
          description:
            'Without what passed, by guardrail. failed_…: the check itself failed, and its rule decided.',
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
          title: 'Services that guardrails ask',
          description:
            'By kind and outcome; anything but answered is left to the rule for failures of the guardrail.',
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
