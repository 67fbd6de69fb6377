// Finds the names that a user may have meant. The cost is bounded: linear in the number of names, and with at most a
// hundred characters of each text.

const comparedMax = 100;
/** Texts that share a smaller part of their letter pairs are not similar. */
const likenessMin = 0.35;
/** How many names are compared letter by letter; the others are too different anyway. */
const candidatesMax = 12;
/** How many names are passed to `isWanted`, which may cost more than the similarity. */
const candidatesMaxValue = 100;

/**
 * The most similar names, the nearest first. Omits names that are not similar.
 * @param isWanted called for names in order of similarity, until enough are accepted
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

/**
 * How many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one text into the other.
 */
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

/**
 * The distance with the parts of both texts in the same order: `claude-4-5-sonnet` is `claude-sonnet-4-5`. The
 * reordering counts as one slip.
 */
function turnedDistance(a: string, b: string): number {
  const inOrder = (text: string) =>
    text
      .slice(0, comparedMax)
      .split(/[^A-Za-z0-9]+/)
      .toSorted()
      .join('-');
  return 1 + editDistance(inOrder(a), inOrder(b));
}

/** The elements that two sorted lists have in common, as a share of both. */
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

/** Caches the pairs, because the names are the same at each call. */
function rememberedPairs(name: string): Uint16Array {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const pairs = pairsOf(name);
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(name, pairs);
  return pairs;
}

/**
 * All pairs of consecutive letters, sorted. The beginning and the end count as letters, so that a text of one letter
 * has pairs.
 */
function pairsOf(text: string): Uint16Array {
  const marked = `^${text.slice(0, comparedMax).toLowerCase()}$`;
  const pairs = new Uint16Array(marked.length - 1);
  for (let index = 0; index < pairs.length; index++) {
    pairs[index] = ((marked.charCodeAt(index) & 0xff) << 8) | (marked.charCodeAt(index + 1) & 0xff);
  }
  return pairs.sort();
}
