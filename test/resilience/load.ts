// An open load: calls begin at a steady rate, whether or not those before have ended, so that slow responses are
// noticed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NamedCall } from './accounts.ts';
import { call, type Form, forms, type Reading } from './clients.ts';
import type { CallPlan } from './plan.ts';

export interface LoadOptions {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly perSecond: number;
  readonly ms: number;
  /** The beginning of the names of its calls. */
  readonly prefix: string;
  /** Fields of each call, by its number. */
  plan(number: number): CallPlan;
  readonly forms?: readonly Form[];
}

/** Starts no further call while this many are in progress, so that a stalled gateway gets no extra load. */
const underWayMax = 2_000;

export async function load(options: LoadOptions): Promise<readonly NamedCall[]> {
  const { url, key, model, perSecond, ms, prefix, plan, forms: used = forms } = options;
  const everyMs = 1_000 / perSecond;
  const begun = performance.now();
  const underWay = new Set<Promise<unknown>>();
  const calls: NamedCall[] = [];
  const begin = (number: number) => {
    const name = `${prefix}-${number}`;
    const named = { ...plan(number), name };
    const form = used[number % used.length] ?? 'chat';
    const one: Promise<void> = call({ url, key, model, form, plan: named }).then((reading) => {
      calls.push({ name, plan: named, reading });
      underWay.delete(one);
    });
    underWay.add(one);
  };
  for (let number = 0; number * everyMs < ms; number++) {
    const early = begun + number * everyMs - performance.now();
    if (early > 0) await sleep(early);
    while (underWay.size >= underWayMax) await Promise.race(underWay);
    begin(number);
  }
  await Promise.all(underWay);
  return calls;
}

/** By how many of these calls ended in which way. */
export function tallyOf(readings: readonly Pick<Reading, 'outcome'>[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome } of readings) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
