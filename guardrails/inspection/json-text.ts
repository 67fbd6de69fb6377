// JSON text whose values are inspected one by one: what is put in place of one leaves the text valid, and all else is the very
// same text: numbers that no float holds, names that stand twice, white space.
import { ExactNumber } from '../../common/exact-number.ts';
import { parseJson } from '../../common/json.ts';
import { numberEnd, stringEnd, tokenAt } from '../../common/json-tokens.ts';
import { spellingsOf } from './number-spellings.ts';

/** Longer than any text that is inspected. */
const charactersMax = 1024 * 1024;

/**
 * @param put called for each string, names too, and each number, which it may see in two spellings. Text that is no JSON is put as a
 * whole
 */
export function mapJsonText(text: string, put: (part: string) => string): string {
  if (text.length > charactersMax || parseJson(text) === undefined) return put(text);
  let mapped = '';
  let taken = 0;
  for (let at = 0; at < text.length; ) {
    const kind = tokenAt(text, at);
    if (kind === undefined) {
      at++;
      continue;
    }
    const end = kind === 'string' ? stringEnd(text, at) : numberEnd(text, at);
    const literal = text.slice(at, end);
    const replaced = kind === 'string' ? mapString(literal, put) : mapNumber(literal, put);
    if (replaced !== literal) {
      mapped += text.slice(taken, at) + replaced;
      taken = end;
    }
    at = end;
  }
  return taken === 0 ? text : mapped + text.slice(taken);
}

function mapString(literal: string, put: (part: string) => string): string {
  const inner = literal.slice(1, -1);
  const value = inner.includes('\\') ? String(parseJson(literal)) : inner;
  const replaced = put(value);
  return replaced === value ? literal : JSON.stringify(replaced);
}

/** A number becomes a string: the placeholder that stands for it is none. */
function mapNumber(literal: string, put: (part: string) => string): string {
  const spellings = new Set([literal, ...spellingsOf(new ExactNumber(literal))]);
  // Each is put, whatever becomes of the others: who collects and who replaces meet the same ones.
  const replaced = [...spellings].map((spelling) => [spelling, put(spelling)] as const);
  const found = replaced.find(([spelling, left]) => left !== spelling);
  return found === undefined ? literal : JSON.stringify(found[1]);
}
