// Finds the ends of strings and numbers in JSON text. Uses loops, because a regular expression overflows the stack on
// long strings.

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;

export type TokenKind = 'string' | 'number';

/** The kind of token that starts at this position; undefined for anything else. */
export function tokenAt(text: string, at: number): TokenKind | undefined {
  const code = text.charCodeAt(at);
  if (code === quote) return 'string';
  return code === minus || isDigit(code) ? 'number' : undefined;
}

/**
 * @param start position of the opening quote
 * @returns the index after the closing quote; the end of the text if there is none
 */
export function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

/** @param start position of the first character @returns the index after the last character */
export function numberEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isOfNumber(text.charCodeAt(end))) end++;
  return end;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A digit, or one of `.eE+-`. */
export function isOfNumber(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === minus;
}
