// A compiled expression as automaton instructions, and properties derived from them: whether a match can be empty, and
// where in an incomplete text the first unfinished match may have begun.
import { codePointIn } from '../../characters.ts';

/** An instruction of re2js, which follows Go's regexp/syntax. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  /** For an alternative the second branch, for an assertion its conditions, for a match the index of the expression. */
  readonly arg: number;
  /** The accepted characters: one character, or the bounds of ranges in order. */
  readonly runes: Int32Array;
  matchRune(codePoint: number): boolean;
}

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

export const op = {
  alternative: 1,
  alternativeMatch: 2,
  capture: 3,
  assertion: 4,
  fail: 5,
  match: 6,
  nop: 7,
} as const;
const condition = {
  lineBegin: 1,
  lineEnd: 2,
  textBegin: 4,
  textEnd: 8,
  boundary: 16,
  noBoundary: 32,
} as const;
const anyCondition = 63;

/** Whether a match can be empty if all assertions hold at once. */
export function isEmptyPossible(program: Program): boolean {
  return new Threads(program).begin(0, anyCondition).has(op.match);
}

/** Finds matches that have begun and are incomplete. Only its buffers are reused from text to text. */
export class PendingSearch {
  readonly #mayBegin: (codePoint: number) => boolean;
  #now: Threads;
  #next: Threads;

  constructor(program: Program) {
    this.#mayBegin = firstCodePoints(program);
    this.#now = new Threads(program);
    this.#next = new Threads(program);
  }

