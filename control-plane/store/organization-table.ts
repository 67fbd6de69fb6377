// The table of organizations: a part of schema.ts.
import type { HangUp, UnknownCost } from '../../proto/words/access.ts';

type Flag = 0 | 1;

export interface OrganizationsTable {
  id: string;
  name: string;
  suspended: Flag;
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
  /** Of its slots in a proxy; 100 is usual. */
  weight: number;
  allowed_models: string;
  created_at: number;
  revision: number;
}
