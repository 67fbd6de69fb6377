// Builds the page into console/dist: index.html with placeholders that the control plane fills, and assets/ with hashed
// names, each beside its forms in Brotli and gzip. `node build.mjs` does nothing if the page is of these sources. It fails
// if the first load is larger than its budget.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { builtDigest, sourceDigest } from './digest.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const firstLoadKiBMax = 220;
const entry = 'src/main.tsx';
/** What a browser loads before the first page is there. */
const firstPages = [entry, 'src/pages/home/home-page.tsx'];

/** The page is in English; the component library ships its words in thirty languages. */
const englishAlone = {
  name: 'english-alone',
  setup(esbuild) {
    const words = /[\\/](intl|i18n)[\\/].*[a-z][a-z]-[A-Z][A-Z]\.m?js$/;
    esbuild.onLoad({ filter: words }, ({ path }) =>
      /en-US\.m?js$/.test(path) ? undefined : { contents: 'export default {};', loader: 'js' },
    );
  },
};

const digest = sourceDigest();
if (digest !== builtDigest()) await makePage();

// Made in a folder beside, so that an interrupted build leaves nothing that looks complete.
async function makePage() {
  const fresh = join(here, '.dist-fresh');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(join(fresh, 'assets'), { recursive: true });
  const { metafile } = await bundle(join(fresh, 'assets'));
  const outputs = outputsOf(metafile);
  removeUnused(fresh, outputs);
  writeFileSync(join(fresh, 'index.html'), indexWith(outputs));
  const packages = packagesOf(metafile);
  writeFileSync(join(fresh, 'licences.txt'), licencesOf(packages));
  // For the bill of materials, which is made where the page is shipped.
  writeFileSync(join(fresh, 'packages.json'), JSON.stringify(packages));
  const sizes = compressAll(join(fresh, 'assets'));
  const firstLoad = closure(outputs, firstPages).reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const kib = (firstLoad / 1024).toFixed(1);
  if (firstLoad > firstLoadKiBMax * 1024) {
    throw new Error(`the first load is ${kib} KiB in Brotli; its budget is ${firstLoadKiBMax}`);
  }
  writeFileSync(join(fresh, '.built'), digest);
  rmSync(join(here, 'dist'), { recursive: true, force: true });
  renameSync(fresh, join(here, 'dist'));
  console.log(`console/dist: the first load is ${kib} KiB in Brotli, of ${firstLoadKiBMax}`);
}

function bundle(outdir) {
  return build({
    absWorkingDir: here,
    entryPoints: [entry],
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    // Names of chunks follow paths of packages, also where that folder is a symbolic link.
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
    plugins: [englishAlone],
  });
}

/** Outputs by their name: the source of an entry, the imported outputs, and its style sheet. */
function outputsOf(metafile) {
  const name = (path) => basename(path);
  return new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint, imports, cssBundle }]) => [
      name(path),
      {
        entryPoint,
        imports: imports.filter(({ kind }) => kind === 'import-statement').map(({ path: to }) => name(to)),
        css: cssBundle === undefined ? undefined : name(cssBundle),
      },
    ]),
  );
}

function closure(outputs, entries) {
  const names = new Set(
    [...outputs].filter(([, { entryPoint }]) => entries.includes(entryPoint)).map(([name]) => name),
  );
  for (const name of names) for (const imported of outputs.get(name)?.imports ?? []) names.add(imported);
  const [, main] = mainOf(outputs);
  return [...names, main.css].filter((name) => name !== undefined && !(name.endsWith('.css') && name !== main.css));
}

function mainOf(outputs) {
  const found = [...outputs].find(([name, { entryPoint }]) => entryPoint === entry && name.endsWith('.js'));
  if (found === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return found;
}

/** Every style is in the entry's sheet, because nothing would load a sheet of its own for a page. */
function removeUnused(directory, outputs) {
  const [, main] = mainOf(outputs);
  for (const name of readdirSync(join(directory, 'assets'))) {
    if (name.endsWith('.css') && name !== main.css) rmSync(join(directory, 'assets', name));
  }
}

function indexWith(outputs) {
  const [name, { css }] = mainOf(outputs);
  const preloads = closure(outputs, [entry]).filter((file) => file.endsWith('.js') && file !== name);
  const tags = [
    `<link rel="stylesheet" href="assets/${css}">`,
    ...preloads.map((file) => `<link rel="modulepreload" href="assets/${file}">`),
    `<script type="module" src="assets/${name}"></script>`,
  ];
  return readFileSync(join(here, 'index.html'), 'utf8').replace('<!--assets-->', tags.join('\n'));
}

/** Folders of the packages in the page, below node_modules. */
function packagesOf({ inputs }) {
  const found = Object.keys(inputs)
    // An empty marker of React.
    .filter((path) => !path.startsWith('node_modules/client-only/'))
    .flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(found)].sort();
}

/** The licence texts of packages. @throws Error that names a package without one */
function licencesOf(packages) {
  return packages
    .map((name) => join('node_modules', name))
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(here, folder, 'package.json'), 'utf8'));
      const file = readdirSync(join(here, folder)).find((entry) => /^licen[cs]e/i.test(entry));
      if (file === undefined) throw new Error(`${folder} has no text of its licence`);
      return `${name} ${version}\n\n${readFileSync(join(here, folder, file), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(40)}\n\n`);
}

/** @returns bytes in Brotli by name */
function compressAll(directory) {
  const sizes = new Map();
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name));
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
    writeFileSync(join(directory, `${name}.br`), brotli);
    writeFileSync(join(directory, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    sizes.set(name, brotli.length);
  }
  return sizes;
}
