// Writes deploy/observability from the tables of scripts/observability: Grafana's dashboards, and Prometheus rules as a
// file and as an object of its operator. They are committed, because operators apply them from the repository. With
// --check it writes nothing and fails if a committed file differs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { alertGroups } from './observability/alerts/index.ts';
import { dashboards } from './observability/dashboards/index.ts';
import { renderDashboard } from './observability/grafana.ts';
import { renderPrometheusRule, renderRules } from './observability/rules.ts';

const folder = join(import.meta.dirname, '../deploy/observability');
const check = process.argv.includes('--check');

const files = new Map([
  ...dashboards.map((dashboard) => [`dashboards/${dashboard.name}.json`, renderDashboard(dashboard)] as const),
  ['alerts/model-gateway.rules.yaml', renderRules(alertGroups)],
  ['prometheus-rule.yaml', renderPrometheusRule(alertGroups)],
]);
const stale = listed('dashboards').filter((name) => !files.has(name));

if (check) compare();
else write();

function write(): void {
  for (const name of stale) rmSync(join(folder, name));
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

function compare(): void {
  const drifted = [...files].filter(([name, content]) => read(name) !== content).map(([name]) => name);
  const wrong = [...drifted, ...stale];
  if (wrong.length === 0) return;
  console.error(`deploy/observability differs from scripts/observability: ${wrong.join(', ')}\nRun: npm run generate`);
  process.exitCode = 1;
}

function read(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(join(folder, directory)).map((name) => `${directory}/${name}`);
  } catch {
    return [];
  }
}
