// Records rows of requests: one statement for a report, each row once, however often it is reported.
import { canonicalModel } from '../../catalog/model-names.ts';
import { dayMs } from '../../common/budget-window.ts';
import type { RequestSource } from '../../proto/generated/gateway/v1/RequestSource.ts';
import type { RequestsTable } from '../store/request-table.ts';
import type { LedgerTransaction, RowsInsert } from '../store/store.ts';

export type RequestRow = RequestsTable;

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
    .where('id', 'in', [...new Set(rows.map(({ organization_id }) => organization_id))])
    .execute();
  const days = new Map(organizations.map(({ id, request_days }) => [id, request_days]));
  const isWanted = ({ organization_id, at }: RequestRow) => {
    const kept = days.get(organization_id) ?? 0;
    return at < now + aheadMsMax && at > now - Math.min(lateMsMax, kept * dayMs);
  };
  const wanted = rows.filter(isWanted);
  const inserted = await insertRows(
    db,
    requestsInsert,
    wanted.map((row) => columns.map((column) => row[column])),
  );
  return { recorded: inserted.length, unwanted: rows.length - wanted.length };
}

/** The requested model as `<provider>/<model>`: for a request that was refused before that was known, as it was sent. */
export function requestedModel({ model = '', modelSent = '' }: Pick<RequestSource, 'model' | 'modelSent'>): string {
  if (model !== '') return model;
  return /^[^/\s]+\/\S+$/.test(modelSent) ? canonicalModel(modelSent) : '';
}

const columnTypes = {
  organization_id: 'text',
  at: 'bigint',
  id: 'text',
  key_id: 'text',
  ai_system_id: 'text',
  person_id: 'text',
  request_id: 'text',
  result: 'text',
  error_code: 'text',
  provider: 'text',
  model: 'text',
  route: 'text',
  decided_by: 'text',
  source: 'text',
  facts: 'text',
} as const satisfies Record<keyof RequestRow, 'text' | 'bigint'>;

const columns = Object.keys(columnTypes) as readonly (keyof RequestRow)[];

const requestsInsert: RowsInsert = {
  table: 'requests',
  columns: columnTypes,
  ending: 'on conflict (organization_id, at, id) do nothing returning id',
};
