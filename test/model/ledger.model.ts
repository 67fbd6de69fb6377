// A model of the ledger's protocol, run against the implementation under one seeded schedule: proxies with their real
// leases and usage queues, the control plane's real ledger, and everything that can go wrong between them. Every
// operation is checked.
import { dayOf } from '../../common/budget-window.ts';
import type { LocalCalendar } from '../../common/local-windows.ts';
import { Random } from '../support/access/random.ts';
import { linkModes } from '../support/ledger/link.ts';
import { ask } from './ledger.requests.ts';
import { checkRest } from './ledger.rest.ts';
import { type Action, type ActionKind, scheduleOf } from './ledger.schedule.ts';
import { Violation } from './ledger.verifier.ts';
import { models, World, type WorldOptions } from './ledger.world.ts';

/** How often each event happened. It shows what the schedules reach. */
export type ScheduleReport = ReadonlyMap<string, number>;

export interface ScheduleOptions extends WorldOptions {
  /** Replaces the schedule that the seed would give. */
  readonly schedule?: readonly Action[];
}

/** A schedule violated an invariant. */
export class ScheduleFailure extends Violation {
  readonly seed: number;
  readonly schedule: readonly Action[];
  /** The last events before the failure. */
  readonly trace: readonly string[];

  constructor(world: World, schedule: readonly Action[], seed: number, cause: unknown) {
    const message = cause instanceof Violation ? cause.message : cause instanceof Error ? cause.stack : cause;
    super(`seed ${seed}: ${message}`, { cause });
    this.seed = seed;
    this.schedule = schedule;
    this.trace = world.trace;
  }
}

/** Describes a failure with everything that helps to repeat it. */
export function describeFailure({ message, schedule, trace }: ScheduleFailure): string {
  const actions = schedule.map(({ kind, pauseMs, seed }) => `${kind} ${seed} ${Math.round(pauseMs)} ms`);
  return [...trace, `schedule: ${actions.join(', ')}`, message].join('\n');
}

/** @throws ScheduleFailure */
export async function runSchedule(options: ScheduleOptions): Promise<ScheduleReport> {
  const schedule = options.schedule ?? scheduleOf(options.seed);
  const world = new World(options);
  try {
    await world.open();
    await begin(world);
    for (const { kind, pauseMs, seed } of schedule) {
      world.log(kind);
      actions[kind](world, new Random(seed));
      await world.pass(pauseMs);
    }
    await checkRest(world);
    return world.report;
  } catch (error) {
    throw new ScheduleFailure(world, schedule, options.seed, error);
  }
}

async function begin(world: World): Promise<void> {
  const { random } = world;
  for (let count = 1 + random.below(4); count > 0; count--) create(world, random);
  await world.pass(random.between(0, 200));
  for (let count = 1 + random.below(3); count > 0; count--) world.start();
  await world.pass(random.between(0, 200));
}

const budgetsMax = 6;

const actions = {
  request: ask,
  burst: (world, random) => {
    for (let count = 3 + random.below(15); count > 0; count--) ask(world, random);
  },
  link: (world, random) => {
    for (const proxy of world.alive) if (random.chance(0.6)) proxy.link = random.pick(linkModes);
  },
  recover: (world) => {
    for (const proxy of world.alive) proxy.link = 'well';
  },
  clock: (world, random) => {
    world.clockOffset += clockStep(world, random);
  },
  kill: (world, random) => {
    if (world.alive.length === 0) return;
    const proxy = random.pick(world.alive);
    proxy.kill();
    const roll = random.next();
    // Restarts the killed container, or starts another pod, or nothing.
    if (roll < 0.5 && proxy.pod !== undefined) world.start(proxy.pod);
    else if (roll < 0.75) world.start();
  },
  stop: (world, random) => {
    if (world.alive.length === 0) return;
    void random.pick(world.alive).stop(random.between(100, 20_000));
    if (random.chance(0.7)) world.start();
  },
  create,
  resize: (world, random) => {
    if (world.budgets.length === 0) return;
    const { amount, id } = random.pick(world.budgets);
    const resized = Math.max(1, Math.floor(amount * (random.chance(0.5) ? random.next() : 1 + random.next())));
    if (resized !== amount) world.execute(() => world.side.resizeBudget(id, resized));
    // No action of its own: schedules of former seeds stay the same otherwise.
    if (random.chance(0.1)) world.execute(() => world.side.resetBudget(id));
  },
  delete: (world, random) => {
    if (world.budgets.length === 0) return;
    const { id } = random.pick(world.budgets);
    world.execute(() => world.side.deleteBudget(id));
  },
  releaseUnconfirmed: (world, random) => {
    const leases = [...world.read.leases.values()].filter(({ left, state }) => state === 'expired' && left > 0);
    if (leases.length === 0) return;
    const lease = random.pick(leases);
    const amount = random.chance(0.5) ? lease.left : 1 + random.below(lease.left);
    world.execute(() => world.side.releaseUnconfirmed(lease, amount));
  },
  expire: (world, random) => {
    const stopAfter = random.below(6);
    world.execute(() => world.side.expire(stopAfter));
  },
  restore: (world, random) => {
    world.loseLast(random.between(0, 4_000));
  },
  overflow: (world, random) => {
    world.overflowMode = random.pick(['well', 'away', 'unsure']);
  },
} as const satisfies Record<ActionKind, (world: World, random: Random) => void>;

const winterDay: LocalCalendar = {
  ...{ period: 'day', timeZone: 'Europe/Berlin', hour: 1 },
  ...{ weekday: 1, dayOfMonth: 1, month: 1 },
};

function create(world: World, random: Random): void {
  if (world.verifier.reference.budgets.size >= budgetsMax) return;
  const { aiSystemIds, keyIds, organizationId, personIds } = world.subjects;
  const picked = random.pick([
    { subjectKind: 'organization', subjectId: organizationId } as const,
    { subjectKind: 'ai_system', subjectId: random.pick(aiSystemIds) } as const,
    { subjectKind: 'person', subjectId: random.pick(personIds) } as const,
    { subjectKind: 'virtual_key', subjectId: random.pick(keyIds) } as const,
  ]);
  const subject = world.eachKey
    ? { subjectKind: 'organization' as const, subjectId: organizationId, eachKey: world.eachKey }
    : picked;
  const model = random.pick([undefined, undefined, 'gpt-provider/*', models[0], '*']);
  const period = random.pick(['day', 'day', 'week', 'month', 'total'] as const);
  const amount = Math.ceil(20 * 10 ** random.between(0, 4));
  // Its days begin at midnight in UTC too, so that schedules of former seeds stay the same.
  const calendar = period === 'day' && random.chance(0.5) ? winterDay : period;
  world.execute(() => world.side.createBudget({ ...subject, model, period: calendar, amount }));
}

/** Moves the clock: until sessions expire, to the end of a window, or a little. */
function clockStep(world: World, random: Random): number {
  const roll = random.next();
  if (roll < 0.4) return 65_000;
  if (roll < 0.7) return random.between(-1_500, 1_500);
  const midnight = Date.parse(dayOf(world.now() + 86_400_000));
  return midnight - world.now() - random.between(-100, 5_000);
}
