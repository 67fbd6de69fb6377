// Finds the ends of JSON strings and positions where a string may be cut, in bytes. Most of a long body is inside
// strings, so they are searched and not parsed.
const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
/** Short strings and dense escapes are scanned byte by byte. */
const nearBytes = 32;
const hexDigits = 4;

/**
 * @param from position inside a string, not directly after the backslash of an escape
 * @param until where the search stops
 * @returns position of the closing quote; undefined if it is not before `until`
 */
export function quoteIn(bytes: Buffer, from: number, until: number): number | undefined {
  for (let at = from; at < until; ) {
    for (const near = Math.min(at + nearBytes, until); at < near; at++) {
      const byte = bytes[at];
      if (byte === backslash) at++;
      else if (byte === quote) return at;
    }
    if (at >= until) return undefined;
    const found = bytes.subarray(at, until).indexOf(quote);
    if (found === -1) return undefined;
    const end = at + found;
    if (backslashesBefore(bytes, at, end) % 2 === 0) return end;
    at = end + 1;
  }
  return undefined;
}

/**
 * @param from as for quoteIn; there is no closing quote between `from` and `until`
 * @returns the last position up to `until` that is neither inside an escape nor inside a UTF-8 character
 */
export function pieceEnd(bytes: Buffer, from: number, until: number): number {
  let end = until;
  // In UTF-8 at most three bytes continue a character.
  for (let i = 0; i < 3 && end > from && isContinuation(bytes[end]); i++) end--;
  if (backslashesBefore(bytes, from, end) % 2 === 1) return end - 1;
  for (let digits = 0; digits < hexDigits; digits++) {
    const u = end - digits - 1;
    if (bytes[u] === letterU && backslashesBefore(bytes, from, u) % 2 === 1) return u - 1;
  }
  return end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function backslashesBefore(bytes: Buffer, from: number, end: number): number {
  let at = end;
  while (at > from && bytes[at - 1] === backslash) at--;
  return end - at;
}
