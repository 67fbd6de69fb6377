// Dashboards and rules query only what the programs export: every metric, label and value in them is compared with a
// scrape of a whole gateway that has served requests. Further tests show that misspellings are caught.
import { beforeAll, describe, expect, it } from 'vitest';
import { alertGroups, recorded } from '../../scripts/observability/alerts/index.ts';
import type { Panel } from '../../scripts/observability/dashboard.ts';
import { dashboards } from '../../scripts/observability/dashboards/index.ts';
import { inScope } from '../../scripts/observability/grafana.ts';
import { knownFrom, merged, type Scrape } from '../support/observability.ts';
import { type Observation, observeEverything, rareMetrics } from '../support/observed.ts';
import { type Known, lookAt } from '../support/promql.ts';

let observation: Observation;
let live: Scrape;
let known: Known;

beforeAll(async () => {
  observation = await observeEverything();
  live = merged(Object.values(observation));
  known = knownFrom(merged([...Object.values(observation), await rareMetrics()]));
});

/** The query as Prometheus gets it when every choice is selected and a page shows an hour. */
function query(expr: string): string {
  return inScope(expr)
    .replaceAll(/\$__(?:rate_interval|range|interval)/g, '1h')
    .replaceAll(/=~"\$\w+"/g, '=~".*"');
}

function problemsOf({ queries }: Panel): readonly string[] {
  return queries.flatMap(({ expr, legend }) => {
    const { problems, labels } = lookAt(query(expr), known);
    const shown = [...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = '']) => label);
    const absent = shown.filter((label) => labels?.has(label) !== true);
    return [...problems, ...absent.map((label) => `the legend shows ${label}, which ${expr} has not`)];
  });
}

const panels = dashboards.flatMap(({ name, rows }) =>
  rows.flatMap((row) => row.panels.map((panel) => [`${name}: ${panel.title}`, panel] as const)),
);
const alerts = alertGroups.flatMap(({ alerts }) => alerts.map((alert) => [alert.name, alert] as const));

describe('the panel', () => {
  it.each(panels)('%s queries only existing metrics, labels and values', (_title, panel) => {
    expect(problemsOf(panel)).toEqual([]);
  });
});

describe('the choices of the dashboard', () => {
  it.each(dashboards.map((dashboard) => [dashboard.name, dashboard] as const))(
    '%s are labels of existing metrics',
    (_name, { about, choices = [] }) => {
      const wanted = [{ metric: about, label: 'namespace' }, ...choices];
      for (const { metric, label } of wanted) expect(known.metric(metric)?.labels).toContain(label);
    },
  );
});

describe('the alert', () => {
  it.each(alerts)('%s queries only existing metrics, and its texts name labels that it has', (_name, alert) => {
    const { problems, labels } = lookAt(alert.expr, known);
    expect(problems).toEqual([]);
    const words = `${alert.summary} ${alert.description}`;
    const reported = [...words.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    expect(reported.filter((label) => labels?.has(label) !== true)).toEqual([]);
  });
});

describe('the recorded series', () => {
  it.each(recorded.map((rule) => [rule.name, rule] as const))(
    '%s is computed from existing metrics',
    (_name, { expr }) => {
      expect(lookAt(expr, known).problems).toEqual([]);
    },
  );
});

describe('the metrics of dashboards and rules', () => {
  it('are in the scrape of a running gateway, except those of other exporters', () => {
    const exprs = [
      ...panels.flatMap(([, panel]) => panel.queries.map(({ expr }) => query(expr))),
      ...[...alerts.map(([, alert]) => alert), ...recorded].map(({ expr }) => expr),
    ];
    const metrics = new Set(exprs.flatMap((expr) => [...lookAt(expr, known).metrics]));
    const absent = [...metrics].filter((name) => !live.has(name) && !name.startsWith('gateway:'));
    expect(absent.sort()).toEqual([
      'kube_pod_container_resource_limits',
      'kube_pod_init_container_resource_limits',
      'up',
    ]);
    expect(metrics.size).toBeGreaterThan(50);
  });

  it('are all metrics of the programs except the listed ones', () => {
    const text = JSON.stringify([dashboards, alertGroups, recorded]);
    const own = [...live.keys()].filter((name) => /^(?:gateway|gen_ai)_/.test(name));
    const bases = new Set(own.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
    // Series in nano-dollars go with the next release; those in dollars are shown.
    const shown = [...bases].filter((name) => !/_nano_usd(?:_total)?$/.test(name));
    expect(shown.filter((name) => !text.includes(name)).sort()).toEqual(['gateway_usage_queued_events']);
  });
});

describe('a mistake in an expression is caught:', () => {
  const rate = (selector: string) => `sum(rate(${selector}[5m]))`;
  it.each([
    ['a metric', rate('gateway_request_total'), 'no metric gateway_request_total'],
    ['a label', rate('gateway_requests_total{state="200"}'), 'gateway_requests_total has no label state'],
    ['a value', rate('gateway_requests_total{code="over_loaded"}'), 'code is never over_loaded'],
    ['a value of another metric', rate('gateway_usage_events_total{outcome="granted"}'), 'outcome is never granted'],
    ['one of several values', rate('gateway_key_lookups_total{tier=~"memory|reddis"}'), 'tier is never reddis'],
    [
      'a value that is left out',
      rate('gateway_guardrail_decisions_total{decision!="passed"}'),
      'decision is never passed',
    ],
    ['a pattern', rate('gateway_requests_total{status=~"6.."}'), 'status is never 6..'],
    ['a method', rate('gateway_control_plane_calls_total{method="Access.Resolv"}'), 'method is never Access.Resolv'],
    ['a job', 'up{job="model-gateway/proxy"} == 0', 'job is never model-gateway/proxy'],
    ['a grouping', 'sum by (tier) (gateway_in_flight_requests)', 'no label tier to go by'],
    ['a grouping that is gone', 'sum by (code) (sum by (status) (gateway_requests_total))', 'no label code to go by'],
    [
      'a percentile without buckets',
      'histogram_quantile(0.9, sum by (stage) (gateway_guardrail_seconds_bucket))',
      'no label le',
    ],
    [
      'sides that never match',
      'sum by (provider) (gateway_attempts_total) / sum(gateway_requests_total)',
      'the sides never match',
    ],
    ['a join', 'gateway_redis_up and on (tier) gateway_build_info', 'no label tier to go by'],
    [
      'a label of another side',
      'gateway_redis_up * on (pod) group_left (code) gateway_build_info',
      'no label code to go by',
    ],
    ['the rate of a gauge', 'rate(gateway_in_flight_requests[5m])', 'rate() of the gauge gateway_in_flight_requests'],
    ['a word', 'sum(gateway_in_flight_requests', 'no PromQL'],
  ])('%s', (_what, expr, problem) => {
    expect(lookAt(expr, known).problems.join('\n')).toContain(problem);
  });

  it('a label in a legend', () => {
    const queries = [{ expr: 'sum by (code) (gateway_requests_total)', legend: '{{status}}' }];
    expect(problemsOf({ kind: 'stat', title: '', description: '', unit: '', queries })).toHaveLength(1);
  });
});
