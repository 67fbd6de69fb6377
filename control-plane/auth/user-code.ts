// The code that a person types to approve a device (RFC 8628, section 6.1): eight consonants, which are neither mistaken
// for each other nor make words. Pure.
import { randomInt } from 'node:crypto';

const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;

/** Such as "WDJB-MJHT". */
export function createUserCode(): string {
  const code = Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The letters of a typed code, whatever its case and separators; undefined if it cannot be one. */
export function lettersOf(typed: string): string | undefined {
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : undefined;
}
