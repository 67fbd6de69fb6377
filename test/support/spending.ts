// Callers that spend a budget, and the ledger meanwhile. Amounts are nano-dollars.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { nanoOfUsd } from '../../common/money.ts';
import { chatBody, type TestOrganization } from './gateway.ts';
import { until } from './process.ts';

export const spentModel = 'gpt-provider/gpt-4o-mini';

/** Sets a price at which the simulator's usual response of 33 tokens costs about a fifth of a cent. */
export async function makeDear({ api, id }: TestOrganization): Promise<void> {
  const prices = { input: '1', output: '60' };
  await api.call('Prices/Create', { organizationId: id, model: spentModel, prices });
}

export interface Subject {
  readonly kind: 'ORGANIZATION' | 'AI_SYSTEM' | 'PERSON' | 'VIRTUAL_KEY' | 'PROVIDER_KEY';
  readonly id: string;
}

/** @returns the budget's id */
interface BudgetFields {
  readonly amountUsd: string;
  readonly period?: string;
  readonly model?: string;
  readonly timeZone?: string;
  readonly startsOn?: object;
  readonly tag?: object;
  readonly each?: string;
  readonly required?: boolean;
  readonly soft?: boolean;
  readonly traffic?: 'LIMIT_TRAFFIC_STORED' | 'LIMIT_TRAFFIC_DIRECT';
}

export async function createBudget(
  { api, id: organizationId }: TestOrganization,
  { kind, id }: Subject,
  budget: BudgetFields,
): Promise<string> {
  const { amountUsd, period = 'DAY', ...rest } = budget;
  const limit = await api.call('Limits/Create', {
    organizationId,
    subject: { kind: `LIMIT_SUBJECT_KIND_${kind}`, id },
    kind: 'LIMIT_KIND_BUDGET',
    amountUsd,
    period: `BUDGET_PERIOD_${period}`,
    ...rest,
  });
  return String(limit.id);
}

export interface LedgerState {
  readonly window: string;
  readonly amount: number;
  readonly spent: number;
  readonly leased: number;
  readonly unconfirmed: number;
}

/** Fields of a window in the contract. */
export type SumOfWindow = 'amountUsd' | 'spentUsd' | 'leasedUsd' | 'unsettledUsd';

/** The ledger entry of a budget's current window. */
export async function ledgerOf({ api, id }: TestOrganization, limitId: string): Promise<LedgerState> {
  const { windows } = (await api.call('Budgets/ListWindows', { organizationId: id, limitId })) as {
    windows: readonly Readonly<Record<'window' | SumOfWindow, string>>[];
  };
  const [row] = windows;
  if (row === undefined) throw new Error('the budget has no window');
  const amount = (text: string) => nanoOfUsd(text) ?? Number.NaN;
  return {
    window: row.window,
    amount: amount(row.amountUsd),
    spent: amount(row.spentUsd),
    leased: amount(row.leasedUsd),
    unconfirmed: amount(row.unsettledUsd),
  };
}

/** Waits until proxies have no leases and have reported everything. */
export async function ledgerAtRest(organization: TestOrganization, limitId: string): Promise<LedgerState> {
  return await until(
    async () => {
      const ledger = await ledgerOf(organization, limitId);
      return ledger.leased === 0 ? ledger : undefined;
    },
    { what: 'the leases to be released', timeoutMs: 60_000 },
  );
}

/** Nano-dollars of all recorded usage. */
export async function recordedCost({ api, id }: TestOrganization): Promise<number> {
  const { totals } = (await api.call('Usage/Totals', { organizationId: id })) as {
    totals: readonly { readonly costUsd: string }[];
  };
  return nanoOfUsd(totals[0]?.costUsd ?? '0') ?? Number.NaN;
}

/**
 * The outcome for a caller: "200", "402 budget_exceeded", "broken" if its connection was cut, "unreachable" if it had
 * none.
 */
export type Outcome = string;

export interface Spending {
  readonly url: string;
  readonly key: string;
  readonly fields?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId?: string;
  /** The caller leaves after this time, when this promise resolves, or with the first bytes of its response. */
  readonly leavesAfterMs?: number;
  readonly leavesWhen?: Promise<unknown> | 'first bytes';
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

export function spend(spending: Spending): Promise<Outcome> {
  const { url, key, fields = {}, requestId, leavesAfterMs, leavesWhen } = spending;
  const named = requestId === undefined ? {} : { 'x-request-id': requestId };
  const common = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const headers = { ...common, ...named, ...spending.headers };
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/chat/completions`, { agent, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (leavesWhen === 'first bytes') sent.destroy();
      });
      response.on('error', () => resolve('broken'));
      response.on('end', () => resolve(outcomeOf(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
    });
    sent.on('error', (error) => resolve(isRefused(error) ? 'unreachable' : 'broken'));
    if (leavesAfterMs !== undefined) setTimeout(() => sent.destroy(), leavesAfterMs).unref();
    if (leavesWhen instanceof Promise) void leavesWhen.then(() => sent.destroy());
    sent.end(chatBody({ model: spentModel, max_tokens: 100, ...fields }));
  });
}

function isRefused(error: Error): boolean {
  return 'code' in error && error.code === 'ECONNREFUSED';
}

const passing: ReadonlySet<Outcome> = new Set(['429 budget_busy', '503 ledger_unavailable']);

/**
 * Retries while the response says that waiting helps, as a client does that obeys `retry-after`, but sooner. Waits grow
 * as those of the vendors' SDKs do: a thousand callers with short waits would keep a busy machine from anything else.
 */
export async function spendPatiently(spending: Spending, patienceMs = Number.POSITIVE_INFINITY): Promise<Outcome> {
  const until = performance.now() + patienceMs;
  for (let waitMs = 200; ; waitMs = Math.min(2 * waitMs, 3_000)) {
    const outcome = await spend(spending);
    if (!passing.has(outcome) || performance.now() > until) return outcome;
    await sleep(waitMs * (0.5 + Math.random()));
  }
}

function outcomeOf(status: number, body: string): Outcome {
  if (status === 200) return '200';
  const { error } = JSON.parse(body) as { error: { code: string | null } };
  return `${status} ${error.code}`;
}

export function tally(outcomes: readonly Outcome[]): Readonly<Record<Outcome, number>> {
  const counts: Record<Outcome, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Samples the ledger until it is stopped. @returns the samples */
export function watchLedger(organization: TestOrganization, limitId: string): { stop(): Promise<LedgerState[]> } {
  const samples: LedgerState[] = [];
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      samples.push(await ledgerOf(organization, limitId));
      await sleep(10);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await watching;
      return samples;
    },
  };
}
