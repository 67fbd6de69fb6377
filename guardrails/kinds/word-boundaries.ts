// Finds where words begin and end. Depends only on the two characters at either side, so that a text may arrive in
// pieces.

/** Between two letters or digits no word ends, unless one belongs to a script without blanks between words. */
export function isWithinWord(before: number, after: number): boolean {
  const first = capabilitiesOf(before);
  const second = capabilitiesOf(after);
  return (first & second & word) !== 0 && ((first | second) & unspaced) === 0;
}

/** Whether the character is a mark or the rest of a Hangul syllable, which changes the letter before it. */
export function isPartOfLetterBefore(code: number): boolean {
  return (capabilitiesOf(code) & trailing) !== 0;
}

const word = 1;
const unspaced = 2;
const trailing = 4;
const lookedUp = 8;

/** Cache for characters up to U+FFFF. */
const known = new Uint8Array(0x10000);

const wordCharacters = /[\p{L}\p{N}\p{M}_]/u;
const unspacedScripts =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
/** Vowels and final consonants of Hangul have no general category of their own. */
const trailingCharacters = /[\p{M}\u1160-\u11ff\ud7b0-\ud7fb]/u;

function capabilitiesOf(code: number): number {
  return known[code] || lookUp(code);
}

function lookUp(code: number): number {
  const character = String.fromCodePoint(code);
  let capabilities = lookedUp;
  if (wordCharacters.test(character)) capabilities |= word;
  if (unspacedScripts.test(character)) capabilities |= unspaced;
  if (trailingCharacters.test(character)) capabilities |= trailing;
  if (code < known.length) known[code] = capabilities;
  return capabilities;
}
