// Statements that write an organization with very many keys, requests and rows of sums to a database directly, for
// measurements over both databases.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { hourMs } from '../../common/durations.ts';
import { uuidv7 } from '../../common/uuid.ts';
import type { Store } from '../../control-plane/store/store.ts';
import { foldPiece, whatToFold } from '../../control-plane/usage/fold.ts';
import { hourKey, hourSums } from '../../control-plane/usage/hours.ts';

export interface ManySums {
  readonly organizationId: string;
  /** Every second key is this person's. */
  readonly personId: string;
  readonly keys: number;
  /** In how many hours each key was used: the last two, and others of the 34 days before. At most 102. */
  readonly hours: number;
  /** Start of the present hour. */
  readonly lastHour: number;
}

const series = (name: string, count: number) =>
  `${name} (n) as (select 1 union all select n + 1 from ${name} where n < ${count})`;

/** A UUID that ends in the number. */
const idOf = (n: string) =>
  `'00000000-0000-7000-8000-' || substr('000000000000' || ${n}, length('000000000000' || ${n}) - 11)`;

/** The id of the nth key. */
export function manyKeyId(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/** Virtual keys `key-1` and following, of the organization. */
export function manyKeys({ organizationId, keys }: Pick<ManySums, 'organizationId' | 'keys'>): string {
  return `insert into virtual_keys (id, organization_id, scope_kind, scope_id, name, active, allowed_models, metadata,
      created_by, created_at, revision)
    with recursive ${series('numbers', keys)}
    select ${idOf('n')}, '${organizationId}', 'organization', '${organizationId}', 'key-' || n, 1, '[]', '{}',
      '${organizationId}', ${Date.now()}, 1 from numbers`;
}

/** Hours that differ for each key and time, over 34 days. */
const spread = 34 * 24;

/** A row for each key in each of its hours, of two of twenty models. Every sum is 1. */
export function manySums({ organizationId, personId, keys, hours, lastHour }: ManySums): string {
  const hour = `case when hours.n <= 2 then ${lastHour} - (hours.n - 1) * ${hourMs}
    else ${lastHour} - (2 + (numbers.n * 7 + hours.n * 8) % ${spread}) * cast(${hourMs} as bigint) end`;
  return `insert into usage_hours (${[...hourKey, ...hourSums].join(', ')})
    with recursive ${series('numbers', keys)}, ${series('hours', hours)}
    select '${organizationId}', ${hour}, ${idOf('numbers.n')},
      case when numbers.n % 2 = 1 then 'system-' || (numbers.n % 50) else '' end,
      case when numbers.n % 2 = 0 then '${personId}' else '' end, '', '', '',
      'gpt-provider/model-' || ((numbers.n + hours.n % 2) % 20), ${hourSums.map(() => 1).join(', ')}
    from numbers cross join hours`;
}

/**
 * Folds all finished hours, as the control plane does each minute.
 * @returns how long each piece took, in milliseconds
 */
export async function foldAll(store: Pick<Store, 'ledger'>, rowsMax?: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (const next of await whatToFold(store)) {
    for (let more = true; more; ) {
      const startedAt = performance.now();
      more = await foldPiece(store, next, rowsMax);
      times.push(performance.now() - startedAt);
    }
  }
  return times;
}

/** Served requests, one a second until now. */
export function manyRequests(organizationId: string, requests: number): string {
  const facts = JSON.stringify({ status: 200, durationMs: 840, tokens: { prompt: 1200, completion: 310 } });
  const source = JSON.stringify({ model: 'gpt-provider/gpt-4o-mini' });
  const now = Date.now();
  const rows = Array.from({ length: requests }, (_, back) => {
    const texts = [
      organizationId,
      uuidv7(),
      '',
      '',
      randomUUID(),
      'ok',
      '',
      'gpt-provider',
      'gpt-provider/gpt-4o-mini',
    ];
    return `(${now - back * 1000}, ${texts.map((text) => `'${text}'`).join(', ')}, '', '', '${source}', '${facts}')`;
  });
  return `insert into requests (at, organization_id, id, key_id, person_id, request_id, result, error_code, provider, model,
    route, decided_by, source, facts) values ${rows.join(', ')}`;
}

/** @param path of a SQLite database that a control plane has open */
export function runSqlite(path: string, statements: readonly string[]): void {
  using database = new DatabaseSync(path, { timeout: 5000 });
  for (const statement of statements) database.exec(statement);
}
