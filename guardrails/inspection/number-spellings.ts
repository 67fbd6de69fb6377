// The ways in which a whole number may be read: whoever hides one from guardrails writes it with a fraction or an exponent.
import { type JsonNumber, wholeDigits } from '../../common/exact-number.ts';

/** A shorter one is an index, a size or a count, and nothing that anybody looks for. */
const shortest = 1000;
/** Longer than anything that is looked for by its digits: an exponent may stand for millions. */
const digitsMax = 64;

/** As it is written, then with all its digits where that differs; none of a number that is short or has a fraction. */
export function spellingsOf(value: JsonNumber): readonly string[] {
  const plain = Number(value);
  // Whole as most read it: a double has no room for a fraction behind so many digits.
  const isWhole = Number.isInteger(plain) || Math.abs(plain) === Number.POSITIVE_INFINITY;
  if (!isWhole || Math.abs(plain) < shortest) return [];
  const written = String(value);
  const digits = wholeDigits(value, digitsMax) ?? (Number.isSafeInteger(plain) ? String(plain) : written);
  return digits === written ? [written] : [written, digits];
}
