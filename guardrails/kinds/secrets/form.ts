// The form of a secret: a literal that every such secret contains, and expressions around it. All expressions are
// anchored at a position (sticky), and each of their parts ends where the next begins, so that none reads a text twice:
// linear by construction.
import { alphabets, CharacterSet, isAlphabetName } from './alphabets.ts';
import { isRandom } from './likeness.ts';

export interface Form {
  readonly label: string;
  /** Text that every secret of the form contains, in exact case; it is searched first. */
  readonly anchors: readonly string[];
  /**
   * Characters directly before the anchor that belong to the secret. Absent: no letter or digit may precede the anchor.
   */
  readonly lead?: Lead;
  /**
   * Matches from the begin of the secret. If there is a group `secret`, that group is the match. Sticky, with indices.
   */
  readonly expression: RegExp;
  /** Matches from the begin to the end of an incomplete text if later text may decide. Sticky. */
  readonly open: RegExp;
  /** For a form that can be longer than a window: the part that is found alone then. Sticky, with indices. */
  readonly head?: RegExp;
  /** Checks that the expression cannot express: checksums, and whether the text looks random. */
  verify?(secret: string): boolean;
  /** For a form in table syntax: maximum of characters. */
  readonly length?: number;
}

/** A run of characters before the anchor. Neither more of them nor a character of `boundary` precedes the run. */
export interface Lead {
  readonly characters: CharacterSet;
  readonly boundary: CharacterSet;
  readonly min: number;
  readonly max: number;
}

/** Maximum length of a lead. */
export const leadMax = 80;

export function lead(characters: string, [min, max]: readonly [number, number], boundary = characters): Lead {
  if (max > leadMax) throw new Error(`a lead of ${max} characters`);
  return { characters: new CharacterSet(characters), boundary: new CharacterSet(boundary), min, max };
}

/** Maximum length of a token without its own form: longer than all vendors' tokens but one, shorter than a window. */
export const tokenMax = 400;

interface Token {
  readonly label: string;
  readonly anchors: readonly string[];
  /** In the syntax of a regular expression's brackets. If another of these characters follows, it is not a token. */
  readonly characters: string;
  /** Characters that occur only inside the token. */
  readonly inner?: string;
  /** The part after the anchor, as an expression over the characters. */
  readonly rest: string;
  verify?(secret: string): boolean;
}

/** A token of one character set. It ends at the first other character and is open until then. */
export function token({ label, anchors, characters, inner = '', rest, verify }: Token): Form {
  const anchor = `(?:${anchors.map((text) => RegExp.escape(text)).join('|')})`;
  return {
    label,
    anchors,
    expression: new RegExp(`${anchor}${rest}(?![${characters}])`, 'dy'),
    open: new RegExp(`${anchor}[${inner}${characters}]{0,${tokenMax}}$`, 'y'),
    ...(verify && { verify }),
  };
}

type Part = { readonly literal: string } | { readonly characters: string; readonly min: number; readonly max: number };

/**
 * Minimum of literal text at the beginning of a form or after its first part. With less, it would be searched
 * everywhere.
 */
export const anchorMin = 2;
/** Only this much of a longer literal is searched, because a stream must hold back the longest literal at its end. */
const anchorMax = 16;
const partExpression = /\{([A-Za-z0-9]+):(\d{1,4})(?:-(\d{1,4}))?\}|([^{}]+)/y;

export class InvalidFormError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidFormError';
  }
}

/**
 * A form in table syntax: literal text, and in braces an alphabet ({@link alphabets}) and how many of its characters
 * follow: `acme_{alnum:32}`, `{alnum:14}.acmev1.{base64url:60-70}`.
 * @param literalMin minimum of literal text that all secrets of the form share
 * @throws InvalidFormError
 */
