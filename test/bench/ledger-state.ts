// A fast wrong result does not count: after each run the ledger must contain exactly what the proxies did.
import type { Client } from 'pg';
import type { LedgerLoadReport } from './ledger-load.ts';
import type { Expected } from './ledger-proxy.ts';

/** @throws Error that names the difference */
export async function checkLedger(
  database: Client,
  { events, expected }: Pick<LedgerLoadReport, 'events' | 'expected'>,
): Promise<void> {
  const budgets = Object.entries(expected).filter(([, { spent, leased }]) => spent + leased > 0);
  const ledger = await sums(
    database,
    `select budget_id as id, sum(spent) as spent, sum(leased) as leased, sum(unsettled) as unconfirmed
     from budget_windows group by budget_id having sum(spent + leased + unsettled) > 0`,
  );
  const leases = await sums(
    database,
    "select budget_id as id, sum(remaining) as remaining from leases where state = 'open' group by budget_id",
  );
  agree('budgets in the ledger', ledger.size, budgets.length);
  for (const [id, { spent, leased }] of budgets) {
    agree(`spent of ${id}`, ledger.get(id)?.spent, spent);
    agree(`leased of ${id}`, ledger.get(id)?.leased, leased);
    agree(`unconfirmed of ${id}`, ledger.get(id)?.unconfirmed, 0);
    agree(`left in leases of ${id}`, leases.get(id)?.remaining ?? 0, leased);
  }
  const cost = costOf(budgets.map(([, sum]) => sum));
  const kept = await sums(database, "select 'all' as id, count(*) as events, sum(cost) as cost from usage_events");
  const hours = await sums(database, "select 'all' as id, sum(requests) as events, sum(cost) as cost from usage_hours");
  for (const [where, rows] of Object.entries({ 'usage events': kept, 'usage by hour': hours })) {
    agree(`number of ${where}`, rows.get('all')?.events ?? 0, events);
    agree(`cost of ${where}`, rows.get('all')?.cost ?? 0, cost);
  }
  const over = await sums(
    database,
    `select 'all' as id, count(*) as windows from budget_windows join limits on limits.id = budget_id
     where spent + leased + unsettled > amount`,
  );
  agree('windows above their limit', over.get('all')?.windows, 0);
}

/** Every event counts towards three budgets. */
function costOf(sums: readonly Expected[]): number {
  return sums.reduce((sum, { spent }) => sum + spent, 0) / 3;
}

type Row = Readonly<Record<string, number>>;

async function sums(database: Client, statement: string): Promise<ReadonlyMap<string, Row>> {
  const { rows } = await database.query<Record<string, string | null>>(statement);
  return new Map(
    rows.map(({ id, ...figures }) => [
      id ?? '',
      Object.fromEntries(Object.entries(figures).map(([name, text]) => [name, Number(text ?? 0)])),
    ]),
  );
}

function agree(what: string, found: number | undefined, expected: number): void {
  if (found !== expected) throw new Error(`the ledger is wrong: ${what} is ${found} where it must be ${expected}`);
}
