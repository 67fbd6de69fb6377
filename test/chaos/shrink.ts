// Makes a failing schedule shorter (delta debugging, Zeller and Hildebrandt 2002): parts are left out as long as the rest
// still fails. The result fails, and at the end no single element can be left out.

/** @param fails runs the elements; costs a whole run. @param runsMax gives up shrinking after so many runs */
export async function shrink<T>(
  elements: readonly T[],
  fails: (elements: readonly T[]) => Promise<boolean>,
  runsMax = Number.POSITIVE_INFINITY,
): Promise<readonly T[]> {
  let current = elements;
  let parts = 2;
  let runs = 0;
  while (current.length > 1 && runs < runsMax) {
    const found = await withoutAPart();
    if (found !== undefined) {
      current = found;
      parts = Math.max(parts - 1, 2);
    } else if (parts >= current.length) break;
    else parts = Math.min(2 * parts, current.length);
  }
  return current;

  async function withoutAPart(): Promise<readonly T[] | undefined> {
    const size = Math.ceil(current.length / parts);
    for (let from = 0; from < current.length && runs < runsMax; from += size) {
      const rest = current.filter((_, index) => index < from || index >= from + size);
      runs++;
      if (await fails(rest)) return rest;
    }
    return undefined;
  }
}

/** What is the same in the faults of several runs: the text without names, numbers and times. */
export function kindOf(fault: string): string {
  return fault.replace(/^[\d-]+ \([^)]*\)/, '').replace(/[\d.]+/g, '#');
}

export function kindsOf(faults: readonly string[]): ReadonlySet<string> {
  return new Set(faults.map(kindOf));
}
