// What a unit of folded text is held against: its small letter, or the Latin one that this looks like; any blank or line end is one
// blank. One unit for one, so that positions stay. Letters beyond U+FFFF keep their case.
import { lookAlikes } from './look-alikes.ts';

export const blank = 0x20;

export function skeletonUnit(unit: number): number {
  return known[unit] || lookUp(unit);
}

/** Runs of blanks are one, and there are none at either end. @param text folded */
export function skeletonOf(text: string): string {
  let skeleton = '';
  for (let at = 0; at < text.length; at++) skeleton += String.fromCharCode(skeletonUnit(text.charCodeAt(at)));
  return skeleton.replace(/ +/g, ' ').trim();
}

/** 0: not looked up. */
const known = new Uint16Array(0x10000);

function lookUp(unit: number): number {
  const skeleton = unit === 0x0a ? blank : skeletonOfLetter(String.fromCharCode(unit)).charCodeAt(0);
  known[unit] = skeleton;
  return skeleton;
}

function skeletonOfLetter(letter: string): string {
  const capital = letter.toUpperCase();
  // By way of the capital: final and other sigmas are one letter.
  const small = capital.length === 1 ? capital.toLowerCase() : letter;
  return lookAlikes.get(small) ?? small;
}
