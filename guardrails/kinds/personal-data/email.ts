// E-mail addresses as people write them (RFC 5322's dot-atom, international domains, a top-level domain of letters), not its quoted
// strings, comments and address literals.
import type { Span } from './number-type.ts';

export interface Emails {
  /** In the order of the text. */
  readonly found: readonly Span[];
  /** What starts here or later may yet become an address when text follows. */
  readonly open: number;
}

const localMax = 64;
const domainMax = 255;
/** In the text of an address before its "@", by their codes. */
const localCharacters = new Set(
  [..."!#$%&'*+-.?^_{|}~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((character) =>
    character.charCodeAt(0),
  ),
);

const domainRun = /[\p{L}\p{N}.-]{1,255}/uy;
const domainLabel = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
// Letters of scripts without blanks may follow right behind: what is ASCII ends where they begin.
const topLevel =
  /^(?:xn--[0-9A-Za-z-]{1,57}[0-9A-Za-z]|[A-Za-z]{2,24})(?![0-9A-Za-z]|-[0-9A-Za-z])|^[^\0-\x7f]{2,24}$/;
/** Pictures for dense screens, and what else is no domain. */
const notDomain = /^[1-9]x\.(?:png|jpe?g|gif|webp|svg|avif)$/i;
/** Names and passwords in URLs. */
const inUrl = /:\/\/(?:[^\s/@]{0,24}:)?$/;

/** @param from nothing starts before it */
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
    if (!isEnd && at + 1 + run.length === text.length && run.length < domainMax)
      return { found, open: first };
    const end = at + 1 + domainLength(run);
    if (end === at + 1 || isOther(text, start, at, end)) continue;
    found.push({ start: isEmphasis(text, start, end) ? start + 1 : start, end });
    next = end;
  }
  return { found, open: isEnd ? text.length : startOfOpen(text, next) };
}

/** @returns where the characters of a local part begin that end at `at`; undefined: in the middle of more of them */
function startOfRun(text: string, at: number, from: number): number | undefined {
  let start = at;
  while (start > from && at - start <= localMax && isLocal(text.charCodeAt(start - 1))) start--;
  const isCut = at - start > localMax || (start > 0 && isLocal(text.charCodeAt(start - 1)));
  return isCut ? undefined : start;
}

/** Without quotes and other marks before it. @returns undefined: nothing is left, or it ends with a dot */
function startOfLocal(text: string, at: number, run: number): number | undefined {
  let start = run;
  while (start < at && !isAlphanumeric(text.charCodeAt(start)) && text.charAt(start) !== '_') start++;
  return start === at || text.charAt(at - 1) === '.' ? undefined : start;
}

/** Characters of scripts that part words by blanks; of others a sentence would be taken for a name. */
function isLocal(code: number): boolean {
  return code < 0x80 ? localCharacters.has(code) : code >= 0xc0 && code < 0xe00;
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code < 58) || ((code | 32) >= 97 && (code | 32) < 123) || code >= 0x80;
}

/** @returns how much of a run of letters, digits, dots and hyphens is a domain; 0: nothing */
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

/** Markdown. */
function isEmphasis(text: string, start: number, end: number): boolean {
  return text.charAt(start) === '_' && text.charAt(end) === '_';
}

function isOther(text: string, start: number, at: number, end: number): boolean {
  if (notDomain.test(text.slice(at + 1, end))) return true;
  if (text.slice(start, at) === 'git' && text.charAt(end) === ':') return true;
  return inUrl.test(text.slice(Math.max(0, start - 32), start));
}

/** Where the local part begins that the text ends with. */
function startOfOpen(text: string, from: number): number {
  let start = text.length;
  while (start > from && text.length - start < localMax && isLocal(text.charCodeAt(start - 1))) start--;
  return start;
}
