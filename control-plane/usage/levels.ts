// The levels of sums. Sums by hour are folded: added to the sums of their day and month, whole, by scope and by model
// alone, so that a read of a long time reads few rows. Rows of a level are sums of the rows of its source that are folded.
import { dayMs, hourMs } from '../../common/durations.ts';
import { ownerColumns } from '../store/metadata-tables.ts';
import type { Schema } from '../store/schema.ts';
import type { FoldSource, SumLevel } from '../store/usage-sums-tables.ts';

export type SumUnit = 'hour' | 'day' | 'month';

/** What is distinguished beside models: keys with their scopes, scopes alone, or nothing. */
export type Owners = 'keys' | 'scopes' | 'models';

export interface Level {
  readonly name: SumLevel;
  readonly unit: SumUnit;
  readonly owners: Owners;
}

interface Source {
  readonly table: 'usage_hours' | 'usage_metadata_hours';
  /** The key of its table after the organization and the hour. */
  readonly owners: readonly (keyof Schema['usage_metadata_hours'])[];
  readonly levels: readonly Level[];
}

export const foldSources = {
  hours: {
    table: 'usage_hours',
    owners: ownerColumns,
    levels: [
      { name: 'day', unit: 'day', owners: 'keys' },
      { name: 'month', unit: 'month', owners: 'keys' },
      { name: 'scope_day', unit: 'day', owners: 'scopes' },
      { name: 'scope_month', unit: 'month', owners: 'scopes' },
      { name: 'model_hour', unit: 'hour', owners: 'models' },
      { name: 'model_day', unit: 'day', owners: 'models' },
    ],
  },
  sets: {
    table: 'usage_metadata_hours',
    owners: [...ownerColumns, 'metadata_set'],
    levels: [
      { name: 'set_day', unit: 'day', owners: 'keys' },
      { name: 'set_month', unit: 'month', owners: 'keys' },
    ],
  },
} as const satisfies Record<FoldSource, Source>;

/** The columns from the key on that a level has; in its rows the others are empty. */
export function columnsOfOwners(owners: Owners): readonly (typeof foldSources.sets.owners)[number][] {
  switch (owners) {
    case 'keys':
      return foldSources.sets.owners;
    case 'scopes':
      return ['ai_system_id', 'person_id', 'project_ai_system_id', 'project_person_id', 'model_asked'];
    case 'models':
      return ['model_asked'];
  }
}

/** The columns of a position or of sums from the key on, all of them empty. */
export const noOwners = {
  key_id: '',
  ai_system_id: '',
  person_id: '',
  project_key_id: '',
  project_ai_system_id: '',
  project_person_id: '',
  model_asked: '',
  metadata_set: '',
} as const satisfies Record<(typeof foldSources)['sets']['owners'][number], string>;

/** The key of usage_sums. */
export const sumsKey = ['organization_id', 'level', 'hour', ...foldSources.sets.owners] as const;

export const sourceNames = ['hours', 'sets'] as const satisfies readonly FoldSource[];

/** Start of the unit (UTC) in which a time lies. */
export function startOfUnit(unit: SumUnit, at: number): number {
  switch (unit) {
    case 'hour':
      return at - (at % hourMs);
    case 'day':
      return at - (at % dayMs);
    case 'month': {
      const time = new Date(at);
      return Date.UTC(time.getUTCFullYear(), time.getUTCMonth());
    }
  }
}

/** Start of the next unit. @param start of a unit */
export function nextUnit(unit: SumUnit, start: number): number {
  switch (unit) {
    case 'hour':
      return start + hourMs;
    case 'day':
      return start + dayMs;
    case 'month': {
      const time = new Date(start);
      return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1);
    }
  }
}
