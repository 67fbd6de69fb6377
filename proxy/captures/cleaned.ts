// Texts on their way into a capture: without the caller's keys, with what guardrails had replaced by placeholders, and cut
// to a number of bytes.
import { withoutCredentials } from '../../common/credential.ts';
import type { CredentialHeaders } from '../access/credentials.ts';
import { withoutRepeatedKeys } from '../access/repeated-keys.ts';
import type { BoundedText } from './request-text.ts';

export interface CleaningRules {
  /** Of the request. */
  readonly headers: CredentialHeaders;
  /**
   * Placeholders of the request with what they stand for: the caller gets a response with the original texts, which a
   * guardrail took out of the request.
   */
  readonly restored: ReadonlyMap<string, string> | undefined;
}

/** No key that a caller sends is longer, and neither is what guardrails restore. */
const keyLengthMax = 4096;

/** How much more than the limit must be read of a text, so that nothing that is to be replaced is cut in two. */
export function slackOf({ restored }: CleaningRules): number {
  let longest = keyLengthMax;
  for (const text of restored?.values() ?? []) longest = Math.max(longest, inJson(text).length);
  return longest;
}

/** @param text of which a cut part has at least `slackOf` more than `bytesMax` */
export function cleaned({ text, isCut }: BoundedText, rules: CleaningRules, bytesMax: number): BoundedText {
  const clean = withoutKeys(redacted(text, rules), rules);
  // What is at a cut may be the beginning of something that was to be replaced.
  const whole = isCut ? clean.slice(0, Math.max(0, clean.length - slackOf(rules))) : clean;
  const cut = cutBytes(whole, bytesMax);
  return { text: cut, isCut: isCut || cut.length < whole.length };
}

/** Replaces the original texts by their placeholders, also where JSON escapes them. */
export function redacted(text: string, { restored }: CleaningRules): string {
  if (restored === undefined) return text;
  // The longest first: one may be part of another.
  const pairs = [...restored].toSorted(([, a], [, b]) => b.length - a.length);
  return pairs.reduce(
    (rest, [placeholder, original]) => rest.replaceAll(original, placeholder).replaceAll(inJson(original), placeholder),
    text,
  );
}

/** Leaves out the beginning of an original text at the end of a text that was cut or did not end. */
export function withoutPartial(text: string, { restored }: CleaningRules): string {
  for (const original of restored?.values() ?? [])
    for (let length = Math.min(original.length - 1, text.length); length >= partialMin; length--)
      if (text.endsWith(original.slice(0, length))) return text.slice(0, text.length - length);
  return text;
}

/** Fewer characters say nothing. */
const partialMin = 4;

function withoutKeys(text: string, { headers }: CleaningRules): string {
  return withoutCredentials(withoutRepeatedKeys(text, headers, true));
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** At most so many bytes in UTF-8, without half a character at the end. */
function cutBytes(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
