// Where text stands in a body, and what may become of it there. Whatever a table of places does not name is inspected, its names
// too, so that a field nobody thought of is inspected rather than skipped. A body is never changed: what is rewritten is a copy
// along the way to it, and the very same body where nothing is.
import { isUtf8 } from 'node:buffer';
import { isNumber, type JsonNumber, plainNumber } from '../../common/exact-number.ts';
import { isObject, type JsonObject } from '../../common/json.ts';
import { plainBase64 } from '../../common/plain-base64.ts';
import type { RequestField } from '../../proto/words/guardrails.ts';
import { mapJsonText, spellingsOf } from './json-text.ts';

export interface Place {
  /**
   * What becomes of a string here: text is inspected and may be rewritten; fixed is inspected, and what would have to be rewritten
   * blocks, because a placeholder would break it; json is JSON text, of which each value is text; a document is a data URL, whose
   * text is text where it holds one, and which is exempt else; exempt is not inspected.
   * Whole numbers are inspected as fixed, unless exempt.
   */
  readonly strings: 'text' | 'fixed' | 'json' | 'document' | 'exempt';
  /** Of an exemption and of what is fixed. */
  readonly why?: string;
  /** Only strings of this form are exempt; others are text. */
  readonly isExempt?: (text: string) => boolean;
  /** Whatever stands below is exempt too. */
  readonly deep?: boolean;
  /** What stands in an object here, by name; a list has its place in each item. */
  readonly fields?: Readonly<Record<string, Place>>;
  /** What stands under any other name. */
  readonly others?: Place;
  /** An object here is a turn of its own, or one together with those of the same role beside it. */
  readonly turn?: 'own' | 'by role';
  /** Text here is inspected joined with that of its turn. */
  readonly joins?: boolean;
  /** Inspected by those guardrails alone that ask for it: the model does not see it. */
  readonly only?: RequestField;
}

/** One string of a body. */
export interface Slot {
  readonly text: string;
  readonly isFixed: boolean;
  /** Strings of one JSON text have one number, all others one of their own. */
  readonly group: number;
  /** Inspected joined with those of the same turn. */
  readonly turn?: number;
  /** Inspected by those guardrails alone that ask for this field. */
  readonly only?: RequestField;
  /** Of a text that may come in pieces: where it stands, the same for all its pieces. Where it was asked for. */
  readonly path?: string;
  /** Where it was asked for. */
  readonly where?: Where;
}

/** Where a string of a body stands. */
export interface Where {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  /** The name of what the pointer leads to. */
  readonly inName?: true;
  /** What the pointer leads to is JSON text: a string, name or number within it. */
  readonly isInner?: true;
}

/** Deeper than anything that is meant to be read. */
export class TooDeepError extends Error {}

export const anything: Place = { strings: 'text' };
export const text = anything;
export const joined: Place = { strings: 'text', joins: true };
export const json: Place = { strings: 'json' };
export const fixed = (why: string): Place => ({ strings: 'fixed', why });
export const exempt = (why: string, isExempt?: (text: string) => boolean): Place => ({
  strings: 'exempt',
  why,
  ...(isExempt && { isExempt }),
});
/** A data URL whose text is inspected where it holds one. */
export const document = (why: string, isExempt: (text: string) => boolean): Place => ({
  strings: 'document',
  why,
  isExempt,
});
/** With all that stands below. */
export const unseen = (why: string): Place => ({ strings: 'exempt', why, deep: true });
export const fields = (named: Readonly<Record<string, Place>>): Place => ({ strings: 'text', fields: named });

/** @returns all strings of a body that are inspected, in its order. @throws TooDeepError */
export function slotsOf(body: unknown, place: Place): Slot[] {
  const slots: Slot[] = [];
  new Walk((slot) => {
    slots.push(slot);
    return slot.text;
  }).value(body, place);
  return slots;
}

/** @param texts in place of each slot's, in their order */
export function withTexts(body: unknown, place: Place, texts: readonly string[]): unknown {
  let index = 0;
  return new Walk((slot) => texts[index++] ?? slot.text).value(body, place);
}

/** @param put what stands in place of a slot's text. @returns the very same body where that is the same everywhere */
export function mapTexts(body: unknown, place: Place, put: (slot: Slot) => string): unknown {
  return new Walk(put).value(body, place);
}

/** As {@link mapTexts}, with the path of each text that is one by itself: no name, no number, no file, no value within JSON text. */
export function mapPaths(body: unknown, place: Place, put: (slot: Slot) => string): unknown {
  return new Walk(put, []).value(body, place);
}

/** As {@link slotsOf}, with where each stands. @throws TooDeepError */
export function placedSlotsOf(body: unknown, place: Place): Slot[] {
  const slots: Slot[] = [];
  const put = (slot: Slot) => {
    slots.push(slot);
    return slot.text;
  };
  new Walk(put, undefined, []).value(body, place);
  return slots;
}

const depthMax = 1000;
const withoutFields: Readonly<Record<string, Place>> = {};

