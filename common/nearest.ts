// Which of many names somebody may have meant. Bounded: the cost grows with the number of names, and with no more than a hundred
// characters of each text.

const comparedMax = 100;
/** Texts that share less than this of their pairs of letters are not alike. */
const likenessMin = 0.35;
/** Compared letter by letter; the others are too far away anyhow. */
const candidatesMax = 12;
/** Whether a name is wanted may cost more than likeness does. */
const candidatesMaxValue = 100;

/**
 * Those most alike, the nearest first; none that is not alike at all.
 * @param isWanted asked of names in the order of likeness, until there are enough
 */
export function nearest(
  text: string,
  names: Iterable<string>,
  max: number,
  isWanted: (name: string) => boolean = () => true,
): readonly string[] {
  const pairs = pairsOf(text);
  const alike: { readonly name: string; readonly likeness: number }[] = [];
  for (const name of names) {
    const likeness = sharedPart(pairs, rememberedPairs(name));
    if (likeness >= likenessMin) alike.push({ name, likeness });
  }
  const ranked = alike.toSorted((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1));
  return Iterator.from(ranked)
    .take(candidatesMaxValue)
    .filter(({ name }) => isWanted(name))
    .take(candidatesMax)
    .toArray()
    .map((one) => ({ ...one, typed: Math.min(editDistance(text, one.name), turnedDistance(text, one.name)) }))
    .toSorted((a, b) => a.typed - b.typed || b.likeness - a.likeness)
    .slice(0, max)
    .map(({ name }) => name);
}

/** Letters to be put in, taken out, replaced or swapped with their neighbour until one text is the other. */
export function editDistance(a: string, b: string): number {
  const [from, to] = [a.slice(0, comparedMax), b.slice(0, comparedMax)];
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const [letter, wanted] = [from[row - 1], to[column - 1]];
      const replaced = at(last, column - 1) + (letter === wanted ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && letter === to[column - 2] && from[row - 2] === wanted
          ? at(beforeLast, column - 2) + 1
          : Number.POSITIVE_INFINITY;
      line.push(Math.min(at(last, column) + 1, at(line, column - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = line;
  }
  return at(last, to.length);
}

function at(line: readonly number[], column: number): number {
  return line[column] ?? 0;
}

/** As if the parts of both stood in one order: `claude-4-5-sonnet` is `claude-sonnet-4-5`. It counts as one slip. */
function turnedDistance(a: string, b: string): number {
  const inOrder = (text: string) =>
    text
      .slice(0, comparedMax)
      .split(/[^A-Za-z0-9]+/)
      .toSorted()
      .join('-');
  return 1 + editDistance(inOrder(a), inOrder(b));
}

/** Of two sorted lists: what both have, as a share of both. */
function sharedPart(a: Uint16Array, b: Uint16Array): number {
  let [left, right, shared] = [0, 0, 0];
  while (left < a.length && right < b.length) {
    const [one, other] = [a[left] ?? 0, b[right] ?? 0];
    if (one === other) shared++;
    if (one <= other) left++;
    if (other <= one) right++;
  }
  return (2 * shared) / (a.length + b.length);
}

const rememberedMax = 5000;
const remembered = new Map<string, Uint16Array>();

/** The names are the same each time. */
function rememberedPairs(name: string): Uint16Array {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const pairs = pairsOf(name);
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(name, pairs);
  return pairs;
}

/** Each two letters that follow each other, sorted. Beginning and end count as letters, so that texts of one letter have pairs. */
function pairsOf(text: string): Uint16Array {
  const marked = `^${text.slice(0, comparedMax).toLowerCase()}$`;
  const pairs = new Uint16Array(marked.length - 1);
  for (let index = 0; index < pairs.length; index++) {
    pairs[index] = ((marked.charCodeAt(index) & 0xff) << 8) | (marked.charCodeAt(index + 1) & 0xff);
  }
  return pairs.sort();
}
