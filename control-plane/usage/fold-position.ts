// Up to which row the sums by hour of an organization are folded. Rows before the position are in usage_sums too, the
// others are not.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { ownerColumns } from '../store/metadata-tables.ts';
import type { Schema } from '../store/schema.ts';
import type { FoldSource } from '../store/usage-sums-tables.ts';
import { foldSources } from './levels.ts';

export interface FoldPosition {
  readonly hour: number;
  /** Values of the further columns of the key: rows of `hour` before these are folded too. */
  readonly owners: readonly string[];
  readonly inside: boolean;
}

export type FoldPositions = Readonly<Record<FoldSource, FoldPosition>>;

const nothing: FoldPosition = { hour: 0, owners: [], inside: false };

/** @returns the position in front of all rows, if nothing is folded */
export async function foldPositions(db: Kysely<Schema>, organizationId: string): Promise<FoldPositions> {
  const all = await foldPositionsOf(db, [organizationId]);
  return all(organizationId);
}

export type FoldedTo = (organizationId: string) => FoldPositions;

export async function foldPositionsOf(db: Kysely<Schema>, organizationIds: readonly string[]): Promise<FoldedTo> {
  if (organizationIds.length === 0) return () => ({ hours: nothing, sets: nothing });
  const rows = await db.selectFrom('usage_folds').selectAll().where('organization_id', 'in', organizationIds).execute();
  return positionsIn(rows);
}

/** @param rows of usage_folds */
export function positionsIn(rows: readonly Schema['usage_folds'][]): FoldedTo {
  const found = new Map(
    rows.map((row) => [
      `${row.organization_id} ${row.source}`,
      {
        hour: row.hour,
        owners: [...ownerColumns, 'metadata_set' as const].map((name) => row[name]),
        inside: row.inside === 1,
      },
    ]),
  );
  return (organizationId) => ({
    hours: found.get(`${organizationId} hours`) ?? nothing,
    sets: found.get(`${organizationId} sets`) ?? nothing,
  });
}

/** Whether a row of the source is before (or not before) the position, in the order of the database. */
export function beside(source: FoldSource, position: FoldPosition, which: 'before' | 'from'): RawBuilder<boolean> {
  const hour = sql`cast(${position.hour} as bigint)`;
  if (!position.inside) return which === 'before' ? sql`hour < ${hour}` : sql`hour >= ${hour}`;
  const { owners } = foldSources[source];
  const columns = sql.join(['hour', ...owners].map((name) => sql.ref(name)));
  const values = sql.join([hour, ...owners.map((_, nth) => sql`${position.owners[nth] ?? ''}`)]);
  // Both databases find the rows by the key of the table, if no other condition bounds the hour on the same side.
  return which === 'before' ? sql`(${columns}) < (${values})` : sql`(${columns}) >= (${values})`;
}
