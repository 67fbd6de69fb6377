// What the ledger has of a day, summed by provider key and model. Requests with the caller's own key are on the caller's bill, so they
// are not among it. Read from the requests themselves: sums by hour do not know the provider key.
import { type Kysely, sql } from 'kysely';
import { serviceTiers } from '../../common/model-facts.ts';
import type { Schema } from '../store/schema.ts';
import type { Tokens } from './tokens.ts';

export interface LedgerSum {
  /** Empty where its proxy did not say. */
  readonly providerKeyId: string;
  readonly provider: string;
  /** `<provider>/<model>` as it was asked for. */
  readonly requested: string;
  /** As the provider named it; empty where it did not. */
  readonly servedModel: string;
  readonly estimated: boolean;
  /** Of estimated ones; empty where its proxy did not say. */
  readonly reason: string;
  readonly unpriced: boolean;
  /** As the provider said it was served, in the words of the contract; empty is the usual way. */
  readonly tier: string;
  readonly requests: number;
  readonly tokens: Tokens;
  /** Nano-dollars. */
  readonly cost: number;
  /** Of estimated ones: what their providers had reported. */
  readonly reported: number;
}

/** Model names are callers' to choose: those that a vendor has taken, and no more of a day than this. */
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

/** @throws Error where the day has more sums than fit */
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
    where organization_id = ${organizationId} and day = ${day} and direct_key = 0
      and (cost > 0 or prompt_tokens > 0 or completion_tokens > 0)
    group by 1, 2, 3, 4, 5, 6, 7, 8 limit ${sumsMax + 1}`.execute(db);
  if (rows.length > sumsMax) throw new Error(`a day of usage has more than ${sumsMax} models`);
  return rows.map(sumOf);
}

/** Both databases read JSON, each in its own way; the text is written in one form. */
const tier = sql.join(
  [
    sql.raw("case when special is null then ''"),
    ...serviceTiers.map((name) => sql.raw(`when special like '%"serviceTier":"${name}"%' then '${name}'`)),
    sql.raw("else '' end"),
  ],
  sql.raw(' '),
);

/** At most what comes back from the database as it was stored. */
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
