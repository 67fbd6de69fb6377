// The ledger in the database, read without the control plane. Amounts are nano-dollars.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/**
 * A window of a budget, and the sums that must agree with it; of a budget for each key, one of each counter. One statement
 * reads all of it in one snapshot.
 */
export interface WindowState {
  readonly budget: string;
  readonly window: string;
  readonly amount: number;
  readonly spent: number;
  readonly leased: number;
  readonly unconfirmed: number;
  /** Cost of all recorded usage that counts towards it. */
  readonly recorded: number;
  /** Money that remains in its open leases. */
  readonly open: number;
  /** Money that remains in its expired leases. */
  readonly expired: number;
}

/** Money that remains in the leases of one run of a proxy, for one budget. */
export interface ReservedByRun {
  readonly tokenId: string;
  readonly budget: string;
  readonly open: number;
  readonly expired: number;
}

const windowsQuery = `
  select w.budget_id as budget, w.window_start as window, l.amount, w.spent, w.leased, w.unsettled as unconfirmed,
    (select coalesce(sum(e.cost), 0) from usage_events e
      where case l.subject_kind
          when 'platform' then true
          when 'provider_key' then e.organization_id = l.organization_id and e.provider_key_id = l.subject_id
          else e.organization_id = l.organization_id
            and l.subject_id in (e.organization_id, e.key_id, e.ai_system_id, e.person_id) end
        and case l.counting::jsonb ->> 'traffic'
          when 'stored' then e.direct_key = 0 when 'direct' then e.direct_key = 1 else true end
        and (c.id is null or c.value = e.key_id)
        and case l.period
          when 'day' then e.day = w.window_start
          when 'week' then to_char(date_trunc('week', e.day::date), 'YYYY-MM-DD') = w.window_start
          when 'month' then left(e.day, 7) || '-01' = w.window_start
          else e.at >= l.created_at end) as recorded,
    (select coalesce(sum(remaining), 0) from leases
      where budget_id = w.budget_id and window_start = w.window_start and state = 'open') as open,
    (select coalesce(sum(remaining), 0) from leases
      where budget_id = w.budget_id and window_start = w.window_start and state = 'expired') as expired
  from budget_windows w join limits l on l.id = substr(w.budget_id, 1, 36)
    left join limit_counters c on c.id = w.budget_id`;

const reservedQuery = `
  select s.proxy as "tokenId", l.budget_id as budget,
    sum(case l.state when 'open' then l.remaining else 0 end) as open,
    sum(case l.state when 'open' then 0 else l.remaining end) as expired
  from leases l join ledger_sessions s on s.id = l.session_id group by 1, 2`;

export class Auditor {
  readonly #url: string;
  #client: Promise<Client> | undefined;

  constructor(databaseUrl: string) {
    this.#url = databaseUrl;
  }

  async windows(): Promise<readonly WindowState[]> {
    const rows = await this.#rows(windowsQuery);
    return rows.map((row) => ({
      ...{ budget: String(row.budget), window: String(row.window), amount: Number(row.amount) },
      ...{ spent: Number(row.spent), leased: Number(row.leased), unconfirmed: Number(row.unconfirmed) },
      ...{ recorded: Number(row.recorded), open: Number(row.open), expired: Number(row.expired) },
    }));
  }

  async reserved(): Promise<readonly ReservedByRun[]> {
    const rows = await this.#rows(reservedQuery);
    return rows.map((row) => ({
      ...{ tokenId: String(row.tokenId), budget: String(row.budget) },
      ...{ open: Number(row.open), expired: Number(row.expired) },
    }));
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  async #rows(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    this.#client ??= connect(this.#url);
    try {
      const { rows } = await (await this.#client).query(query);
      return rows;
    } catch (error) {
      await this.close();
      this.#client = undefined;
      throw error;
    }
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
  client.on('error', () => undefined); // queries reject with the same error
  await client.connect();
  return client;
}

/** Returns the inconsistencies of a window; there should be none. */
export function faultsOf(ledger: WindowState): readonly string[] {
  const { amount, spent, leased, unconfirmed, recorded, open, expired } = ledger;
  const faults: string[] = [];
  if (spent + leased + unconfirmed > amount) faults.push('more than the amount is spent or set aside');
  if (spent !== recorded) faults.push('the spent money is not the sum of recorded usage');
  if (leased !== open) faults.push('the leased money is not the sum of open leases');
  if (unconfirmed !== expired) faults.push('the unconfirmed money is not the sum of expired leases');
  return faults.map((fault) => `${fault}: ${JSON.stringify(ledger)}`);
}

export interface Audit {
  readonly samples: number;
  readonly faults: readonly string[];
}

const everyMs = 200;

/** Checks the ledger periodically, whenever the database responds. */
export function startAudit(auditor: Auditor): { stop(): Promise<Audit> } {
  const faults: string[] = [];
  let samples = 0;
  let stopped = false;
  const audit = async () => {
    while (!stopped) {
      const windows = await auditor.windows().catch(() => undefined);
      if (windows !== undefined) samples++;
      for (const window of windows ?? []) faults.push(...faultsOf(window));
      await sleep(everyMs);
    }
  };
  const running = audit();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return { samples, faults };
    },
  };
}