  /**
   * The first position from `from` on where a match may have begun that later text decides; the length of the text if
   * there is none. Takes at most the length of the text times the number of instructions.
   */
  pendingFrom(text: string, from: number): number {
    this.#now.clear();
    const end = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
    let at = from;
    while (at < end) {
      const codePoint = codePointIn(text, at);
      if (this.#mayBegin(codePoint)) this.#now.begin(at, conditionsAt(text, at));
      at += codePoint > 0xffff ? 2 : 1;
      if (this.#now.isEmpty) continue;
      this.#now.step(codePoint, at < end ? conditionsAt(text, at) : undefined, this.#next);
      [this.#now, this.#next] = [this.#next, this.#now];
    }
    return this.#now.leastStart(Math.max(from, end));
  }
}

/**
 * The program positions at which matches currently are. Each position has the earliest start of the matches that
 * reached it.
 */
export class Threads {
  readonly #program: Program;
  readonly #positions: Int32Array;
  readonly #starts: Int32Array;
  /** Index of a program position in `#places`; only valid if that entry refers back to the position. */
  readonly #indexes: Int32Array;
  readonly #open: number[] = [];
  #size = 0;

  constructor(program: Program) {
    this.#program = program;
    const { length } = program.instructions;
    this.#positions = new Int32Array(length);
    this.#starts = new Int32Array(length);
    this.#indexes = new Int32Array(length);
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Number of program positions. */
  get size(): number {
    return this.#size;
  }

  /** The positions in order of priority: an earlier one takes precedence. */
  get positions(): Int32Array {
    return this.#positions.subarray(0, this.#size);
  }

  /** In a program of several expressions: the ones that match here. */
  get matches(): readonly number[] {
    const here = Array.from(this.positions, (position) => this.#program.instructions[position]);
    return here.flatMap((instruction) => (instruction?.op === op.match ? [instruction.arg] : []));
  }

  /** Replaces the positions by the given ones. */
  set(positions: Int32Array): void {
    this.#size = 0;
    for (const position of positions) this.#put(position, 0);
  }

  /** Whether an expression matches here. If so, all positions of lower priority are discarded. */
  cut(): boolean {
    const at = this.positions.findIndex((position) => this.#program.instructions[position]?.op === op.match);
    if (at >= 0) this.#size = at;
    return at >= 0;
  }

  clear(): void {
    this.#size = 0;
  }

  begin(start: number, conditions: number): this {
    this.#add(this.#program.start, start, conditions);
    return this;
  }

  /**
   * @param conditions at the position after the code point; undefined if they are not known yet, so that all positions
   * that wait for them stay
   */
  step(codePoint: number, conditions: number | undefined, next: Threads): void {
    next.clear();
    for (let i = 0; i < this.#size; i++) {
      const instruction = this.#instruction(i);
      if (instruction === undefined || instruction.op <= op.nop || !instruction.matchRune(codePoint)) continue;
      next.#add(instruction.out, this.#starts[i] ?? 0, conditions);
    }
  }

  leastStart(otherwise: number): number {
    let least = otherwise;
    for (let i = 0; i < this.#size; i++) least = Math.min(least, this.#starts[i] ?? least);
    return least;
  }

  has(wanted: number): boolean {
    return this.#positions
      .subarray(0, this.#size)
      .some((position) => this.#program.instructions[position]?.op === wanted);
  }

  accepts(codePoint: number): boolean {
    for (let i = 0; i < this.#size; i++) {
      const instruction = this.#instruction(i);
      if (instruction !== undefined && instruction.op > op.nop && instruction.matchRune(codePoint)) return true;
    }
    return false;
  }

  #instruction(index: number): Instruction | undefined {
    return this.#program.instructions[this.#positions[index] ?? 0];
  }

  /**
   * Adds a position and all positions that are reachable without reading a character. Positions of earlier starts must
   * be added first, because the first entry stays.
   */
  #add(position: number, start: number, conditions: number | undefined): void {
    this.#open.push(position);
    for (let at = this.#open.pop(); at !== undefined; at = this.#open.pop()) {
      const instruction = this.#program.instructions[at];
      if (instruction === undefined || instruction.op === op.fail || this.#contains(at)) continue;
      this.#put(at, start);
      this.#follow(instruction, conditions);
    }
  }

  #put(position: number, start: number): void {
    this.#positions[this.#size] = position;
    this.#starts[this.#size] = start;
    this.#indexes[position] = this.#size++;
  }

  #follow({ op: kind, out, arg }: Instruction, conditions: number | undefined): void {
    if (kind === op.alternative || kind === op.alternativeMatch) this.#open.push(arg, out);
    else if (kind === op.capture || kind === op.nop) this.#open.push(out);
    else if (kind === op.assertion && conditions !== undefined && (arg & ~conditions) === 0) this.#open.push(out);
  }

  #contains(position: number): boolean {
    const index = this.#indexes[position] ?? 0;
    return index < this.#size && this.#positions[index] === position;
  }
}

/** The possible first characters of a match; all characters beyond Latin-1 are accepted. */
function firstCodePoints(program: Program): (codePoint: number) => boolean {
  const threads = new Threads(program).begin(0, anyCondition);
  const table = Array.from({ length: 0x100 }, (_, codePoint) => threads.accepts(codePoint));
  return (codePoint) => table[codePoint] ?? true;
}

/** The conditions that hold between two units. The end of the text is never assumed, because more text may follow. */
export function conditionsAt(text: string, at: number): number {
  const before = at === 0 ? -1 : text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  let conditions = isWord(before) === isWord(after) ? condition.noBoundary : condition.boundary;
  if (at === 0) conditions |= condition.textBegin | condition.lineBegin;
  if (before === 10) conditions |= condition.lineBegin;
  if (after === 10) conditions |= condition.lineEnd;
  return conditions;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isWord(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95;
}

/**
 * The longest possible match of a compiled expression in UTF-16 units; infinite if it contains an unbounded repetition.
 */
export function longestMatch({ instructions, start }: Program): number {
  const lengths = new Map<number, number>();
  /** The program positions on the current path of the walk. */
  const within = new Set<number>();
  const open = [start];
  for (let position = open.at(-1); position !== undefined; position = open.at(-1)) {
    const instruction = instructions[position];
    const ways = instruction === undefined || lengths.has(position) ? [] : waysOut(instruction);
    const ahead = ways.filter((way) => !lengths.has(way));
    within.add(position);
    if (ahead.some((way) => within.has(way))) return Number.POSITIVE_INFINITY;
    if (ahead.length > 0) {
      open.push(...ahead);
      continue;
    }
    open.pop();
    within.delete(position);
    if (lengths.has(position)) continue;
    const behind = ways.reduce((longest, way) => Math.max(longest, lengths.get(way) ?? 0), 0);
    lengths.set(position, behind + (instruction === undefined ? 0 : unitsOf(instruction)));
  }
  return lengths.get(start) ?? 0;
}

function waysOut({ op: kind, out, arg }: Instruction): readonly number[] {
  if (kind === op.alternative || kind === op.alternativeMatch) return [out, arg];
  return kind === op.fail || kind === op.match ? [] : [out];
}

/** Length of the character that an instruction accepts. */
function unitsOf({ op: kind, runes }: Instruction): number {
  if (kind <= op.nop) return 0;
  const last = runes.at(-1) ?? 0x10ffff;
  return last > 0xffff ? 2 : 1;
}
