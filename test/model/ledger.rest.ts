// Checks the state after all faults have ended and time has passed: everything is delivered, nothing is stuck, the
// ledger contains what was spent, and the rest of a budget can be used.
import { windowOf } from '../../common/budget-window.ts';
import type { ModelProxy } from './ledger.proxy.ts';
import { type BudgetTerms, rowKey } from './ledger.reference.ts';
import { type RequestOutcome, run } from './ledger.requests.ts';
import type { LeaseName } from './ledger.side.ts';
import { Violation } from './ledger.verifier.ts';
import { models, type World } from './ledger.world.ts';

/** Longer than late messages take together with the time for which a silent session stays open. */
const restMs = 165_000;

export async function checkRest(world: World): Promise<void> {
  world.log('rest');
  world.isCalm = true;
  world.overflowMode = 'well';
  for (const proxy of world.alive) proxy.link = 'well';
  if (world.alive.length === 0) world.start();
  await world.pass(restMs);
  checkIdle(world);
  world.verifier.checkEvents(await world.side.readEvents());
  await checkUsable(world);
  await world.pass(15_000);
  checkIdle(world);
}

function checkIdle(world: World): void {
  const alive = new Set<object>(world.alive);
  for (const proxy of world.alive) if (!proxy.isIdle) throw new Violation(`${proxy.name} is stuck: ${describe(proxy)}`);
  if (!world.overflow.isEmpty) throw new Violation('usage is stuck in the overflow');
  const unrecorded = world.verifier.unrecordedOf((proxy) => alive.has(proxy));
  if (unrecorded.length > 0) throw new Violation(`${unrecorded.length} events of living proxies were not recorded`);
  const ours = new Set(world.alive.flatMap(({ sessions }) => [...sessions]));
  for (const lease of world.read.leases.values()) {
    const { left, session, state } = lease;
    if (state === 'open' && left > 0) throw new Violation(`${left} is leased at rest: ${JSON.stringify(lease)}`);
    if (ours.has(session) && left > elsewhereOf(world, lease))
      throw new Violation(`a living proxy does not settle ${JSON.stringify(lease)}`);
  }
}

/** Returns the money in the overflow of a closed session of its proxy; other proxies may have reported it. */
function elsewhereOf(world: World, { budgetId, session, window }: LeaseName): number {
  for (const { sessions, usageLog } of world.alive)
    if (sessions.has(session))
      return usageLog
        .elsewhere(session)
        .filter((escrow) => escrow.budgetId === budgetId && escrow.window === window)
        .reduce((sum, { amount }) => sum + amount, 0);
  return 0;
}

const roundsMax = 60;
const roundMs = 3_000;
/** The number of requests in a round. */
const requests = 4;
/** Longer than a proxy collects usage before it reports it, also after a failed report. */
const reportedMs = 6_000;
/** A reclaim takes milliseconds; waiting for a request to settle takes longer. */
const busyMax = 20;

/**
 * Checks that requests of at most 5 % of their smallest budget can use at least 95 % of it, unless no budget limits
 * them.
 */
async function checkUsable(world: World): Promise<void> {
  const { random } = world;
  if (world.budgets.length === 0) return;
  const target = random.pick(world.budgets);
  const caller =
    world.callers.find((each) => Object.values(each).includes(target.subjectId)) ?? random.pick(world.callers);
  const model = models[0];
  const applied = world.budgetsFor(random.pick(world.alive), caller, model);
  const smallest = Math.min(...applied.map(({ amount }) => amount));
  if (!applied.some(({ id }) => id === target.id) || smallest < 20) return;
  const reservation = Math.max(1, Math.floor(smallest * random.between(0.035, 0.05)));
  let busy = 0;
  for (let round = 0; round < roundsMax; round++) {
    const responses: { readonly response: RequestOutcome; readonly budgetId?: string }[] = [];
    for (let count = 0; count < requests; count++) {
      const requested = {
        proxy: random.pick(world.alive),
        caller,
        model,
        full: reservation,
        least: reservation,
      };
      const runMs = random.between(0, 300);
      void run(world, { ...requested, runMs, cost: () => reservation }).then((response) => responses.push(response));
    }
    await world.pass(roundMs);
    if (responses.length < requests) throw new Violation('a request waits for ever');
    const exceeded = responses.find(({ response }) => response === 'exceeded');
    if (exceeded !== undefined) return checkExceeded(world, exceeded.budgetId ?? '');
    if (responses.some(({ response }) => response === 'unavailable')) world.count('unavailable at rest');
    busy = responses.some(({ response }) => response === 'ran') ? 0 : busy + 1;
    if (busy > busyMax) throw new Violation('the rest of a budget cannot be used');
  }
  throw new Violation('a budget is never used up');
}

async function checkExceeded(world: World, budgetId: string): Promise<void> {
  const budget = world.verifier.reference.budgets.get(budgetId);
  if (budget === undefined) throw new Violation('a budget is reported as exceeded that does not exist');
  const now = world.now();
  // A proxy counts the usage of its own requests before it reports it.
  await world.pass(reportedMs);
  // The window may have ended meanwhile.
  const used = Math.max(usedOf(world, budget, now), usedOf(world, budget, now - roundMs));
  if (used < 0.95 * budget.amount)
    throw new Violation(`${budgetId} is reported as exceeded with ${used} of ${budget.amount} used`);
  world.count('used up');
}

function usedOf(world: World, { id, period }: BudgetTerms, at: number): number {
  const row = world.read.ledger.get(rowKey(id, windowOf(period, at)));
  return row === undefined ? 0 : row.spent + row.unconfirmed;
}

function describe(proxy: ModelProxy): string {
  const slices = proxy.budgets.leases().map(({ available, reservations, operation, origin }) => ({
    available,
    reservations: reservations,
    operation,
    origin,
  }));
  return `${proxy.usageLog.gauges.events} events, ${JSON.stringify(slices)}`;
}
