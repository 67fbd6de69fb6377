// `npm run build`: each plane as one self-contained ESM bundle, dist/<plane>/bin/main.mjs, that needs Node and nothing else.
// Fails if a bundle holds a file of what its plane must not know.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** By the file that each becomes, beside the others. */
const planes = {
  proxy: {
    entries: { main: 'proxy/main.ts', 'guardrail-worker': 'proxy/guardrails/guardrail-worker.ts' },
    foreign: /^(control-plane|simulator|quickstart|scripts|test)\//,
  },
  'control-plane': {
    entries: { main: 'control-plane/main.ts' },
    foreign: /^(proxy|simulator|quickstart|scripts|test)\//,
  },
} as const;

/** The .proto files that packages read at run time, by where they look: two folders above the bundle, in proto/. */
const protoFolders = {
  health: 'grpc-health-check/proto/health',
  grpc: '@grpc/reflection/build/proto/grpc',
} as const;

/** Scripts that run in Redis, beside the bundle of the proxy. */
const luaFolder = 'proxy/ledger/rates/scripts';

// Packages in CommonJS expect these names; in an ES module nothing defines them.
const banner = [
  "import { createRequire as bannerCreateRequire } from 'node:module';",
  'const require = bannerCreateRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('');

export interface Bundle {
  readonly plane: string;
  readonly main: string;
  readonly bytes: number;
}

/** @throws Error if a plane's bundle holds foreign files */
export async function buildPlanes(outDirectory: string): Promise<readonly Bundle[]> {
  rmSync(outDirectory, { recursive: true, force: true });
  const bundles = Object.entries(planes).map(([plane, rules]) => buildPlane(plane, rules, outDirectory));
  for (const [name, source] of Object.entries(protoFolders)) {
    cpSync(join(root, 'node_modules', source), join(outDirectory, 'proto', name), { recursive: true });
  }
  return Promise.all(bundles);
}

interface PlaneRules {
  readonly entries: Readonly<Record<string, string>>;
  readonly foreign: RegExp;
}

async function buildPlane(
  plane: string,
  { entries, foreign }: PlaneRules,
  outDirectory: string,
): Promise<Bundle> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...entries },
    outdir: join(outDirectory, plane, 'bin'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // The entry turns the compile cache on and then loads the rest: that has to stay a file of its own.
    splitting: true,
    platform: 'node',
    target: 'node26',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: ['pg-native'],
    banner: { js: banner },
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
  });
  if (plane === 'proxy')
    cpSync(join(root, luaFolder), join(outDirectory, plane, 'bin/scripts'), { recursive: true });
  const intruders = Object.keys(metafile.inputs).filter((file) => foreign.test(file));
  if (intruders.length > 0) throw new Error(`the bundle of ${plane} holds ${intruders.join(', ')}`);
  return { plane, main: join(outDirectory, plane, 'bin/main.mjs'), bytes: codeBytes(metafile) };
}

function codeBytes(metafile: Metafile): number {
  const code = Object.entries(metafile.outputs).filter(([file]) => file.endsWith('.mjs'));
  return code.reduce((sum, [, output]) => sum + output.bytes, 0);
}

if (import.meta.main) {
  for (const bundle of await buildPlanes(join(root, 'dist'))) {
    console.log(`dist/${bundle.plane}/bin/main.mjs and what it loads: ${Math.ceil(bundle.bytes / 1024)} KiB`);
  }
}
