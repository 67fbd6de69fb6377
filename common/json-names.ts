// Reads JSON objects with escapes in names (`"\u0063ontent"`). V8's JSON.parse (seen in Node 24.0, 26.0, 26.4 and
// 26.10, not in 20) misreads them if an earlier text created objects of a similar shape: after `{"a":1,"\\":2}` it
// reads `{"a":1,"\u0078":2}` as `{"a":1,"\\":2}`, because it compares raw characters with the expected name. An
// attacker could so hide a member from guardrails that the provider reads. Other strings are read correctly, and
// JSON.parse still decides whether a text is JSON.
import { stringEnd } from './json-tokens.ts';

const quote = 0x22;
const colon = 0x3a;

/** @param text text that may be invalid JSON; for invalid JSON either result is fine */
export function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; ) {
    const end = stringEnd(text, at - 1);
    if (text.charCodeAt(blanksEnd(text, end)) === colon) return true;
    at = text.indexOf('\\', end);
  }
  return false;
}

interface Open {
  readonly holder: unknown[] | Record<string, unknown>;
  /** Name of the next member. */
  name: string;
}

/**
 * Parses as JSON.parse should: members in order; if a name repeats, the last one counts. Needs no stack, however deep
 * the value is.
 * @param text valid JSON
 */
export function readNamesAsWritten(text: string): unknown {
  const root: unknown[] = [];
  const open: Open[] = [{ holder: root, name: '' }];
  for (let at = blanksEnd(text, 0); at < text.length; at = blanksEnd(text, at)) {
    const letter = text[at];
    if (letter === ']' || letter === '}') open.pop();
    at = ',]}'.includes(letter as string) ? at + 1 : readElement(text, at, open);
  }
  return root[0];
}

/** @returns the index after the element, or after the bracket that opens it */
function readElement(text: string, start: number, open: Open[]): number {
  const current = open.at(-1) as Open;
  const at = nameEnd(text, start, current);
  const begun = text[at] === '[' ? [] : text[at] === '{' ? {} : undefined;
  const end = begun === undefined ? scalarEnd(text, at) : at + 1;
  put(current, begun ?? JSON.parse(text.slice(at, end)));
  if (begun !== undefined) open.push({ holder: begun, name: '' });
  return end;
}

/** @returns the index at which the value starts */
function nameEnd(text: string, at: number, current: Open): number {
  if (Array.isArray(current.holder)) return at;
  const end = stringEnd(text, at);
  current.name = JSON.parse(text.slice(at, end));
  return blanksEnd(text, blanksEnd(text, end) + 1);
}

function put({ holder, name }: Open, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value);
  else setMember(holder, name, value);
}

/** Sets an own property, whatever its name. A plain assignment to `__proto__` would not create one. */
export function setMember(members: { [name: string]: unknown }, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

function scalarEnd(text: string, at: number): number {
  if (text.charCodeAt(at) === quote) return stringEnd(text, at);
  let end = at;
  while (end < text.length && !',]} \t\n\r'.includes(text[end] as string)) end++;
  return end;
}

function blanksEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && ' \t\n\r'.includes(text[end] as string)) end++;
  return end;
}
