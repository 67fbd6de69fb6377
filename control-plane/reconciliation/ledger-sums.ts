// Sums a day of the ledger by provider key and model. Requests with the caller's own key are left out, because they are
// on the caller's bill. It reads the requests themselves, because sums by hour have no provider key.
import { type Kysely, sql } from 'kysely';
import { serviceTiers } from '../../common/model-facts.ts';
import type { Schema } from '../store/schema.ts';
import type { Tokens } from './tokens.ts';

export interface LedgerSum {
  /** Empty if the proxy did not report it. */
  readonly providerKeyId: string;
  readonly provider: string;
  /** `<provider>/<model>` as requested. */
  readonly requested: string;
  /** The name in the provider's response; empty if there was none. */
  readonly servedModel: string;
  readonly estimated: boolean;
  /** Why the usage was estimated; empty if the proxy did not report it. */
  readonly reason: string;
  readonly unpriced: boolean;
  /** The service tier that the provider reported, in the contract's terms; empty for the standard one. */
  readonly tier: string;
  readonly requests: number;
  readonly tokens: Tokens;
  /** In nano-dollars. */
  readonly cost: number;
  /** For estimated requests: the cost that their providers had reported. */
  readonly reported: number;
}

/** Callers choose model names, so a day has at most this many sums of names that a vendor has accepted. */
const sumsMax = 20_000;

interface Row {
  readonly provider_key_id: string;
  readonly provider: string;
  readonly model_asked: string;
  readonly model_answered: string;
  readonly estimated: number;
  readonly reason: string;
  readonly unpriced: number;
  readonly tier: string;
  readonly requests: number;
  readonly prompt: number;
  readonly completion: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly cache_write1h: number;
  readonly reasoning: number;
  readonly cost: number;
  readonly reported: number;
}

/** @throws Error if the day has more sums than this */
export async function readLedgerSums(
  db: Kysely<Schema>,
  organizationId: string,
  day: string,
): Promise<readonly LedgerSum[]> {
  const { rows } = await sql<Row>`
    select coalesce(provider_key_id, '') as provider_key_id, provider, model_asked, model_answered, estimated,
      coalesce(estimate_reason, '') as reason, unpriced, ${tier} as tier, ${total('1', 'requests')}, ${total('prompt_tokens', 'prompt')},
      ${total('completion_tokens', 'completion')}, ${total('cache_read_tokens', 'cache_read')},
      ${total('cache_write_tokens', 'cache_write')}, ${total('cache_write1h_tokens', 'cache_write1h')},
      ${total('reasoning_tokens', 'reasoning')}, ${total('cost', 'cost')}, ${total('coalesce(reported_cost, 0)', 'reported')}
    from usage_events
    where organization_id = ${organizationId} and day = ${day} and direct_key = 0 and attempts > 0
      and (cost > 0 or prompt_tokens > 0 or completion_tokens > 0)
    group by 1, 2, 3, 4, 5, 6, 7, 8 limit ${sumsMax + 1}`.execute(db);
  if (rows.length > sumsMax) throw new Error(`a day of usage has more than ${sumsMax} models`);
  return rows.map(sumOf);
}

/** The databases read JSON in different ways, but the text has only one form, so it is matched as text. */
const tier = sql.join(
  [
    sql.raw("case when special is null then ''"),
    ...serviceTiers.map((name) => sql.raw(`when special like '%"serviceTier":"${name}"%' then '${name}'`)),
    sql.raw("else '' end"),
  ],
  sql.raw(' '),
);

/** Capped at the largest number that the database returns unchanged. */
function total(expression: string, name: string) {
  const [sum, most] = [sql.raw(`sum(${expression})`), sql.raw(String(Number.MAX_SAFE_INTEGER))];
  return sql`cast(case when ${sum} > ${most} then ${most} else ${sum} end as bigint) as ${sql.ref(name)}`;
}

function sumOf(row: Row): LedgerSum {
  return {
    providerKeyId: row.provider_key_id,
    provider: row.provider,
    requested: row.model_asked,
    servedModel: row.model_answered,
    estimated: row.estimated === 1,
    reason: row.reason,
    unpriced: row.unpriced === 1,
    tier: row.tier,
    requests: row.requests,
    tokens: {
      prompt: row.prompt,
      completion: row.completion,
      cacheRead: row.cache_read,
      cacheWrite: row.cache_write,
      cacheWrite1h: row.cache_write1h,
      reasoning: row.reasoning,
    },
    cost: row.cost,
    reported: row.reported,
  };
}
