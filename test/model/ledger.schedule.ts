// Seeded schedules: the actions, and the pauses between them. Each action has a seed for its own choices, so that other
// actions can be left out of a failing schedule.
import { Random } from '../support/access/random.ts';

const weights = {
  request: 46,
  burst: 8,
  link: 9,
  recover: 3,
  clock: 3,
  kill: 3,
  stop: 3,
  create: 4,
  resize: 5,
  delete: 2,
  releaseUnconfirmed: 4,
  expire: 4,
  overflow: 3,
  restore: 2,
} as const;

export type ActionKind = keyof typeof weights;

export interface Action {
  readonly kind: ActionKind;
  readonly seed: number;
  readonly pauseMs: number;
}

const kinds = Object.keys(weights) as readonly ActionKind[];
const weightOfAll = Object.values(weights).reduce((sum, weight) => sum + weight, 0);

export function scheduleOf(seed: number): readonly Action[] {
  const random = new Random(seed);
  const length = 20 + random.below(80);
  return Array.from({ length }, () => {
    const kind = pickKind(random);
    return { kind, seed: random.below(1_000_000_000), pauseMs: pickPause(random) };
  });
}

function pickKind(random: Random): ActionKind {
  let at = random.next() * weightOfAll;
  for (const kind of kinds) {
    at -= weights[kind];
    if (at < 0) return kind;
  }
  return 'request';
}

function pickPause(random: Random): number {
  const roll = random.next();
  if (roll < 0.3) return 0;
  if (roll < 0.65) return random.between(0, 100);
  if (roll < 0.92) return random.between(100, 2_000);
  return roll < 0.99 ? random.between(2_000, 12_000) : random.between(12_000, 70_000);
}

/** Returns a shorter schedule that fails too, by leaving out parts. It takes a while. */
export async function shrink(
  schedule: readonly Action[],
  fails: (schedule: readonly Action[]) => Promise<boolean>,
): Promise<readonly Action[]> {
  let shortest = schedule;
  for (let part = Math.ceil(schedule.length / 2); part >= 1; part = Math.floor(part / 2)) {
    for (let from = 0; from < shortest.length; ) {
      const without = shortest.toSpliced(from, part);
      if (await fails(without)) shortest = without;
      else from += part;
    }
  }
  return shortest;
}
