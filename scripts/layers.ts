// One table of allowed imports: between folders of the repository, of npm packages, and of files that only their own
// entry starts. All forms of import count, also of types. No two rooms and no two files import each other in a circle.
// `node scripts/layers.ts` checks the whole tree.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The top folders that each top folder may import, besides itself. A folder without a row may import any. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  common: ['package.json'],
  proto: ['common'],
  catalog: ['common'],
  guardrails: ['catalog', 'common', 'proto'],
  proxy: ['catalog', 'common', 'guardrails', 'proto'],
  'control-plane': ['catalog', 'common', 'guardrails', 'proto'],
  injector: ['common'],
  keeper: ['common'],
  gatewayctl: ['catalog', 'common', 'guardrails', 'proto'],
  simulator: ['catalog', 'common'],
  console: [],
  quickstart: ['catalog', 'common', 'control-plane', 'guardrails', 'proto', 'proxy', 'simulator'],
};

/** The only files and folders that import a package. Folders outside the programs and tests may import any. */
const importers: Readonly<Record<string, readonly string[]>> = {
  '@grafana/*': ['scripts/observability/grafana.ts'],
  '@grpc/grpc-js': ['common/tls.ts', ...grpcEnds()],
  '@grpc/reflection': grpcEnds(),
  'grpc-health-check': grpcEnds(),
  '@grpc/proto-loader': ['proto/load.ts', 'proto/package-definition.ts'],
  protobufjs: ['proto/compiled-messages.ts', 'scripts/', 'test/'],
  '@peculiar/x509': ['keeper/authority/x509.ts'],
  'reflect-metadata': ['keeper/authority/x509.ts'],
  '@smithy/*': [
    'proxy/formats/converse/frames.ts',
    'proxy/providers/credentials/sigv4.ts',
    'simulator/managed-cloud-models/frames.ts',
  ],
  commander: ['gatewayctl/program.ts'],
  hyparquet: ['gatewayctl/bills/parquet.ts'],
  ibantools: ['guardrails/kinds/personal-data/'],
  'libphonenumber-js': ['guardrails/kinds/personal-data/'],
  stdnum: ['guardrails/kinds/personal-data/'],
  ioredis: ['proxy/redis/'],
  kysely: databaseRooms(),
  pg: databaseRooms(),
  'node:sqlite': databaseRooms(),
  pino: ['common/logger.ts'],
  yaml: ['gatewayctl/yaml.ts', 'scripts/', 'test/'],
  'prom-client': [
    ...['control-plane', 'injector', 'keeper'].map((plane) => `${plane}/telemetry/metrics.ts`),
    'proxy/telemetry/',
  ],
  jose: ['control-plane/auth/logout-token.ts', 'control-plane/auth/outside-tokens.ts'],
  'openid-client': ['control-plane/auth/oidc.ts'],
  re2js: ['guardrails/kinds/pattern/expressions.ts'],
  undici: ['test/'],
};

/** Files that only the named files may import. */
const reserved: readonly { readonly file: RegExp; readonly by: RegExp; readonly why: string }[] = [
  {
    file: /^[a-z-]+\/app\.ts$/,
    by: /^(?:(?:proxy|control-plane|injector|keeper)\/(?:main|run)\.ts$|quickstart\/|test\/)/,
    why: 'app.ts constructs a whole plane: only its own entry, quickstart/ and tests start it',
  },
  {
    file: /^proxy\/(?:providers\/(?!(?:provider|custom|credentials\/credential)\.ts$)|formats\/(?!chat-completions\/)[a-z-]+\/)/,
    by: /^(?:proxy\/(?:formats\/|providers\/|telemetry\/|[a-z-]+\.ts$)|scripts\/|test\/)/,
    why: 'a provider is the interface in providers/provider.ts, seen from the request path',
  },
  {
    file: /^(?!proxy\/http1\/)/,
    by: /^(?!proxy\/http1\/)/,
    why: 'the engine of HTTP/1.1 knows nothing of gateways',
  },
  ...translation(),
];

/**
 * Folders of the translation in one direction: conversation ← models ← formats ← each format ← providers. A format
 * never imports another.
 */
function translation() {
  return [
    {
      file: /^proxy\/models\//,
      by: /^(?!proxy\/conversation\/)/,
      why: 'a conversation knows no family of models',
    },
    {
      file: /^proxy\/formats\//,
      by: /^(?!proxy\/(?:conversation|models)\/)/,
      why: 'conversations and families of models know no format',
    },
    {
      file: /^proxy\/providers\//,
      by: /^(?!proxy\/(?:conversation|models|formats)\/)/,
      why: 'a format knows no provider',
    },
  ];
}

export interface Violation {
  readonly file: string;
  readonly specifier: string;
  readonly why: string;
}

/** @param file from the root of the repository @returns the file's imports that are not allowed */
export function violationsIn(file: string, text: string): readonly Violation[] {
  return specifiersIn(text).flatMap((specifier) => {
    const why = specifier.startsWith('.')
      ? refusedFile(file, resolved(file, specifier))
      : refusedPackage(file, specifier);
    return why === undefined ? [] : [{ file, specifier, why }];
  });
}

