// Inspects the values of a JSON text one by one. A replaced value keeps the text valid, and the rest stays identical:
// numbers that no float can represent, repeated names, white space.
import { ExactNumber, type JsonNumber, wholeDigits } from '../../common/exact-number.ts';
import { parseJson } from '../../common/json.ts';
import { numberEnd, stringEnd, tokenAt } from '../../common/json-tokens.ts';

/** Longer than any text that is inspected. */
const charactersMax = 1024 * 1024;

/**
 * @param put called for each string (names too) and each number, possibly in two spellings. Text that is not JSON is
 * passed as a whole.
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

/** A replaced number becomes a string, because a placeholder is not a number. */
function mapNumber(literal: string, put: (part: string) => string): string {
  const spellings = new Set([literal, ...spellingsOf(new ExactNumber(literal))]);
  // Every spelling is passed, even if an earlier one was replaced, so that collecting and replacing see the same
  // sequence.
  const replaced = [...spellings].map((spelling) => [spelling, put(spelling)] as const);
  const found = replaced.find(([spelling, left]) => left !== spelling);
  return found === undefined ? literal : JSON.stringify(found[1]);
}

/** A smaller number is an index, a size or a count, which no guardrail looks for. */
const shortest = 1000;
/** Longer than any number that guardrails look for; an exponent may stand for millions of digits. */
const digitsMax = 64;

/**
 * The spellings of a whole number that are inspected, because an attacker may hide one by writing it with a fraction or
 * an exponent: the number as written, then with all its digits if that differs. Empty for a number that is small or has
 * a fraction.
 */
export function spellingsOf(value: JsonNumber): readonly string[] {
  const plain = Number(value);
  // Whole after rounding to a double, as most parsers read it: after so many digits a double has no room for a
  // fraction.
  const isWhole = Number.isInteger(plain) || Math.abs(plain) === Number.POSITIVE_INFINITY;
  if (!isWhole || Math.abs(plain) < shortest) return [];
  const written = String(value);
  const digits = wholeDigits(value, digitsMax) ?? (Number.isSafeInteger(plain) ? String(plain) : written);
  return digits === written ? [written] : [written, digits];
}
