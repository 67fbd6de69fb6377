// Positions in a text that are not inside a surrogate pair.

/** The last such position that is not after `at`. */
export function wholeCharacters(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

/**
 * The code point that starts at `at`; 0 after the end of the text. If a string is a slice of another one, V8 (Node 26)
 * reads past its end and can return half of a pair, so `codePointAt` is not used for the last unit.
 */
export function codePointIn(text: string, at: number): number {
  return (at + 1 < text.length ? text.codePointAt(at) : text.charCodeAt(at)) || 0;
}

/** Length in UTF-16 units of the character that starts at `at`. */
export function characterLength(text: string, at: number): number {
  return codePointIn(text, at) > 0xffff ? 2 : 1;
}

/** The code point that ends at `at`. */
export function characterBefore(text: string, at: number): number {
  return codePointIn(text, wholeCharacters(text, at - 1));
}

/** Whether the text ends with the first half of a surrogate pair. */
export function endsWithHalf(text: string): boolean {
  return isHigh(text.charCodeAt(text.length - 1));
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
