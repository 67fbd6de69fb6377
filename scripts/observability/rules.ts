// Alerts and recorded series as Prometheus reads them: a file of rules, and the same rules as an object of the Prometheus
// operator.
import { stringify } from 'yaml';
import type { Alert, AlertGroup, Recorded } from './alerts/alert.ts';

const header = '# Written by scripts/dashboards.ts from scripts/observability/alerts; change it there.\n';

export interface Rules {
  readonly groups: readonly AlertGroup[];
  readonly recorded: readonly Recorded[];
}

/** For `rule_files` of Prometheus. */
export function renderRules(rules: Rules): string {
  return header + yaml({ groups: groups(rules) });
}

export function renderPrometheusRule(rules: Rules): string {
  return (
    header +
    yaml({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: {
        name: 'model-gateway',
        namespace: 'model-gateway',
        labels: { 'app.kubernetes.io/part-of': 'model-gateway' },
      },
      spec: { groups: groups(rules) },
    })
  );
}

function groups({ groups, recorded }: Rules) {
  return [
    {
      name: 'model-gateway-recorded',
      rules: recorded.map(({ name, expr }) => ({ record: name, expr })),
    },
    ...groups.map(({ name, alerts }) => ({ name, rules: alerts.map(alertRule) })),
  ];
}

function alertRule({ name, severity, for: holds, expr, summary, description, runbook }: Alert) {
  return {
    alert: name,
    expr,
    for: holds,
    labels: { severity },
    annotations: { summary, description, runbook: `docs/kubernetes.md#runbook-${runbook}` },
  };
}

function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
