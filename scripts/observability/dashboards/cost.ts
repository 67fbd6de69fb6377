// Cost of requests, and the path of usage to the ledger.
import { catalogDaysMax } from '../../../catalog/in-force.ts';
import type { Dashboard } from '../dashboard.ts';
import { ofOrganization, organizationChoice, organizationLegend, withNames } from './organizations.ts';

const perHour = 'rate(gateway_cost_usd_total{$scope, provider=~"$provider"}[$__rate_interval]) * 3600';
const inRange = 'increase(gateway_cost_usd_total{$scope, provider=~"$provider"}[$__range])';
const tokens = 'rate(gateway_tokens_total{$scope, provider=~"$provider"}[$__rate_interval])';
const organizationCost = `gateway_organization_cost_usd_total{$scope, ${ofOrganization}}`;

export const cost: Dashboard = {
  name: 'cost',
  title: 'Cost',
  description:
    'Costs of requests as proxies settled them; usage that providers did not report is estimated. For accounts use Usage of the control plane: only it knows keys and every event.',
  about: 'gateway_in_flight_requests',
  choices: [{ name: 'provider', metric: 'gateway_cost_usd_total', label: 'provider' }, organizationChoice],
  rows: [
    {
      title: 'Money',
      panels: [
        {
          kind: 'stat',
          title: 'In the time shown',
          description: 'Of the whole range of this page.',
          unit: 'currencyUSD',
          queries: [{ expr: `sum(${inRange})`, legend: 'cost' }],
        },
        {
          kind: 'stat',
          title: 'Per hour',
          description: 'At the pace of the last minutes.',
          unit: 'currencyUSD',
          queries: [{ expr: `sum(${perHour})`, legend: 'cost' }],
        },
        {
          kind: 'stat',
          title: 'A week ago, per hour',
          description: 'The usual cost at this hour of the week, for comparison.',
          unit: 'currencyUSD',
          queries: [
            {
              expr: 'sum(rate(gateway_cost_usd_total{$scope, provider=~"$provider"}[1h] offset 1w)) * 3600',
              legend: 'cost',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Per million tokens',
          description: 'Cost by all tokens, in and out.',
          unit: 'currencyUSD',
          queries: [
            {
              expr: `sum(rate(gateway_cost_usd_total{$scope, provider=~"$provider"}[$__rate_interval])) / sum(${tokens}) * 1e6`,
              legend: 'cost',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Age of the prices',
          description:
            'Since the day of the oldest catalog in force. From 60 days on bring it up to date: the costs may be wrong.',
          unit: 's',
          thresholds: [catalogDaysMax * 86_400, 2 * catalogDaysMax * 86_400],
          queries: [{ expr: 'max(gateway_catalog_age_seconds{$scope})', legend: 'age' }],
        },
        {
          kind: 'stat',
          title: 'Requests without a price',
          description:
            'Of the whole range: usage without a price counts as nothing, or at the nearest price. Set prices.',
          unit: 'short',
          thresholds: [1, 1000],
          queries: [{ expr: 'sum(increase(gateway_unpriced_requests_total{$scope}[$__range]))', legend: 'requests' }],
        },
        {
          kind: 'stat',
          title: 'Usage lost',
          description: 'Events of the whole range that never reached the ledger. Anything but 0 is wrong.',
          unit: 'short',
          thresholds: [1, 2],
          queries: [
            {
              expr: 'sum(increase(gateway_usage_events_total{$scope, outcome="lost"}[$__range])) or vector(0)',
              legend: 'events',
            },
          ],
        },
      ],
    },
    {
      title: 'Where it goes',
      panels: [
        {
          kind: 'timeseries',
          title: 'Cost per hour, by provider',
          description: 'At the pace of the moment.',
          unit: 'currencyUSD',
          width: 12,
          stacked: true,
          queries: [{ expr: `sum by (provider) (${perHour})`, legend: '{{provider}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Cost per hour, by model',
          description: 'The ten dearest. other: models that neither catalog nor configuration names.',
          unit: 'currencyUSD',
          width: 12,
          stacked: true,
          queries: [{ expr: `topk(10, sum by (provider, model) (${perHour}))`, legend: '{{provider}}/{{model}}' }],
        },
        {
          kind: 'bars',
          title: 'Dearest models',
          description: 'Cost in the time shown.',
          unit: 'currencyUSD',
          width: 12,
          queries: [{ expr: `topk(15, sum by (provider, model) (${inRange}))`, legend: '{{provider}}/{{model}}' }],
        },
        {
          kind: 'bars',
          title: 'Dearest namespaces',
          description:
            'Cost in the time shown by where the proxy runs. Forwarding sidecars settle nothing: theirs is at the egress gateway.',
          unit: 'currencyUSD',
          width: 12,
          queries: [{ expr: `topk(15, sum by (namespace, job) (${inRange}))`, legend: '{{namespace}} {{job}}' }],
        },
      ],
    },
    {
      title: 'Tokens',
      panels: [
        {
          kind: 'timeseries',
          title: 'Tokens by kind',
          description: 'As providers reported them.',
          unit: 'short',
          queries: [{ expr: `sum by (kind) (${tokens})`, legend: '{{kind}} per second' }],
        },
        {
          kind: 'timeseries',
          title: 'Tokens by model',
          description: 'The ten that use most, in and out.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: `topk(10, sum by (provider, model) (${tokens}))`, legend: '{{provider}}/{{model}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Tokens of a request',
          description: 'Median and 95th percentile by kind: long prompts are the usual cause of a dear day.',
          unit: 'short',
          queries: [0.5, 0.95].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le, gen_ai_token_type) (rate(gen_ai_client_token_usage_bucket{$scope, gen_ai_provider_name=~"$provider"}[$__rate_interval])))`,
            legend: `{{gen_ai_token_type}} p${quantile * 100}`,
          })),
        },
      ],
    },
    {
      title: 'Usage on its way to the ledger',
      panels: [
        {
          kind: 'timeseries',
          title: 'Usage events',
          description: 'By outcome: overflowed and drained only while the control plane was away; lost is never right.',
          unit: 'cps',
          queries: [
            {
              expr: 'sum by (outcome) (rate(gateway_usage_events_total{$scope}[$__rate_interval]))',
              legend: '{{outcome}}',
            },
            {
              expr: 'sum by (reason) (rate(gateway_usage_skipped_total{$scope}[$__rate_interval]))',
              legend: 'left in Redis: {{reason}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Oldest event that waits',
          description: 'Seconds are usual; minutes mean that the control plane accepts no reports.',
          unit: 's',
          thresholds: [60, 300],
          queries: [{ expr: 'topk(10, gateway_usage_oldest_seconds{$scope})', legend: '{{namespace}}/{{pod}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Bytes that wait',
          description: 'At 64 MiB requests are refused as ledger_unavailable.',
          unit: 'bytes',
          thresholds: [33554432, 50331648],
          queries: [{ expr: 'topk(10, gateway_usage_queued_bytes{$scope})', legend: '{{namespace}}/{{pod}}' }],
        },
      ],
    },
    {
      title: 'Rows of requests',
      panels: [
        {
          kind: 'timeseries',
          title: 'Requests with a row',
          description: 'Dropped: the control plane was away for long, or an organization had more than its share.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (result) (rate(gateway_request_rows_total{$scope}[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Captured sides of requests',
          description:
            'Dropped: no room in a proxy or in the setting, or no setting of the organization allows it any more.',
          unit: 'ops',
          queries: [
            { expr: 'sum by (result) (rate(gateway_captures_total{$scope}[$__rate_interval]))', legend: '{{result}}' },
          ],
        },
      ],
    },
    {
      title: 'Bills of vendors against the ledger',
      panels: [
        {
          kind: 'timeseries',
          title: 'Differences that are not settled',
          description:
            'Of days, provider keys and models, beyond the bounds of their organizations. preliminary: the vendor may still change it.',
          unit: 'currencyUSD',
          width: 12,
          queries: [
            {
              expr: 'max by (state) (gateway_control_plane_bill_drift_usd{$scope})',
              legend: '{{state}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Days to import and to compare',
          description: 'missing: final at the vendor and not imported. pending: not compared since something changed.',
          unit: 'short',
          width: 12,
          queries: [
            { expr: 'max(gateway_control_plane_bill_days_missing{$scope})', legend: 'missing' },
            { expr: 'max(gateway_control_plane_bill_days_pending{$scope})', legend: 'pending' },
          ],
        },
      ],
    },
    {
      title: 'Organizations',
      panels: [
        {
          kind: 'timeseries',
          title: 'Cost per hour, by organization',
          description: 'The ten dearest, of all providers. other: organizations beyond the first 200 of a proxy.',
          unit: 'currencyUSD',
          stacked: true,
          queries: [
            {
              expr: `topk(10, ${withNames(`sum by (organization_id) (rate(${organizationCost}[$__rate_interval]) * 3600)`)})`,
              legend: organizationLegend,
            },
          ],
        },
        {
          kind: 'bars',
          title: 'Dearest organizations',
          description: 'Cost in the time shown.',
          unit: 'currencyUSD',
          queries: [
            {
              expr: `topk(15, ${withNames(`sum by (organization_id) (increase(${organizationCost}[$__range]))`)})`,
              legend: organizationLegend,
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Tokens by organization',
          description: 'The ten that use most, in and out.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `topk(10, ${withNames(`sum by (organization_id) (rate(gateway_organization_tokens_total{$scope, ${ofOrganization}}[$__rate_interval]))`)})`,
              legend: organizationLegend,
            },
          ],
        },
      ],
    },
  ],
};
