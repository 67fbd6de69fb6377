// Reads single values of the contract's messages strictly: a misread number or time would be trusted.
import type { EnumWords } from '../../proto/words/enum-words.ts';

/** @throws Error for anything but a whole number from 0 to 2^53 */
export function whole(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error('the message contains a number out of range');
  return number;
}

/** Milliseconds since 1970; undefined if there is none. @throws Error for anything but a time */
export function time(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Error('the message contains a time that cannot be read');
  return ms;
}

/**
 * The time of the control plane's database in a response: milliseconds since 1970. @throws Error if the response lacks
 * it
 */
export function clock(now: string): number {
  const at = time(now);
  if (at === undefined) throw new Error('the control plane did not report the time of its database');
  return at;
}

/** A limit or scope of an unknown kind would not be enforced. @throws Error for a name that this version does not have */
export function known<Table extends Readonly<Record<string, string>>>(
  words: EnumWords<Table>,
  name: unknown,
  what: string,
): Table[keyof Table] {
  const word = words.wordOf(name);
  if (word === undefined)
    throw new Error(`the record contains a ${what} that this version does not know; update the proxy`);
  return word;
}
