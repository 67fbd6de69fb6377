// Backups of a control plane's database by the programs that docs/backup.md names, and their restore.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { findProgram } from './containers.ts';
import { createDatabase, findBinaries } from './postgres.ts';

const run = promisify(execFile);
/** Restores everything or nothing. */
const restoring = ['--no-owner', '--exit-on-error', '--single-transaction'];

export interface BackedUpDatabase {
  /** URL of the control plane's database; some kinds of restore change it. */
  readonly url: string;
  /** Runs while everything else runs. */
  backUp(): Promise<void>;
  /** Runs while no control plane runs. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** A pg_dump backup is restored into an empty database, as on a new server. */
export async function postgresIntoFresh(): Promise<BackedUpDatabase> {
  const old = await createDatabase();
  const fresh = await createDatabase();
  const { file, remove } = dumpFile();
  let { url } = old;
  return {
    get url() {
      return url;
    },
    backUp: () => tool('pg_dump', ['--format=custom', `--file=${file}`, old.url]),
    restore: async () => {
      await tool('pg_restore', [...restoring, `--dbname=${fresh.url}`, file]);
      url = fresh.url;
    },
    drop: async () => {
      remove();
      await Promise.all([old.drop(), fresh.drop()]);
    },
  };
}

/** The backup replaces the database: another one with the same name. */
export async function postgresSameDatabase(): Promise<BackedUpDatabase> {
  const { url, drop } = await createDatabase();
  const { file, remove } = dumpFile();
  const name = new URL(url).pathname.slice(1);
  const server = `--maintenance-db=${Object.assign(new URL(url), { pathname: '/postgres' }).href}`;
  return {
    url,
    backUp: () => tool('pg_dump', ['--format=custom', `--file=${file}`, url]),
    restore: async () => {
      await tool('dropdb', ['--force', server, name]);
      await tool('createdb', [server, name]);
      await tool('pg_restore', [...restoring, `--dbname=${url}`, file]);
    },
    drop: async () => {
      remove();
      await drop();
    },
  };
}

export async function sqliteFile(): Promise<BackedUpDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-backup-'));
  const [live, copy] = [join(directory, 'gateway.db'), join(directory, 'backup.db')];
  return {
    url: `sqlite:${live}`,
    backUp: async () => {
      using database = new DatabaseSync(live, { readOnly: true });
      await backup(database, copy);
    },
    restore: async () => {
      for (const side of ['-wal', '-shm']) rmSync(live + side, { force: true });
      cpSync(copy, live);
    },
    drop: async () => rmSync(directory, { recursive: true }),
  };
}

function dumpFile() {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-backup-'));
  return { file: join(directory, 'gateway.dump'), remove: () => rmSync(directory, { recursive: true }) };
}

async function tool(name: string, args: readonly string[]): Promise<void> {
  const directory = findProgram(name) ?? join(findBinaries(), name);
  await run(directory, [...args]);
}
