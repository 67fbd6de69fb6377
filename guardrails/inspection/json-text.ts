// JSON text whose values are inspected one by one: what is put in place of one leaves the text valid, and all else is the very
// same text: numbers that no float holds, names that stand twice, white space.
import { ExactNumber, type JsonNumber, wholeDigits } from '../../common/exact-number.ts';
import { parseJson } from '../../common/json.ts';
import { numberEnd, stringEnd, tokenAt } from '../../common/json-tokens.ts';

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

/** A shorter one is an index, a size or a count, and nothing that anybody looks for. */
const shortest = 1000;
/** Longer than anything that is looked for by its digits: an exponent may stand for millions. */
const digitsMax = 64;

/**
 * The ways in which a whole number may be read: whoever hides one from guardrails writes it with a fraction or an exponent. As it is
 * written, then with all its digits where that differs; none of a number that is short or has a fraction.
 */
export function spellingsOf(value: JsonNumber): readonly string[] {
  const plain = Number(value);
  // Whole as most read it: a double has no room for a fraction behind so many digits.
  const isWhole = Number.isInteger(plain) || Math.abs(plain) === Number.POSITIVE_INFINITY;
  if (!isWhole || Math.abs(plain) < shortest) return [];
  const written = String(value);
  const digits = wholeDigits(value, digitsMax) ?? (Number.isSafeInteger(plain) ? String(plain) : written);
  return digits === written ? [written] : [written, digits];
}
