// Where literals are in a text that is read in two ways: where no escape is near, both readings have them at once, so only what is close to
// escapes is searched again.
import type { EscapeRuns } from '../../escape-runs.ts';
import type { LiteralPlace, Literals } from './literals.ts';

interface TwoReadings {
  /** As it is written. */
  readonly written: string;
  /** The length of the text whose escapes are read, and where literals are in it. */
  readonly readLength: number;
  readonly read: readonly LiteralPlace[];
  readonly runs: EscapeRuns;
  /** In the written text; places before it are left out. */
  readonly from: number;
}

/** The same as {@link Literals.placesIn} gives of the written text. */
export function placesInWritten(literals: Literals, readings: TwoReadings): readonly LiteralPlace[] {
  const { written, readLength, read, runs, from } = readings;
  const places: LiteralPlace[] = [];
  let turn = 0;
  let searched = from;
  // A shorter gap is searched sooner than passed over.
  for (const gap of runs.gaps(readLength, 3 * literals.longest)) {
    const moved = gap.written - gap.begin;
    // From here on a literal may go on in the escape behind the gap.
    const near = gap.end + moved - (gap.isLast ? 0 : literals.longest - 1);
    places.push(...literals.placesIn(written, searched, gap.written));
    const first = Math.max(from, gap.written) - moved;
    for (let place = read[turn]; place !== undefined && place.at + moved < near; place = read[++turn])
      if (place.at >= first) places.push({ at: place.at + moved, standing: place.standing });
    searched = Math.max(searched, near);
  }
  places.push(...literals.placesIn(written, searched));
  return places;
}
