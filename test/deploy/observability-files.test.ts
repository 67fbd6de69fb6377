// The files that operators apply for dashboards, alerts and monitors: Grafana's pages are complete and independent of
// an installation, objects are valid, and monitors find the names of the manifests and the injector. promtool checks
// the rules where it is installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { sidecarName } from '../../common/cluster-names.ts';
import { controlPlaneSettings } from '../../control-plane/settings.ts';
import { adminPortName, injectedAnnotation } from '../../injector/labels.ts';
import { proxySettings } from '../../proxy/settings.ts';
import { alertGroups } from '../../scripts/observability/alerts/index.ts';
import { dashboards } from '../../scripts/observability/dashboards/index.ts';
import { validateObject } from '../support/kubernetes-schemas.ts';
import { containersOf, deploymentsOf, objectsOf } from '../support/manifests/objects.ts';
import { projectRoot } from '../support/process.ts';

const folder = join(projectRoot, 'deploy/observability');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

interface GrafanaPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets?: readonly GrafanaTarget[];
}

interface GrafanaTarget {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  readonly datasource: { readonly uid: string };
}

interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly GrafanaPanel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

const pages = dashboards.map(({ name }) => {
  const page: GrafanaDashboard = JSON.parse(read(`dashboards/${name}.json`));
  return [name, page] as const;
});

describe.each(pages)('the dashboard %s', (name, page) => {
  const panels = page.panels.filter(({ type }) => type !== 'row');
  const targets = panels.flatMap((panel) => panel.targets ?? []);

  it('has a unique id, and nothing specific to an installation', () => {
    expect(page).toMatchObject({ uid: `model-gateway-${name}`, schemaVersion: 42 });
    expect(page).not.toHaveProperty('id');
    expect(page).not.toHaveProperty('version');
    const sources = [...panels, ...targets].map(({ datasource }) => datasource?.uid);
    expect(new Set(sources)).toEqual(new Set(['$datasource']));
  });

  it('describes every panel and its unit', () => {
    for (const { title, description, fieldConfig } of panels) {
      expect([title, description?.length, fieldConfig?.defaults.unit].every(Boolean), title).toBe(true);
      expect(description, title).toMatch(/[.]$/);
    }
    expect(new Set(page.panels.map(({ id }) => id)).size).toBe(page.panels.length);
  });

  it('defines every variable of its queries, and has legends', () => {
    const own = ['__rate_interval', '__range'];
    const known = [...page.templating.list.map((variable) => variable.name), ...own];
    const used = targets.flatMap(({ expr }) => [...expr.matchAll(/\$\{?(\w+)/g)].map(([, word = '']) => word));
    expect([...new Set(used)].filter((word) => !known.includes(word))).toEqual([]);
    expect(targets.filter(({ legendFormat }) => legendFormat === '')).toEqual([]);
    for (const panel of panels)
      expect(new Set(panel.targets?.map(({ refId }) => refId)).size, panel.title).toBe(panel.targets?.length);
  });

  it('has no panel over another one, or beyond the edge', () => {
    const cells = page.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...page.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBeLessThanOrEqual(24);
  });

  it('fits into the size that kubectl applies', () => {
    expect(read(`dashboards/${name}.json`).length).toBeLessThan(200_000);
  });
});

interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
}

interface Monitor {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly endpoints?: readonly { readonly port: string }[];
    readonly podMetricsEndpoints?: readonly {
      readonly port: string;
      readonly relabelings: readonly { readonly sourceLabels?: readonly string[]; readonly regex?: string }[];
    }[];
  };
}

const kustomization: Kustomization = parse(read('kustomization.yaml'));
const objects = kustomization.resources.flatMap((file) =>
  parseAllDocuments(read(file)).map((document): Monitor => document.toJS()),
);

describe('the component of dashboards', () => {
  it('has every dashboard, each in its own ConfigMap', () => {
    const files = globSync('dashboards/*.json', { cwd: folder }).sort();
    expect(kustomization.configMapGenerator.flatMap(({ files }) => files).sort()).toEqual(files);
    expect(kustomization.configMapGenerator).toHaveLength(dashboards.length);
  });

  it.each(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    'has a valid %s',
    (_name, object) => {
      expect(validateObject(object)).toEqual([]);
      expect(object.metadata.namespace).toBe('model-gateway');
    },
  );
});

