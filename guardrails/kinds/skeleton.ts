// Maps a unit of folded text to its skeleton for comparison: the lower-case letter, or the Latin letter that it looks
// like; every blank or line end becomes one blank. One unit maps to one unit, so positions stay. Letters beyond U+FFFF
// keep their case.
import { lookAlikes } from './look-alikes.ts';

export const blank = 0x20;

export function skeletonUnit(unit: number): number {
  return known[unit] || lookUp(unit);
}

/** The skeleton of a text. Runs of blanks become one blank, and both ends are trimmed. @param text folded */
export function skeletonOf(text: string): string {
  let skeleton = '';
  for (let at = 0; at < text.length; at++) skeleton += String.fromCharCode(skeletonUnit(text.charCodeAt(at)));
  return skeleton.replace(/ +/g, ' ').trim();
}

/** 0: not looked up yet. */
const known = new Uint16Array(0x10000);

function lookUp(unit: number): number {
  const skeleton = unit === 0x0a ? blank : skeletonOfLetter(String.fromCharCode(unit)).charCodeAt(0);
  known[unit] = skeleton;
  return skeleton;
}

function skeletonOfLetter(letter: string): string {
  const capital = letter.toUpperCase();
  // Via the capital letter, so that the final sigma and the other one are the same letter.
  const small = capital.length === 1 ? capital.toLowerCase() : letter;
  return lookAlikes.get(small) ?? small;
}
