// Requests of the ledger's model. Each reserves money in all budgets that its proxy knows, runs for a while, and has a
// cost: mostly less than its reservation, sometimes more, or nothing if it was refused elsewhere.
import {
  BudgetRefusal,
  type BudgetReservation,
  type Charge,
  type Stamp,
  type UsageOfKilled,
} from '../../proxy/budgets/budgets.ts';
import type { UsageEvent } from '../../proxy/usage/ledger-client.ts';
import type { Random } from '../support/access/random.ts';
import type { ModelProxy } from './ledger.proxy.ts';
import type { BudgetTerms } from './ledger.reference.ts';
import { type ModelCaller, models, type World } from './ledger.world.ts';

export interface RequestTarget {
  readonly proxy: ModelProxy;
  readonly caller: ModelCaller;
  readonly model: string;
  readonly full: number;
  readonly least: number;
  /** How long it runs once it is admitted. */
  readonly runMs: number;
  /** Its cost, by its reservation. */
  readonly cost: (reservation: number) => number;
  /**
   * Its caller leaves. Either it is read on and has its real cost, or it is not read and costs its reservation.
   * Default: the caller stays.
   */
  readonly left?: 'read on' | 'not read';
}

export type RequestOutcome = 'ran' | 'full' | 'exceeded' | 'busy' | 'unavailable';

/** Starts a random request at one of the living proxies. */
export function ask(world: World, random: Random): void {
  const proxy = world.alive.length > 0 ? random.pick(world.alive) : world.start();
  const [caller, model] = [random.pick(world.callers), random.pick(models)];
  const known = world.budgetsFor(proxy, caller, model);
  const least = Math.min(100_000, ...known.map(({ amount }) => amount));
  const full = Math.max(1, Math.floor(least * 0.7 * random.next() ** 3));
  const requested: RequestTarget = {
    ...{ proxy, caller, model, full, runMs: pickRun(random), cost: pickCost(random) },
    least: random.chance(0.6) ? full : Math.max(1, Math.floor(full * random.next())),
  };
  const left = random.chance(0.1) ? random.pick(['read on', 'not read'] as const) : undefined;
  if (left === undefined) return void run(world, requested);
  world.count(`left, ${left}`);
  const readOnMs = left === 'read on' ? random.between(0, readOnMaxMs) : 0;
  const cost = left === 'read on' ? requested.cost : (reservation: number) => reservation;
  void run(world, { ...requested, left, cost, runMs: requested.runMs + readOnMs });
}

/** The longest time for which responses are read on. */
const readOnMaxMs = 60_000;

/** @returns when the request was admitted and has ended, or was refused; never if its proxy is killed */
export async function run(
  world: World,
  requested: RequestTarget,
): Promise<{ readonly response: RequestOutcome; readonly budgetId?: string }> {
  const { proxy } = requested;
  if (!proxy.usageLog.hasRoom) {
    world.count('full');
    return { response: 'full' };
  }
  const known = world.budgetsFor(proxy, requested.caller, requested.model);
  try {
    const reservation =
      known.length === 0
        ? proxy.budgets.stamp()
        : await proxy.money.take({
            ...requested,
            budgets: known,
            ifKilled: () => killedOf(world, requested),
          });
    await end(world, requested, known, reservation);
    world.count('ran');
    return { response: 'ran' };
  } catch (error) {
    if (!(error instanceof BudgetRefusal)) {
      world.fail(`a request fails: ${error instanceof Error ? error.stack : error}`);
      throw error;
    }
    world.count(error.reason);
    world.log(`${proxy.name} refuses ${error.reason} ${requested.least}..${requested.full} of ${error.budgetId}`);
    return { response: error.reason, budgetId: error.budgetId };
  }
}

