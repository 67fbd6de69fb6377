// Makes values of a form while a test runs, so that this repository contains nothing that looks like a key. A form is
// literal text with parts in braces, which say which characters follow and how many: `acme_{a40}`, `{h8}-{h4}`,
// `{u20-30}`, `{uuid}`.
import type { Random } from '../../../support/access/random.ts';

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const letters = lower + upper + digits;

const alphabets: Readonly<Record<string, string>> = {
  d: digits,
  h: `${digits}abcdef`,
  H: `${digits}ABCDEF`,
  m: `${digits}abcdefABCDEF`,
  l: lower,
  L: lower + upper,
  z: lower + digits,
  A: upper + digits,
  s: `${upper}234567`,
  a: letters,
  w: `${letters}_`,
  u: `${letters}_-`,
  b: `${letters}+/`,
  // Bech32 in capitals.
  q: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
};

const part = /\{(?:(uuid)|([A-Za-z])(\d+)(?:-(\d+))?)\}/g;

export function written(form: string, random: Random): string {
  return form.replace(part, (...[, uuid, name = '', min, max]: (string | undefined)[]) => {
    if (uuid !== undefined) return written('{h8}-{h4}-{h4}-{h4}-{h12}', random);
    const characters = alphabets[name];
    if (characters === undefined) throw new Error(`no characters ${name} in ${form}`);
    const length = Number(min) + (max === undefined ? 0 : random.below(Number(max) - Number(min) + 1));
    const made = Array.from({ length }, () => characters.charAt(random.below(characters.length)));
    return inner(made).join('');
  });
}

/** Replaces separators of words at the beginning and the end. */
function inner(made: string[]): readonly string[] {
  for (const at of [0, made.length - 1]) if (/[_+/-]/.test(made[at] ?? '')) made[at] = 'k';
  return made;
}

/** Makes a value of the same form that is no secret: every part repeats one character. */
export function masked(form: string): string {
  return form.replace(part, (_, uuid, name: string, min: string) =>
    uuid !== undefined ? '0'.repeat(36) : (alphabets[name]?.includes('x') ? 'x' : 'A').repeat(Number(min)),
  );
}

/** Makes a value of the same form with a fifth of the length. */
export function shortened(form: string): string {
  return form.replace(part, (_, uuid, name: string, min: string) =>
    uuid !== undefined ? '{h8}' : `{${name}${Math.floor(Number(min) / 5)}}`,
  );
}
