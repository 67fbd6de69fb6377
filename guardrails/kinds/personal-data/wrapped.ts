// Numbers that go on in the next line: the line end stands where a blank may. A column of numbers is no number, so there is one line
// end at most, and what has it passes a check of its own; telephone numbers with "+" only.
import { blank, dash, type Place, type Span } from './number-type.ts';

/** With what mails and comments begin a line with: no more than five units, so that a text that goes on knows it soon. */
const lineEnd = ' ?\\n{1,2}[ >]{0,2}';
/** Of a number in its first line, and a blank. */
export const lineMax = 41;
const wrap = new RegExp(`([0-9A-Z${blank}${dash}./()]{1,${lineMax - 1}}?)(${lineEnd})(?=[0-9A-Za-z(])`, 'y');
/** Between the groups of a number of which the rest may be in the next line. */
export const lineEndWithin = lineEnd;

const contextLength = 48;
const reachBehind = 128;

/** @param find held against the text as if there were a blank; or nothing, behind a dash @returns what goes over a line end */
export function findWrapped<Found extends Span>(
  place: Place,
  find: (unwrapped: Place) => Found | undefined,
): Found | undefined {
  wrap.lastIndex = place.at;
  const match = wrap.exec(place.text);
  if (match === null) return undefined;
  const [, line = '', end = ''] = match;
  const first = Math.max(0, place.at - contextLength);
  const cut = place.at + line.length;
  const between = new RegExp(`[${dash}]$`).test(line) ? '' : ' ';
  const added = end.length - between.length;
  const unwrapped = (at: number) => (at <= cut ? at : at - added) - first;
  const wrapped = (at: number) => (at + first <= cut ? at + first : at + first + added);
  const text = place.text.slice(first, cut) + between + place.text.slice(cut + end.length, cut + reachBehind);
  const found = find({
    ...place,
    text,
    at: unwrapped(place.at),
    from: Math.max(0, place.from - first),
    to: Math.min(text.length, unwrapped(place.to)),
    before: (start) => place.before(wrapped(start)),
  });
  if (found === undefined || wrapped(found.end) <= cut + end.length) return undefined;
  return { ...found, start: wrapped(found.start), end: wrapped(found.end) };
}
