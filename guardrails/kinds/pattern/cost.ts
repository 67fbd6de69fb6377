// Measures the cost of expressions in counted automaton steps and never by a clock, so it is the same on every machine,
// busy or not. The cost cannot be derived from an expression (`a.{400}b` costs a thousand times as much as a list of
// names, and so does `.*?z|a` on a text of a's). Therefore the automata run over sample texts: prose, and texts made of
// the expressions' own characters. Counting stops as soon as the cost is too high.
import { type Matcher, stepNs, stepsPerKibMax } from '../../matcher.ts';
import type { Expressions } from './expressions.ts';
import { conditionsAt, type Program, Threads } from './program.ts';

/** Nanoseconds per character, at least 20. A result above costMax only means that the cost is too high. */
export function costsOf(
  { program, programs }: Pick<Expressions, 'program' | 'programs'>,
  patterns: readonly string[],
): Required<Pick<Matcher, 'cost' | 'likelyCost'>> {
  const costOf = (text: string) => stepNs * stepsPerCharacter(text, program, programs);
  const likelyCost = costOf(repeated(prose, textLength));
  let cost = likelyCost;
  for (const text of likelyTexts(patterns)) {
    if (cost > (stepNs * stepsPerKibMax) / 1024) break;
    cost = Math.max(cost, costOf(text));
  }
  return { cost, likelyCost };
}

/** Length of a sample text. The first half warms up the automaton; only the second half is counted. */
const textLength = 1024;
const counted = textLength / 2;
const stepsMax = (stepsPerKibMax / 1024) * counted;

/**
 * Steps for each program position: of a set of positions that is new, and of a set during the search for a match's end.
 */
const newPositionSteps = 20;
const searchedPositionSteps = 3;
/** Maximum of positions in new sets during the first half; with more, warming up costs too much. */
const warmUpPositionsMax = 50_000;

function stepsPerCharacter(text: string, program: Program, programs: readonly Program[]): number {
  const automaton = new LazyAutomaton(program);
  let steps = scanSteps(text, automaton);
  const rest = text.slice(counted);
  // Expressions that do not match at all are not searched.
  for (const index of automaton.found) {
    const one = programs[index];
    if (steps > stepsMax || one === undefined) break;
    steps += searchSteps(rest, one, stepsMax - steps);
  }
  return Math.max(1, steps / counted);
}

/** Counts the check whether anything matches. A known set of positions takes one step, however large it is. */
function scanSteps(text: string, automaton: LazyAutomaton): number {
  let steps = 0;
  let positions = 0;
  let isWarm = false;
  for (let at = 0; at < text.length && steps <= stepsMax; at++) {
    const made = automaton.step(text, at);
    isWarm ||= at >= counted || positions > warmUpPositionsMax;
    if (!isWarm) positions += made;
    else if (made === 0) steps++;
    else steps += newPositionSteps * made;
  }
  return steps;
}

/**
 * Counts the search for each match's location. A search starts at the end of the previous match and reads as far as the
 * engine needs to determine the end.
 */
function searchSteps(text: string, program: Program, enough: number): number {
  let now = new Threads(program);
  let next = new Threads(program);
  let steps = 0;
  for (let from = 0; from < text.length; ) {
    now.clear();
    let end = -1;
    for (let at = from; at <= text.length; at++) {
      const conditions = conditionsIn(text, at);
      if (end < 0) now.begin(at, conditions);
      if (now.cut()) end = at;
      steps += searchedPositionSteps * now.size;
      if (steps > enough) return steps;
      if (at === text.length || now.isEmpty) break;
      now.step(text.charCodeAt(at), conditionsIn(text, at + 1), next);
      [now, next] = [next, now];
    }
    if (end < 0) return steps;
    from = Math.max(end, from + 1);
  }
  return steps;
}

/** The sets of program positions that occur while a text is read; each set is created once. */
class LazyAutomaton {
  /** Indexes of the expressions that have matched somewhere. */
  readonly found = new Set<number>();
  readonly #states = new Map<string, State>();
  #now: Threads;
  #next: Threads;
  #state: State;

  constructor(program: Program) {
    this.#now = new Threads(program);
    this.#next = new Threads(program);
    this.#state = this.#stateOf(this.#now);
  }

  /** @returns the number of positions of the next set if that set is new; 0 if it is known */
  step(text: string, at: number): number {
    const before = conditionsIn(text, at);
    const after = conditionsIn(text, at + 1);
    const key = (text.charCodeAt(at) * 64 + before) * 64 + after;
    const known = this.#state.next.get(key);
    if (known !== undefined) {
      this.#state = known;
      return 0;
    }
    this.#now.set(this.#state.positions);
    this.#now.begin(at, before);
    this.#now.step(text.charCodeAt(at), after, this.#next);
    const sets = this.#states.size;
    const state = this.#stateOf(this.#next);
    this.#state.next.set(key, state);
    this.#state = state;
    return this.#states.size > sets ? Math.max(1, state.positions.length) : 0;
  }

  #stateOf(threads: Threads): State {
    const positions = threads.positions.slice().sort();
    const key = positions.join();
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = { positions, next: new Map() };
    this.#states.set(key, state);
    for (const index of threads.matches) this.found.add(index);
    return state;
  }
}

interface State {
  readonly positions: Int32Array;
  readonly next: Map<number, State>;
}

const endConditions = 2 | 8;

function conditionsIn(text: string, at: number): number {
  return conditionsAt(text, at) | (at === text.length ? endConditions : 0);
}

/**
 * Texts made of the expressions' own characters and of characters that most expressions match, repeated and shuffled.
 */
function likelyTexts(patterns: readonly string[]): readonly string[] {
  const own = [...new Set(patterns.join('').match(/[\p{L}\p{N}]/gu))].filter((one) => one.length === 1);
  const some = own.filter((_, index) => index % Math.ceil(own.length / likelyMax) === 0);
  const mixed = own.length === 0 ? [] : [shuffled(own), shuffled([...own, ' ', '0', '-'])];
  return ['a', '0', ' ', ...some, own.join('')]
    .filter((text) => text !== '')
    .map((text) => repeated(text, textLength))
    .concat(mixed);
}

/** Deterministic: the same result for each call. */
function shuffled(characters: readonly string[]): string {
  let state = 1;
  let text = '';
  while (text.length < textLength) {
    state = (state * 48_271) % 2_147_483_647;
    text += characters[(state >>> 8) % characters.length];
  }
  return text;
}

function repeated(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

const likelyMax = 4;
const prose = `Dear Ms Quartz, on 14 July 2031 our 3 engineers moved (at last!) the box "J-5" of version 1.2.30 from
eu-west-1 to the yard; have a look: https://example.com/a?b=1&c=%20, or ask <x_y@example.com>. $7 = 6.50 EUR; #done.`;
