// One price of an organization's own: its row, and what proxies are told of it.
import type { Kysely, Selectable } from 'kysely';
import type { ModelPrices } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceRecord } from '../../proto/generated/gateway/v1/PriceRecord.ts';
import type { Schema } from '../store/schema.ts';

export type PriceRow = Selectable<Schema['prices']>;

/** What the record of its organization says of it. */
export function priceRecord(row: PriceRow) {
  return {
    id: row.id,
    model: row.model,
    prices: JSON.parse(row.prices) as ModelPrices,
  } satisfies PriceRecord;
}

/** Oldest first. */
export async function readPrices(db: Kysely<Schema>, organizationId: string): Promise<PriceRecord[]> {
  const rows = await db
    .selectFrom('prices')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute();
  return rows.map(priceRecord);
}
