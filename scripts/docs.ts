// Writes the tables of docs/ from the programs' own tables (settings, error codes, metrics, providers) and from the
// table of cases of the conformance tests. Text outside the markers is prose and stays. With --check it writes nothing
// and fails if a table differs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting } from '../common/settings.ts';
import { vendorNames, vendors } from '../common/vendors.ts';
import { type CallReason, callReasons, httpStatusOf } from '../control-plane/rpc/errors.ts';
import { type ShareRow as ControlPlaneShareRow, shareRows as controlPlaneShares } from '../control-plane/rpc/shares.ts';
import { controlPlaneSettings } from '../control-plane/settings.ts';
import { createMetrics as createControlPlaneMetrics } from '../control-plane/telemetry/metrics.ts';
import { clientNames, clients, defaultUrl, keyVariable } from '../gatewayctl/clients/index.ts';
import { tree } from '../gatewayctl/commands/index.ts';
import { exitCodes } from '../gatewayctl/failure.ts';
import { podAnnotations } from '../injector/choices.ts';
import { injectorSettings } from '../injector/settings.ts';
import { createMetrics as createInjectorMetrics } from '../injector/telemetry/metrics.ts';
import { keeperSettings } from '../keeper/settings.ts';
import { createMetrics as createKeeperMetrics } from '../keeper/telemetry/metrics.ts';
import { errorTable } from '../proxy/errors.ts';
import { chatErrorType } from '../proxy/formats/chat-completions/write-error.ts';
import { proxySettings } from '../proxy/settings.ts';
import { type ShareRow, shares } from '../proxy/shares.ts';
import { createMetrics as createProxyMetrics } from '../proxy/telemetry/metrics.ts';
import type { Feature, Outcome } from '../test/conformance/features/feature.ts';
import { features } from '../test/conformance/features/index.ts';
import { lossesTables } from './losses.ts';
import { code, table } from './markdown.ts';

const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');

const controlPlaneMetrics = createControlPlaneMetrics({
  feedRevision: () => 0,
  catalog: { ageSeconds: () => 0, isRejected: () => false },
  auditVerifyEveryMs: 0,
});
controlPlaneMetrics.watchShares({ states: () => new Map() });
controlPlaneMetrics.watchDatabase(() => true);
const proxyMetrics = createProxyMetrics();
proxyMetrics.observe({
  admission: { inFlight: 0, bufferedBytes: 0, limits: { inFlightMax: 0, bufferedBytesMax: 0 } },
  readOn: { open: 0 },
  backgroundResponses: { open: 0 },
  health: { out: { hosts: 0, sharedHosts: 0, keys: 0, limits: 0 } },
  loads: { full: 0 },
  feedAgeMs: () => 0,
  stops: () => ({ platform: 0, organization: 0 }),
  redis: { state: () => 'ok' },
  budgets: () => ({ leases: 0, waiting: 0, available: 0, shut: 0, reservations: 0 }),
  usage: { events: 0, bytes: 0, oldestMs: 0, keptMs: 0 },
  catalog: { ageSeconds: () => 0, isRejected: () => false },
});

const keeperMetrics = createKeeperMetrics();
keeperMetrics.observe({ isLeader: () => false, certificates: () => [], namespacesLeftOut: () => 0 });

/** Tables by page and marker. */
const pages: Record<string, Record<string, string>> = {
  'docs/configuration.md': {
    'proxy settings': settingsTable(proxySettings),
    'control plane settings': settingsTable(controlPlaneSettings),
    'injector settings': settingsTable(injectorSettings),
    'keeper settings': settingsTable(keeperSettings),
    'pod annotations': settingsTable(podAnnotations, 'Annotation'),
  },
  'docs/errors.md': { 'error codes': errorsTable(), 'control plane reasons': reasonsTable() },
  'docs/limits.md': { shares: sharesTable(), 'control plane shares': controlPlaneSharesTable() },
  'docs/clients.md': { clients: clientsTable(), 'client blocks': clientBlocks() },
  'docs/gatewayctl.md': { commands: commandsTable(), 'exit codes': exitCodesTable() },
  'docs/metrics.md': {
    'proxy metrics': metricsTable((await proxyMetrics.render()).body),
    'control plane metrics': metricsTable((await controlPlaneMetrics.collect()).body),
    'injector metrics': metricsTable((await createInjectorMetrics().collect()).body),
    'keeper metrics': metricsTable((await keeperMetrics.collect()).body),
  },
  'docs/losses.md': await lossesTables(),
  'docs/providers.md': {
    providers: providersTable(),
    ...Object.fromEntries(Object.entries(features).map(([name, rows]) => [name, featuresTable(rows)])),
  },
};

