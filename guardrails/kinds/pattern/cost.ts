// What expressions cost, in counted steps of their automata and never by a clock: the same on every machine, busy or not. It is told
// from no expression (`a.{400}b` costs a thousand times what a list of names does, and `.*?z|a` as much where a stands after a), so the
// automata run over some texts: prose, and what the expressions themselves are made of. Counting ends at what is too much.
import { type Matcher, stepNs, stepsPerKibMax } from '../../matcher.ts';
import type { Expressions } from './expressions.ts';
import { conditionsAt, type Program, Threads } from './program.ts';

/** Nanoseconds for a character, at least 20; above costMax that it is too much, not how much. */
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

/** Of a text: the first half is read for what becomes known of the automaton, the second one is counted. */
const textLength = 1024;
const counted = textLength / 2;
const stepsMax = (stepsPerKibMax / 1024) * counted;

/** What a step is, for each place at which a match stands: of a set of places that is new, of one that is searched for its end. */
const newPlaceSteps = 20;
const searchedPlaceSteps = 3;
/** Places of new sets in the first half: with more it is too much to learn. */
const warmUpPlacesMax = 50_000;

function stepsPerCharacter(text: string, program: Program, programs: readonly Program[]): number {
  const automaton = new LazyAutomaton(program);
  let steps = scanSteps(text, automaton);
  const rest = text.slice(counted);
  // Those that are not found at all are not searched.
  for (const index of automaton.found) {
    const one = programs[index];
    if (steps > stepsMax || one === undefined) break;
    steps += searchSteps(rest, one, stepsMax - steps);
  }
  return Math.max(1, steps / counted);
}

/** Of looking whether anything is found: a set of places that was met before takes one step, however many they are. */
function scanSteps(text: string, automaton: LazyAutomaton): number {
  let steps = 0;
  let places = 0;
  let isWarm = false;
  for (let at = 0; at < text.length && steps <= stepsMax; at++) {
    const made = automaton.step(text, at);
    isWarm ||= at >= counted || places > warmUpPlacesMax;
    if (!isWarm) places += made;
    else if (made === 0) steps++;
    else steps += newPlaceSteps * made;
  }
  return steps;
}

/** Of finding where: each match is searched from the end of the one before, as far as the engine reads to know its end. */
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
      steps += searchedPlaceSteps * now.size;
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

/** The sets of places that a text leads through, each made once. */
class LazyAutomaton {
  /** Expressions that have matched somewhere, by their index. */
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

  /** @returns the places of the set that it leads to where that is new; 0: it was met before, and a text that goes on meets it again */
  step(text: string, at: number): number {
    const before = conditionsIn(text, at);
    const after = conditionsIn(text, at + 1);
    const key = (text.charCodeAt(at) * 64 + before) * 64 + after;
    const known = this.#state.next.get(key);
    if (known !== undefined) {
      this.#state = known;
      return 0;
    }
    this.#now.set(this.#state.places);
    this.#now.begin(at, before);
    this.#now.step(text.charCodeAt(at), after, this.#next);
    const sets = this.#states.size;
    const state = this.#stateOf(this.#next);
    this.#state.next.set(key, state);
    this.#state = state;
    return this.#states.size > sets ? Math.max(1, state.places.length) : 0;
  }

  #stateOf(threads: Threads): State {
    const places = threads.places.slice().sort();
    const key = places.join();
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = { places, next: new Map() };
    this.#states.set(key, state);
    for (const index of threads.matches) this.found.add(index);
    return state;
  }
}

interface State {
  readonly places: Int32Array;
  readonly next: Map<number, State>;
}

const endConditions = 2 | 8;

function conditionsIn(text: string, at: number): number {
  return conditionsAt(text, at) | (at === text.length ? endConditions : 0);
}

/** Of what the expressions are made of, and what most expressions match; in turns and without any order. */
function likelyTexts(patterns: readonly string[]): readonly string[] {
  const own = [...new Set(patterns.join('').match(/[\p{L}\p{N}]/gu))].filter((one) => one.length === 1);
  const some = own.filter((_, index) => index % Math.ceil(own.length / likelyMax) === 0);
  const mixed = own.length === 0 ? [] : [shuffled(own), shuffled([...own, ' ', '0', '-'])];
  return ['a', '0', ' ', ...some, own.join('')]
    .filter((text) => text !== '')
    .map((text) => repeated(text, textLength))
    .concat(mixed);
}

/** The same each time. */
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
