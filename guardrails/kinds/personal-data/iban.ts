// International bank account numbers by ISO 13616: the country's length and form, and the check modulo 97. With or
// without blanks, in either letter case.
//
// The registry comes from ibantools: no dependencies, maintained, 22 KB of a bundle.
import { countrySpecs, isValidIBAN } from 'ibantools';
import { blank, dash, isLetter, matchAt, type NumberType, pattern, withoutSeparators } from './number-type.ts';

/** By country; undefined if it has no IBAN. */
const patterns = new Map<string, RegExp>();
for (const [country, { chars }] of Object.entries(countrySpecs)) {
  // A separator is neither a letter nor a digit, so there is only one way to match.
  if (chars) patterns.set(country, pattern(`[A-Za-z]{2}\\d{2}(?:[${blank}${dash}.]?[0-9A-Za-z]){${chars - 4}}`));
}

export const iban: NumberType = {
  label: 'IBAN',
  find(position) {
    const start = position.at - 2;
    if (!isLetter(position.text.charCodeAt(start)) || !isLetter(position.text.charCodeAt(start + 1))) return undefined;
    const form = patterns.get(position.text.slice(start, position.at).toUpperCase());
    const end = form && matchAt(form, position, start);
    if (end === undefined) return undefined;
    const isValid = isValidIBAN(withoutSeparators(position.text.slice(start, end)).toUpperCase());
    return isValid ? { start, end } : undefined;
  },
};
