// Decodes escapes: of JSON and source code (`\n`, `\u0041`, `\"`, also JSON nested in JSON), of URLs (`%40`) and of
// HTML (`&#64;`). People and models read the character, so guardrails do too. An escape is recognized without its
// surroundings, so that a text may arrive in pieces.

/** JSON in JSON in JSON writes a line end with four backslashes. */
const backslashes = '\\\\{1,8}';
const hex = '[0-9A-Fa-f]';
/** A continuation byte of UTF-8. */
const further = `%[89abAB]${hex}`;
const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  commat: '@',
  period: '.',
  colon: ':',
  sol: '/',
  num: '#',
  plus: '+',
  lpar: '(',
  rpar: ')',
  lowbar: '_',
  hyphen: '-',
  dash: '-',
  ndash: '-',
  mdash: '-',
  minus: '-',
  shy: '',
  zwj: '',
  zwnj: '',
  Tab: ' ',
  NewLine: '\n',
};

const anyEscape = [
  `${backslashes}(?:["/bfnrt]|u[dD][89abAB]${hex}{2}${backslashes}u[dD][c-fC-F]${hex}{2}|u${hex}{4})`,
  `%(?:0[9aAdD]|[2-7]${hex})`,
  // UTF-8.
  `%(?:[cC][2-9a-fA-F]|[dD]${hex})${further}|%[eE]${hex}(?:${further}){2}|%[fF][0-4](?:${further}){3}`,
  `&(?:#\\d{1,7}|#[xX]${hex}{1,6}|${Object.keys(names).join('|')});`,
].join('|');

/** Maximum length of an escape in UTF-16 units: a surrogate pair in the deepest JSON. */
export const escapeMax = 26;
const begun = new RegExp(
  `(?:${backslashes}(?:u${hex}{0,3}|u[dD][89abAB]${hex}{2}(?:${backslashes}(?:u${hex}{0,3})?)?)?|%${hex}?|%[c-fC-F]${hex}(?:${further}){0,2}(?:%[89abAB]?)?|&[#0-9A-Za-z]{0,14})$`,
);

/** A cheap first check; most texts contain none of these characters. */
const mayBeEscape = /[\\%&]/;

export interface Escape {
  readonly start: number;
  readonly end: number;
  /** The decoded text; may be empty. */
  readonly read: string;
}

/** In the order of the text. */
export function escapesOf(text: string): readonly Escape[] {
  if (!mayBeEscape.test(text)) return none;
  const escapes: Escape[] = [];
  beginning.lastIndex = 0;
  while (beginning.test(text)) {
    const start = beginning.lastIndex - 1;
    const found = escapeAt(text, start);
    if (found === undefined) continue;
    escapes.push(found);
    beginning.lastIndex = found.end;
  }
  return escapes;
}

/** @param start position of a character with which escapes begin */
function escapeAt(text: string, start: number): Escape | undefined {
  const common = text.charCodeAt(start) === backslash ? single[text.charAt(start + 1)] : undefined;
  if (common !== undefined) return { start, end: start + 2, read: common };
  expression.lastIndex = start;
  const written = expression.exec(text)?.[0];
  return written === undefined ? undefined : { start, end: start + written.length, read: readOf(written) };
}

const none: readonly Escape[] = [];
const expression = new RegExp(anyEscape, 'y');
const beginning = new RegExp(mayBeEscape, 'g');
const backslash = 0x5c;

/**
 * Where an incomplete escape at the end of the text begins, which later text may complete; the text's length if there
 * is none.
 */
export function escapeBegun(text: string): number {
  if (!mayBeEscape.test(text)) return text.length;
  const from = Math.max(0, text.length - escapeMax);
  const end = text.slice(from);
  const at = end.search(begun);
  return at === -1 ? text.length : from + at;
}

function readOf(written: string): string {
  if (written.startsWith('%')) return readOfBytes(written);
  if (written.startsWith('&')) return readOfHtml(written.slice(1, -1));
  const letters = written.replaceAll('\\', '');
  if (letters.startsWith('u'))
    return letters
      .slice(1)
      .split('u')
      .map((code) => String.fromCharCode(Number.parseInt(code, 16)))
      .join('');
  return single[letters] ?? letters;
}

/** @returns U+FFFD for bytes that are not UTF-8 */
function readOfBytes(written: string): string {
  if (written.length === 3) return String.fromCharCode(Number.parseInt(written.slice(1), 16));
  return Buffer.from(written.replaceAll('%', ''), 'hex').toString();
}

function readOfHtml(name: string): string {
  if (!name.startsWith('#')) return names[name] ?? '';
  const isHex = /^#x/i.test(name);
  const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Escapes that move the cursor become a blank, because words end there. */
const single: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: ' ',
  f: '\n',
  '"': '"',
  '/': '/',
};

/** Tests whether a position is inside an escape. A replacement from such a position would leave half of the escape. */
export interface EscapeBounds {
  /** The begin of the escape that contains the position; the position itself if no escape does. */
  startAt(position: number): number;
  endAt(position: number): number;
}

export function escapeBounds(text: string): EscapeBounds {
  const around = (position: number) => {
    const from = Math.max(0, position - escapeMax);
    for (const { start, end } of escapesOf(text.slice(from, position + escapeMax)))
      if (from + start < position && from + end > position) return { start: from + start, end: from + end };
    return undefined;
  };
  return {
    startAt: (position) => around(position)?.start ?? position,
    endAt: (position) => around(position)?.end ?? position,
  };
}
