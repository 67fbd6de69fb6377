// Limits the rows of sums by hour that the tags of requests make: an hour with very many rows gets no more values of the
// names that have the most of them.
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';

/** So many rows of an organization's hour may have all tags. */
export const hourRowsMax = 10_000;
/** For each so many more, one name more has no values of its own in further rows. */
const rowsOfStep = 1_000;
/** More steps than there are tags in a request: then rows have no tags. */
export const stepsMax = 9;

export interface HourName {
  readonly organizationId: string;
  /** Its start. */
  readonly hour: number;
}

/** @returns how many names of tags get no value of their own in an hour of `hours` */
export async function collapsedInHour(
  db: Kysely<Schema>,
  hours: readonly HourName[],
): Promise<(name: HourName) => number> {
  const named = new Map(hours.map((name) => [keyOf(name), name]));
  const steps = new Map<string, number>();
  for (const [key, name] of named) {
    const above = (await countRows(db, name)) - hourRowsMax;
    if (above >= 0) steps.set(key, Math.min(stepsMax, 1 + Math.floor(above / rowsOfStep)));
  }
  return (name) => steps.get(keyOf(name)) ?? 0;
}

/** The key of the table finds the rows; no more are counted than matter. */
async function countRows(db: Kysely<Schema>, { hour, organizationId }: HourName): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select cast(count(*) as bigint) as count from (
      select 1 from usage_metadata_hours where organization_id = ${organizationId} and hour = ${hour}
      limit ${hourRowsMax + stepsMax * rowsOfStep}
    ) as counted`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

function keyOf({ hour, organizationId }: HourName): string {
  return `${organizationId} ${hour}`;
}
