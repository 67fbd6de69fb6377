// `npm run build`: bundles each program as a self-contained ES module, dist/<program>/bin/main.mjs, which needs only
// Node. The licences of its packages and its bill of materials are beside it. Fails if a bundle contains a file or
// package that its program must not import, or a package whose licence is not allowed.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { builtinNamespace, directBuiltins, lazyBuiltins, parsedJson, quickAddresses } from './lazy-builtins.ts';
import { bundledPackages, licencesOf } from './licences.ts';
import { assertAllowedLicences } from './release/licence-rules.ts';
import { sbomFile, sbomOf } from './release/sbom.ts';
import { lockedPackages, requestedByProject, shippedPackages } from './release/shipped.ts';

const root = join(import.meta.dirname, '..');

export interface ProgramRules {
  /** Source by the name of the bundled file. */
  readonly entries: Readonly<Record<string, string>>;
  /** Folders of this project that it may contain; all others are refused. */
  readonly folders: readonly string[];
  readonly withoutPackages: readonly string[];
}

const grpc = ['@grpc/grpc-js', '@grpc/proto-loader', '@grpc/reflection', 'grpc-health-check'];
const database = ['pg', 'kysely'];
const signing = ['@peculiar/x509', 'reflect-metadata'];

const rulesOf = {
  proxy: {
    entries: {
      main: 'proxy/main.ts',
      'guardrail-worker': 'proxy/guardrails/guardrail-worker.ts',
      'translation-worker': 'proxy/translation-worker.ts',
    },
    folders: ['proxy', 'common', 'proto', 'catalog', 'guardrails'],
    withoutPackages: [...database, 'undici', 'commander', 'hyparquet'],
  },
  'control-plane': {
    entries: {
      main: 'control-plane/main.ts',
      'guardrail-compiler': 'control-plane/guardrails/guardrail-compiler.ts',
    },
    folders: ['control-plane', 'common', 'proto', 'catalog', 'guardrails'],
    withoutPackages: ['ioredis', 'undici', 'commander', 'hyparquet'],
  },
  injector: {
    entries: { main: 'injector/main.ts' },
    folders: ['injector', 'common'],
    withoutPackages: [...grpc, ...database, ...signing, 'ioredis', 'undici', 'commander'],
  },
  keeper: {
    entries: { main: 'keeper/main.ts' },
    folders: ['keeper', 'common'],
    withoutPackages: [...grpc, ...database, 'ioredis', 'undici', 'commander'],
  },
  gatewayctl: {
    entries: { main: 'gatewayctl/main.ts' },
    folders: ['gatewayctl', 'common', 'proto', 'catalog'],
    withoutPackages: [...database, 'ioredis', 'undici'],
  },
  simulator: {
    entries: { main: 'simulator/main.ts' },
    folders: ['simulator', 'common'],
    withoutPackages: [...grpc, ...database, 'ioredis', 'undici', 'commander'],
  },
} as const satisfies Record<string, ProgramRules>;

export type Program = keyof typeof rulesOf;
/** What the build of console/ makes. */
const builtConsole = 'console/dist';
const allPrograms = Object.keys(rulesOf) as Program[];

/**
 * The .proto files that packages read at run time, at the path where they look: proto/, two folders above the bundle.
 */
const protoFolders = {
  health: 'grpc-health-check/proto/health',
  grpc: '@grpc/reflection/build/proto/grpc',
} as const;

/**
 * Files that a program reads at run time, by their name beside the bundle: Redis scripts, the description of the JSON
 * API, the built console.
 */
const besides: Readonly<Partial<Record<Program, Readonly<Record<string, string>>>>> = {
  proxy: { scripts: 'proxy/rates/scripts' },
  'control-plane': { 'openapi.json': 'control-plane/openapi.json', console: builtConsole },
};

