// Renders alerts and recorded series for Prometheus: as a rules file, and as an object of the Prometheus operator.
import { stringify } from 'yaml';
import type { Alert, AlertGroup, Recorded } from './alerts/alert.ts';

const header = '# Written by scripts/dashboards.ts from scripts/observability/alerts; change it there.\n';

/** For `rule_files` of Prometheus. */
export function renderRules(groups: readonly AlertGroup[]): string {
  return header + yaml({ groups: groups.map(ruleGroup) });
}

export function renderPrometheusRule(groups: readonly AlertGroup[]): string {
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
      spec: { groups: groups.map(ruleGroup) },
    })
  );
}

function ruleGroup({ name, interval, recorded = [], alerts }: AlertGroup) {
  return {
    name,
    ...(interval !== undefined && { interval }),
    rules: [...recorded.map(recordedRule), ...alerts.map(alertRule)],
  };
}

function recordedRule({ name, expr }: Recorded) {
  return { record: name, expr };
}

function alertRule({ name, severity, for: contains, expr, summary, description, runbook }: Alert) {
  return {
    alert: name,
    expr,
    for: contains,
    labels: { severity },
    annotations: { summary, description, runbook: `docs/runbook.md#${runbook}` },
  };
}

function yaml(value: unknown): string {
  return stringify(value, { lineWidth: 0 });
}