function end(
  world: World,
  requested: RequestTarget,
  known: readonly BudgetTerms[],
  reservation: BudgetReservation | Stamp,
): Promise<void> {
  const { proxy } = requested;
  if ('amount' in reservation && (reservation.amount < requested.least || reservation.amount > requested.full))
    world.fail(`${reservation.amount} is reserved where ${requested.least} to ${requested.full} was requested`);
  if ('amount' in reservation) begun(world, requested, reservation);
  return new Promise((resolve) => {
    world.time.after(requested.runMs, () => {
      if (!proxy.isAlive) return;
      if ('amount' in reservation) proxy.ended(reservation.stamp.id);
      const amount = 'amount' in reservation ? reservation.amount : requested.full;
      const cost = requested.cost(amount);
      // A negative cost means that it was never dispatched.
      const charges = 'amount' in reservation ? reservation.settle(Math.max(0, cost)) : [];
      const stamp = 'amount' in reservation ? reservation.stamp : reservation;
      checkCharges(world, { charges, known, cost: Math.max(0, cost), amount });
      const estimate = requested.left === 'not read' && {
        estimated: true,
        estimateReason: 'not_read' as const,
      };
      const usage = { ...usageOf(world, requested, { stamp, cost, charges }), ...estimate };
      if (cost >= 0) world.record(proxy, usage, amount);
      resolve();
    });
  });
}

/** Notes the event that is reported if the proxy is killed now: the reservation as the cost. */
function begun(world: World, requested: RequestTarget, { amount, leases, stamp }: BudgetReservation): void {
  requested.proxy.begun(stamp.id, { amount, leases }, stamp.session);
  const charges = leases.map(({ budgetId, window }) => ({ budgetId, window, escrow: amount }));
  const event = usageOf(world, requested, { stamp, cost: amount, charges });
  world.verifier.begin({ event, reservation: amount, proxy: requested.proxy });
}

function killedOf(world: World, requested: RequestTarget): UsageOfKilled {
  const stamp = { id: '', at: 0, session: '' };
  return {
    ...usageOf(world, requested, { stamp, cost: 0, charges: [] }),
    estimated: true,
    estimateReason: 'killed',
  };
}

interface Charged {
  readonly charges: readonly Charge[];
  readonly known: readonly BudgetTerms[];
  readonly cost: number;
  readonly amount: number;
}

function checkCharges(world: World, { amount, charges, cost, known }: Charged): void {
  for (const { escrow, budgetId } of charges) {
    if (escrow > cost || escrow < Math.min(cost, amount))
      world.fail(`${escrow} of ${budgetId} is charged for a cost of ${cost} with a reservation of ${amount}`);
    if (!known.some(({ id }) => id === budgetId)) world.fail(`a budget is charged without a reservation: ${budgetId}`);
  }
  for (const { id, isDeleted } of known) {
    if (cost > 0 && !isDeleted && charges.every(({ budgetId }) => budgetId !== id))
      world.fail(`the budget ${id} is not charged`);
  }
}

function pickRun(random: Random): number {
  const roll = random.next();
  if (roll < 0.2) return 0;
  if (roll < 0.6) return random.between(0, 1_000);
  return roll < 0.9 ? random.between(1_000, 8_000) : random.between(8_000, 40_000);
}

function pickCost(random: Random): (reservation: number) => number {
  const [roll, share] = [random.next(), random.next()];
  return (reservation) => {
    if (roll < 0.1) return -1;
    if (roll < 0.2) return 0;
    if (roll < 0.4) return reservation;
    if (roll < 0.47) return Math.ceil(reservation * (1 + 3 * share));
    return Math.floor(reservation * share);
  };
}

function usageOf(
  world: World,
  { caller, model }: RequestTarget,
  { charges, cost, stamp }: { readonly stamp: Stamp; readonly cost: number; readonly charges: readonly Charge[] },
): UsageEvent {
  const { at, id, session } = stamp;
  return {
    ...{ id, at, session, cost, charges },
    organizationId: world.subjects.organizationId,
    ...caller,
    ...{ projectAiSystemId: undefined, projectPersonId: undefined },
    ...{ requestId: id, provider: 'provider', modelAsked: model, modelAnswered: model },
    ...{ promptTokens: 1, completionTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    ...{ cacheWrite1hTokens: 0, reasoningTokens: 0, unpriced: false, status: 200 },
    ...{ errorSource: '', errorCode: '', latencyMs: 1, firstTokenMs: undefined, streamed: false },
    ...{
      directKey: false,
      attempts: 1,
      estimated: false,
      estimateReason: undefined,
      providerKeyId: undefined,
      reportedCost: undefined,
    },
  };
}