describe('monitors', () => {
  const services = objectsOf('sidecar').filter(({ kind }) => kind === 'Service');

  it.each(objects.filter(({ kind }) => kind === 'ServiceMonitor').map((one) => [one.metadata.name, one] as const))(
    '%s finds one Service with its port',
    (_name, { spec }) => {
      const [endpoint] = spec.endpoints ?? [];
      const wanted = Object.entries(spec.selector.matchLabels ?? {});
      const found = services.filter(
        (service) =>
          wanted.every(([label, value]) => service.metadata.labels?.[label] === value) &&
          JSON.stringify(service).includes(`"name":"${endpoint?.port}"`),
      );
      expect(found).toHaveLength(1);
      expect(wanted.length).toBeGreaterThan(0);
    },
  );

  it('find sidecars by the port, container and annotation that the injector writes', () => {
    const sidecars = objects.find(({ kind }) => kind === 'PodMonitor');
    const [endpoint] = sidecars?.spec.podMetricsEndpoints ?? [];
    expect(endpoint?.port).toBe(adminPortName);
    const annotation = `__meta_kubernetes_pod_annotationpresent_${injectedAnnotation.replaceAll(/\W/g, '_')}`;
    expect(endpoint?.relabelings).toEqual(
      expect.arrayContaining([
        { sourceLabels: [annotation], regex: 'true', action: 'keep' },
        { sourceLabels: ['__meta_kubernetes_pod_container_name'], regex: sidecarName, action: 'keep' },
      ]),
    );
  });

  it('scrape every program of the manifests by the name of its admin port', () => {
    const scraped = objects.flatMap(({ kind, spec }) =>
      kind === 'ServiceMonitor' ? (spec.endpoints ?? []).map(({ port }) => port) : [],
    );
    const ports = deploymentsOf(objectsOf('sidecar'))
      .flatMap(containersOf)
      .map(({ ports = [] }) => ports);
    const admin = ports.map((all) => all.find(({ name }) => name?.endsWith('admin'))?.name ?? 'none');
    expect(admin.sort()).toEqual(scraped.sort());
  });

  it('give the autoscaler the metric that it requests', () => {
    const { rules } = parse(read('prometheus-adapter-values.yaml'));
    const [rule] = rules.custom;
    const scaler = objectsOf('egress-gateway').find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(JSON.stringify(scaler)).toContain(`"name":"${rule.name.as}"`);
    expect(rule.seriesQuery).toContain('job="model-gateway/egress-gateway"');
    expect(rule.name.matches).toBe(rule.name.as);
  });
});

describe('alerts', () => {
  const alerts = alertGroups.flatMap((group) => group.alerts);

  it('have unique names, a duration, a summary, a description and a runbook link', () => {
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
    for (const { name, for: persistsFor, summary, description, runbook } of alerts) {
      expect(name).toMatch(/^Gateway[A-Z]\w+$/);
      expect(persistsFor).toMatch(/^\d+[mh]$/);
      expect(summary.length, name).toBeLessThan(130);
      expect(description, name).toMatch(/[.]$/);
      expect(runbook).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    }
  });

  it('have a section in the runbook, which names no other alerts', () => {
    const text = readFileSync(join(projectRoot, 'docs/runbook.md'), 'utf8');
    const sections = [...text.matchAll(/^## (\S+)$/gm)].map(([, title]) => title);
    expect(alerts.filter(({ runbook }) => !sections.includes(runbook))).toEqual([]);
    const named = [...text.matchAll(/`(Gateway[A-Z]\w+)`/g)].map(([, name]) => name);
    expect(named.filter((name) => !alerts.some((alert) => alert.name === name))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  it("are the same in the rules file and in the operator's object", () => {
    const { groups } = parse(read('alerts/model-gateway.rules.yaml'));
    expect(parse(read('prometheus-rule.yaml')).spec.groups).toEqual(groups);
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(alertGroups.map(({ name }) => name));
  });
});

describe('texts of dashboards and alerts', () => {
  const text = JSON.stringify([dashboards, alertGroups]);

  it('name only settings that exist', () => {
    const settings = new Set<string>(
      Object.values({ ...proxySettings, ...controlPlaneSettings }).map(({ name }) => name),
    );
    const named = [...text.matchAll(/GATEWAY_[A-Z_]+/g)].map(([word]) => word);
    expect(named.filter((word) => !settings.has(word))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });

  it('name only pages and panels that exist', () => {
    const titles = dashboards.map(({ title }) => title);
    const named = [...text.matchAll(/\b[Tt]he page ([A-Z]\w+)/g)].map(([, title = '']) => title);
    expect(named.filter((title) => !titles.includes(title))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });
});

const promtool = spawnSync('promtool', ['--version']).error === undefined;
const ruleTests = globSync('*.promtool.yaml', { cwd: import.meta.dirname }).sort();

describe(promtool ? 'promtool' : 'a check of shapes instead of promtool, which is not installed,', () => {
  it('accepts the rules', () => {
    const rules = join(folder, 'alerts/model-gateway.rules.yaml');
    if (promtool) execFileSync('promtool', ['check', 'rules', rules], { stdio: 'pipe' });
    const { groups } = parse(readFileSync(rules, 'utf8'));
    for (const { rules } of groups)
      for (const rule of rules) expect(Object.keys(rule)[0]).toMatch(/^(?:alert|record)$/);
  });

  it.each(ruleTests)('fires the alerts that %s expects', (name) => {
    const file = join(import.meta.dirname, name);
    if (promtool) execFileSync('promtool', ['test', 'rules', file], { stdio: 'pipe' });
    const names = alertGroups.flatMap((group) => group.alerts.map((alert) => alert.name));
    const requested = [...readFileSync(file, 'utf8').matchAll(/alertname: (\w+)/g)].map(([, one = '']) => one);
    expect(requested.filter((one) => !names.includes(one))).toEqual([]);
    expect(requested.length).toBeGreaterThan(0);
  });
});
