// Reads rows of requests: newest first, within a time range that is never open, by one of three indexes. A filter without
// an index of its own examines a bounded number of rows at a time.
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { isUuid, uuidTime } from '../../common/uuid.ts';
import type { RequestResult } from '../../proto/words/requests.ts';
import type { RequestsTable } from '../store/request-table.ts';
import type { Schema } from '../store/schema.ts';
import { tagPart } from './tags-text.ts';

export interface RequestFilter {
  readonly organizationId: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly keyId?: string | undefined;
  readonly personId?: string | undefined;
  readonly aiSystemId?: string | undefined;
  readonly result?: RequestResult | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly route?: string | undefined;
  readonly decidedBy?: string | undefined;
  /** All of them. Absent: any. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** Where a row is in the order of a list. */
export interface RowPosition {
  readonly at: number;
  readonly id: string;
}

export interface FoundRequests {
  readonly rows: readonly RequestsTable[];
  /** The rest of the range begins after this row, which the filter may leave out. Undefined: the range is over. */
  readonly next: RowPosition | undefined;
}

/** How many rows of the range one read examines. */
export const examinedMax = 20_000;

/** @param after the last row of the page before @param size of the page */
export async function readRequests(
  db: Kysely<Schema>,
  filter: RequestFilter,
  { after, size }: { readonly after: RowPosition | undefined; readonly size: number },
): Promise<FoundRequests> {
  const last = await lastExamined(db, filter, after);
  const rows = await filtered(inRange(db, filter, after, last), filter)
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(size + 1)
    .execute();
  return rows.length > size ? { rows: rows.slice(0, size), next: rows[size - 1] } : { rows, next: last };
}

/** @param id `x-request-id` of its response, or the id of the row. Undefined: the organization has no such request */
export async function readRequest(
  db: Kysely<Schema>,
  { organizationId, id, personId }: { organizationId: string; id: string; personId: string | undefined },
): Promise<RequestsTable | undefined> {
  let query = db.selectFrom('requests').selectAll().where('organization_id', '=', organizationId);
  if (personId !== undefined) query = query.where('person_id', '=', personId);
  const byRow = await byRowId(query, id);
  if (byRow !== undefined) return byRow;
  const chosen = query.where('request_id', '=', id).where(sql<boolean>`request_id <> id`);
  return await chosen.orderBy('at', 'desc').limit(1).executeTakeFirst();
}

type RequestQuery<Selected> = SelectQueryBuilder<Schema, 'requests', Selected>;

/** The id of a row has its time. */
async function byRowId<Selected>(query: RequestQuery<Selected>, id: string): Promise<Selected | undefined> {
  if (!isUuid(id)) return undefined;
  return await query.where('at', '=', uuidTime(id)).where('id', '=', id).executeTakeFirst();
}

/** The row up to which the range is examined now, if it has more rows than that. */
async function lastExamined(
  db: Kysely<Schema>,
  filter: RequestFilter,
  after: RowPosition | undefined,
): Promise<RowPosition | undefined> {
  if (!isFiltered(filter)) return undefined;
  return await inRange(db, filter, after, undefined)
    .select(['at', 'id'])
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(examinedMax - 1)
    .limit(1)
    .executeTakeFirst();
}

function isFiltered(filter: RequestFilter): boolean {
  const { aiSystemId, result, model, provider, errorCode, route, decidedBy, tags = {} } = filter;
  const values = [aiSystemId, result, model, provider, errorCode, route, decidedBy, ...Object.keys(tags)];
  return values.some((value) => value !== undefined);
}

/** Rows of the range by an index: the organization's, a key's or a person's. */
function inRange(
  db: Kysely<Schema>,
  { organizationId, from, to, keyId, personId }: RequestFilter,
  after: RowPosition | undefined,
  last: RowPosition | undefined,
) {
  let query = db
    .selectFrom('requests')
    .where('organization_id', '=', organizationId)
    .where('at', '>=', Math.max(from, last?.at ?? from))
    // Beside the next condition, because it alone lets PostgreSQL leave days out.
    .where('at', '<=', Math.min(to - 1, after?.at ?? to));
  if (keyId !== undefined) query = query.where('key_id', '=', keyId);
  if (personId !== undefined) query = query.where('person_id', '=', personId);
  if (after !== undefined) query = query.where(sql<boolean>`(at, id) < (${after.at}, ${after.id})`);
  return last === undefined ? query : query.where(sql<boolean>`(at, id) >= (${last.at}, ${last.id})`);
}

function filtered<Selected>(query: RequestQuery<Selected>, filter: RequestFilter): RequestQuery<Selected> {
  const wanted = {
    ai_system_id: filter.aiSystemId,
    result: filter.result,
    model: filter.model,
    provider: filter.provider,
    error_code: filter.errorCode,
    route: filter.route,
    decided_by: filter.decidedBy,
  };
  const narrow = Object.entries(wanted).reduce(
    (narrowed, [column, value]) => (value === undefined ? narrowed : narrowed.where(sql.ref(column), '=', value)),
    query,
  );
  // The two databases share no search that is case-sensitive, but the text without a part is another one if it has it.
  return Object.entries(filter.tags ?? {}).reduce(
    (narrowed, tag) => narrowed.where(sql<boolean>`replace(tags, ${tagPart(...tag)}, '') <> tags`),
    narrow,
  );
}
