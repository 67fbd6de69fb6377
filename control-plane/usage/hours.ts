// Sums of usage by hour: a row for each hour, key, scope and model that occurs. What is of none is the empty text, so that the
// key is unique.
import type { Schema, UsageEventRow } from '../store/schema.ts';
import type { ColumnTypes } from './json-rows.ts';

export type HourRow = Schema['usage_hours'];

export const hourMs = 3_600_000;

/** Columns of the primary key, in its order. */
export const hourKey = [
  'organization_id',
  'hour',
  'key_id',
  'ai_system_id',
  'person_id',
  'project_key_id',
  'project_ai_system_id',
  'project_person_id',
  'model_asked',
] as const satisfies readonly (keyof HourRow)[];

type Sum = Exclude<keyof HourRow, (typeof hourKey)[number]>;

const summed = {
  requests: () => 1,
  // 499 where the client left.
  failed_requests: (event) => (event.status >= 400 ? 1 : 0),
  unpriced_requests: (event) => event.unpriced,
  estimated_requests: (event) => event.estimated,
  prompt_tokens: (event) => event.prompt_tokens,
  completion_tokens: (event) => event.completion_tokens,
  cache_read_tokens: (event) => event.cache_read_tokens,
  cache_write_tokens: (event) => event.cache_write_tokens,
  cache_write1h_tokens: (event) => event.cache_write1h_tokens,
  reasoning_tokens: (event) => event.reasoning_tokens,
  cost: (event) => event.cost,
  latency_ms: (event) => event.latency_ms,
} as const satisfies Record<Sum, (event: UsageEventRow) => number>;

export const hourSums = Object.keys(summed) as readonly Sum[];

export const hourColumns = {
  organization_id: 'text',
  hour: 'bigint',
  key_id: 'text',
  ai_system_id: 'text',
  person_id: 'text',
  project_key_id: 'text',
  project_ai_system_id: 'text',
  project_person_id: 'text',
  model_asked: 'text',
  requests: 'bigint',
  failed_requests: 'bigint',
  unpriced_requests: 'bigint',
  estimated_requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cache_read_tokens: 'bigint',
  cache_write_tokens: 'bigint',
  cache_write1h_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost: 'bigint',
  latency_ms: 'bigint',
} as const satisfies ColumnTypes<HourRow>;

/** Start of the hour of a time. */
export function hourOf(at: number): number {
  return at - (at % hourMs);
}

/** @returns rows in the order of their keys, the same wherever they are made */
export function sumByHour(events: readonly UsageEventRow[]): readonly HourRow[] {
  const rows = new Map<string, HourRow>();
  for (const event of events) {
    const row = emptyRow(event);
    const key = JSON.stringify(hourKey.map((column) => row[column]));
    const sums = rows.get(key) ?? row;
    for (const sum of hourSums) sums[sum] += summed[sum](event);
    rows.set(key, sums);
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function emptyRow(event: UsageEventRow): HourRow {
  return {
    organization_id: event.organization_id,
    hour: hourOf(event.at),
    key_id: event.key_id,
    ai_system_id: event.ai_system_id ?? '',
    person_id: event.person_id ?? '',
    project_key_id: event.project_key_id ?? '',
    project_ai_system_id: event.project_ai_system_id ?? '',
    project_person_id: event.project_person_id ?? '',
    model_asked: event.model_asked,
    requests: 0,
    failed_requests: 0,
    unpriced_requests: 0,
    estimated_requests: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write1h_tokens: 0,
    reasoning_tokens: 0,
    cost: 0,
    latency_ms: 0,
  };
}
