// E-mail addresses in common form (RFC 5322's dot-atom, international domains, a top-level domain of letters), without
// quoted strings, comments and address literals.
import type { Span } from './number-type.ts';

export interface Emails {
  /** In the order of the text. */
  readonly found: readonly Span[];
  /** Anything that starts here or later may become an address when more text follows. */
  readonly open: number;
}

const localMax = 64;
const domainMax = 255;
/** Character codes that are allowed before the "@". */
const localCharacters = new Set(
  [..."!#$%&'*+-.?^_{|}~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((character) =>
    character.charCodeAt(0),
  ),
);

const domainRun = /[\p{L}\p{N}.-]{1,255}/uy;
const domainLabel = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
// Letters of scripts without blanks may follow directly, so an ASCII domain ends where they begin.
const topLevel = /^(?:xn--[0-9A-Za-z-]{1,57}[0-9A-Za-z]|[A-Za-z]{2,24})(?![0-9A-Za-z]|-[0-9A-Za-z])|^[^\0-\x7f]{2,24}$/;
/** File names of pictures for high-density screens, and similar text that is not a domain. */
const notDomain = /^[1-9]x\.(?:png|jpe?g|gif|webp|svg|avif)$/i;
/** User names and passwords in URLs. */
const inUrl = /:\/\/(?:[^\s/@]{0,24}:)?$/;

/** @param from no address starts before this */
export function findEmails(text: string, from: number, isEnd: boolean): Emails {
  const found: Span[] = [];
  let next = from;
  let at = text.indexOf('@', from);
  for (; at !== -1; at = text.indexOf('@', at + 1)) {
    const first = startOfRun(text, at, next);
    const start = first === undefined ? undefined : startOfLocal(text, at, first);
    if (first === undefined || start === undefined) continue;
    domainRun.lastIndex = at + 1;
    const run = domainRun.exec(text)?.[0] ?? '';
    if (!isEnd && at + 1 + run.length === text.length && run.length < domainMax) return { found, open: first };
    const end = at + 1 + domainLength(run);
    if (end === at + 1 || isOther(text, start, at, end)) continue;
    found.push({ start: isEmphasis(text, start, end) ? start + 1 : start, end });
    next = end;
  }
  return { found, open: isEnd ? text.length : startOfOpen(text, next) };
}

/** @returns the begin of the local part that ends at `at`; undefined if `at` is in the middle of a longer run */
function startOfRun(text: string, at: number, from: number): number | undefined {
  let start = at;
  while (start > from && at - start <= localMax && isLocal(text.charCodeAt(start - 1))) start--;
  const isCut = at - start > localMax || (start > 0 && isLocal(text.charCodeAt(start - 1)));
  return isCut ? undefined : start;
}

/**
 * Skips quotes and other marks at the beginning.
 * @returns undefined if nothing is left, or the local part ends with a dot
 */
function startOfLocal(text: string, at: number, run: number): number | undefined {
  let start = run;
  while (start < at && !isAlphanumeric(text.charCodeAt(start)) && text.charAt(start) !== '_') start++;
  return start === at || text.charAt(at - 1) === '.' ? undefined : start;
}

/**
 * Only characters of scripts that separate words with blanks. In other scripts a whole sentence would be taken for a
 * local part.
 */
function isLocal(code: number): boolean {
  return code < 0x80 ? localCharacters.has(code) : code >= 0xc0 && code < 0xe00;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code < 58) || ((code | 32) >= 97 && (code | 32) < 123) || code >= 0x80;
}

/**
 * @returns the length of the domain at the beginning of a run of letters, digits, dots and hyphens; 0 if there is none
 */
function domainLength(run: string): number {
  let length = 0;
  let position = 0;
  for (const label of run.split('.')) {
    const top = position > 0 ? topLevel.exec(label)?.[0] : undefined;
    if (top !== undefined) length = position + top.length;
    if (!domainLabel.test(label)) break;
    position += label.length + 1;
  }
  return length;
}

/** Emphasis in Markdown. */
function isEmphasis(text: string, start: number, end: number): boolean {
  return text.charAt(start) === '_' && text.charAt(end) === '_';
}

function isOther(text: string, start: number, at: number, end: number): boolean {
  if (notDomain.test(text.slice(at + 1, end))) return true;
  if (text.slice(start, at) === 'git' && text.charAt(end) === ':') return true;
  return inUrl.test(text.slice(Math.max(0, start - 32), start));
}

/** The begin of the local part with which the text ends. */
function startOfOpen(text: string, from: number): number {
  let start = text.length;
  while (start > from && text.length - start < localMax && isLocal(text.charCodeAt(start - 1))) start--;
  return start;
}
