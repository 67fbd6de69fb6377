// Makes proto/generated/gateway, the types of the contract, from proto/gateway/v1. Only tsc and editors read them (they
// are erased before programs run), so they are not in git. Plain JavaScript, because the set-up runs it on any Node
// from version 18.
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

/**
 * If neither sources nor generator have changed, this reads some files and does nothing. @returns whether it succeeded
 */
export function makeTypes() {
  const manifest = readOrNothing(join(loader, 'package.json'));
  if (manifest === '') return true; // the packages are not installed; tasks that need types install them first
  const names = readdirSync(sources).sort();
  const digest = digestOf(names, manifest);
  if (readOrNothing(join(target, 'digest')) === digest) return true;
  // Made in a temporary folder and then renamed, so that an interrupted run leaves nothing that looks complete.
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

// An imported value would be missing where the types were not made. Therefore no value is exported, and tsc refuses
// such an import.
function keepTypesAlone(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^export const /gm, 'const '));
  }
}

/**
 * A hash of everything that determines the types: the contract, the generator's version, and this file, which contains
 * its options.
 */
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
