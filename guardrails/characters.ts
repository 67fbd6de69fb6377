// Places in text that are not within a surrogate pair.

/** The last such place up to `at`. */
export function wholeCharacters(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

/** UTF-16 units of the character that begins at `at`. */
export function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** The code point that ends before `at`. */
export function characterBefore(text: string, at: number): number {
  return text.codePointAt(wholeCharacters(text, at - 1)) ?? 0;
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
