// Latency: in the gateway, at the provider, between tokens.
import type { Dashboard, Query } from '../dashboard.ts';

const quantiles = [0.5, 0.95, 0.99];

/** Median, 95th and 99th percentile of a histogram. */
function percentiles(metric: string, matchers = '$scope'): readonly Query[] {
  return quantiles.map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${metric}_bucket{${matchers}}[$__rate_interval])))`,
    legend: `p${quantile * 100}`,
  }));
}

function byLabel(metric: string, label: string, matchers: string): readonly Query[] {
  return [
    {
      expr: `histogram_quantile(0.95, sum by (le, ${label}) (rate(${metric}_bucket{${matchers}}[$__rate_interval])))`,
      legend: `{{${label}}}`,
    },
  ];
}

const ofProvider = '$scope, gen_ai_provider_name=~"$provider"';

export const latency: Dashboard = {
  name: 'latency',
  title: 'Latency',
  description:
    'The time that the gateway adds, and the time of providers. Times run from the first byte of a request; percentiles are read from buckets, so they are no finer than these.',
  about: 'gateway_in_flight_requests',
  choices: [
    {
      name: 'provider',
      metric: 'gen_ai_server_request_duration_seconds_count',
      label: 'gen_ai_provider_name',
    },
  ],
  rows: [
    {
      title: 'The gateway',
      panels: [
        {
          kind: 'timeseries',
          title: 'Overhead',
          description:
            'From the arrival of a request to the call of the provider: reading its body and every check. A slow caller or a large body is in it.',
          unit: 's',
          thresholds: [0.025, 0.1],
          queries: percentiles('gateway_overhead_seconds'),
        },
        {
          kind: 'timeseries',
          title: 'Guardrails, p95',
          description: 'Of one request by stage, including the services that are called.',
          unit: 's',
          queries: byLabel('gateway_guardrail_seconds', 'stage', '$scope'),
        },
        {
          kind: 'timeseries',
          title: 'Waiting for budgets',
          description:
            'Requests that had to wait for the control plane to set money aside; those that were served from memory are not among them.',
          unit: 's',
          thresholds: [0.25, 1],
          queries: percentiles('gateway_budget_wait_seconds'),
        },
      ],
    },
    {
      title: 'Responses',
      panels: [
        {
          kind: 'timeseries',
          title: 'Time to the first token',
          description: 'Of streams.',
          unit: 's',
          queries: percentiles('gen_ai_server_time_to_first_token_seconds', ofProvider),
        },
        {
          kind: 'timeseries',
          title: 'Whole requests',
          description: 'To the last byte of the response, streams included.',
          unit: 's',
          queries: percentiles('gen_ai_server_request_duration_seconds', ofProvider),
        },
        {
          kind: 'timeseries',
          title: 'Time per output token',
          description: 'Of streams, after the first token.',
          unit: 's',
          queries: percentiles('gen_ai_server_time_per_output_token_seconds', ofProvider),
        },
      ],
    },
    {
      title: 'By provider, p95',
      panels: [
        {
          kind: 'timeseries',
          title: 'Time to the first token, by provider',
          description:
            'One provider above the others is its own matter; all of them at once is the network or this gateway.',
          unit: 's',
          thresholds: [10, 30],
          queries: byLabel('gen_ai_server_time_to_first_token_seconds', 'gen_ai_provider_name', ofProvider),
        },
        {
          kind: 'timeseries',
          title: 'Whole requests, by provider',
          description: 'Successful ones; failures are left out.',
          unit: 's',
          queries: byLabel(
            'gen_ai_server_request_duration_seconds',
            'gen_ai_provider_name',
            `${ofProvider}, error_type="none"`,
          ),
        },
        {
          kind: 'timeseries',
          title: 'Time per output token, by provider',
          description: 'Of streams.',
          unit: 's',
          queries: byLabel('gen_ai_server_time_per_output_token_seconds', 'gen_ai_provider_name', ofProvider),
        },
      ],
    },
  ],
};
