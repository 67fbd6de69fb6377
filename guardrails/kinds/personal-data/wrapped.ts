// Numbers that continue on the next line, where the line end takes the place of a blank. A column of numbers is not one
// number, so at most one line end is allowed, and the number must pass a check of its own; telephone numbers need "+".
import { blank, dash, type Position, type Span } from './number-type.ts';

/**
 * Includes the prefixes of quoted mail and comments. At most five units, so that an incomplete text is decided soon.
 */
const lineEnd = ' ?\\n{1,2}[ >]{0,2}';
/** Maximum length of a number on its first line, including a blank. */
export const lineMax = 41;
const wrap = new RegExp(`([0-9A-Z${blank}${dash}./()]{1,${lineMax - 1}}?)(${lineEnd})(?=[0-9A-Za-z(])`, 'y');
/** A line end between groups of a number whose rest may be on the next line. */
export const lineEndWithin = lineEnd;

const contextLength = 48;
const reachBehind = 128;

/**
 * @param find called with a text in which a blank replaces the line end; after a dash, nothing replaces it
 * @returns a match that crosses a line end
 */
export function findWrapped<PersonalMatch extends Span>(
  position: Position,
  find: (unwrapped: Position) => PersonalMatch | undefined,
): PersonalMatch | undefined {
  wrap.lastIndex = position.at;
  const match = wrap.exec(position.text);
  if (match === null) return undefined;
  const [, line = '', end = ''] = match;
  const first = Math.max(0, position.at - contextLength);
  const cut = position.at + line.length;
  const between = new RegExp(`[${dash}]$`).test(line) ? '' : ' ';
  const added = end.length - between.length;
  const unwrapped = (at: number) => (at <= cut ? at : at - added) - first;
  const wrapped = (at: number) => (at + first <= cut ? at + first : at + first + added);
  const text = position.text.slice(first, cut) + between + position.text.slice(cut + end.length, cut + reachBehind);
  const found = find({
    ...position,
    text,
    at: unwrapped(position.at),
    from: Math.max(0, position.from - first),
    to: Math.min(text.length, unwrapped(position.to)),
    before: (start) => position.before(wrapped(start)),
  });
  if (found === undefined || wrapped(found.end) <= cut + end.length) return undefined;
  return { ...found, start: wrapped(found.start), end: wrapped(found.end) };
}
