// Draws of windows that are about to begin, of slices in use: spread over the last seconds of the windows before, so that not all
// requests have to wait for them when they have begun.
import { budgetBounds } from './bounds.ts';
import type { Slice } from './lease.ts';
import type { Moment, Slices } from './lease-table.ts';

const { aheadMs, sweepMs } = budgetBounds;

/** Called with every sweep. @returns slices whose first draw has begun and is to be sent */
export function drawAhead(slices: Slices, { at, now }: Moment, random: () => number): readonly Slice[] {
  const begun: Slice[] = [];
  // Those that are made meanwhile come along, and are not current.
  for (const slice of slices.all()) {
    const leftMs = slice.origin.endsAt - at;
    if (slice.state !== 'current' || leftMs > aheadMs || leftMs <= 0) continue;
    // As likely in each of the sweeps that are left, but for the last one.
    const sweepsLeft = Math.max(1, Math.floor(leftMs / sweepMs) - 1);
    if (random() * sweepsLeft >= 1) continue;
    const want = slice.aheadWant(now);
    const next = want > 0 ? slices.ahead(slice, now) : undefined;
    next?.drawAhead(want);
    if (next !== undefined) begun.push(next);
  }
  return begun;
}