/** The specifiers of all forms of import: import, export from, import(), the type import(''). */
export function specifiersIn(text: string): readonly string[] {
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*(['"`])([^'"`\n]+)\1/g)].map(
    ([, , specifier = '']) => specifier,
  );
}

function refusedFile(file: string, imported: string): string | undefined {
  const [from = '', to = ''] = [topOf(file), topOf(imported)];
  const allowed = mayImport[from];
  if (allowed !== undefined && from !== to && !allowed.includes(to)) {
    return `${from}/ imports ${allowed.join(', ')} alone`;
  }
  if (file.startsWith('proxy/formats/') && ![undefined, formatOf(file)].includes(formatOf(imported))) {
    return 'a format knows no other format, and what all formats share knows none';
  }
  return reserved.find((row) => row.file.test(imported) && !row.by.test(file))?.why;
}

/** The wire format in whose folder the file is. */
function formatOf(path: string): string | undefined {
  return /^proxy\/formats\/([a-z-]+)\//.exec(path)?.[1];
}

function refusedPackage(file: string, specifier: string): string | undefined {
  if (/^test\//.test(file)) return;
  for (const [name, files] of Object.entries(importers)) {
    const matches = name.endsWith('/*')
      ? specifier.startsWith(name.slice(0, -1))
      : specifier === name || specifier.startsWith(`${name}/`);
    if (matches && !files.some((allowed) => (allowed.endsWith('/') ? file.startsWith(allowed) : file === allowed))) {
      return `${name} is imported by ${files.join(', ')} alone`;
    }
  }
  return;
}

function grpcEnds(): readonly string[] {
  const ofControlPlane = ['grpc-server', 'grpc-requests'].map((name) => `control-plane/api/${name}.ts`);
  const ofProxy = ['client', 'client-tls', 'shortest-wait'].map((name) => `proxy/control-plane/${name}.ts`);
  return [...ofProxy, ...ofControlPlane, 'gatewayctl/client.ts'];
}

function databaseRooms(): readonly string[] {
  const rooms = [
    'auth',
    'changes',
    'ledger',
    'reconciliation',
    'requests',
    'rpc',
    'scim',
    'services',
    'store',
    'usage',
    'webhooks',
  ];
  return ['control-plane/api/dispatch.ts', ...rooms.map((room) => `control-plane/${room}/`)];
}

/** The top folder, or the file itself if it is in none. */
function topOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function resolved(file: string, specifier: string): string {
  return normalize(join(dirname(file), specifier));
}

/**
 * A room is a folder. A file directly in a top folder is a room of its own, because such files are either the base of
 * all rooms or combine them.
 */
export function roomOf(file: string): string {
  const folder = dirname(file);
  return folder.includes('/') ? folder : file;
}

/** @param files path → text @returns the groups of nodes that import each other in a circle */
export function circles(
  files: ReadonlyMap<string, string>,
  node: (file: string) => string,
): readonly (readonly string[])[] {
  const graph = new Map<string, Set<string>>();
  for (const [file, text] of files) {
    const from = node(file);
    const imported = graph.get(from) ?? new Set();
    graph.set(from, imported);
    for (const specifier of specifiersIn(text)) {
      const target = resolved(file, specifier);
      if (specifier.startsWith('.') && files.has(target) && node(target) !== from) imported.add(node(target));
    }
  }
  return [...new Set([...graph.keys()].map((start) => circleOf(start, graph)))]
    .filter((names) => names !== '')
    .map((names) => names.split(' '));
}

/** @returns all nodes that the start reaches and that reach it, in order; empty without a circle */
function circleOf(start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): string {
  const forward = reached(start, graph);
  if (!forward.has(start)) return '';
  return [...forward]
    .filter((name) => reached(name, graph).has(start))
    .toSorted((a, b) => a.localeCompare(b))
    .join(' ');
}

function reached(start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const found = new Set(graph.get(start));
  for (const name of found) for (const next of graph.get(name) ?? []) found.add(next);
  return found;
}

/** The programs and their libraries; tests and scripts may import each other freely. */
function isProgram(file: string): boolean {
  return Object.hasOwn(mayImport, topOf(file)) && topOf(file) !== 'simulator';
}

export function readTree(root: string): ReadonlyMap<string, string> {
  const names = globSync('{*,*/**/*}.ts', {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist', 'data', 'generated'].includes(name),
  });
  return new Map(names.toSorted().map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

export function problemsOf(tree: ReadonlyMap<string, string>): readonly string[] {
  const programs = new Map([...tree].filter(([file]) => isProgram(file)));
  return [
    ...[...tree]
      .flatMap(([file, text]) => violationsIn(file, text))
      .map(({ file, specifier, why }) => `${file}: ${specifier}: ${why}`),
    ...circles(programs, (file) => file).map((files) => `files in a circle: ${files.join(' ')}`),
    ...circles(programs, roomOf).map((rooms) => `rooms in a circle: ${rooms.join(' ')}`),
  ];
}

if (import.meta.main) {
  const problems = problemsOf(readTree(join(import.meta.dirname, '..')));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
