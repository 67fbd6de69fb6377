// Real PostgreSQL for tests: `DATABASE_URL` if given, else one server for the whole run; each caller gets a separate
// database.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findProgram, postgresImage, type ServerSource, startContainer } from './containers.ts';
import { type Child, freePort, startProcess, until } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { askTestServers } from './test-servers.ts';

const run = promisify(execFile);
// Nothing in a test survives a crash of the machine, so nothing waits for the disk.
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=300',
  'dynamic_shared_memory_type=mmap',
];

export interface TestDatabase {
  readonly url: string;
  /** Ends all its sessions and removes it. */
  drop(): Promise<void>;
}

/** A fresh, empty database. */
export async function createDatabase(): Promise<TestDatabase> {
  return createDatabaseOn(await findServer());
}

/** A fresh database with the tables of this version. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createDatabaseOn(await findServer(), await askTestServers('template'));
}

async function findServer(): Promise<string> {
  return process.env.DATABASE_URL ?? (await askTestServers('postgres'));
}

/** @param template name of the database to copy; default: an empty one */
export async function createDatabaseOn(server: string, template = 'template1'): Promise<TestDatabase> {
  const name = `gateway_test_${randomBytes(6).toString('hex')}`;
  await query(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => query(server, `drop database if exists ${name} with (force)`),
  };
}

export interface TestPostgres {
  readonly url: string;
  stop(): Promise<void>;
}

/** A separate server, for tests that stop it. Takes two seconds. */
export async function startPostgres(from?: ServerSource): Promise<TestPostgres> {
  const source = from ?? (await askTestServers('source'));
  const port = await freePort();
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const server = source === 'docker' ? await startInContainer(port) : await startLocally(port);
  const accepts = async () => {
    const failure = await server.failure();
    if (failure !== undefined) throw new Error(`PostgreSQL did not start: ${failure}`);
    return query(url, 'select 1').then(
      () => true,
      () => false,
    );
  };
  await until(accepts, { timeoutMs: 30_000, what: 'PostgreSQL to accept connections' });
  return { url, stop: server.stop };
}

interface Started {
  stop(): Promise<void>;
  failure(): Promise<string | undefined>;
}

async function startInContainer(port: number): Promise<Started> {
  const container = await startContainer({
    image: postgresImage,
    environment: { POSTGRES_PASSWORD: 'postgres' },
    command: ['postgres', '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    ports: [port],
  });
  return { stop: () => container.stop(), failure: async () => undefined };
}

async function startLocally(port: number): Promise<Started> {
  const bin = findBinaries();
  const user = process.getuid?.() === 0 ? 'postgres' : undefined; // initdb and postgres refuse root
  const directory = mkdtempSync(join(temporaryFolder(), 'gateway-postgres-'));
  try {
    if (user !== undefined) await giveTo(user, directory);
    const data = join(directory, 'data');
    const init = startProcess(join(bin, 'initdb'), ['-D', data, ...initOptions], { ...(user && { user }) });
    if ((await init.exited) !== 0) throw new Error(`initdb failed: ${init.stderr().trim()}`);
    const options = [`listen_addresses=127.0.0.1`, `port=${port}`, `unix_socket_directories=`, ...settings];
    const server = startProcess(join(bin, 'postgres'), ['-D', data, ...options.flatMap((option) => ['-c', option])], {
      ...(user && { user }),
    });
    return { stop: () => stopLocal(server, directory), failure: () => failureOf(server) };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

export const initOptions = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];

async function stopLocal(server: Child, directory: string): Promise<void> {
  await server.stop('SIGQUIT'); // immediate: there is nothing to save
  rmSync(directory, { recursive: true, force: true });
}

async function failureOf(server: Child): Promise<string | undefined> {
  const code = await Promise.race([server.exited, Promise.resolve(undefined)]);
  return code === undefined ? undefined : server.stderr().trim();
}

/** The folder of initdb and postgres. */
export function findBinaries(): string {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const directories = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`);
  const initdb = findProgram('initdb', directories);
  if (initdb !== undefined) return join(initdb, '..');
  throw new Error(
    'these tests need PostgreSQL. Any of: set DATABASE_URL to a server whose user may create databases; start Docker; ' +
      'install it (Debian: apt-get install postgresql; macOS: brew install postgresql)',
  );
}

/** Makes the user the owner of a directory, as PostgreSQL requires for its data. */
export async function giveTo(user: string, directory: string): Promise<void> {
  const { stdout } = await run('id', ['-u', user]);
  chownSync(directory, Number(stdout), statSync(directory).gid);
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
