// Runs the steps of migrations.ts.
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Logger } from '../../common/logger.ts';
import type { DatabaseFeatures } from './ledger-migrations.ts';
import { migrations } from './migrations.ts';
import type { Schema } from './schema.ts';

/**
 * Brings the database to the newest step, under a lock, because several replicas may start at once.
 * @throws the database's error, or an Error if the database has run steps that this program cannot work with
 */
export async function migrate(db: Kysely<Schema>, deps: MigrateDeps): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(db, deps);
    } catch (error) {
      if (tries === triesMax || !isTableGone(error)) throw error;
    }
  }
}

interface MigrateDeps {
  readonly features: DatabaseFeatures;
  readonly log: Logger;
}

const triesMax = 5;

/** The migrator looks at all tables, of which another replica may drop one meanwhile: the partition of an old day. */
function isTableGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === undefinedTable;
}

/** SQLSTATE undefined_table. */
const undefinedTable = '42P01';

async function migrateOnce(db: Kysely<Schema>, { features, log }: MigrateDeps): Promise<void> {
  const known = migrations(features);
  const later = await laterSteps(db, Object.keys(known));
  if (later.some((name) => name.endsWith(breakingSuffix))) throw newerVersion(later);
  if (later.length > 0) log.warn({ steps: later }, 'the database has steps of a newer version; they only add');
  const steps = { ...known, ...Object.fromEntries(later.map((name) => [name, unknownStep])) };
  const migrator = new Migrator({ db, provider: { getMigrations: async () => steps } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // Another replica may have run further steps between the check and the lock, or steps in between are missing.
  if (error instanceof Error && error.message.startsWith('corrupted migrations')) throw newerVersion(later, error);
  const failed = results?.find((result) => result.status === 'Error');
  if (failed === undefined) throw error;
  throw new Error(`the database could not be brought to step ${failed.migrationName}`, { cause: error });
}

const breakingSuffix = '_breaking';
const unknownStep: Migration = { up: async () => undefined };

function newerVersion(steps: readonly string[], cause?: Error): Error {
  const names = steps.length === 0 ? '' : ` (it has run ${steps.join(', ')})`;
  return new Error(
    `the database was made by a newer version of the control plane${names}; start that version, or restore the backup made before it`,
    { cause },
  );
}

/** Steps that the database has run and this program does not know. */
async function laterSteps(db: Kysely<Schema>, known: readonly string[]): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !known.includes(name));
}
