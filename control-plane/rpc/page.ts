// Lists in pages. The key of the last row is the position, so rows that are added or deleted meanwhile neither repeat
// nor skip others. A page ends at its size or at a megabyte, whichever comes first, because a message must stay below
// gRPC's 4 MiB.
import { type SelectQueryBuilder, sql } from 'kysely';
import { isUuid } from '../../common/uuid.ts';
import { type Field, invalid, optional, valid } from '../domain/field.ts';
import { within } from '../domain/shared-fields.ts';
import { checked } from './checked.ts';

export const pageSizeMax = 500;
const pageSizes = { default: 50, max: pageSizeMax };
const pageCharactersMax = 1024 * 1024;

export interface PageRequest {
  readonly pageSize?: number;
  readonly pageToken?: string;
}

export interface Page<Key> {
  readonly size: number;
  /** Rows to read from the database: one more than the size, to find out whether there is a next page. */
  readonly limit: number;
  /** Key of the last row of the previous page; undefined on the first page. */
  readonly after: Key | undefined;
}

export interface PageItems<Item> {
  readonly items: Item[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** For rows ordered by id. @throws CallError */
export function pageById(request: PageRequest): Page<string> {
  return pageBy(request, (key) => (isUuid(key) ? key : undefined));
}

/** A page of a query's rows, ordered by id. @throws CallError */
export async function pageOf<DB, Tables extends keyof DB, Row extends { readonly id: string }, Item>(
  query: SelectQueryBuilder<DB, Tables, Row>,
  request: PageRequest,
  itemOf: (row: Row) => Item,
): Promise<PageItems<Item>> {
  const { size, limit, after } = pageById(request);
  const ordered = query.orderBy(sql.ref('id')).limit(limit);
  const rows = after === undefined ? ordered : ordered.where(sql<boolean>`${sql.ref('id')} > ${after}`);
  return cutPage(await rows.execute(), size, ({ id }) => id, itemOf);
}

/** For rows ordered by revision. @throws CallError */
export function pageByRevision(request: PageRequest): Page<number> {
  return pageBy(request, (key) => (/^\d{1,15}$/.test(key) ? Number(key) : undefined));
}

/**
 * For rows in any other order.
 * @param readKey parses the key that cutPage wrote; returns undefined if the text is no key
 * @throws CallError
 */
export function pageBy<Key>(
  request: PageRequest,
  readKey: (key: string) => Key | undefined,
  sizes = pageSizes,
): Page<Key> {
  const { page_size, page_token } = checked({
    page_size: optional(within(1, sizes.max), request.pageSize),
    page_token: optional((token: string) => readToken(token, readKey), request.pageToken),
  });
  const size = page_size ?? sizes.default;
  return { size, limit: size + 1, after: page_token };
}

/** Parses a key that consists of three strings in JSON. */
export function threeTexts<Key extends readonly [string, string, string]>(text: string): Key | undefined {
  try {
    const key: unknown = JSON.parse(text);
    const isKey = Array.isArray(key) && key.length === 3 && key.every((part) => typeof part === 'string');
    return isKey ? (key as unknown as Key) : undefined;
  } catch {
    return undefined;
  }
}

// An empty token is valid and means the first page, because the last page returns an empty token.
function readToken<Key>(token: string, readKey: (key: string) => Key | undefined): Field<Key | undefined> {
  if (token === '') return valid(undefined);
  const key = /^[A-Za-z0-9_-]{1,16384}$/.test(token) ? readKey(Buffer.from(token, 'base64url').toString()) : undefined;
  return key === undefined ? invalid('must be the next_page_token of the page before') : valid(key);
}

/** Cuts rows to a page. @param rows up to `limit` rows, in order */
export function cutPage<Row, Item>(
  rows: readonly Row[],
  size: number,
  keyOf: (row: Row) => string | number,
  itemOf: (row: Row) => Item,
): PageItems<Item> {
  const items: Item[] = [];
  let characters = 0;
  for (const row of rows.slice(0, size)) {
    const item = itemOf(row);
    characters += JSON.stringify(item).length;
    if (items.length > 0 && characters > pageCharactersMax) break;
    items.push(item);
  }
  const last = rows[items.length - 1];
  const more = last !== undefined && items.length < rows.length;
  return { items, nextPageToken: more ? Buffer.from(String(keyOf(last))).toString('base64url') : '' };
}
