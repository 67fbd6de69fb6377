// Writes the JSON of a value that may be large in steps of a fraction of a millisecond, with the same bytes as
// writeJson.
import { inUtf8, splicedText, writeJson } from './exact-json.ts';
import { ExactNumber } from './exact-number.ts';

/** UTF-16 units that are written per step. */
const usualStepLength = 16 * 1024;
/** An object or list with at most this many short scalars is written at once. */
const smallMax = 32;
const shortMax = 1024;
const visitsOfStep = 1024;

interface Level {
  readonly value: object;
  /** Undefined for a list. */
  readonly names: readonly string[] | undefined;
  index: number;
  isEmpty: boolean;
}

/**
 * @param value as JSON.parse or parseExactJson returns it; members may be undefined, and `splice`s of texts may be in
 * it
 * @param stepLength in UTF-16 units
 */
export function* writeJsonInSteps(value: unknown, stepLength = usualStepLength): Generator<void, Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for (const piece of piecesOf(value, stepLength)) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
    yield;
  }
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const piece of pieces) {
    at += piece.copy(whole, at);
    yield;
  }
  return whole;
}

function* piecesOf(root: unknown, stepLength: number): Generator<string> {
  const writing = new Writing(root, stepLength);
  for (let visited = 1; ; visited++) {
    const { long } = writing;
    if (long !== undefined) {
      yield writing.take();
      yield* stringPieces(long, stepLength);
    } else if (writing.length >= stepLength || visited % visitsOfStep === 0) yield writing.take();
    if (!writing.next()) break;
  }
  yield writing.take();
}

class Writing {
  /** The next string, if it must be written in pieces. */
  long: string | undefined;
  readonly #levels: Level[] = [];
  readonly #stepLength: number;
  #text = '';

  constructor(root: unknown, stepLength: number) {
    this.#stepLength = stepLength;
    this.#begin(root);
  }

  get length(): number {
    return this.#text.length;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** @returns whether there was more to write */
  next(): boolean {
    this.long = undefined;
    const level = this.#levels.at(-1);
    if (level === undefined) return false;
    const next = nextOf(level);
    if (next === undefined) {
      this.#text += level.names === undefined ? ']' : '}';
      this.#levels.pop();
    } else if (next.value !== undefined || level.names === undefined) {
      const name = next.name === undefined ? '' : `${JSON.stringify(next.name)}:`;
      this.#text += level.isEmpty ? name : `,${name}`;
      level.isEmpty = false;
      this.#begin(next.value ?? null);
    }
    return true;
  }

  #begin(given: unknown): void {
    const value = withoutToJson(given);
    if (typeof value === 'string' && value.length > this.#stepLength) {
      this.long = value;
      return;
    }
    const level = isScalar(value) ? undefined : levelOf(value as object);
    if (level === undefined || isSmall(level)) {
      this.#text += writeJson(value);
      return;
    }
    this.#levels.push(level);
    this.#text += level.names === undefined ? '[' : '{';
  }
}

function levelOf(value: object): Level {
  return { value, names: Array.isArray(value) ? undefined : Object.keys(value), index: 0, isEmpty: true };
}

function nextOf(level: Level): { readonly name: string | undefined; readonly value: unknown } | undefined {
  const { value, names } = level;
  const index = level.index++;
  if (names !== undefined) {
    const name = names[index];
    return name === undefined ? undefined : { name, value: Reflect.get(value, name) };
  }
  return Array.isArray(value) && index < value.length ? { name: undefined, value: value[index] as unknown } : undefined;
}

function withoutToJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  return 'toJSON' in value && typeof value.toJSON === 'function' ? (value.toJSON() as unknown) : value;
}

function isSmall({ value, names }: Level): boolean {
  if (Array.isArray(value)) return value.length <= smallMax && value.every(isShort);
  return names !== undefined && names.length <= smallMax && Object.values(value).every(isShort);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof ExactNumber;
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' ? value.length <= shortMax : isScalar(value);
}

function* stringPieces(value: string, length: number): Generator<string> {
  const spliced = splicedText(value);
  if (spliced !== undefined) {
    for (const piece of cut(spliced, length)) yield inUtf8(piece);
    return;
  }
  yield '"';
  for (const piece of cut(value, length)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/** Never cuts between the halves of a surrogate pair. */
function* cut(text: string, length: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + length;
    const splits = (text.codePointAt(end - 1) ?? 0) > 0xffff;
    const piece = text.slice(start, splits ? end + 1 : end);
    start += piece.length;
    yield piece;
  }
}
