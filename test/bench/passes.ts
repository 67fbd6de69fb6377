// Measures all subjects in several passes: each pass begins with another subject, and each measurement has a fresh
// process. Or measures several kinds of calls in turn at one process, where the question is what one costs beside another.
import { rotated, type Spread, spreads } from './stats.ts';
import type { Subject, SubjectStarter } from './subjects.ts';

export const passes = 3;

/** @returns the spread of every figure, by the subject's name */
export async function inPasses<S extends Subject, M extends { readonly perSecond: number }>(
  name: string,
  starters: readonly SubjectStarter<S>[],
  measure: (subject: S) => Promise<M>,
): Promise<Readonly<Record<string, Record<keyof M, Spread>>>> {
  const all = new Map(starters.map((starter) => [starter.name, [] as M[]]));
  console.error(name);
  for (let pass = 0; pass < passes; pass++) {
    for (const starter of rotated(starters, pass)) {
      const subject = await starter.start();
      try {
        const measurement = await measure(subject);
        all.get(starter.name)?.push(measurement);
        console.error(`  pass ${pass + 1} of ${passes}, ${starter.name}: ${Math.round(measurement.perSecond)}/s`);
      } finally {
        await subject.stop();
      }
    }
  }
  return Object.fromEntries([...all].map(([subject, measurements]) => [subject, spreads(measurements)]));
}

/** One kind of call at a subject. */
export interface Kind<S, M> {
  readonly name: string;
  measure(subject: S, seconds: number): Promise<M>;
}

export interface Turns {
  readonly turns: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/**
 * In one process, because two processes compile the same code differently. What one kind leaves to be done counts for the
 * next one, so the order changes with each turn.
 * @returns the mean of its turns, by the kind's name
 */
export async function inTurns<S, M extends object>(
  subject: S,
  kinds: readonly Kind<S, M>[],
  { turns, seconds, warmUpSeconds }: Turns,
): Promise<Readonly<Record<string, M>>> {
  const measured = new Map(kinds.map(({ name }) => [name, [] as M[]]));
  for (const kind of kinds) await kind.measure(subject, warmUpSeconds);
  for (let turn = 0; turn < turns; turn++) {
    for (const kind of rotated(kinds, turn)) measured.get(kind.name)?.push(await kind.measure(subject, seconds));
  }
  return Object.fromEntries([...measured].map(([name, measurements]) => [name, meanOf(measurements)]));
}

function meanOf<M extends object>(measurements: readonly M[]): M {
  const fields = Object.keys(measurements[0] ?? {}) as (keyof M)[];
  const mean = (field: keyof M) =>
    measurements.reduce((sum, measurement) => sum + Number(measurement[field]), 0) / measurements.length;
  return Object.fromEntries(fields.map((field) => [field, mean(field)])) as M;
}
