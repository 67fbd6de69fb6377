// Names of objects that are written with an escape (`"\u0063ontent"`). JSON.parse of V8 (seen with Node 24.0, 26.0, 26.4 and 26.10, not with 20) misreads them
// where an earlier text has made objects of a similar shape: after `{"a":1,"\\":2}` it reads `{"a":1,"\u0078":2}` as `{"a":1,"\\":2}`, because it compares
// the letters as they are written with the name that it expects. A caller could so keep a member from guardrails that its provider
// reads. Strings that are no names are read well. So a text with such names is read here, and JSON.parse judges whether it is JSON.
import { stringEnd } from './json-tokens.ts';

const quote = 0x22;
const colon = 0x3a;

/** @param text that may be no JSON: then either answer is good */
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
  /** Of the member to come. */
  name: string;
}

/**
 * As JSON.parse should: members in their order, of those with one name the last. However deep it is, it takes no stack.
 * @param text JSON for certain
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

/** @returns index behind the element, or behind the bracket that begins it */
function readElement(text: string, start: number, open: Open[]): number {
  const current = open.at(-1) as Open;
  const at = nameEnd(text, start, current);
  const begun = text[at] === '[' ? [] : text[at] === '{' ? {} : undefined;
  const end = begun === undefined ? scalarEnd(text, at) : at + 1;
  put(current, begun ?? JSON.parse(text.slice(at, end)));
  if (begun !== undefined) open.push({ holder: begun, name: '' });
  return end;
}

/** @returns where the value stands */
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

/** An own property, whatever its name: an assignment to `__proto__` is none. */
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
