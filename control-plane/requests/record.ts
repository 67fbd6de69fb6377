// Records rows of requests: one statement for a report, each row once, however often it is reported.
import { canonicalModel } from '../../catalog/model-names.ts';
import { dayMs } from '../../common/durations.ts';
import type { RequestSource } from '../../proto/generated/gateway/v1/RequestSource.ts';
import type { RequestsTable } from '../store/request-table.ts';
import type { LedgerTransaction, RowsInsert, StoredRow } from '../store/store.ts';

/** What many rows of a report have in common. */
export type RequestSourceRow = Pick<
  RequestsTable,
  'organization_id' | 'key_id' | 'ai_system_id' | 'person_id' | 'provider' | 'model' | 'route' | 'source'
>;

export interface RequestRow extends Omit<RequestsTable, keyof RequestSourceRow> {
  readonly of: RequestSourceRow;
}

export interface RecordedRequests {
  /** Rows that were not there before. */
  readonly recorded: number;
  /** Rows of organizations that record no requests or are not there, and rows that are older than is kept. */
  readonly unwanted: number;
}

/** How far the clocks of proxies may be ahead. */
export const aheadMsMax = dayMs;
/** A proxy drops rows long before. */
export const lateMsMax = 2 * dayMs;

/** The days of the rows must exist: see usage/partitions.ts. */
export async function recordRequests(
  { db, now, insertRows }: LedgerTransaction,
  rows: readonly RequestRow[],
): Promise<RecordedRequests> {
  if (rows.length === 0) return { recorded: 0, unwanted: 0 };
  const organizations = await db
    .selectFrom('organizations')
    .select(['id', 'request_days'])
    .where('id', 'in', [...new Set(rows.map(({ of }) => of.organization_id))])
    .execute();
  const days = new Map(organizations.map(({ id, request_days }) => [id, request_days]));
  const isWanted = ({ of, at }: RequestRow) => {
    const kept = days.get(of.organization_id) ?? 0;
    return at < now + aheadMsMax && at > now - Math.min(lateMsMax, kept * dayMs);
  };
  const wanted = rows.filter(isWanted);
  const sources = [...new Set(wanted.map(({ of }) => of))];
  const positions = new Map(sources.map((source, position) => [source, position]));
  const shared = { columns: sharedColumns, rows: sources.map((source) => sharedNames.map((name) => source[name])) };
  const stored = wanted.map((row): StoredRow => [positions.get(row.of) ?? null, ...ownNames.map((name) => row[name])]);
  const inserted = await insertRows(db, { ...requestsInsert, shared }, stored);
  return { recorded: inserted.length, unwanted: rows.length - wanted.length };
}

/** The requested model as `<provider>/<model>`: for a request that was refused before that was known, as it was sent. */
export function requestedModel({ model = '', modelSent = '' }: Pick<RequestSource, 'model' | 'modelSent'>): string {
  if (model !== '') return model;
  return /^[^/\s]+\/\S+$/.test(modelSent) ? canonicalModel(modelSent) : '';
}

const sharedColumns = {
  organization_id: 'text',
  key_id: 'text',
  ai_system_id: 'text',
  person_id: 'text',
  provider: 'text',
  model: 'text',
  route: 'text',
  source: 'text',
} as const satisfies Record<keyof RequestSourceRow, 'text'>;

const ownColumns = {
  at: 'bigint',
  id: 'text',
  request_id: 'text',
  result: 'text',
  error_code: 'text',
  decided_by: 'text',
  facts: 'text',
  tags: 'text',
} as const satisfies Record<Exclude<keyof RequestsTable, keyof RequestSourceRow>, 'text' | 'bigint'>;

const sharedNames = Object.keys(sharedColumns) as readonly (keyof typeof sharedColumns)[];
const ownNames = Object.keys(ownColumns) as readonly (keyof typeof ownColumns)[];

const requestsInsert: RowsInsert = {
  table: 'requests',
  columns: ownColumns,
  ending: 'on conflict (organization_id, at, id) do nothing returning id',
};
