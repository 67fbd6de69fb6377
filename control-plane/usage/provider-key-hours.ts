// Sums of what each provider key cost by hour and model.
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { LedgerTransaction, RowsInsert } from '../store/store.ts';
import { hourOf } from './hours.ts';

type KeyHourRow = Schema['usage_provider_key_hours'];

/** @param events that were not recorded before */
export async function addToProviderKeyHours(
  { db, insertRows }: Pick<LedgerTransaction, 'db' | 'insertRows'>,
  events: readonly UsageEventRow[],
): Promise<void> {
  const rows = sumByProviderKey(events);
  if (rows.length === 0) return;
  await insertRows(
    db,
    insert,
    rows.map((row) => names.map((name) => row[name])),
  );
}

/** @returns rows in the order of their keys, so that transactions cannot deadlock */
function sumByProviderKey(events: readonly UsageEventRow[]): readonly KeyHourRow[] {
  const rows = new Map<string, KeyHourRow>();
  for (const { organization_id, provider_key_id, model_asked, at, cost } of events) {
    if (provider_key_id === null || cost === 0) continue;
    const hour = hourOf(at);
    const key = JSON.stringify([organization_id, hour, provider_key_id, model_asked]);
    const row = rows.get(key) ?? { organization_id, hour, provider_key_id, model_asked, cost: 0 };
    row.cost += cost;
    rows.set(key, row);
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const columns = {
  organization_id: 'text',
  hour: 'bigint',
  provider_key_id: 'text',
  model_asked: 'text',
  cost: 'bigint',
} as const satisfies Record<keyof KeyHourRow, 'text' | 'bigint'>;

const names = Object.keys(columns) as readonly (keyof KeyHourRow)[];

const insert: RowsInsert = {
  table: 'usage_provider_key_hours',
  columns,
  ending:
    'on conflict (organization_id, hour, provider_key_id, model_asked) do update set cost = usage_provider_key_hours.cost + excluded.cost',
};
