// Parses large JSON in steps of a fraction of a millisecond, with the same result as parseJson or parseExactJson. This
// file only finds positions at which the text can be cut into runs of whole elements. JSON.parse decides run by run
// what is valid and what it means. Each byte is scanned once and parsed once, however deep it is nested.
import { type ExactCount, parseExactJson } from './exact-json.ts';
import { type JsonObject, parseJson } from './json.ts';
import { setMember } from './json-names.ts';
import { pieceEnd, quoteIn } from './json-strings.ts';

export interface SlicedReading {
  /** Parses numbers as parseExactJson does. Default: as JSON.parse does. */
  readonly exact?: boolean;
  /** Maximum of commas and opening brackets; a text with more is not parsed. Default: no bound. */
  readonly structuralMax?: number;
  /** Approximate length of the text for one JSON.parse call. */
  readonly runBytes?: number;
  /** A longer string is decoded in pieces of this many bytes; at least 16. */
  readonly pieceBytes?: number;
}

const usualRunBytes = 16 * 1024;
const usualPieceBytes = 64 * 1024;
/** Deeper than any accepted text. */
const depthMax = 1000;
/** A longer run of white space is read as one blank. */
const blankStretch = 1024;
/**
 * Maximum of text between two commas without a long string or a bracket. A longer one is refused, because no number has
 * so many digits.
 */
const elementMax = 256 * 1024;

const [tab, lineFeed, carriageReturn, blank] = [0x09, 0x0a, 0x0d, 0x20];
const [quote, comma, openList, closeList, openObject, closeObject] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/**
 * @returns the value; undefined if the text is not JSON, is nested deeper than a thousand levels, or exceeds a bound
 */
export function* readJsonInSteps(bytes: Buffer, reading: SlicedReading = {}): Generator<void, unknown> {
  const runs = new JsonRuns(bytes, reading);
  try {
    while (!runs.step()) yield;
    return runs.end();
  } catch (error) {
    if (error instanceof NotRead) return undefined;
    throw error;
  }
}

class NotRead extends Error {}

/** A container that is longer than one run. */
interface Frame {
  /** Undefined for an object. */
  readonly items: unknown[] | undefined;
  readonly members: JsonObject;
  /** The last thing before the unread text: nothing, a comma, or an element. */
  after: 'start' | 'comma' | 'element';
  /** A long string that is the name of the next member; the unread text has "" in its place. */
  longName: string | undefined;
  /** Text that belongs before the run. */
  carry: string;
}

interface LongString {
  readonly name: string | undefined;
  readonly isName: boolean;
  text: string;
  /** Start of the part that is not decoded yet. */
  from: number;
}

class JsonRuns {
  readonly #bytes: Buffer;
  readonly #runBytes: number;
  readonly #pieceBytes: number;
  readonly #blankStretch: number;
  readonly #structuralMax: number;
  readonly #parse: (text: string) => unknown;
  /** The whole text counts as the only element of a list. */
  readonly #frames: Frame[] = [frameOf(true)];
  #at = 0;
  /** Start of the unread text. */
  #start = 0;
  /** Positions of the brackets that are open in the unread text. */
  readonly #opens: number[] = [];
  /** Position of the last comma at each level of the unread text, starting with the frame's own level; -1 for none. */
  readonly #commas: number[] = [-1];
  #structural = 0;
  #long: LongString | undefined;

  constructor(bytes: Buffer, reading: SlicedReading) {
    const count: ExactCount = { numbers: 0 };
    this.#bytes = bytes;
    this.#runBytes = reading.runBytes ?? usualRunBytes;
    this.#pieceBytes = reading.pieceBytes ?? usualPieceBytes;
    this.#blankStretch = Math.min(blankStretch, Math.ceil(this.#runBytes / 2));
    this.#structuralMax = reading.structuralMax ?? Number.POSITIVE_INFINITY;
    this.#parse = reading.exact === true ? (text) => parseExactJson(text, count) : parseJson;
  }