class Walk {
  readonly #put: (slot: Slot) => string;
  #depth = 0;
  #groups = 0;
  readonly #turns = new Turns();
  /** From the body to where the walk is, where somebody asks. */
  readonly #path: string[] | undefined;
  /** The same as a pointer has it, where somebody asks. */
  readonly #at: string[] | undefined;
  #only: RequestField | undefined;

  constructor(put: (slot: Slot) => string, path?: string[], at?: string[]) {
    this.#put = put;
    this.#path = path;
    this.#at = at;
  }

  value(value: unknown, place: Place): unknown {
    if (place.only === undefined) return this.#value(value, place);
    this.#only = place.only;
    const put = this.#value(value, place);
    this.#only = undefined;
    return put;
  }

  #value(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.#string(value, place);
    if (isNumber(value)) return this.#number(value, place);
    if (typeof value !== 'object' || value === null || place.deep === true) return value;
    if (++this.#depth > depthMax) throw new TooDeepError();
    const put = isObject(value) ? this.#object(value, place) : this.#list(value, place);
    this.#depth--;
    return put;
  }

  #string(value: string, place: Place): string {
    if (place.strings === 'document') {
      const group = ++this.#groups;
      const put = mapDocumentText(value, (text) => this.#text(text, { group }));
      if (put !== undefined) return put;
    }
    const mayBeExempt = place.strings === 'exempt' || place.strings === 'document';
    if (mayBeExempt && place.isExempt?.(value) !== false) return value;
    if (place.strings === 'fixed') return this.#fixed(value);
    const group = ++this.#groups;
    if (place.strings === 'json')
      return mapJsonText(value, (part) => this.#text(part, { group, ...this.#where({ isInner: true }) }));
    const path = this.#path && { path: JSON.stringify(this.#path) };
    const turn = place.joins === true ? { turn: this.#turns.current } : undefined;
    return this.#text(value, path || turn ? { group, ...turn, ...path } : { group });
  }

  /** As it is written, and with all its digits: a model reads `4.1e15` as the same number. */
  #number(value: JsonNumber, place: Place): JsonNumber {
    if (place.strings !== 'exempt') for (const spelling of spellingsOf(value)) this.#fixed(spelling);
    return value;
  }

  #list(values: object, place: Place): unknown {
    if (!Array.isArray(values)) return values;
    let put: unknown[] | undefined;
    for (const [index, value] of values.entries()) {
      this.#path?.push(numberOf(value, index));
      this.#at?.push(String(index));
      const one = this.value(value, place);
      this.#path?.pop();
      this.#at?.pop();
      if (one === value) continue;
      put ??= [...values];
      put[index] = one;
    }
    return put ?? values;
  }

  #object(value: JsonObject, { fields: known = withoutFields, others = anything, turn }: Place): JsonObject {
    if (turn === 'own') this.#turns.begin();
    else if (turn === 'by role') this.#turns.next(value.role);
    let put: Map<string, unknown> | undefined;
    for (const name of Object.keys(value)) {
      const place = Object.hasOwn(known, name) ? known[name] : undefined;
      this.#path?.push(name);
      this.#at?.push(name);
      if (place === undefined) this.#fixed(name, { inName: true });
      const one = this.value(value[name], place ?? others);
      this.#path?.pop();
      this.#at?.pop();
      if (one === value[name]) continue;
      put ??= new Map(Object.entries(value));
      put.set(name, one);
    }
    // By entries: an assignment to `__proto__` would lose it.
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

/** A part of a list says which one it is, wherever a chunk has it. */
function numberOf(part: unknown, at: number): string {
  const index = isObject(part) ? plainNumber(part.index) : undefined;
  return String(index ?? at);
}

/**
 * Whose turn it is: messages that follow each other in one role are one turn, because models read them as one text. What the system
 * says is one turn wherever it stands, and parts nobody's turn from itself: some vendors get all of it in front of the others.
 */
class Turns {
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

/** SVG is a picture in words. */
const unopened = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$)/i;

/**
 * Texts that come as files: `data:text/plain;base64,…` and the like. Models read them as they read any text, so they are inspected as
 * such; what is replaced in them is encoded again. Whatever is text in UTF-8 is opened, because each vendor has a list of its own of
 * types that it reads as text; pictures, sounds and PDF files are not, and office documents and archives are no UTF-8.
 * @param put what stands in place of the file's text
 * @returns the very same data URL where that is the same; undefined for what is no text in UTF-8
 */
function mapDocumentText(dataUrl: string, put: (text: string) => string): string | undefined {
  if (!/^data:/i.test(dataUrl)) return undefined;
  const comma = dataUrl.indexOf(',');
  const [mediaType = '', ...parameters] = dataUrl.slice('data:'.length, Math.max(comma, 0)).split(';');
  if (unopened.test(mediaType.trim()) || !/^\s*base64\s*$/i.test(parameters.at(-1) ?? '')) return undefined;
  const base64 = plainBase64(dataUrl.slice(comma + 1));
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString();
  const left = put(text);
  return left === text ? dataUrl : dataUrl.slice(0, comma + 1) + Buffer.from(left).toString('base64');
}
