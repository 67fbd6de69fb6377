// Places in text that are not within a surrogate pair.

/** The last such place up to `at`. */
export function wholeCharacters(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

/**
 * The code point that begins at `at`; 0 behind the text. V8 (Node 26) reads past the end of a string that is a piece of another one and
 * ends with half of a pair, so the last unit is not left to it.
 */
export function codePointIn(text: string, at: number): number {
  return (at + 1 < text.length ? text.codePointAt(at) : text.charCodeAt(at)) || 0;
}

/** UTF-16 units of the character that begins at `at`. */
export function characterLength(text: string, at: number): number {
  return codePointIn(text, at) > 0xffff ? 2 : 1;
}

/** The code point that ends before `at`. */
export function characterBefore(text: string, at: number): number {
  return codePointIn(text, wholeCharacters(text, at - 1));
}

/** Whether the second half of a pair may follow. */
export function endsWithHalf(text: string): boolean {
  return isHigh(text.charCodeAt(text.length - 1));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
