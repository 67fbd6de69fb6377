// Describes where a body contains text, and how each text may be changed. A field that the schema does not name is
// inspected, including its name, so that an unknown field is never skipped. A body is never modified: a change copies
// the objects on the way to it, and without a change the same body is returned.
import { isUtf8 } from 'node:buffer';
import { isNumber, type JsonNumber, plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { plainBase64 } from '../../common/plain-base64.ts';
import type { RequestField } from '../../proto/words/guardrails.ts';
import { mapJsonText, spellingsOf } from './json-text.ts';

export interface TextLocation {
  /**
   * How a string at this location is treated.
   * text: it is inspected and may be rewritten.
   * fixed: it is inspected; a match that would have to be rewritten blocks, because a placeholder would break the
   * string.
   * json: it is JSON text; each value in it is text.
   * document: it is a data URL; if it contains text, that text is inspected, otherwise it is exempt.
   * file: the same for base64 without the head of a data URL.
   * exempt: it is not inspected.
   * Whole numbers are treated as fixed, unless exempt.
   */
  readonly strings: 'text' | 'fixed' | 'json' | 'document' | 'file' | 'exempt';
  /** Reason for an exemption or a fixed string. */
  readonly why?: string;
  /** If set, only strings of this form are exempt; all others are text. */
  readonly isExempt?: (text: string) => boolean;
  /** Everything below this location is exempt too. */
  readonly deep?: boolean;
  /** Locations in an object, by name. For a list, the location applies to each item. */
  readonly fields?: Readonly<Record<string, TextLocation>>;
  /** Location for all other names. */
  readonly others?: TextLocation;
  /** The location of an object whose other fields decide how one of them is treated. */
  readonly of?: (value: JsonObject) => TextLocation;
  /** An object here is a conversation turn of its own, or part of one turn with adjacent objects of the same role. */
  readonly turn?: 'own' | 'by role';
  /** Text here is inspected joined with the other text of its turn. */
  readonly joins?: boolean;
  /** Inspected only by guardrails that request one of these fields, because the model does not see it. */
  readonly only?: readonly RequestField[];
  /** The fields by which guardrails request it, if the format has them under another name. */
  readonly requestedBy?: readonly RequestField[];
}

/** One string of a body. */
export interface Slot {
  readonly text: string;
  readonly isFixed: boolean;
  /** Strings of the same JSON text share a number; every other string has its own. */
  readonly group: number;
  /** The string is inspected joined with the others of this turn. */
  readonly turn?: number;
  /** Inspected only by guardrails that request one of these fields. */
  readonly only?: readonly RequestField[];
  /** For a text that may arrive in pieces: its location, the same for all pieces. Only if requested. */
  readonly path?: string;
  /** Only if requested. */
  readonly where?: Where;
}

/** Location of a string in a body. */
export interface Where {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  /** The string is the name of the member that the pointer refers to. */
  readonly inName?: true;
  /** The pointer refers to JSON text, and the string is a string, name or number inside it. */
  readonly isInner?: true;
}

/** The body is nested deeper than any legitimate one. */
export class TooDeepError extends Error {}

export const anything: TextLocation = { strings: 'text' };
export const text = anything;
export const joined: TextLocation = { strings: 'text', joins: true };
export const json: TextLocation = { strings: 'json' };
export const fixed = (why: string): TextLocation => ({ strings: 'fixed', why });
export const exempt = (why: string, isExempt?: (text: string) => boolean): TextLocation => ({
  strings: 'exempt',
  why,
  ...(isExempt && { isExempt }),
});
/** A data URL, whose content is inspected if it is text. */
export const document = (why: string, isExempt: (text: string) => boolean): TextLocation => ({
  strings: 'document',
  why,
  isExempt,
});
/** Base64 of a file, whose content is inspected if it is text. */
export const file = (why: string, isExempt: (text: string) => boolean): TextLocation => ({
  strings: 'file',
  why,
  isExempt,
});
/** Exempt together with everything below it. */
export const unseen = (why: string): TextLocation => ({ strings: 'exempt', why, deep: true });
export const fields = (named: Readonly<Record<string, TextLocation>>): TextLocation => ({
  strings: 'text',
  fields: named,
});

/**
 * @returns all strings of a body that are inspected, in order
 * @throws TooDeepError
 */
export function slotsOf(body: unknown, location: TextLocation): Slot[] {
  const slots: Slot[] = [];
  new Walk((slot) => {
    slots.push(slot);
    return slot.text;
  }).value(body, location);
  return slots;
}

/** @param texts the new texts of all strings, in order */
export function withTexts(body: unknown, location: TextLocation, texts: readonly string[]): unknown {
  let index = 0;
  return new Walk((slot) => texts[index++] ?? slot.text).value(body, location);
}

/** @param put returns the new text of a string @returns the same body if no text changes */
export function mapTexts(body: unknown, location: TextLocation, put: (slot: Slot) => string): unknown {
  return new Walk(put).value(body, location);
}

/**
 * Like {@link mapTexts}, with the path of each text that is a string of its own: not a name, a number, a file or a
 * value inside JSON text.
 */
export function mapPaths(body: unknown, location: TextLocation, put: (slot: Slot) => string): unknown {
  return new Walk(put, []).value(body, location);
}

/** Like {@link slotsOf}, with the location of each string. @throws TooDeepError */
export function placedSlotsOf(body: unknown, location: TextLocation): Slot[] {
  const slots: Slot[] = [];
  const put = (slot: Slot) => {
    slots.push(slot);
    return slot.text;
  };
  new Walk(put, undefined, []).value(body, location);
  return slots;
}

const depthMax = 1000;
const withoutFields: Readonly<Record<string, TextLocation>> = {};

class Walk {
  readonly #put: (slot: Slot) => string;
  #depth = 0;
  #groups = 0;
  readonly #turns = new TurnLocations();
  /** The path from the body to the current location, if requested. */
  readonly #path: string[] | undefined;
  /** The same path for a JSON pointer, if requested. */
  readonly #at: string[] | undefined;
  #only: readonly RequestField[] | undefined;

  constructor(put: (slot: Slot) => string, path?: string[], at?: string[]) {
    this.#put = put;
    this.#path = path;
    this.#at = at;
  }

  value(value: unknown, location: TextLocation): unknown {
    if (location.only === undefined) return this.#value(value, location);
    this.#only = location.only;
    const put = this.#value(value, location);
    this.#only = undefined;
    return put;
  }

  #value(value: unknown, location: TextLocation): unknown {
    if (typeof value === 'string') return this.#string(value, location);
    if (isNumber(value)) return this.#number(value, location);
    if (typeof value !== 'object' || value === null || location.deep === true) return value;
    if (++this.#depth > depthMax) throw new TooDeepError();
    const put = isObject(value) ? this.#object(value, location.of?.(value) ?? location) : this.#list(value, location);
    this.#depth--;
    return put;
  }

  #string(value: string, location: TextLocation): string {
    const mapFile = fileMaps.get(location.strings);
    if (mapFile !== undefined) {
      const group = ++this.#groups;
      const put = mapFile(value, (text) => this.#text(text, { group }));
      if (put !== undefined) return put;
    }
    const mayBeExempt = location.strings === 'exempt' || mapFile !== undefined;
    if (mayBeExempt && location.isExempt?.(value) !== false) return value;
    if (location.strings === 'fixed') return this.#fixed(value);
    const group = ++this.#groups;
    if (location.strings === 'json')
      return mapJsonText(value, (part) => this.#text(part, { group, ...this.#where({ isInner: true }) }));
    const path = this.#path && { path: JSON.stringify(this.#path) };
    const turn = location.joins === true ? { turn: this.#turns.current } : undefined;
    return this.#text(value, path || turn ? { group, ...turn, ...path } : { group });
  }

  /** Inspects a number as written and with all its digits, because a model reads `4.1e15` as the same number. */
  #number(value: JsonNumber, location: TextLocation): JsonNumber {
    if (location.strings !== 'exempt') for (const spelling of spellingsOf(value)) this.#fixed(spelling);
    return value;
  }

  #list(values: object, location: TextLocation): unknown {
    if (!Array.isArray(values)) return values;
    let put: unknown[] | undefined;
    for (const [index, value] of values.entries()) {
      this.#path?.push(numberOf(value, index));
      this.#at?.push(String(index));
      const one = this.value(value, location);
      this.#path?.pop();
      this.#at?.pop();
      if (one === value) continue;
      put ??= [...values];
      put[index] = one;
    }
    return put ?? values;
  }

  #object(value: JsonObject, { fields: known = withoutFields, others = anything, turn }: TextLocation): JsonObject {
    if (turn === 'own') this.#turns.begin();
    else if (turn === 'by role') this.#turns.next(value.role);
    let put: Map<string, unknown> | undefined;
    for (const name of Object.keys(value)) {
      const location = Object.hasOwn(known, name) ? known[name] : undefined;
      this.#path?.push(name);
      this.#at?.push(name);
      if (location === undefined) this.#fixed(name, { inName: true });
      const one = this.value(value[name], location ?? others);
      this.#path?.pop();
      this.#at?.pop();
      if (one === value[name]) continue;
      put ??= new Map(Object.entries(value));
      put.set(name, one);
    }
    // Built from entries, because an assignment to `__proto__` would lose the member.
    return put === undefined ? value : Object.fromEntries(put);
  }

  #text(value: string, of: Pick<Slot, 'group' | 'turn' | 'path' | 'where'>): string {
    if (value === '') return value;
    return this.#put({ text: value, isFixed: false, ...this.#where(), ...of, ...this.#isOnly() });
  }

  #fixed(value: string, of?: Pick<Where, 'inName'>): string {
    const fixed = { text: value, isFixed: true, ...this.#where(of), ...this.#isOnly() };
    if (value !== '') this.#put({ ...fixed, group: ++this.#groups });
    return value;
  }

  #where(of?: Partial<Where>): Pick<Slot, 'where'> | undefined {
    return this.#at && { where: { pointer: pointerOf(this.#at), ...of } };
  }

  #isOnly(): Pick<Slot, 'only'> | undefined {
    return this.#only && { only: this.#only };
  }
}

