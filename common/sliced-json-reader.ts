// JSON of many bytes, read in steps of a fraction of a millisecond: the same value as parseJson or parseExactJson gives. This file only
// finds where the text may be cut into runs of whole elements; what is JSON, and what it says, JSON.parse judges, run by run. Each byte is
// looked at once and parsed once, however deep it stands.
import { type ExactCount, parseExactJson } from './exact-json.ts';
import { type JsonObject, parseJson } from './json.ts';
import { setMember } from './json-names.ts';
import { pieceEnd, quoteIn } from './json-strings.ts';

export interface SlicedReading {
  /** Numbers as parseExactJson reads them. Default: as JSON.parse does. */
  readonly exact?: boolean;
  /** What has more commas and opening brackets is not read. Default: no bound. */
  readonly structuralMax?: number;
  /** About what one JSON.parse is given. */
  readonly runBytes?: number;
  /** A longer string is decoded in pieces of so many bytes; 16 at least. */
  readonly pieceBytes?: number;
}

const usualRunBytes = 16 * 1024;
const usualPieceBytes = 64 * 1024;
/** Deeper than anything that is read. */
const depthMax = 1000;
/** A longer stretch of white space is read as one blank. */
const blankStretch = 1024;
/** So much text between two commas, without a long string or a bracket, is none that is read: no number has so many digits. */
const elementMax = 256 * 1024;

const [tab, lineFeed, carriageReturn, blank] = [0x09, 0x0a, 0x0d, 0x20];
const [quote, comma, openList, closeList, openObject, closeObject] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** @returns the value; undefined for what is no JSON, is deeper than a thousand levels, or passes a bound */
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

/** A container that is longer than a run. */
interface Frame {
  /** Undefined of an object. */
  readonly items: unknown[] | undefined;
  readonly members: JsonObject;
  /** What stands in front of the text that has not been read: nothing, a comma, or an element. */
  after: 'start' | 'comma' | 'element';
  /** A long string that is the name of the member to come: its text has "" in its place. */
  longName: string | undefined;
  /** Text in front of the run. */
  carry: string;
}

interface LongString {
  readonly name: string | undefined;
  readonly isName: boolean;
  text: string;
  /** What has not been decoded. */
  from: number;
}

class JsonRuns {
  readonly #bytes: Buffer;
  readonly #runBytes: number;
  readonly #pieceBytes: number;
  readonly #blankStretch: number;
  readonly #structuralMax: number;
  readonly #parse: (text: string) => unknown;
  /** The whole text is the one element of a list. */
  readonly #frames: Frame[] = [frameOf(true)];
  #at = 0;
  /** Where the text begins that has not been read. */
  #start = 0;
  /** Brackets that are open in it. */
  readonly #opens: number[] = [];
  /** Its last comma at each level, from the frame's own on; -1 for none. */
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

  /** @returns whether all of it has been passed. @throws NotRead */
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
    // What has been read of this element stands alone.
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

  /** The next piece of a long string. */
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

  /** Reads all elements that are whole, and opens the containers that are not. */
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
   * Reads what stands in front of an element that is not read with it.
   * @returns the element's name; undefined in a list
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
   * Reads elements, each of them whole, up to a comma or to their container's end.
   * @param isEnd there need not be any
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

  /** From what has not been read up to here. */
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

/** @param parsed a list of one element at least */
function addItems(items: unknown[], parsed: unknown): void {
  if (!Array.isArray(parsed) || parsed.length === 0) throw new NotRead();
  for (const item of parsed) items.push(item);
}

/** @param parsed an object of one member at least */
function addMembers(frame: Frame, parsed: unknown): void {
  const names = namesIn(parsed);
  for (const name of names) {
    setMember(frame.members, frame.longName ?? name, (parsed as JsonObject)[name]);
  }
  frame.longName = undefined;
}

/** @throws NotRead where it has none */
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
