// Makes proto/generated/gateway, the types of the contract, from proto/gateway/v1. They are erased before programs run: only tsc and
// editors read them, so they are not kept in git. Plain JavaScript, because a set-up under any Node (18 or later) runs it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'proto/gateway/v1');
const loader = join(root, 'node_modules/@grpc/proto-loader');
const generated = join(root, 'proto/generated');
const target = join(generated, 'gateway');

/** Where the sources and the generator are those of the last time, this reads some files and does nothing. @returns whether all is well */
export function makeTypes() {
  const manifest = readOrNothing(join(loader, 'package.json'));
  if (manifest === '') return true; // the packages are not installed; whoever needs types installs them first
  const names = readdirSync(sources).sort();
  const digest = digestOf(names, manifest);
  if (readOrNothing(join(target, 'digest')) === digest) return true;
  // Made beside its place and moved there whole: an interrupted run leaves nothing that looks complete.
  const fresh = mkdtempSync(join(generated, '.gateway-'));
  try {
    if (!generate(fresh, names)) return false;
    keepTypesAlone(join(fresh, 'gateway/v1'));
    writeFileSync(join(fresh, 'gateway/digest'), digest);
    rmSync(target, { recursive: true, force: true });
    renameSync(join(fresh, 'gateway'), target);
    return true;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function generate(directory, names) {
  const generator = join(loader, 'build/bin/proto-loader-gen-types.js');
  const options = [
    '--longs=String',
    '--enums=String',
    '--defaults',
    '--oneofs',
    '--grpcLib=@grpc/grpc-js',
    '--importFileExtension=.ts',
    `--outDir=${directory}`,
    '--includeDirs=proto',
  ];
  const files = names.map((name) => `gateway/v1/${name}`);
  const { status } = spawnSync(process.execPath, [generator, ...options, '--', ...files], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0;
}

// A value that is imported from here would be missing where no types are made: so none is exported, and tsc refuses the import.
function keepTypesAlone(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^export const /gm, 'const '));
  }
}

/** Over what the types follow from: the contract, the generator's version, and this file, which has its options. */
function digestOf(names, manifest) {
  const hash = createHash('sha256')
    .update(manifest)
    .update(readFileSync(fileURLToPath(import.meta.url)));
  for (const name of names) hash.update(`\0${name}\0`).update(readFileSync(join(sources, name)));
  return hash.digest('hex');
}

function readOrNothing(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
