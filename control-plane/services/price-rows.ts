// One price of an organization's own: its row, and its form in records. If several prices are for one model under
// different names, one counts: the price under the canonical name, or else the oldest.
import type { Selectable } from 'kysely';
import { canonicalSelector, storedSelector } from '../../catalog/model-selector.ts';
import type { ModelPrices } from '../../proto/generated/gateway/v1/ModelPrices.ts';
import type { PriceRecord } from '../../proto/generated/gateway/v1/PriceRecord.ts';
import { aMessage } from '../../proto/json/message-shape.ts';
import type { AccessPriceRow } from '../store/access-rows.ts';
import { jsonColumn } from '../store/json-columns.ts';
import type { Schema } from '../store/schema.ts';

export type PriceRow = Selectable<Schema['prices']>;

const pricesOf = jsonColumn('prices', 'prices', aMessage<ModelPrices>('ModelPrices'));

/** The price as its organization's record contains it. */
export function priceRecord(row: AccessPriceRow) {
  return {
    id: row.id,
    model: storedSelector(row.model),
    prices: pricesOf(row),
  } satisfies PriceRecord;
}

/** @param rows of one organization, oldest first */
export function priceRecords(rows: readonly AccessPriceRow[]): PriceRecord[] {
  const counting = countingPrices(rows);
  return rows.filter((row) => counting.has(row.id)).map(priceRecord);
}

/**
 * @param rows of one organization, oldest first
 * @returns ids of the prices that no other price overrides
 */
export function countingPrices(rows: readonly Pick<PriceRow, 'id' | 'model'>[]): ReadonlySet<string> {
  const byModel = Map.groupBy(rows, ({ model }) => canonicalSelector(model));
  return new Set(
    [...byModel].flatMap(([name, same]) => (same.find(({ model }) => model === name) ?? same[0])?.id ?? []),
  );
}
