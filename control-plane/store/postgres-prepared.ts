// Which statements a connection prepares: those that come again and again, since to parse and plan one costs the server more than to
// run it. Every connection that prepares one keeps its plan, so they are bounded, and long lists of values are not worth it.
import { LRUCache } from 'lru-cache';

/** @returns the name under which to prepare a statement; undefined: it is not to be prepared */
export type NameStatement = (text: string) => string | undefined;

const namesMax = 100;
const textMax = 4000;
const timesMin = 5;
const watchedMax = 1000;

/** Names are the same on all connections, and never of two statements. */
export function createStatementNames(): NameStatement {
  const names = new Map<string, string>();
  const times = new LRUCache<string, number>({ max: watchedMax });
  return (text) => {
    const name = names.get(text);
    if (name !== undefined || names.size === namesMax || text.length > textMax) return name;
    const seen = (times.get(text) ?? 0) + 1;
    times.set(text, seen);
    if (seen === timesMin) names.set(text, `statement_${names.size}`);
    return names.get(text);
  };
}
