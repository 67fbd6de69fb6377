// JSON text whose values are inspected one by one: what is put in place of one leaves the text valid, and all else is the very
// same text: numbers that no float holds, names that stand twice, white space.
import { parseJson } from '../../common/json.ts';

/** Longer than any text that is inspected. */
const charactersMax = 1024 * 1024;

/** @param put called for each string, names too, and each number. Text that is no JSON is put as a whole */
export function mapJsonText(text: string, put: (part: string) => string): string {
  if (text.length > charactersMax || parseJson(text) === undefined) return put(text);
  let mapped = '';
  let taken = 0;
  for (let at = 0; at < text.length; ) {
    const end = tokenEnd(text, at);
    if (end > at) {
      const literal = text.slice(at, end);
      const replaced = mapLiteral(literal, put);
      if (replaced !== literal) {
        mapped += text.slice(taken, at) + replaced;
        taken = end;
      }
    }
    at = Math.max(end, at + 1);
  }
  return taken === 0 ? text : mapped + text.slice(taken);
}

function mapLiteral(literal: string, put: (part: string) => string): string {
  const value = literal.startsWith('"') ? stringOf(literal) : literal;
  const replaced = put(value);
  // A number becomes a string: the placeholder that stands for it is none.
  return replaced === value ? literal : JSON.stringify(replaced);
}

function stringOf(literal: string): string {
  const inner = literal.slice(1, -1);
  return inner.includes('\\') ? String(parseJson(literal)) : inner;
}

const quote = 0x22;
const minus = 0x2d;

/** Where the string or number ends that begins here; here, where none does. */
function tokenEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === quote) return stringEnd(text, at);
  if (code !== minus && !isDigit(code)) return at;
  let end = at + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

/** By hand: a regular expression runs out of stack on long strings. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

const numberSigns = new Set([...'.eE+-'].map((sign) => sign.charCodeAt(0)));

function isOfNumber(code: number): boolean {
  return isDigit(code) || numberSigns.has(code);
}
