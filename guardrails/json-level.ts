// Parses JSON unit by unit and decides how parts of it are replaced: a string keeps its quotes; a number or a keyword
// becomes a string; brackets, commas and colons stay. A string that contains JSON is treated in the same way. Decisions
// depend only on the text so far, so that a text may arrive in pieces. Text that turns out not to be JSON is replaced
// like any text.

/** A match that is to be replaced. */
export interface Cover {
  /** The replacement. */
  readonly text: string;
  /** Whether the replacement was already put out. It is put out once, even if the match spans several values. */
  isPlaced: boolean;
  /** From this nesting level on, the match is plain text. */
  readonly flatFrom: number;
  /** The lowest level at which a text began as JSON but turned out not to be. */
  brokenAt: number;
}

/** Maximum nesting of JSON inside JSON strings; anything deeper is text. */
const levelsMax = 4;
/** A number is held back until it ends, up to this length. */
const scalarMax = 400;
const scalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const scalarStart = /[-0-9tfn]/;
const scalarUnit = /[-+.0-9A-Za-z]/;
const blank = /[ \t\n\r]/;
const mustEscape = /["\\\p{Cc}]/u;

interface Segment {
  raw: string;
  readonly cover: Cover | undefined;
}

export class Level {
  /** Number of JSON strings around this text. */
  readonly #level: number;
  #mode: 'prose' | 'json' | 'string' = 'prose';
  #depth = 0;
  #isBehindValue = false;
  #lastCover: Cover | undefined;
  /** A number or keyword that has not ended yet. */
  #scalar: Segment[] = [];
  #scalarText = '';
  #isSwallowed = false;
  /** An escape that has not ended yet. */
  #escape = '';
  #escapeRaw = '';
  #inner: Level | undefined;

  constructor(level = 0) {
    this.#level = level;
  }

  clone(): Level {
    const copy = new Level(this.#level);
    copy.#mode = this.#mode;
    copy.#depth = this.#depth;
    copy.#isBehindValue = this.#isBehindValue;
    copy.#lastCover = this.#lastCover;
    copy.#scalar = this.#scalar.map((segment) => ({ ...segment }));
    copy.#scalarText = this.#scalarText;
    copy.#isSwallowed = this.#isSwallowed;
    copy.#escape = this.#escape;
    copy.#escapeRaw = this.#escapeRaw;
    copy.#inner = this.#inner?.clone();
    return copy;
  }

  /** Raw units that were passed in and not put out yet. */
  get withheld(): number {
    return this.#rawLength() + this.#escapeRaw.length + (this.#inner?.withheld ?? 0);
  }

  /** The next position that has to be processed; the text before it can pass unchanged. */
  nextIn(text: string, from: number): number {
    const next = this.#nextExpression();
    if (next === undefined) return from;
    next.lastIndex = from;
    return next.test(text) ? next.lastIndex - 1 : text.length;
  }

  /**
   * @param unit the unit as decoded at this level
   * @param raw the unit as written
   */
  take(unit: string, raw: string, cover?: Cover): string {
    if (this.#mode === 'string') return this.#takeInString(unit, raw, cover);
    if (this.#mode === 'json') return this.#takeInJson(unit, raw, cover);
    return this.#takeInProse(unit, raw, cover);
  }

  /** Call when no text follows. */
  end(): string {
    const rest = this.#endScalar() + (this.#inner?.end() ?? '') + this.#escapeRaw;
    this.#escapeRaw = '';
    return rest;
  }

  #rawLength(): number {
    return this.#scalar.reduce((sum, { raw }) => sum + raw.length, 0);
  }

  #nextExpression(): RegExp | undefined {
    if (this.#mode === 'prose') return opening;
    if (this.#mode === 'json' || this.#escape !== '') return undefined;
    return this.#inner === undefined || this.#inner.#mode === 'prose' ? special : undefined;
  }

  #takeInProse(unit: string, raw: string, cover?: Cover): string {
    if ((unit !== '{' && unit !== '[') || this.#isFlat(cover)) return cover ? this.#insert(cover) : raw;
    this.#mode = 'json';
    this.#depth = 1;
    this.#isBehindValue = false;
    this.#lastCover = undefined;
    return raw;
  }

  #takeInJson(unit: string, raw: string, cover?: Cover): string {
    if (cover !== undefined && this.#isFlat(cover)) {
      const before = this.#endScalar();
      this.#isBehindValue = true;
      return before + this.#insert(cover);
    }
    if (this.#scalarText === '' ? scalarStart.test(unit) : scalarUnit.test(unit))
      return this.#takeOfScalar(unit, raw, cover);
    const before = this.#endScalar();
    if (this.#mode === 'prose') return before + this.#takeInProse(unit, raw, cover);
    if (blank.test(unit)) return before + (cover !== undefined && cover === this.#lastCover ? '' : raw);
    return before + this.#takeMark(unit, raw, cover);
  }

  #takeMark(unit: string, raw: string, cover?: Cover): string {
    if (unit === '}' || unit === ']') {
      this.#isBehindValue = true;
      if (--this.#depth === 0) this.#mode = 'prose';
      return raw;
    }
    if (unit === ',' || unit === ':') {
      this.#isBehindValue = false;
      this.#lastCover = undefined;
      return raw;
    }
    if (this.#isBehindValue || !'{["'.includes(unit)) return this.#break(unit, raw, cover);
    if (unit === '"') {
      this.#mode = 'string';
      this.#inner = this.#level < levelsMax ? new Level(this.#level + 1) : undefined;
    } else this.#depth++;
    return raw;
  }

  #takeOfScalar(unit: string, raw: string, cover?: Cover): string {
    if (this.#scalarText === '' && this.#isBehindValue) {
      // The next group of a number that is written in groups, within the same match.
      if (cover === undefined || cover !== this.#lastCover) return this.#break(unit, raw, cover);
      this.#isSwallowed = true;
    }
    this.#scalarText += unit;
    const last = this.#scalar.at(-1);
    if (last !== undefined && last.cover === cover) last.raw += raw;
    else this.#scalar.push({ raw, cover });
    return this.#scalarText.length > scalarMax ? this.#endScalar() : '';
  }

  /** @returns the number or keyword that has ended; if it is replaced, a string */
  #endScalar(): string {
    if (this.#scalarText === '') return '';
    const segments = this.#scalar;
    const isScalar = scalar.test(this.#scalarText);
    const isSwallowed = this.#isSwallowed;
    this.#scalar = [];
    this.#scalarText = '';
    this.#isSwallowed = false;
    const covers = segments.flatMap(({ cover }) => cover ?? []);
    if (!isScalar) {
      this.#mode = 'prose';
      for (const cover of covers) this.#noteBreak(cover);
      return segments.map(({ raw, cover }) => (cover ? this.#insert(cover) : raw)).join('');
    }
    this.#isBehindValue = true;
    this.#lastCover = covers.at(-1);
    if (covers.length === 0) return segments.map(({ raw }) => raw).join('');
    if (isSwallowed) return '';
    const placed = covers.find(({ isPlaced }) => !isPlaced);
    for (const cover of covers) cover.isPlaced = true;
    return placed === undefined ? 'null' : escaped(JSON.stringify(placed.text), this.#level);
  }

  #takeInString(unit: string, raw: string, cover?: Cover): string {
    if (this.#escape !== '' || unit === '\\') return this.#takeOfEscape(unit, raw, cover);
    if (unit === '"') {
      const rest = this.#inner?.end() ?? '';
      this.#inner = undefined;
      this.#mode = 'json';
      this.#isBehindValue = true;
      this.#lastCover = undefined;
      return rest + raw;
    }
    if (unit < ' ') {
      const rest = this.#inner?.end() ?? '';
      this.#inner = undefined;
      return rest + this.#break(unit, raw, cover);
    }
    return this.#takeWithin(unit, raw, cover);
  }

  #takeWithin(unit: string, raw: string, cover?: Cover): string {
    if (this.#inner !== undefined) return this.#inner.take(unit, raw, cover);
    return cover ? this.#insert(cover, this.#level + 1) : raw;
  }

  #takeOfEscape(unit: string, raw: string, cover?: Cover): string {
    this.#escape += unit;
    this.#escapeRaw += raw;
    const [, kind] = this.#escape;
    if (kind === undefined || (kind === 'u' && this.#escape.length < 6)) return '';
    const read = kind === 'u' ? Number.parseInt(this.#escape.slice(2), 16) : undefined;
    const written = this.#escapeRaw;
    this.#escape = '';
    this.#escapeRaw = '';
    const character = read === undefined ? (single[kind] ?? kind) : String.fromCharCode(read || 0);
    return this.#takeWithin(character, written, cover);
  }

  #break(unit: string, raw: string, cover?: Cover): string {
    this.#mode = 'prose';
    this.#depth = 0;
    if (cover !== undefined) this.#noteBreak(cover);
    return this.#takeInProse(unit, raw, cover);
  }

  #isFlat(cover: Cover | undefined): boolean {
    return cover !== undefined && this.#level >= cover.flatFrom;
  }

  #noteBreak(cover: Cover): void {
    cover.brokenAt = Math.min(cover.brokenAt, this.#level);
  }

  #insert(cover: Cover, level = this.#level): string {
    if (cover.isPlaced) return '';
    cover.isPlaced = true;
    return escaped(cover.text, level);
  }
}

const opening = /[{[]/g;
/** Units inside a string that have to be processed. */
const special = /["\\{[\n\r\t\p{Cc}]/gu;
const single: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Escapes a text for the given number of nested JSON strings. */
function escaped(text: string, level: number): string {
  let written = text;
  for (let times = 0; times < level && mustEscape.test(written); times++)
    written = JSON.stringify(written).slice(1, -1);
  return written;
}