// CommonJS packages expect these names, which an ES module does not define.
const banner = [
  "const require = (id) => process.getBuiltinModule(id) ?? process.getBuiltinModule('node:module').createRequire(import.meta.url)(id);",
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('');

export interface Bundle {
  readonly program: Program;
  readonly main: string;
  /** Bytes of code: main.mjs and everything that it loads. */
  readonly bytes: number;
  /** Names of its packages. */
  readonly packages: readonly string[];
  /** Names of the packages that are loaded with this file, which the program imports when it needs it. */
  loadedWith(file: string): readonly string[];
}

/** @throws Error if a bundle contains files or packages that are foreign to its program */
export async function buildPrograms(
  outDirectory: string,
  programs: readonly Program[] = allPrograms,
): Promise<readonly Bundle[]> {
  rmSync(outDirectory, { recursive: true, force: true });
  const bundles = programs.map((program) => buildProgram(program, outDirectory));
  for (const [name, source] of Object.entries(protoFolders)) {
    cpSync(join(root, 'node_modules', source), join(outDirectory, 'proto', name), { recursive: true });
  }
  return Promise.all(bundles);
}

/** Builds one program, without files that programs share. */
export async function buildProgram(
  program: Program,
  outDirectory: string,
  rules: ProgramRules = rulesOf[program],
): Promise<Bundle> {
  const directory = join(outDirectory, program);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...rules.entries },
    outdir: join(directory, 'bin'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // The entry enables the compile cache and then loads the rest, which must therefore be a separate file.
    splitting: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['pg-native'],
    plugins: [program === 'gatewayctl' ? lazyBuiltins : directBuiltins, quickAddresses, parsedJson],
    // The path in node_modules identifies a package, also where that folder is a symbolic link.
    preserveSymlinks: true,
    banner: { js: banner },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
  for (const [name, source] of Object.entries(besides[program] ?? {})) {
    // Without a build of the console, its path says which command makes one.
    if (source === builtConsole && !existsSync(join(root, source))) continue;
    cpSync(join(root, source), join(directory, 'bin', name), { recursive: true });
    if (source === builtConsole) writeFileSync(join(directory, 'bin', name, sbomFile), describeConsole());
  }
  const packages = bundledPackages(Object.keys(metafile.inputs));
  const intruders = foreignTo(rules, metafile, packages);
  if (intruders.length > 0) throw new Error(`the bundle of ${program} contains ${intruders.join(', ')}`);
  writeFileSync(join(directory, 'licences.txt'), licencesOf(root, packages));
  writeFileSync(join(directory, sbomFile), describe(program, packages));
  return {
    program,
    main: join(directory, 'bin/main.mjs'),
    bytes: codeBytes(metafile),
    packages,
    loadedWith: (file) => loadedWith(file, metafile),
  };
}

/** @throws Error if no output is for the file */
function loadedWith(file: string, { outputs }: Metafile): readonly string[] {
  const [first] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === file) ?? [];
  if (first === undefined) throw new Error(`nothing imports ${file} when it needs it`);
  const loaded = new Set([first]);
  for (const output of loaded)
    for (const { path, kind } of outputs[output]?.imports ?? []) if (kind === 'import-statement') loaded.add(path);
  return bundledPackages([...loaded].flatMap((output) => Object.keys(outputs[output]?.inputs ?? {})));
}

function foreignTo(
  { folders, withoutPackages }: ProgramRules,
  { inputs }: Metafile,
  packages: readonly string[],
): readonly string[] {
  const own = ['node_modules', ...folders].map((folder) => `${folder}/`);
  const files = Object.keys(inputs).filter(
    (file) =>
      file !== 'package.json' &&
      !file.startsWith(`${builtinNamespace}:`) &&
      !own.some((folder) => file.startsWith(folder)),
  );
  return [...files, ...packages.filter((name) => withoutPackages.includes(name))];
}

/** @throws Error that names each package whose licence is not allowed */
function describe(program: Program, folders: readonly string[]): string {
  const packages = shippedPackages(root, folders);
  assertAllowedLicences(program, packages);
  return sbomOf({
    program,
    version: manifest.version,
    packages,
    requested: requestedByProject(root, folders),
  });
}

/** The page's packages are locked apart. @throws Error that names each package whose licence is not allowed */
function describeConsole(): string {
  const folder = join(root, 'console');
  const folders: readonly string[] = JSON.parse(readFileSync(join(root, builtConsole, 'packages.json'), 'utf8'));
  const packages = lockedPackages(folder, folders);
  assertAllowedLicences('console', packages);
  const requested = requestedByProject(folder, folders);
  return sbomOf({ program: 'console', version: manifest.version, packages, requested });
}

function codeBytes({ outputs }: Metafile): number {
  const code = Object.entries(outputs).filter(([file]) => file.endsWith('.mjs'));
  return code.reduce((sum, [, output]) => sum + output.bytes, 0);
}

// An image gets the built page without its sources.
function buildConsole(): void {
  const script = join(root, 'console/build.mjs');
  if (existsSync(script) && spawnSync(process.execPath, [script], { stdio: 'inherit' }).status !== 0) {
    throw new Error('the console cannot be built');
  }
  if (!existsSync(join(root, builtConsole, '.built'))) throw new Error(`${builtConsole} has no page`);
}

if (import.meta.main) {
  buildConsole();
  for (const { program, bytes, packages } of await buildPrograms(join(root, 'dist'))) {
    const what = `${Math.ceil(bytes / 1024)} KiB, ${packages.length} packages`;
    console.log(`dist/${program}/bin/main.mjs and what it loads: ${what}`);
  }
}
