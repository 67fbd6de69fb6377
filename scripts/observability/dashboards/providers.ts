// Providers in comparison.
import type { Dashboard, Query } from '../dashboard.ts';

const requests = 'rate(gateway_requests_total{$scope, provider=~"$provider"}[$__rate_interval])';
const failed =
  'rate(gateway_requests_total{$scope, provider=~"$provider", status=~"429|5..", code=~"provider_error|upstream_.*"}[$__rate_interval])';

export const providers: Dashboard = {
  name: 'providers',
  title: 'Providers',
  description:
    'Providers side by side. provider_error: it responded with an error; upstream_…: it could not be reached, did not respond in time, or responded in a form that cannot be used.',
  about: 'gateway_in_flight_requests',
  choices: [{ name: 'provider', metric: 'gateway_attempts_total', label: 'provider' }],
  rows: [
    {
      title: 'Responses',
      panels: [
        {
          kind: 'timeseries',
          title: 'Requests',
          description: 'Requests with a chosen provider, including those refused afterwards.',
          unit: 'reqps',
          queries: [{ expr: `sum by (provider) (${requests})`, legend: '{{provider}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Failed at the provider',
          description: 'Part of its requests that ended in 429 or 5xx of the provider, or on the way to it.',
          unit: 'percentunit',
          max: 1,
          thresholds: [0.05, 0.25],
          queries: [
            {
              expr: `sum by (provider) (${failed}) / sum by (provider) (${requests})`,
              legend: '{{provider}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Failed attempts',
          description:
            'Per second, by cause, and whether another attempt followed: then the caller may not have noticed.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (cause, followed) (rate(gateway_failed_attempts_total{$scope}[$__rate_interval]))',
              legend: '{{cause}}, followed: {{followed}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Broken streams of routes with recovery',
          description:
            'Per second, by what followed. restarted and continued: the caller reads one whole response. final and failed: it has an error.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (result) (rate(gateway_broken_streams_total{$scope}[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Late requests of routes with hedging',
          description:
            'Per second. first, hedge, none: a second target got the request, and this attempt responded first, or neither did; the other attempt may have cost something. Others: why no second target got it.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (result) (rate(gateway_hedges_total{$scope}[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Targets without requests',
          description:
            'Now, by kind, and how often they began. Provider keys have to be replaced; hosts and limits recover.',
          unit: 'short',
          queries: [
            { expr: 'sum by (kind) (gateway_targets_out{$scope})', legend: '{{kind}}' },
            {
              expr: 'sum by (cause) (rate(gateway_ejections_total{$scope}[$__rate_interval]))',
              legend: '{{cause}} per second',
            },
            {
              expr: 'sum by (result) (rate(gateway_refused_key_reports_total{$scope}[$__rate_interval]))',
              legend: 'refused keys {{result}} per second',
            },
            {
              expr: 'sum by (result) (rate(gateway_target_hints_total{$scope}[$__rate_interval]))',
              legend: 'hints {{result}} per second',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Canaries of routes',
          description:
            'Requests that went to a canary first. true: it responded, or its failure was returned; failed: another target got the request then.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (canary, source) (rate(gateway_requests_total{$scope, provider=~"$provider", canary!="false"}[$__rate_interval]))',
              legend: '{{canary}}, errors of: {{source}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Attempts per request',
          description: 'Above 1: attempts that were tried again.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (provider) (rate(gateway_attempts_total{$scope, provider=~"$provider"}[$__rate_interval])) / sum by (provider) (${requests})`,
              legend: '{{provider}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Shadow traffic',
      panels: [
        {
          kind: 'timeseries',
          title: 'Copies of requests',
          description:
            'Per second, by outcome. no_budget, no_price, no_target: an operator of the organization has to mend the route; the log names it. stopped: an operator has stopped the model.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (result) (rate(gateway_shadow_requests_total{$scope}[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'First token, copies and copied requests',
          description: '95th percentile by model, of streams: copies (shadow) beside the same requests of callers.',
          unit: 's',
          queries: [compared('gateway_shadow_first_token_seconds')],
        },
        {
          kind: 'timeseries',
          title: 'Whole response, copies and copied requests',
          description: '95th percentile by model: copies (shadow) beside the same requests of callers.',
          unit: 's',
          queries: [compared('gateway_shadow_duration_seconds')],
        },
      ],
    },
    {
      title: 'Errors',
      panels: [
        {
          kind: 'timeseries',
          title: 'Errors of providers',
          description: 'By status as callers received it. 429: their limits on the stored key are reached.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (provider, status) (rate(gateway_requests_total{$scope, provider=~"$provider", source="provider"}[$__rate_interval]))',
              legend: '{{provider}} {{status}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'On the way to providers',
          description:
            'upstream_unreachable: network, DNS, TLS; upstream_timeout: no response in time; upstream_authentication_failed: the stored key is refused, an owner has to replace it. none: a sidecar on its way to the egress gateway.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (provider, code) (rate(gateway_requests_total{$scope, provider=~"$provider", code=~"upstream_.*|no_healthy_target"}[$__rate_interval]))',
              legend: '{{provider}} {{code}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'No key for the provider',
          description: 'Callers requested a provider for which their organization has no key.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (code) (rate(gateway_requests_total{$scope, code=~"provider_not_configured|provider_key_required|model_not_found"}[$__rate_interval]))',
              legend: '{{code}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Speed and cost',
      panels: [
        {
          kind: 'timeseries',
          title: 'Time to the first token, p95',
          description: 'Of streams.',
          unit: 's',
          thresholds: [10, 30],
          queries: [
            {
              expr: 'histogram_quantile(0.95, sum by (le, gen_ai_provider_name) (rate(gen_ai_server_time_to_first_token_seconds_bucket{$scope, gen_ai_provider_name=~"$provider"}[$__rate_interval])))',
              legend: '{{gen_ai_provider_name}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Output tokens',
          description: 'Per second, as providers reported them.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (provider) (rate(gateway_tokens_total{$scope, provider=~"$provider", kind="output"}[$__rate_interval]))',
              legend: '{{provider}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Cost per hour',
          description: 'At the pace of the moment.',
          unit: 'currencyUSD',
          stacked: true,
          queries: [
            {
              expr: 'sum by (provider) (rate(gateway_cost_usd_total{$scope, provider=~"$provider"}[$__rate_interval])) * 3600',
              legend: '{{provider}}',
            },
          ],
        },
      ],
    },
  ],
};

function compared(metric: string): Query {
  const rate = `rate(${metric}_bucket{$scope, provider=~"$provider"}[$__rate_interval])`;
  return {
    expr: `histogram_quantile(0.95, sum by (le, request, provider, model) (${rate}))`,
    legend: '{{request}} {{provider}}/{{model}}',
  };
}
