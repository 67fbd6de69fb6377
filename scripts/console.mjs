// Installs the packages of the console and builds its page, as a part of the set-up. Plain JavaScript, because it runs on
// any Node from version 18.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeContract } from '../console/contract.mjs';
import { builtDigest, sourceDigest } from '../console/digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'console');

/**
 * Begins at once, beside other installations.
 * @param withTypes also what only tsc needs
 * @returns what completes it, once the pinned Node is there: whether the page is built and, if wanted, can be type-checked
 */
export function prepareConsole(withTypes) {
  const isBuilt = sourceDigest() === builtDigest();
  const needsPackages = (withTypes || !isBuilt) && !packagesAreInstalled(withTypes);
  const installing = needsPackages ? installPackages(withTypes) : Promise.resolve(0);
  return async (pinnedNode) => {
    if ((await installing) !== 0) return false;
    if (withTypes) makeContract();
    if (isBuilt) return true;
    console.error('Setting up: the console’s page is built (once for each change of it) …');
    const { status } = spawnSync(pinnedNode, ['console/build.mjs'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return status === 0;
  };
}

/** @returns npm's exit code */
function installPackages(withTypes) {
  console.error('Setting up: npm ci installs the locked packages of the console into console/node_modules (once) …');
  const npm = process.env.npm_execpath ?? '';
  const [command, first] = basename(npm).startsWith('npm') ? [process.execPath, [npm]] : ['npm', []];
  const scope = withTypes ? '--include=dev' : '--omit=dev';
  const flags = ['ci', scope, '--loglevel=error', '--engine-strict=false', '--ignore-scripts', '--include=optional'];
  const child = spawn(command, [...first, ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

// As for the root's packages: npm writes a lockfile of what is installed.
function packagesAreInstalled(withTypes) {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(
    ([path, { dev, optional, integrity }]) =>
      path === '' || optional || (dev && !withTypes) || present[path]?.integrity === integrity,
  );
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(join(folder, path), 'utf8')).packages;
  } catch {
    return {};
  }
}
