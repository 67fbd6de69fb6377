// Follows a list: the rows that came since the response before. Proxies report rows seconds after their time, so a
// response looks back a little and leaves out what the caller has seen already. The token says which rows those are.
import type { Kysely } from 'kysely';
import type { RequestsTable } from '../store/request-table.ts';
import type { Schema } from '../store/schema.ts';
import { type RequestFilter, readRequests } from './read.ts';

export interface FollowPosition {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The last digits of the ids of later rows that the caller has seen. */
  readonly seen: ReadonlySet<string>;
}

/** Rows that are reported later than this are not followed; lists show them. */
const lookBackMs = 20_000;
/** The rows of that time which are looked at: at a higher rate only the newest are followed. */
const rowsMax = 1_000;
const digits = 8;

/** Beginning with what the list shows now. */
export async function newFollowPosition(
  db: Kysely<Schema>,
  filter: RequestFilter,
  now: number,
): Promise<FollowPosition> {
  const since = now - lookBackMs;
  return positionOf(since, await recentRows(db, filter, since, now));
}

/** @param size the most rows that are returned, the newest of them */
export async function followed(
  db: Kysely<Schema>,
  filter: RequestFilter,
  { position, now, size }: { readonly position: FollowPosition; readonly now: number; readonly size: number },
): Promise<{ readonly rows: readonly RequestsTable[]; readonly position: FollowPosition }> {
  const recent = await recentRows(db, filter, position.since, now);
  const rows = recent.filter(({ id }) => !position.seen.has(lastDigits(id))).slice(0, size);
  const since = Math.max(position.since, now - lookBackMs);
  return {
    rows,
    position: positionOf(
      since,
      recent.filter(({ at }) => at >= since),
    ),
  };
}

async function recentRows(db: Kysely<Schema>, filter: RequestFilter, since: number, now: number) {
  // The clocks of proxies may be ahead.
  const range = { ...filter, from: since, to: now + lookBackMs };
  return (await readRequests(db, range, { after: undefined, size: rowsMax })).rows;
}

function positionOf(since: number, rows: readonly Pick<RequestsTable, 'id'>[]): FollowPosition {
  return { since, seen: new Set(rows.map(({ id }) => lastDigits(id))) };
}

function lastDigits(id: string): string {
  return id.slice(-digits);
}

export function followToken({ since, seen }: FollowPosition): string {
  return Buffer.from(`${since} ${[...seen].join('')}`).toString('base64url');
}

/** Undefined if the text is no token. */
export function readFollowToken(token: string): FollowPosition | undefined {
  if (!/^[A-Za-z0-9_-]{1,16384}$/.test(token)) return undefined;
  const [, since, seen] = /^(\d{1,15}) ((?:[0-9a-f]{8})*)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (since === undefined || seen === undefined) return undefined;
  return { since: Number(since), seen: new Set(seen.match(/.{8}/g)) };
}