export function writtenForm(label: string, form: string, literalMin = anchorMin): Form {
  const parts = partsOf(form);
  const [first, second] = parts;
  const before = first !== undefined && 'characters' in first ? first : undefined;
  const anchorPart = before === undefined ? first : second;
  if (anchorPart === undefined || !('literal' in anchorPart) || anchorPart.literal.length < literalMin) {
    throw new InvalidFormError(`must begin with at least ${literalMin} characters that all have in common`);
  }
  if (before !== undefined && before.max > leadMax)
    throw new InvalidFormError(`at most ${leadMax} characters may precede the text that all have in common`);
  const last = parts.at(-1);
  const ending = last !== undefined && 'characters' in last ? last.characters : alphabets.alnum;
  const anchor = anchorPart.literal;
  const begun = anchor.slice(0, anchorMax);
  const behind = before === undefined ? 0 : 1;
  const rest = [{ literal: anchor.slice(anchorMax) }, ...parts.slice(behind + 1)];
  return {
    label,
    anchors: [begun],
    ...(before && { lead: lead(before.characters, [before.min, before.max], boundaryOf(before.characters)) }),
    expression: new RegExp(`${parts.map(expressionOf).join('')}(?![${ending}A-Za-z0-9])`, 'dy'),
    open: new RegExp(
      `${parts.slice(0, behind).map(expressionOf).join('')}${RegExp.escape(begun)}${openOf(rest)}$`,
      'y',
    ),
    verify: (secret) => isMadeByChance(bodyOf(secret, anchor), ending),
    length: parts.reduce((sum, part) => sum + ('literal' in part ? part.literal.length : part.max), 0),
  };
}

function partsOf(form: string): readonly Part[] {
  const parts: Part[] = [];
  let length = 0;
  partExpression.lastIndex = 0;
  for (let at = 0; at < form.length; at = partExpression.lastIndex) {
    const [, name, min = '', max = min, literal] = partExpression.exec(form) ?? [];
    if (literal !== undefined) parts.push({ literal });
    else if (name === undefined || !isAlphabetName(name)) throw new InvalidFormError(unreadable);
    else parts.push({ characters: alphabets[name], min: Number(min), max: Number(max) });
    length += literal?.length ?? Number(max);
    if (literal === undefined && (Number(min) < 1 || Number(min) > Number(max)))
      throw new InvalidFormError('must name numbers of characters from 1, the lesser one first');
  }
  if (parts.some(touches)) throw new InvalidFormError(touching);
  if (length > tokenMax) throw new InvalidFormError(`must not be longer than ${tokenMax} characters`);
  const bodies = parts.reduce((sum, part) => sum + ('min' in part ? part.min : 0), 0);
  if (bodies < bodyMin) throw new InvalidFormError(`must have at least ${bodyMin} characters made by chance`);
  return parts;
}

const bodyMin = 12;
const unreadable = `must be text and, in braces, characters and their number, such as acme_{alnum:32}; characters are ${Object.keys(alphabets).join(', ')}`;

const touching =
  'may have a range such as {alnum:20-40} only at its end or before text that begins with another character';

/** Whether the text after a range could also be part of it. There would be many ways to match. */
function touches(part: Part, index: number, parts: readonly Part[]): boolean {
  const next = parts[index + 1];
  if (next === undefined || 'literal' in part || part.min === part.max) return false;
  return !('literal' in next) || new CharacterSet(part.characters).has(next.literal.charCodeAt(0));
}

function expressionOf(part: Part): string {
  if ('literal' in part) return RegExp.escape(part.literal);
  return `[${part.characters}]{${part.min},${part.max}}`;
}

/**
 * All characters that may follow the anchor, in any order. This is more than the form allows, so that nothing that may
 * become a secret is released.
 */
function openOf(parts: readonly Part[]): string {
  const characters = parts.map((part) => ('literal' in part ? escapedInBrackets(part.literal) : part.characters));
  const length = parts.reduce((sum, part) => sum + ('literal' in part ? part.literal.length : part.max), 0);
  return `[${[...characters, 'A-Za-z0-9'].join('')}]{0,${length + 1}}`;
}

function escapedInBrackets(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function boundaryOf(characters: string): string {
  return characters === alphabets.digit || characters === alphabets.hex ? alphabets.alnum : characters;
}

/** Hyphenated words have neither digits nor capitals. */
function isMadeByChance(body: string, characters: string): boolean {
  if (characters.includes('A-Z') && !(body.length < 40 ? /[A-Z0-9]/ : /[0-9]/).test(body)) return false;
  return isRandom(body);
}

function bodyOf(secret: string, anchor: string): string {
  const at = secret.indexOf(anchor);
  return secret.slice(0, at) + secret.slice(at + anchor.length);
}
