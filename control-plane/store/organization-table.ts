// The table of organizations, and the steps of migrations.ts that add why and until when one is suspended, and the names
// of tags: a part of schema.ts.
import type { HangUp, UnknownCost } from '../../proto/words/access.ts';
import type { SlugColumn } from './sign-in-domain-tables.ts';
import type { MigratedDatabase } from './table-forms.ts';

type Flag = 0 | 1;

export interface OrganizationsTable extends SlugColumn {
  id: string;
  name: string;
  suspended: Flag;
  /** Null: none was given, or it is not suspended. */
  suspended_reason: string | null;
  /** When the suspension ends; null: when it is resumed. */
  suspended_ends_at: number | null;
  caller_provider_keys: Flag;
  hang_up: HangUp;
  unknown_cost: UnknownCost;
  /** JSON: `[{"name", "model"}]` */
  model_aliases: string;
  own_tool_egress: Flag;
  own_tool_execution: Flag;
  stored_responses: Flag;
  background_responses: Flag;
  safety_identifier: Flag;
  priced_options: Flag;
  /** How many days rows of requests are kept; 0: none is recorded. */
  request_days: number;
  /** JSON: the names of the tags of requests. */
  tag_names: string;
  /** Of its slots in a proxy; 100 is usual. */
  weight: number;
  allowed_models: string;
  created_at: number;
  revision: number;
}

export type Suspension = Pick<OrganizationsTable, 'suspended' | 'suspended_ends_at'>;

/** Whether a suspension is in force: it ends without a change of its row. */
export function isSuspended({ suspended, suspended_ends_at: endsAt }: Suspension, now: number): boolean {
  return suspended === 1 && (endsAt === null || now < endsAt);
}

export async function addSuspensionEnds(db: MigratedDatabase): Promise<void> {
  await db.schema.alterTable('organizations').addColumn('suspended_reason', 'text').execute();
  await db.schema.alterTable('organizations').addColumn('suspended_ends_at', 'bigint').execute();
}

export async function addTagNames(db: MigratedDatabase): Promise<void> {
  await db.schema
    .alterTable('organizations')
    .addColumn('tag_names', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}
