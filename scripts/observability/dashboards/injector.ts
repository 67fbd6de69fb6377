// The injector: outcomes of reviewed pods.
import type { Dashboard } from '../dashboard.ts';

const reviews = 'rate(gateway_injector_reviews_total{$scope}[$__rate_interval])';
const own = 'and on (namespace, pod, job) gateway_injector_reviews_total{outcome="injected"}';

export const injector: Dashboard = {
  name: 'injector',
  title: 'Injector',
  description:
    'Outcomes of the reviews that the API server requested. Creating a pod waits for the injector, and fails without it.',
  about: 'gateway_injector_reviews_total',
  rows: [
    {
      title: 'Reviews',
      panels: [
        {
          kind: 'timeseries',
          title: 'Reviews by outcome',
          description:
            'not_injected: requested, but not possible (the pod has a warning with the reason); refused: the pod is not created; unreadable: no review at all.',
          unit: 'cps',
          queries: [{ expr: `sum by (outcome) (${reviews})`, legend: '{{outcome}}' }],
        },
        {
          kind: 'bars',
          title: 'Pods in the time shown',
          description: 'By outcome.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (outcome) (increase(gateway_injector_reviews_total{$scope}[$__range]))',
              legend: '{{outcome}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Time of a review',
          description: 'From 5 s on the API server gives up and the pod is not created.',
          unit: 's',
          thresholds: [0.5, 2.5],
          queries: [0.5, 0.99].map((quantile) => ({
            expr: `histogram_quantile(${quantile}, sum by (le) (rate(gateway_injector_review_duration_seconds_bucket{$scope}[$__rate_interval])))`,
            legend: `p${quantile * 100}`,
          })),
        },
      ],
    },
    {
      title: 'Sidecars',
      panels: [
        {
          kind: 'timeseries',
          title: 'Proxies by version',
          description: 'Sidecars keep their version until their pod is restarted.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: 'count by (version) (gateway_build_info and on (namespace, pod, job) gateway_in_flight_requests)',
              legend: '{{version}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Proxies by namespace',
          description: 'The fifteen namespaces with the most.',
          unit: 'short',
          stacked: true,
          queries: [{ expr: 'topk(15, count by (namespace) (gateway_in_flight_requests))', legend: '{{namespace}}' }],
        },
        {
          kind: 'timeseries',
          title: 'Memory of the injector',
          description: 'Resident.',
          unit: 'bytes',
          queries: [{ expr: `process_resident_memory_bytes{$scope} ${own}`, legend: '{{pod}}' }],
        },
      ],
    },
    {
      title: 'Keeper and certificates',
      panels: [
        {
          kind: 'timeseries',
          title: 'Time until certificates end',
          description: 'Of all programs, by use: the shortest of each. Below 21 days something does not renew them.',
          unit: 's',
          thresholds: [21 * 86_400, 7 * 86_400],
          queries: [
            {
              expr: 'min by (namespace, job, use) (gateway_certificate_not_after_seconds) - time()',
              legend: '{{namespace}} {{job}} {{use}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'What the keeper changes',
          description: 'Writes to the webhook configuration: its authority, its owner, its end.',
          unit: 'short',
          queries: [
            {
              expr: 'sum by (what) (increase(gateway_keeper_webhook_writes_total{$scope}[$__rate_interval]))',
              legend: '{{what}}',
            },
          ],
        },
        {
          kind: 'timeseries',
          title: 'Requests to the API server',
          description: 'Of the keepers, by verb and status. 403 is a right that they lack.',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (verb, status) (rate(gateway_keeper_api_requests_total{$scope}[$__rate_interval]))',
              legend: '{{verb}} {{status}}',
            },
          ],
        },
      ],
    },
  ],
};
