// Random JSON values, as parseExactJson returns them.
import { parseExactJson } from '../../common/exact-json.ts';
import { ExactNumber } from '../../common/exact-number.ts';
import { isObject } from '../../common/json.ts';
import type { Random } from './access/random.ts';
import { randomNumber } from './json-numbers.ts';

const names = ['model', 'stream', 'user', 'content', 'a', 'b', '1', '€', '', '__proto__'] as const;

/** @param depth the most levels of objects and lists */
export function randomJson(random: Random, depth = 3): unknown {
  switch (depth === 0 ? random.below(4) : random.below(7)) {
    case 0:
      return parseExactJson(randomNumber(random));
    case 1:
      return random.pick(['', 'text', 'a"b\\', '\u2028', '🫖']);
    case 2:
      return random.pick([true, false]);
    case 3:
      return null;
    case 4:
      return Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
    default:
      return randomObject(random, depth);
  }
}

/** An object with at most four members. */
export function randomObject(random: Random, depth = 3): Record<string, unknown> {
  const chosen = Array.from({ length: random.below(5) }, () => random.pick(names));
  return Object.fromEntries(chosen.map((name) => [name, randomJson(random, depth - 1)]));
}

/** The same value with its members in another order. */
export function shuffled(random: Random, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => shuffled(random, one));
  if (!isObject(value) || value instanceof ExactNumber) return value;
  const members = Object.entries(value).map(([name, member]) => ({ name, member, at: random.next() }));
  const ordered = members.toSorted((a, b) => a.at - b.at);
  return Object.fromEntries(ordered.map(({ name, member }) => [name, shuffled(random, member)]));
}
