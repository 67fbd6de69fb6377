// Prepares a fresh clone for `npm start`, `npm run check`, `npm test` or `npm run bench`, and announces each step. It
// is plain JavaScript without packages, because it runs on any installed Node from version 18; later steps run on the
// pinned Node that it installs. If nothing is missing, it prints nothing and takes some milliseconds. The task `types`
// only makes the types of the contract: `npm ci` ends with it, so that editors find them.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareConsole } from './console.mjs';
import { makeTypes } from './types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const pinnedNode = join(root, 'node_modules/.bin/node');

/** Programs without which some tests are left out, by task: name → Debian package. */
const optional = { test: { chromium: 'chromium' } };
/** Required programs that are no npm packages, by task: name → Debian package. */
const programs = {
  start: {},
  check: { openssl: 'openssl' },
  mutation: {},
  test: { 'redis-server': 'redis-server', initdb: 'postgresql', openssl: 'openssl' },
  bench: { 'redis-server': 'redis-server', nginx: 'nginx', wrk: 'wrk' },
};
/** Programs that a given address or a container engine replaces. */
const replaceable = { 'redis-server': 'REDIS_URL', initdb: 'DATABASE_URL' };

/** Tasks that need the console's page. */
const needsConsole = ['start', 'check', 'test'];

class SetupError extends Error {}

const task = process.argv[2];
try {
  if (task !== 'types') {
    if (!(task in programs))
      throw new SetupError('usage: node scripts/setup.mjs start|check|test|mutation|bench|types');
    const page = needsConsole.includes(task) ? prepareConsole(task !== 'start') : undefined;
    installPackages(task === 'start');
    installPrograms(programs[task]);
    installOptional(optional[task] ?? {});
    await finishConsole(page);
  }
  // `start` needs no types: Node erases them before a program runs.
  if (task !== 'start' && !makeTypes()) throw new SetupError('the types of the contract cannot be made; see above');
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`\nset-up failed: ${error.message}`);
  process.exitCode = 1;
}

// The gateway starts without the page too: its path then says which command builds it.
async function finishConsole(finish) {
  if (finish === undefined || (await finish(pinnedNode))) return;
  const problem = 'the console cannot be built; see above';
  if (task !== 'start') throw new SetupError(problem);
  console.error(`${problem}. This builds it: npm --prefix console ci && npm --prefix console run build`);
}

function installPackages(productionOnly) {
  if (packagesAreInstalled(productionOnly)) return;
  console.error(
    `Setting up: npm ci installs the locked ${productionOnly ? 'production ' : ''}packages and Node ${pinnedVersion()} ` +
      'into node_modules (once; some 15 seconds) …',
  );
  // Flags, so that a user's own npm configuration or NODE_ENV does not change what is installed.
  const scope = productionOnly ? ['--omit=dev'] : ['--include=dev'];
  const flags = ['--loglevel=error', '--engine-strict=false', '--ignore-scripts', '--include=optional', ...scope];
  const { status } = runNpm(['ci', ...flags]);
  if (status !== 0) {
    throw new SetupError('npm ci did not succeed; see above. It needs the package registry that npm is set to.');
  }
  if (!existsSync(pinnedNode)) {
    throw new SetupError(
      `there is no pinned Node for ${process.platform} ${process.arch}; there is one for Linux and macOS, x64 and arm64`,
    );
  }
}

function runNpm(args) {
  const npm = process.env.npm_execpath ?? '';
  const viaNpm = basename(npm).startsWith('npm');
  const [command, first] = viaNpm ? [process.execPath, [npm]] : ['npm', []];
  return spawnSync(command, [...first, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}

// npm writes a lockfile of the installed packages into node_modules: equal integrities mean that nothing is to do.
// Packages for other platforms are optional and absent, so of the optional packages only the pinned Node is checked.
function packagesAreInstalled(productionOnly) {
  const wanted = readPackages('package-lock.json');
  const present = readPackages('node_modules/.package-lock.json');
  if (!existsSync(pinnedNode)) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    const isNode = isPinnedNode(path) && path in present;
    const isNeeded = isNode || (!entry.optional && !(productionOnly && entry.dev));
    return path === '' || !isNeeded || present[path]?.integrity === entry.integrity;
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  } catch {
    return {};
  }
}

function isPinnedNode(path) {
  return /^node_modules\/node-(bin-)?(linux|darwin)-/.test(path);
}

function pinnedVersion() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(optionalDependencies)[0];
}

function installPrograms(needed) {
  const missing = Object.keys(needed).filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return;
  const packages = missing.map((name) => needed[name]);
  if (missing.every((name) => name in replaceable) && containersRun()) return;
  if (process.getuid?.() === 0 && findProgram('apt-get') !== undefined) return aptInstall(packages);
  const required = missing.filter((name) => !(process.env[replaceable[name]] ?? ''));
  if (required.length === 0) return;
  throw new SetupError(
    adviceFor(
      required,
      required.map((name) => needed[name]),
    ),
  );
}

function installOptional(wanted) {
  const names = ['chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const missing = Object.keys(wanted).filter((name) => [name, ...names].every((one) => findProgram(one) === undefined));
  if (missing.length === 0) return;
  const packages = missing.map((name) => wanted[name]);
  try {
    if (process.getuid?.() === 0 && findProgram('apt-get') !== undefined) return aptInstall(packages);
  } catch (error) {
    console.error(error.message);
  }
  console.error(
    `Tests of the console are left out, because there is no Chromium: apt-get install ${packages.join(' ')}`,
  );
}

function adviceFor(required, packages) {
  const variables = required.map((name) => replaceable[name]).filter((name) => name !== undefined);
  const ways = [`  install them: sudo apt-get install ${packages.join(' ')}   (macOS: brew install ${brew(packages)})`];
  if (variables.length === required.length) {
    ways.push('  or start Docker', `  or set ${variables.join(' and ')} to servers that tests may use`);
  }
  return `these programs are missing: ${required.join(', ')}\n${ways.join('\n')}`;
}

function brew(packages) {
  const names = { 'redis-server': 'redis', postgresql: 'postgresql@17' };
  return packages.map((name) => names[name] ?? name).join(' ');
}

function findProgram(name) {
  const postgres = '/usr/lib/postgresql'; // Debian keeps its programs off PATH
  const versions = existsSync(postgres) ? readdirSync(postgres) : [];
  const directories = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/sbin', // nginx; not on every user's PATH
    ...versions.map((version) => join(postgres, version, 'bin')),
  ];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

// The same probe as in the tests. It runs only if programs are missing, because it takes most of a second.
function containersRun() {
  const probe =
    "import('testcontainers').then((t) => t.getContainerRuntimeClient()).then(() => process.exit(0), () => process.exit(1))";
  return spawnSync(pinnedNode, ['--input-type=module', '-e', probe], { cwd: root, stdio: 'ignore' }).status === 0;
}

function aptInstall(packages) {
  console.error(`Setting up: apt-get installs ${packages.join(', ')} (once; their services are not started) …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) =>
    spawnSync('apt-get', ['-q', '-y', ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status;
  const allowServices = forbidServices();
  try {
    apt('update'); // may fail for one source of several; the installation decides
    const status = apt('install', '--no-install-recommends', ...packages);
    if (status !== 0) throw new SetupError(`apt-get install ${packages.join(' ')} did not succeed; see above`);
  } finally {
    allowServices();
  }
}

// Debian's packages start their services on installation, on the standard ports. A policy with exit code 101 prevents
// it.
function forbidServices() {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return () => undefined;
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(policy);
}
