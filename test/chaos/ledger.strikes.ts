// The kills of a run, all derived from its seed: which victim is killed when, and for how long it stays down.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/access/random.ts';
import type { Victim } from './ledger.programs.ts';

export interface Strike {
  /** Milliseconds after the beginning. */
  readonly at: number;
  /** The index of the victim. */
  readonly victim: number;
  readonly downMs: number;
}

const finaleMs = 3_000;

export interface StrikePlan {
  readonly victims: number;
  readonly seconds: number;
  readonly seed: number;
  /** The longest time between two kills; the shortest is a fifth of it. */
  readonly pauseMsMax: number;
}

/** Plans kills of every victim in turn: victims are dealt like cards, and dealt again when all are used. */
export function planStrikes({ victims, seconds, seed, pauseMsMax }: StrikePlan): readonly Strike[] {
  const random = new Random(seed);
  const strikes: Strike[] = [];
  const until = seconds * 1_000 - 2 * finaleMs;
  let cards: number[] = [];
  for (let at = random.between(1_000, 2_000); at < until; at += random.between(pauseMsMax / 5, pauseMsMax)) {
    if (cards.length === 0) cards = Array.from({ length: victims }, (_, victim) => victim);
    const victim = random.pick(cards);
    cards = cards.filter((card) => card !== victim);
    const downMs = random.chance(0.2) ? random.between(3_000, 8_000) : random.between(50, pauseMsMax);
    strikes.push({ at, victim, downMs });
  }
  return strikes;
}

/**
 * Kills the last two victims, the servers, together, and no proxy afterwards, so that usage in the memory of proxies
 * must survive.
 */
export function planFinale(victims: number): readonly Strike[] {
  return [victims - 2, victims - 1].map((victim) => ({ at: 0, victim, downMs: finaleMs }));
}

/** The time in which a victim was down, by performance.now(). */
export interface Absence {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Resolves when all victims are back. A victim that is still down is killed again when it is up. */
export async function strike(
  victims: readonly Victim[],
  strikes: readonly Strike[],
  log: (line: string) => void,
): Promise<readonly Absence[]> {
  const began = performance.now();
  const absences: Absence[] = [];
  const back = new Map<Victim, Promise<void>>();
  const hit = async (victim: Victim, downMs: number) => {
    await back.get(victim);
    const from = performance.now();
    log(`${seconds(from - began)} kill -9 ${victim.name}, for ${seconds(downMs)}`);
    await victim.kill();
    await sleep(downMs);
    await victim.restart();
    absences.push({ name: victim.name, from, to: performance.now() });
  };
  for (const { at, victim: number, downMs } of strikes) {
    await sleep(Math.max(0, began + at - performance.now()));
    const victim = victims[number];
    if (victim === undefined) throw new Error(`there is no victim ${number}`);
    back.set(victim, hit(victim, downMs));
  }
  await Promise.all(back.values());
  return absences;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
