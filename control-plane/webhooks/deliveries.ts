// The rows of deliveries. A delivery is postponed before it is tried, so that no two replicas try it at once. A try
// without a recorded result (after a crash or a lost response of the database) is made again at that time, under the
// same id.
import type { Kysely } from 'kysely';
import { uuidv7 } from '../../common/uuid.ts';
import type { Schema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { type AttemptResult, isAccepted } from './attempt.ts';

/** The data of one try. */
export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly organizationId: string;
  readonly payload: string;
  /** Including this one. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly url: string;
  /** Sealed. */
  readonly secret: string;
  readonly secretVersion: number;
}

export const tryOutcomes = ['delivered', 'postponed', 'given_up'] as const;
export type TryOutcome = (typeof tryOutcomes)[number];

type LedgerStore = Pick<Store, 'ledger'>;

/** Longer than a try and the recording of its result can take. */
const claimedMs = 30_000;

/**
 * Takes the oldest due delivery of each of up to `max` enabled webhooks.
 * @param busy ids of webhooks that are left out
 * @throws StoreUnavailableError
 */
export function takeDue(
  store: LedgerStore,
  { max, busy }: { readonly max: number; readonly busy: readonly string[] },
): Promise<readonly DueDelivery[]> {
  return store.ledger(async ({ db, now, locks }) => {
    const due = await firstOfEach(db, now, busy).limit(max).execute();
    if (due.length === 0) return [];
    const ids = due.map(({ id }) => id);
    // Locks in one order, so that replicas cannot deadlock. A delivery that another replica has taken is no longer due.
    const ours = await locks
      .update(
        db
          .selectFrom('webhook_deliveries')
          .select('id')
          .where('id', 'in', ids)
          .where('state', '=', 'pending')
          .where('next_attempt_at', '<=', now)
          .orderBy('id'),
      )
      .execute();
    if (ours.length === 0) return [];
    const taken = ours.map(({ id }) => id);
    await db
      .updateTable('webhook_deliveries')
      .set((column) => ({ attempts: column('attempts', '+', 1), next_attempt_at: now + claimedMs }))
      .where('id', 'in', taken)
      .execute();
    return await readTaken(db, taken);
  });
}

function firstOfEach(db: Kysely<Schema>, now: number, busy: readonly string[]) {
  const query = db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhooks as webhook', 'webhook.id', 'delivery.webhook_id')
    .select(({ fn }) => fn.min('delivery.id').as('id'))
    .where('delivery.state', '=', 'pending')
    .where('delivery.next_attempt_at', '<=', now)
    .where('webhook.enabled', '=', 1)
    .groupBy('delivery.webhook_id')
    .orderBy(({ fn }) => fn.min('delivery.next_attempt_at'));
  return busy.length === 0 ? query : query.where('delivery.webhook_id', 'not in', busy);
}

function readTaken(db: Kysely<Schema>, ids: readonly string[]): Promise<readonly DueDelivery[]> {
  return db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhooks as webhook', 'webhook.id', 'delivery.webhook_id')
    .select([
      ...(['delivery.id', 'delivery.webhook_id as webhookId', 'delivery.payload'] as const),
      ...(['delivery.organization_id as organizationId', 'delivery.attempts'] as const),
      ...(['delivery.created_at as createdAt', 'webhook.url', 'webhook.secret'] as const),
      'webhook.secret_version as secretVersion',
    ])
    .where('delivery.id', 'in', ids)
    .execute();
}

/** Writes the result of a try. @throws StoreUnavailableError */
export function recordTry(store: LedgerStore, delivery: DueDelivery, tried: AttemptResult): Promise<TryOutcome> {
  return store.ledger(async ({ db, now }) => {
    const next = isAccepted(tried) || isGone(tried) ? undefined : nextAttempt({ ...delivery, ...tried, now });
    const outcome = isAccepted(tried) ? 'delivered' : next === undefined ? 'given_up' : 'postponed';
    let row = db
      .updateTable('webhook_deliveries')
      .set({
        state: ({ delivered: 'delivered', postponed: 'pending', given_up: 'failed' } as const)[outcome],
        last_status: tried.status ?? null,
        last_error: tried.error ?? null,
        last_body: tried.body ?? null,
        last_attempt_at: now,
        next_attempt_at: next ?? null,
      })
      .where('id', '=', delivery.id)
      .where('state', '=', 'pending');
    // If this try took too long, another replica tries it now and records its own result. Only a success is still
    // recorded.
    if (outcome !== 'delivered') row = row.where('attempts', '=', delivery.attempts);
    await row.execute();
    return outcome;
  });
}

/** 410: the receiver wants no more deliveries. */
function isGone({ status }: AttemptResult): boolean {
  return status === 410;
}

const keptMs = 30 * 86_400_000;
const forgetMax = 1000;

/**
 * Ends deliveries of a disabled webhook that are too old, and deletes finished deliveries 30 days after they were
 * written.
 * @returns whether there may be more to delete
 */
export function tidyDeliveries(store: LedgerStore): Promise<boolean> {
  return store.ledger(async ({ db, now }) => {
    await db
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', next_attempt_at: null })
      .where('state', '=', 'pending')
      .where('created_at', '<', now - givenUpAfterMs)
      .where('webhook_id', 'in', (from) => from.selectFrom('webhooks').select('webhooks.id').where('enabled', '=', 0))
      .execute();
    const old = await db
      .selectFrom('webhook_deliveries')
      .select('id')
      // Ids begin with the time of their creation.
      .where('id', '<', uuidv7(now - keptMs).slice(0, 13))
      .where('state', '!=', 'pending')
      .orderBy('id')
      .limit(forgetMax)
      .execute();
    if (old.length === 0) return false;
    await db
      .deleteFrom('webhook_deliveries')
      .where(
        'id',
        'in',
        old.map(({ id }) => id),
      )
      .execute();
    return old.length === forgetMax;
  });
}

const [secondMs, minuteMs, hourMs] = [1000, 60_000, 3_600_000];

/** A failed delivery is tried again soon, then less and less often, until three days after it was written. */
export const givenUpAfterMs = 72 * hourMs;

/** The delays between tries; the last one applies to all further tries. */
const delaysMs = [
  ...[5 * secondMs, 30 * secondMs],
  ...[2 * minuteMs, 10 * minuteMs, 30 * minuteMs],
  ...[hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs, 24 * hourMs],
];

/** A receiver may request a longer delay than the schedule's, up to this. */
const retryAfterMaxMs = hourMs;

interface FailedTry {
  /** Tries so far, at least 1. */
  readonly attempts: number;
  readonly createdAt: number;
  /** By the same clock as createdAt. */
  readonly now: number;
  readonly retryAfterMs: number | undefined;
}

/** @returns when to try again; undefined for never */
export function nextAttempt({ attempts, createdAt, now, retryAfterMs = 0 }: FailedTry): number | undefined {
  const scheduled = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? 0;
  const next = now + Math.max(scheduled, Math.min(retryAfterMs, retryAfterMaxMs));
  return next > createdAt + givenUpAfterMs ? undefined : next;
}
