// The first page for on-call operators: requests, responses, load of the gateway.
import type { RequestResult } from '../../../proto/words/requests.ts';
import type { Dashboard } from '../dashboard.ts';
import { ofOrganization, organizationChoice, organizationLegend, withNames } from './organizations.ts';

const requests = 'rate(gateway_requests_total{$scope}[$__rate_interval])';

function ofOrganizations(outcome?: RequestResult): string {
  const only = outcome === undefined ? '' : `, outcome="${outcome}"`;
  return `sum by (organization_id) (rate(gateway_organization_requests_total{$scope, ${ofOrganization}${only}}[$__rate_interval]))`;
}

export const traffic: Dashboard = {
  name: 'traffic',
  title: 'Traffic',
  description:
    'Where to begin: requests, responses, failures of the gateway itself, and how full it is. A request through a sidecar that forwards is counted there and at the egress gateway: choose a job to see it once.',
  about: 'gateway_in_flight_requests',
  choices: [organizationChoice],
  rows: [
    {
      title: 'Now',
      panels: [
        {
          kind: 'stat',
          title: 'Requests',
          description: 'All responses, refusals included.',
          unit: 'reqps',
          queries: [{ expr: `sum(${requests})`, legend: 'requests' }],
        },
        {
          kind: 'stat',
          title: 'Failed by the gateway',
          description: 'Part of all requests to which the gateway itself responded with 5xx. By code: below.',
          unit: 'percentunit',
          thresholds: [0.001, 0.01],
          queries: [
            {
              expr: `(sum(rate(gateway_requests_total{$scope, source="gateway", status=~"5.."}[$__rate_interval])) or vector(0)) / sum(${requests})`,
              legend: 'failed',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Failed by providers',
          description: "Part of all requests that ended in a provider's error. By provider: the page Providers.",
          unit: 'percentunit',
          thresholds: [0.02, 0.1],
          queries: [
            {
              expr: `(sum(rate(gateway_requests_total{$scope, source="provider"}[$__rate_interval])) or vector(0)) / sum(${requests})`,
              legend: 'failed',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'In flight',
          description: 'Admitted requests that are not finished, open streams among them.',
          unit: 'short',
          queries: [{ expr: 'sum(gateway_in_flight_requests{$scope})', legend: 'in flight' }],
        },
        {
          kind: 'stat',
          title: 'Cost per hour',
          description: 'At the pace of the last minutes.',
          unit: 'currencyUSD',
          queries: [
            {
              expr: 'sum(rate(gateway_cost_usd_total{$scope}[$__rate_interval])) * 3600',
              legend: 'cost',
            },
          ],
        },
        {
          kind: 'stat',
          title: 'Gateways',
          description: 'Proxies that are scraped: egress gateways and sidecars.',
          unit: 'short',
          queries: [{ expr: 'count(gateway_in_flight_requests{$scope})', legend: 'proxies' }],
        },
      ],
    },
    {
      title: 'Requests',
      panels: [
        {
          kind: 'timeseries',
          title: 'Requests by status',
          description: '499: the caller left before its response was complete.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: `sum by (status) (${requests})`, legend: '{{status}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Requests by route',
          description: 'none: no such route.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: `sum by (route) (${requests})`, legend: '{{route}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Requests by format of the client',
          description: 'none: no such route.',
          unit: 'reqps',
          queries: [{ expr: `sum by (client_format) (${requests})`, legend: '{{client_format}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Requests by provider',
          description: 'none: refused before a provider was chosen.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: `sum by (provider) (${requests})`, legend: '{{provider}}' }],
        },
      ],
    },
    {
      title: 'Refusals and failures',
      panels: [
        {
          kind: 'timeseries',
          title: 'Refusals by the gateway (4xx)',
          description: "Callers' mistakes and limits, by code; docs/errors.md explains each.",
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (code) (rate(gateway_requests_total{$scope, source="gateway", status=~"4.."}[$__rate_interval]))',
              legend: '{{code}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Failures of the gateway (5xx)',
          description: 'By code; docs/errors.md explains each. upstream_…: the way to a provider.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (code) (rate(gateway_requests_total{$scope, source="gateway", status=~"5.."}[$__rate_interval]))',
              legend: '{{code}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Callers that left',
          description:
            'client_left: closed the connection; client_stalled: received nothing for a minute. Neither is an error of anyone here.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (code) (rate(gateway_requests_total{$scope, code=~"client_left|client_stalled"}[$__rate_interval]))',
              legend: '{{code}}',
            },
            {
              expr: 'sum by (code) (rate(gateway_malformed_requests_total{$scope}[$__rate_interval]))',
              legend: 'no HTTP request: {{code}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Room',
      panels: [
        {
          kind: 'timeseries',
          title: 'Requests in flight, of the limit',
          description:
            'By proxy. At 100 % requests are refused as overloaded: more replicas, or a higher GATEWAY_IN_FLIGHT_MAX.',
          unit: 'percentunit',
          max: 1,
          thresholds: [0.8, 0.95],
          queries: [
            {
              expr: 'topk(10, gateway_in_flight_requests{$scope} / gateway_in_flight_limit{$scope})',
              legend: '{{namespace}}/{{pod}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Bytes in memory, of the limit',
          description:
            'Requests and responses in memory, by proxy. At 100 % requests that need more are refused as overloaded.',
          unit: 'percentunit',
          max: 1,
          thresholds: [0.8, 0.95],
          queries: [
            {
              expr: 'topk(10, gateway_buffered_bytes{$scope} / gateway_buffered_bytes_limit{$scope})',
              legend: '{{namespace}}/{{pod}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Event loop lag, p99',
          description:
            'How late the process runs work that is due; everything it does waits as long. Above 100 ms: too little CPU, or too much in one process.',
          unit: 's',
          thresholds: [0.1, 0.5],
          queries: [
            {
              expr: 'topk(10, nodejs_eventloop_lag_p99_seconds{$scope} and on (namespace, pod, job) gateway_in_flight_requests)',
              legend: '{{namespace}}/{{pod}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'CPU',
          description: 'Cores in use; one process uses little more than one.',
          unit: 'short',
          queries: [
            {
              expr: 'topk(10, rate(process_cpu_seconds_total{$scope}[$__rate_interval]) and on (namespace, pod, job) gateway_in_flight_requests)',
              legend: '{{namespace}}/{{pod}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Memory',
          description: 'Resident, by proxy.',
          unit: 'bytes',
          queries: [
            {
              expr: 'topk(10, process_resident_memory_bytes{$scope} and on (namespace, pod, job) gateway_in_flight_requests)',
              legend: '{{namespace}}/{{pod}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Versions',
          description: 'Proxies by version: more than one only during an upgrade.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: 'count by (version) (gateway_build_info{$scope} and on (namespace, pod, job) gateway_in_flight_requests)',
              legend: '{{version}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Cached responses',
      panels: [
        {
          kind: 'timeseries',
          title: 'Requests to routes that cache responses',
          description:
            'hit: a cached response; shared: that of an equal request at the same time; miss: a provider was called.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (result) (rate(gateway_response_cache_requests_total{$scope}[$__rate_interval]))',
              legend: '{{result}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Not stored, or not used',
          description:
            'Per second, by reason. full: an organization has stored as much as it may (GATEWAY_RESPONSE_CACHE_BYTES_MAX). unreadable: someone else writes to this Redis, or an older proxy did.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (reason) (rate(gateway_response_cache_not_stored_total{$scope}[$__rate_interval]))',
              legend: 'not stored: {{reason}}',
            },
            {
              expr: 'sum by (reason) (rate(gateway_response_cache_ignored_total{$scope}[$__rate_interval]))',
              legend: 'not used: {{reason}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Organizations',
      panels: [
        {
          kind: 'timeseries',
          title: 'Requests by organization',
          description:
            'The ten with most, of known callers. other: organizations beyond the first 200 that a proxy has served.',
          unit: 'reqps',
          stacked: true,
          queries: [{ expr: `topk(10, ${withNames(ofOrganizations())})`, legend: organizationLegend }],
        },
        {
          kind: 'timeseries',
          title: 'Refused, by organization',
          description: 'By a rule of the gateway, 400 to 499. Which rule: gatewayctl requests list --status refused.',
          unit: 'reqps',
          queries: [{ expr: `topk(10, ${withNames(ofOrganizations('refused'))})`, legend: organizationLegend }],
        },
        {
          kind: 'timeseries',
          title: 'Failed, by organization',
          description: 'Failures of the gateway and of providers, and callers that left.',
          unit: 'reqps',
          queries: [{ expr: `topk(10, ${withNames(ofOrganizations('failed'))})`, legend: organizationLegend }],
        },
      ],
    },
  ],
};