  /** @returns whether all bytes have been scanned. @throws NotRead */
  step(): boolean {
    if (this.#long !== undefined) this.#readOn(this.#long);
    else {
      this.#scan(Math.min(this.#bytes.length, this.#at + this.#runBytes));
      if (this.#long === undefined && this.#at - this.#start > this.#runBytes) this.#flush();
      if (this.#at - this.#start > Math.max(elementMax, this.#runBytes)) throw new NotRead();
    }
    return this.#long === undefined && this.#at >= this.#bytes.length;
  }

  /** @throws NotRead */
  end(): unknown {
    const { items } = this.#frame;
    if (this.#frames.length > 1 || this.#opens.length > 0) throw new NotRead();
    this.#elements(this.#at, true);
    if (items?.length !== 1) throw new NotRead();
    return items[0];
  }

  get #frame(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #scan(until: number): void {
    const bytes = this.#bytes;
    while (this.#at < until && this.#long === undefined) {
      switch (bytes[this.#at]) {
        case quote:
          this.#string();
          break;
        case openList:
        case openObject:
          this.#count();
          this.#opens.push(this.#at++);
          this.#commas.push(-1);
          break;
        case closeList:
        case closeObject:
          this.#close();
          break;
        case comma:
          this.#comma();
          break;
        case tab:
        case lineFeed:
        case carriageReturn:
        case blank:
          this.#blanks(until);
          break;
        default:
          this.#at++;
      }
    }
  }

  #count(): void {
    if (++this.#structural > this.#structuralMax) throw new NotRead();
  }

  #comma(): void {
    this.#count();
    const level = this.#opens.length;
    this.#commas[level] = this.#at++;
    const { after, longName } = this.#frame;
    if (level > 0 || (after !== 'element' && longName === undefined)) return;
    // The part of this element that is already read must not be parsed together with later elements.
    this.#flush();
  }

  #close(): void {
    const isList = this.#bytes[this.#at] === closeList;
    this.#commas.pop();
    if (this.#opens.pop() === undefined) {
      const { items } = this.#frame;
      if (this.#frames.length === 1 || isList !== (items !== undefined)) throw new NotRead();
      this.#elements(this.#at, true);
      this.#frames.pop();
      this.#start = this.#at + 1;
      this.#commas.push(-1);
    }
    this.#at++;
  }

  #blanks(until: number): void {
    const from = this.#at;
    while (this.#at < until && isBlank(this.#bytes[this.#at])) this.#at++;
    if (this.#at - from < this.#blankStretch) return;
    this.#flush();
    const frame = this.#frame;
    frame.carry += `${this.#text(from)} `;
    if (frame.carry.length > elementMax) throw new NotRead();
    this.#start = this.#at;
  }

  #string(): void {
    const from = this.#at + 1;
    const end = quoteIn(this.#bytes, from, Math.min(from + this.#pieceBytes, this.#bytes.length));
    if (end !== undefined) {
      this.#at = end + 1;
      return;
    }
    this.#flush();
    const frame = this.#frame;
    const isName = frame.items === undefined && isAllBlank(frame.carry + this.#text(this.#at));
    if (isName && frame.after === 'element') throw new NotRead();
    this.#long = { isName, name: isName ? undefined : this.#head(this.#at), text: '', from };
  }

  /** Decodes the next piece of a long string. */
  #readOn(long: LongString): void {
    const bytes = this.#bytes;
    const until = Math.min(long.from + this.#pieceBytes, bytes.length);
    const closing = quoteIn(bytes, long.from, until);
    if (closing === undefined && until === bytes.length) throw new NotRead();
    const end = closing ?? pieceEnd(bytes, long.from, until);
    const piece = parseJson(`"${bytes.toString('utf8', long.from, end)}"`);
    if (typeof piece !== 'string') throw new NotRead();
    long.text += piece;
    long.from = end;
    if (closing === undefined) return;
    this.#long = undefined;
    this.#at = closing + 1;
    this.#start = this.#at;
    const frame = this.#frame;
    if (long.isName) {
      frame.longName = long.text;
      frame.carry = '""';
    } else put(frame, long.name, long.text);
  }

  /** Reads all complete elements and opens the containers that are incomplete. */
  #flush(): void {
    const opens = this.#opens.splice(0);
    const commas = this.#commas.splice(0, this.#commas.length, -1);
    for (const [level, at] of commas.entries()) {
      if (at !== -1) this.#elements(at, false);
      const open = opens[level];
      if (open !== undefined) this.#open(open);
    }
  }

  #open(at: number): void {
    const name = this.#head(at);
    const frame = frameOf(this.#bytes[at] === openList);
    put(this.#frame, name, frame.items ?? frame.members);
    if (this.#frames.push(frame) > depthMax) throw new NotRead();
    this.#start = at + 1;
  }

  /**
   * Reads the text before an element that is read separately.
   * @returns the name of the element; undefined in a list
   */
  #head(end: number): string | undefined {
    const frame = this.#frame;
    const text = frame.carry + this.#text(end);
    if (frame.after === 'element') throw new NotRead();
    frame.carry = '';
    if (frame.items !== undefined) {
      if (!isAllBlank(text)) throw new NotRead();
      return undefined;
    }
    const [name] = namesIn(this.#parse(`{${text}null}`));
    const { longName = name } = frame;
    frame.longName = undefined;
    return longName;
  }

  /**
   * Reads complete elements, up to a comma or to the end of their container.
   * @param isEnd whether this is the end of the container, where an element may be missing
   */
  #elements(end: number, isEnd: boolean): void {
    const frame = this.#frame;
    const text = frame.carry + this.#text(end);
    const isNone = (frame.after === 'element' || (isEnd && frame.after === 'start')) && isAllBlank(text);
    if (!isNone) {
      if (frame.after === 'element') throw new NotRead();
      if (frame.items !== undefined) addItems(frame.items, this.#parse(`[${text}]`));
      else addMembers(frame, this.#parse(`{${text}}`));
    }
    frame.after = 'comma';
    frame.carry = '';
    this.#start = end + 1;
  }

  /** The unread text up to this position. */
  #text(end: number): string {
    return this.#bytes.toString('utf8', this.#start, end);
  }
}

function frameOf(isList: boolean): Frame {
  return { items: isList ? [] : undefined, members: {}, after: 'start', longName: undefined, carry: '' };
}

function put(frame: Frame, name: string | undefined, value: unknown): void {
  if (frame.items !== undefined) frame.items.push(value);
  else setMember(frame.members, name ?? '', value);
  frame.after = 'element';
}

/** @param parsed a list of at least one element */
function addItems(items: unknown[], parsed: unknown): void {
  if (!Array.isArray(parsed) || parsed.length === 0) throw new NotRead();
  for (const item of parsed) items.push(item);
}

/** @param parsed an object of at least one member */
function addMembers(frame: Frame, parsed: unknown): void {
  const names = namesIn(parsed);
  for (const name of names) {
    setMember(frame.members, frame.longName ?? name, (parsed as JsonObject)[name]);
  }
  frame.longName = undefined;
}

/** @throws NotRead if it has no names */
function namesIn(parsed: unknown): readonly string[] {
  const names = typeof parsed === 'object' && parsed !== null ? Object.keys(parsed) : [];
  if (names.length === 0) throw new NotRead();
  return names;
}

function isBlank(byte: number | undefined): boolean {
  return byte === blank || byte === lineFeed || byte === carriageReturn || byte === tab;
}

function isAllBlank(text: string): boolean {
  return /^[\t\n\r ]*$/.test(text);
}