function pointerOf(path: readonly string[]): string {
  return path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/**
 * The index of a list part. A part's own `index` takes precedence, so that each chunk of a stream has the same path.
 */
function numberOf(part: unknown, at: number): string {
  const index = isObject(part) ? plainNumber(part.index) : undefined;
  return String(index ?? at);
}

/**
 * Assigns texts to conversation turns. Consecutive messages of one role are one turn, because models read them as one
 * text. All system messages are one turn, wherever they are, and do not separate the messages around them, because some
 * vendors receive all system text before the rest.
 */
class TurnLocations {
  #last: unknown;
  #turn = 1;
  #current = 1;

  get current(): number {
    return this.#current;
  }

  begin(): void {
    this.#last = undefined;
    this.#current = ++this.#turn;
  }

  next(role: unknown): void {
    const side = sides.get(role) ?? role;
    if (side !== 'system' && side !== this.#last) {
      this.#turn++;
      this.#last = side;
    }
    this.#current = side === 'system' ? systemTurn : this.#turn;
  }
}

const systemTurn = 0;
const sides: ReadonlyMap<unknown, string> = new Map([
  ['developer', 'system'],
  ['function', 'tool'],
]);

/** SVG is a picture written as text, so it is inspected. */
const unopened = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$)/i;

/**
 * Inspects files in data URLs: `data:text/plain;base64,…` and similar. Models read them like any text, so they are
 * inspected; a changed text is encoded again. All UTF-8 content is opened, because each vendor has its own list of
 * types that it reads as text. Pictures, audio, video and PDF files are not opened; office documents and archives are
 * not UTF-8.
 * @param put returns the new text of the file
 * @returns the same data URL if the text does not change; undefined if the content is not UTF-8 text
 */
function mapDocumentText(dataUrl: string, put: (text: string) => string): string | undefined {
  if (!/^data:/i.test(dataUrl)) return undefined;
  const comma = dataUrl.indexOf(',');
  const [mediaType = '', ...parameters] = dataUrl.slice('data:'.length, Math.max(comma, 0)).split(';');
  if (unopened.test(mediaType.trim()) || !/^\s*base64\s*$/i.test(parameters.at(-1) ?? '')) return undefined;
  const data = mapBase64Text(dataUrl.slice(comma + 1), put);
  return data === undefined ? undefined : dataUrl.slice(0, comma + 1) + data;
}

/** Like {@link mapDocumentText}, for base64 alone. */
function mapBase64Text(encoded: string, put: (text: string) => string): string | undefined {
  const base64 = plainBase64(encoded);
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  const left = put(text);
  return left === text ? encoded : Buffer.from(left).toString('base64');
}

/** How the text of a file is inspected, where a location may have one. */
const fileMaps: ReadonlyMap<TextLocation['strings'], typeof mapBase64Text> = new Map([
  ['document', mapDocumentText],
  ['file', mapBase64Text],
]);
