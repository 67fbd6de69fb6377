// Tags of requests, for both planes: the names that an organization may choose, and the values that count. A value is
// text of a caller, so that it is cut or left out, and never makes a request fail.

/** The most tags of an organization. */
export const tagNamesMax = 8;
/** In characters (code points). A longer value is cut. */
export const tagValueLengthMax = 128;

/**
 * Letters, marks, digits, punctuation, symbols and the plain space, but nothing invisible and nothing that changes the
 * direction of text. So two texts that look alike are alike.
 */
export const visiblePattern = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

const namePattern = /^[a-z][a-z0-9-]{0,31}$/;

export function isTagName(text: string): boolean {
  return namePattern.test(text);
}

/** Nearly all values, which are their own composed form. */
const plainPattern = /^[!-~](?:[ -~]*[!-~])?$/;

/** Enough for the characters of the longest value, before they are composed. */
const readUnits = 4 * tagValueLengthMax;

/** @returns the value trimmed, composed (NFC) and cut; undefined if it is empty or has invisible characters */
export function tagValue(text: string): string | undefined {
  if (text.length <= tagValueLengthMax && plainPattern.test(text)) return text;
  const composed = text.trim().slice(0, readUnits).normalize('NFC');
  const value =
    composed.length <= tagValueLengthMax ? composed : [...composed].slice(0, tagValueLengthMax).join('').trimEnd();
  return visiblePattern.test(value) ? value : undefined;
}
