// Measures all subjects in several passes: each pass begins with another subject, and each measurement has a fresh
// process.
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
