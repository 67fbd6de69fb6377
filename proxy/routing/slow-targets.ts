// Slow targets come behind their peers: each whose median first token takes more than three times the median of the
// others. The median of others is that of their medians. Targets without enough samples are neither slow nor compared.
import { type FirstTokens, medianOf, slowFactor } from './first-tokens.ts';

/**
 * @param firstTokensOf undefined: nothing was measured
 * @returns the targets in their order, the slow ones last
 */
export function slowLast<T>(
  targets: readonly T[],
  firstTokensOf: (target: T) => FirstTokens | undefined,
  now: number,
): readonly T[] {
  const measured = targets.map(firstTokensOf);
  const medians = measured.map((firstTokens) => firstTokens?.median);
  const isSlow = targets.map((_, index) => {
    const median = medians[index];
    const others = medians.filter((other, at): other is number => at !== index && other !== undefined);
    if (median === undefined || others.length === 0 || median <= slowFactor * medianOf(others)) return false;
    const firstTokens = measured[index];
    // In front, one request at a time tries it; behind the front its old median decides nothing.
    const isTried = index === 0 ? firstTokens?.beginTrial(now) : firstTokens?.isStale(now);
    return isTried !== true;
  });
  if (!isSlow.includes(true)) return targets;
  return [...targets.filter((_, index) => !isSlow[index]), ...targets.filter((_, index) => isSlow[index])];
}
