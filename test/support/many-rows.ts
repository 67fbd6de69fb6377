// Statements that write many rows to a database directly, for measurements of lists and sums over either database.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { hourMs } from '../../common/durations.ts';
import { uuidv7 } from '../../common/uuid.ts';

/** Virtual keys `key-1` and following, of the organization. */
export function manyKeys(organizationId: string, keys: number): string {
  return `insert into virtual_keys (id, organization_id, scope_kind, scope_id, name, active, allowed_models, metadata,
      created_by, created_at, revision)
    with recursive ${series('numbers', keys)}
    select ${idOf('n')}, '${organizationId}', 'organization', '${organizationId}', 'key-' || n, 1, '[]', '{}',
      '${organizationId}', ${Date.now()}, 1 from numbers`;
}

export interface SumsPlan {
  readonly keys: number;
  readonly hours: number;
  /** Milliseconds since 1970, the beginning of an hour. */
  readonly lastHour: number;
}

/** Usage, all of it served and priced, of each of these keys in each hour, of one of twenty models. */
export function manySums(organizationId: string, { keys, hours, lastHour }: SumsPlan): string {
  const counts = ['requests', 'failed_requests', 'unpriced_requests', 'estimated_requests', 'prompt_tokens'];
  const more = ['completion_tokens', 'cache_read_tokens', 'cache_write_tokens', 'cache_write1h_tokens'];
  const columns = [...counts, ...more, 'reasoning_tokens', 'cost', 'latency_ms'];
  return `insert into usage_hours (organization_id, hour, key_id, ai_system_id, person_id, project_key_id,
      project_ai_system_id, project_person_id, model_asked, ${columns.join(', ')})
    with recursive ${series('numbers', keys)}, ${series('hours', hours)}
    select '${organizationId}', ${lastHour} - (hours.n - 1) * ${hourMs},
      ${idOf('numbers.n')}, '', '', '', '', '', 'gpt-provider/model-' || (numbers.n % 20), ${columns.map((name) => (/^(failed|unpriced|estimated)/.test(name) ? 0 : 1)).join(', ')}
    from numbers cross join hours`;
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

const series = (name: string, count: number) =>
  `${name} (n) as (select 1 union all select n + 1 from ${name} where n < ${count})`;

/** A UUID that ends in the number. */
const idOf = (n: string) =>
  `'00000000-0000-7000-8000-' || substr('000000000000' || ${n}, length('000000000000' || ${n}) - 11)`;

/** @param path of a SQLite database that a control plane has open */
export function runSqlite(path: string, statements: readonly string[]): void {
  using database = new DatabaseSync(path, { timeout: 5000 });
  for (const statement of statements) database.exec(statement);
}
