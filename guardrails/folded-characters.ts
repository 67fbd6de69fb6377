// Folding of single characters: to nothing, to one character, or to several. Each character is looked up in Unicode's
// data once and then cached.

/**
 * The result for a UTF-16 unit that folds to a single unit; {@link notSingle} for all others and for halves of
 * surrogate pairs.
 */
export function foldedUnit(unit: number): number {
  return singles[unit] || lookUpUnit(unit);
}

/** @param code a code point, or an unpaired surrogate */
export function foldedCharacter(code: number): string {
  const known = characters.get(code);
  if (known !== undefined) return known;
  if (itself[code] === 1) return String.fromCodePoint(code);
  return lookUpCharacter(code);
}

/** U+FFFF is not a character, and nothing folds to it. */
export const notSingle = 0xffff;
/** 0: not looked up yet. Nothing folds to U+0000. */
const singles = new Uint16Array(0x10000);
const itself = new Uint8Array(0x110000);
/** Characters that do not fold to themselves. Unicode has about 30,000 of them, which bounds the map. */
const characters = new Map<number, string>();

function lookUpUnit(unit: number): number {
  const folded = foldedCharacter(unit);
  const single = folded.length === 1 && !isSurrogate(unit) ? folded.charCodeAt(0) : notSingle;
  singles[unit] = single;
  return single;
}

function lookUpCharacter(code: number): string {
  const character = String.fromCodePoint(code);
  const folded = foldCharacter(code, character);
  if (folded === character) itself[code] = 1;
  else characters.set(code, folded);
  return folded;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function foldCharacter(code: number, character: string): string {
  const plainLetter = letterOnColour(code);
  if (plainLetter !== undefined) return plainLetter;
  if (blank.test(character)) return ' ';
  if (lineEnd.test(character)) return '\n';
  if (unseen.test(character)) return '';
  let folded = '';
  for (const part of character.normalize('NFKD')) {
    if (blank.test(part)) folded += ' ';
    else if (!unseen.test(part) && !accent.test(part)) folded += twofold.get(part) ?? digitOf(part) ?? part;
  }
  return folded;
}

const digit = /\p{Nd}/u;

/**
 * The digits of a script are consecutive, starting with its zero. Where two scripts are adjacent, so are their groups
 * of ten.
 */
function digitOf(character: string): string | undefined {
  if (!digit.test(character)) return undefined;
  const code = character.codePointAt(0) ?? 0;
  let zero = code;
  while (digit.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** U+2800 is the braille pattern without dots. */
const blank = /[\p{Zs}\t\u2800]/u;
const lineEnd = /[\n\v\f\r\u0085\u2028\u2029]/;
/**
 * Zero-width characters, soft hyphens, variation selectors, direction marks, tags, control characters, the Arabic
 * tatweel.
 */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u0640]/u;
/**
 * Marks of scripts that are readable without them. In other scripts marks are sounds, such as vowels in Devanagari and
 * Thai; so are the voicing marks of kana, U+3099 and U+309A, which Unicode assigns to no script.
 */
const accent =
  /(?=\p{M})(?![\u3099\u309a])[\p{sc=Zinh}\p{sc=Zyyy}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}]/u;

/** Letters that become two: by Unicode's case folding, or by their common transcription. */
const twofold: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['ẞ', 'SS'],
  ['æ', 'ae'],
  ['Æ', 'AE'],
  ['œ', 'oe'],
  ['Œ', 'OE'],
]);

/**
 * White letters on a black shape: circles from U+1F150, squares from U+1F170. They are the only letters in shapes that
 * Unicode does not decompose.
 */
function letterOnColour(code: number): string | undefined {
  for (const first of [0x1f150, 0x1f170])
    if (code >= first && code < first + 26) return String.fromCharCode(0x41 + code - first);
  return undefined;
}