for (const [page, tables] of Object.entries(pages)) {
  const path = join(root, page);
  const old = existsSync(path) ? readFileSync(path, 'utf8') : skeleton(page, Object.keys(tables));
  const fresh = Object.entries(tables).reduce((text, [name, table]) => fill(text, page, { name, table }), old);
  if (check) {
    if (!existsSync(path) || fresh !== old) fail(`${page} differs from the programs' tables; run: npm run generate`);
    continue;
  }
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(path, fresh);
}

function fill(text: string, page: string, { name, table }: { name: string; table: string }): string {
  const [before, rest] = split(text, `<!-- table: ${name} -->\n`);
  const [, after] = split(rest ?? '', '<!-- end of table -->');
  if (rest === undefined || after === undefined) {
    fail(`${page} needs the lines <!-- table: ${name} --> and <!-- end of table -->`);
    return text;
  }
  return `${before}<!-- table: ${name} -->\n\n${table}\n<!-- end of table -->${after}`;
}

function split(text: string, marker: string): readonly [string, string | undefined] {
  const at = text.indexOf(marker);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + marker.length)];
}

function skeleton(page: string, names: readonly string[]): string {
  const title = page.replace('docs/', '').replace('.md', '');
  const sections = names.map((name) => `## ${capital(name)}\n\n<!-- table: ${name} -->\n<!-- end of table -->\n`);
  return [`# ${capital(title)}\n`, ...sections].join('\n');
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function settingsTable(settings: Readonly<Record<string, Setting<unknown>>>, what = 'Setting'): string {
  const rows = Object.values(settings).map((setting) => {
    const name = setting.secret === true ? `\`${setting.name}\`, \`${setting.name}_FILE\`` : `\`${setting.name}\``;
    return [name, setting.defaultText ?? code(setting.default), setting.about];
  });
  return table([what, 'Default', 'What it sets'], rows);
}

function commandsTable(): string {
  const named = [
    ...tree.resources.flatMap(({ name, commands }) =>
      Object.entries(commands).map(([command, row]) => [`${name} ${command}`, row] as const),
    ),
    ...Object.entries(tree.commands).filter(([, { hidden }]) => hidden !== true),
  ];
  const rows = named.map(([name, { arguments: given = [], about }]) => [
    code([name, ...given.map(({ flags }) => flags)].join(' ')),
    about,
  ]);
  return table(['Command', 'What it does'], rows);
}

function clientsTable(): string {
  const rows = clientNames.map((name) => {
    const { title, format, evidence } = clients[name];
    return [
      `[${title}](#${anchorOf(title)})`,
      code(name),
      format,
      evidence.startsWith('npm') ? code(evidence) : evidence,
    ];
  });
  return table(['Client', 'Name', 'Format', 'Tried by'], rows);
}

function clientBlocks(): string {
  return clientNames
    .map((name) => {
      const { title, model, note, blocks } = clients[name];
      const fenced = blocks({ url: defaultUrl, model, keyName: keyVariable }).map(({ language, file, text }) =>
        [...(file === undefined ? [] : [`${file}:`, '']), `\`\`\`${language}\n${text}\`\`\``].join('\n'),
      );
      return `${[`### ${title}`, ...(note === undefined ? [] : [note]), ...fenced].join('\n\n')}\n`;
    })
    .join('\n');
}

/** As GitHub makes it from a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

function exitCodesTable(): string {
  const rows = Object.values(exitCodes).map((row) => [code(String(row.code)), row.about]);
  return table(['Code', 'Means'], rows);
}

function errorsTable(): string {
  const rows = Object.entries(errorTable).map(([name, { status, message }]) => [
    String(status),
    code(name),
    code(chatErrorType(status)),
    message,
  ]);
  return table(
    ['Status', 'Code', 'Type', 'Message'],
    rows.sort(([a = ''], [b = '']) => a.localeCompare(b)),
  );
}

function reasonsTable(): string {
  const rows = Object.entries(callReasons).map(([reason, row]) => [
    code(row.code),
    String(httpStatusOf(reason as CallReason)),
    code(reason),
    row.about,
  ]);
  return table(['gRPC code', 'HTTP status', 'Reason', 'When'], rows);
}

function sharesTable(): string {
  const rows = Object.entries<ShareRow>(shares).map(([name, { bounds, unit, refusal }]) => [
    code(name),
    boundsText(bounds),
    unit,
    refusal === undefined ? '—' : `${errorTable[refusal].status} ${code(refusal)}`,
  ]);
  return table(['Resource', 'How much', 'Of what, and whose', 'A refusal'], rows);
}

function boundsText(bounds: ShareRow['bounds']): string {
  if ('perMinute' in bounds) return `${bounds.burst} at once, ${bounds.perMinute} a minute each`;
  if ('setting' in bounds) {
    const part = bounds.part === undefined ? '' : `${100 * bounds.part} % of `;
    return `${part}${code(bounds.setting)} in all; ${partText(bounds.alpha)}`;
  }
  const { capacity, alpha } = bounds;
  return `${capacity.toLocaleString('en')} in all; ${partText(alpha)}`;
}

/** The maximum share of a single user of a resource: used < alpha × free. */
function partText(alpha: number | { readonly setting: string }): string {
  const part = typeof alpha === 'number' ? String(Math.round((100 * alpha) / (1 + alpha))) : code(alpha.setting);
  return `one that is alone at most ${part} %`;
}

function controlPlaneSharesTable(): string {
  const rows = Object.entries<ControlPlaneShareRow>(controlPlaneShares).map(([name, row]) => [
    code(name),
    controlPlaneBounds(row),
    row.about,
  ]);
  return table(['Resource', 'How much', 'Of what'], rows);
}

function controlPlaneBounds(row: ControlPlaneShareRow): string {
  if ('perMinute' in row) return `${row.burst} at once, ${row.perMinute} a minute each`;
  if ('each' in row) return `${row.each} each`;
  if ('capacity' in row) return `${row.capacity} in all; one may use ${row.alpha} times the free part`;
  return `${row.atOnce} at once; ${row.waiting} may wait, one’s up to ${row.alpha} times the free part, for ${row.waitMs / 1000} s`;
}

// Lists only the gateway's metrics; prom-client's own metrics of the process and of Node are widely known.
function metricsTable(exposition: string): string {
  const types = new Map(
    [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const rows = [...exposition.matchAll(/^# HELP (\S+) (.*)$/gm)]
    .map(([, name = '', help = '']) => [code(name), types.get(name) ?? '', help])
    .filter(([name = '']) => /^`(gateway|gen_ai)_/.test(name));
  return table(['Metric', 'Type', 'What it counts'], rows);
}

function providersTable(): string {
  const rows = vendorNames.map((name) => {
    const { aliases, baseUrlSetting, baseUrl } = vendors[name];
    return [code(name), aliases.map(code).join(', '), code(baseUrlSetting), code(baseUrl)];
  });
  return table(['Provider', 'Also called', 'Base URL', 'Default'], rows);
}

function featuresTable(rows: readonly Feature[]): string {
  const cells = rows.map(({ name, at, models, streamed }) => [
    name,
    ...vendorNames.map((vendor) => {
      const outcome = at[vendor];
      const model = models?.[vendor];
      const inStream = streamed?.[vendor];
      const notes = [
        ...(inStream === undefined ? [] : [`in a stream ${inWords(inStream)}`]),
        ...(model === undefined ? [] : [code(model)]),
      ];
      return [inWords(outcome), ...notes.map((note) => `(${note})`)].join(' ');
    }),
  ]);
  return table(['', ...vendorNames.map(code)], cells);
}

function inWords(outcome: Outcome): string {
  const missing = 'dropped' in outcome ? `, ${code(outcome.dropped)} dropped` : '';
  switch (outcome.is) {
    case 'native':
      return `native${missing}`;
    case 'returned':
      return `returned${missing}`;
    case 'emulated':
      return `emulated: ${outcome.how}`;
    case 'left out':
      return '–';
    case 'fetched':
    case 'dropped':
    case 'refused':
      return outcome.is;
    case 'refused by vendor':
      return 'passed, and refused';
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
