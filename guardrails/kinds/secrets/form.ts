// What a form of secret is: a literal that every one of them holds, and expressions around it. All expressions are anchored at a
// place (sticky), and each of their parts ends where the next begins, so that none reads a text twice: linear by construction.
import { alphabets, CharacterSet, isAlphabetName } from './alphabets.ts';
import { isRandom } from './likeness.ts';

export interface Form {
  readonly label: string;
  /** Text that stands in every secret of the form, in this case; what is looked for first. */
  readonly anchors: readonly string[];
  /** What stands directly before the anchor and belongs to it. Absent: no letter or digit stands there. */
  readonly lead?: Lead;
  /** From the beginning on. A group `secret`, where there is one, is what is found. Sticky, with indices. */
  readonly expression: RegExp;
  /** Matches from the beginning to the end of a text that goes on, if what follows may decide. Sticky. */
  readonly open: RegExp;
  /** Of a form that can be longer than a window: what of it is found by itself then. Sticky, with indices. */
  readonly head?: RegExp;
  /** What the expression cannot say: checksums, and whether it looks like chance. */
  verify?(secret: string): boolean;
  /** Of a form that is written: characters at most. */
  readonly length?: number;
}

/** A run of characters: no more of them, and nothing of `boundary`, stands before it. */
export interface Lead {
  readonly characters: CharacterSet;
  readonly boundary: CharacterSet;
  readonly min: number;
  readonly max: number;
}

/** The longest run of a lead. */
export const leadMax = 80;

export function lead(characters: string, [min, max]: readonly [number, number], boundary = characters): Lead {
  if (max > leadMax) throw new Error(`a lead of ${max} characters`);
  return { characters: new CharacterSet(characters), boundary: new CharacterSet(boundary), min, max };
}

/** The longest token without a form of its own; above those of all vendors but one, below a window. */
export const tokenMax = 400;

interface Token {
  readonly label: string;
  readonly anchors: readonly string[];
  /** As in brackets of a regular expression; one of them behind it, and it is none. */
  readonly characters: string;
  /** Characters that stand within it only. */
  readonly inner?: string;
  /** What follows the anchor, as an expression over the characters. */
  readonly rest: string;
  verify?(secret: string): boolean;
}

/** A token of one set of characters: it ends where another begins, and is open until then. */
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

type Part =
  | { readonly literal: string }
  | { readonly characters: string; readonly min: number; readonly max: number };

/** Of literal text at the beginning of a form, or behind its first part: with less it would be looked for everywhere. */
export const anchorMin = 2;
/** Of a longer one no more is looked for: the longest is what a stream asks for at its end. */
const anchorMax = 16;
const partExpression = /\{([A-Za-z0-9]+):(\d{1,4})(?:-(\d{1,4}))?\}|([^{}]+)/y;

export class InvalidFormError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidFormError';
  }
}

/**
 * A form as it is written in a table: literal text, and in braces of which characters ({@link alphabets}) how many follow:
 * `acme_{alnum:32}`, `{alnum:14}.acmev1.{base64url:60-70}`.
 * @param literalMin of the text that all have in common, at least
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
    throw new InvalidFormError(`at most ${leadMax} characters may stand before what all have in common`);
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

/** What follows a range can be of it: there would be many ways to read a text. */
function touches(part: Part, index: number, parts: readonly Part[]): boolean {
  const next = parts[index + 1];
  if (next === undefined || 'literal' in part || part.min === part.max) return false;
  return !('literal' in next) || new CharacterSet(part.characters).has(next.literal.charCodeAt(0));
}

function expressionOf(part: Part): string {
  if ('literal' in part) return RegExp.escape(part.literal);
  return `[${part.characters}]{${part.min},${part.max}}`;
}

/** All that may stand behind the anchor, in any order: more than the form, so that nothing that may become one leaves. */
function openOf(parts: readonly Part[]): string {
  const characters = parts.map((part) =>
    'literal' in part ? escapedInBrackets(part.literal) : part.characters,
  );
  const length = parts.reduce((sum, part) => sum + ('literal' in part ? part.literal.length : part.max), 0);
  return `[${[...characters, 'A-Za-z0-9'].join('')}]{0,${length + 1}}`;
}

function escapedInBrackets(text: string): string {
  return text.replace(
    /[^A-Za-z0-9]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function boundaryOf(characters: string): string {
  return characters === alphabets.digit || characters === alphabets.hex ? alphabets.alnum : characters;
}

/** Words with hyphens between them have neither digits nor capitals. */
function isMadeByChance(body: string, characters: string): boolean {
  if (characters.includes('A-Z') && !(body.length < 40 ? /[A-Z0-9]/ : /[0-9]/).test(body)) return false;
  return isRandom(body);
}

function bodyOf(secret: string, anchor: string): string {
  const at = secret.indexOf(anchor);
  return secret.slice(0, at) + secret.slice(at + anchor.length);
}
