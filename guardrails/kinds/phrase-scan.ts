// One inspection of a text for phrases. A phrase is only found after the text behind it was seen, so that a later
// letter or accent cannot invalidate it by becoming part of the word.
import { characterBefore, characterLength, codePointIn, wholeCharacters } from '../characters.ts';
import type { Finding, Inspected, InspectedText } from '../matcher.ts';
import type { PhraseAutomaton } from './phrase-automaton.ts';
import { blank, skeletonUnit } from './skeleton.ts';
import { isPartOfLetterBefore, isWithinWord } from './word-boundaries.ts';

export interface PhraseScanOptions {
  readonly automaton: PhraseAutomaton;
  readonly withinWords: boolean;
  readonly text: InspectedText;
  readonly from: number;
  readonly window: number;
}

/** The label of all matches: "WORD". */
const label = 'WORD';

const none = new Int32Array(0);

export class PhraseScan {
  readonly #options: PhraseScanOptions;
  readonly #folded: string;
  /**
   * A ring over the most recent units. Units are counted as they are read; a blank after a blank is not counted. For
   * each unit the ring contains its position in the folded text and the end of the longest phrase that begins there (0:
   * none).
   */
  #positions = none;
  #ends = none;
  #mask = 0;
  #read = 0;
  #state = 0;
  /** Number of phrases in the ring that are not settled, and the count of the first unit at which one begins. */
  #noted = 0;
  #firstNoted = 0;
  readonly #findings: Finding[] = [];
  /** Raw position before which no further match may begin. */
  #free: number;

  constructor(options: PhraseScanOptions) {
    this.#options = options;
    this.#folded = options.text.folded.text;
    this.#free = options.from;
  }

  run(): Inspected {
    const { automaton, text, from } = this.#options;
    const folded = this.#folded;
    let state = 0;
    let previous = 0;
    for (let at = text.folded.foldedAt(from); at < folded.length; at++) {
      if (state === 0) at = this.#nextBeginning(at);
      if (at === folded.length) break;
      const unit = skeletonUnit(folded.charCodeAt(at));
      if (unit === blank && previous === blank) continue;
      previous = unit;
      state = automaton.next(state, unit);
      if (state === 0 && this.#mayBegin(at)) state = automaton.first(unit);
      if (state !== 0) this.#take(state, at);
    }
    this.#state = state;
    return { findings: this.#findings, decided: text.isEnd ? this.#finish() : this.#pause() };
  }

  /**
   * Skips the text without phrases, which is nearly all of it.
   * @returns where the next phrase may begin, or the length of the text
   */
  #nextBeginning(from: number): number {
    const { automaton } = this.#options;
    const folded = this.#folded;
    for (let at = from; at < folded.length; at++)
      if (automaton.first(skeletonUnit(folded.charCodeAt(at))) !== 0 && this.#mayBegin(at)) return at;
    return folded.length;
  }

  #mayBegin(at: number): boolean {
    if (at === 0 || this.#options.withinWords) return true;
    const [before, after] = [this.#folded.charCodeAt(at - 1), this.#folded.charCodeAt(at)];
    // The common case: neither unit is half of a surrogate pair.
    if (before < 0xd800 && after < 0xd800) return !isWithinWord(before, after);
    return !isWithinWord(characterBefore(this.#folded, at), this.#character(at));
  }

  /** @param at folded position of the unit that led to the state */
  #take(state: number, at: number): void {
    if (this.#read === 0) this.#makeRing(at);
    this.#positions[this.#read & this.#mask] = at;
    this.#read++;
    if (this.#noted > 0) this.#settle(this.#begin(state));
    if (this.#options.automaton.phrase(state) !== 0) this.#note(state, at + 1);
  }

  /** Created when the first phrase begins, because most pieces of a stream need none. */
  #makeRing(at: number): void {
    const unitsMax = Math.min(this.#options.automaton.longest, this.#folded.length - at);
    const size = 2 ** (32 - Math.clz32(unitsMax));
    this.#positions = new Int32Array(size);
    this.#ends = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** The count of the unit at which a state begins. */
  #begin(state: number): number {
    return this.#read - this.#options.automaton.depth(state);
  }

  #position(count: number): number {
    return this.#positions[count & this.#mask] ?? 0;
  }

  /** Notes all phrases with which the text so far ends. @param phraseEnd end of the phrases in the folded text */
  #note(state: number, phraseEnd: number): void {
    const { automaton, text, window } = this.#options;
    const end = this.#characterEnd(phraseEnd);
    if (end > phraseEnd && !this.#isWordEnd(phraseEnd)) return;
    const isWordEnd = this.#isWordEnd(end);
    const rawEnd = this.#endOfLetters(end);
    const next = text.folded.rawAt(end);
    let phrase = automaton.phrase(state);
    for (; phrase !== 0; phrase = automaton.phrase(automaton.shorter(phrase))) {
      const begin = this.#begin(phrase);
      const start = text.folded.rawAt(this.#position(begin));
      // Text beyond the window does not count as adjacent, not even in a whole text, so that pieces give the same
      // result as the whole.
      if (start < this.#free || !(isWordEnd || next - start >= window)) continue;
      if (!text.isEnd && !text.isPart && rawEnd - start > window) continue;
      if (this.#noted === 0 || begin < this.#firstNoted) this.#firstNoted = begin;
      if (this.#ends[begin & this.#mask] === 0) this.#noted++;
      this.#ends[begin & this.#mask] = end;
    }
  }

  /** Settles noted phrases that begin before the given count. Nothing to come can begin earlier or be longer. */
  #settle(before: number): void {
    for (; this.#noted > 0 && this.#firstNoted < before; this.#firstNoted++) {
      const end = this.#ends[this.#firstNoted & this.#mask] ?? 0;
      if (end === 0) continue;
      const begin = this.#position(this.#firstNoted);
      if (end === this.#folded.length && this.#isOpen(begin)) return;
      this.#ends[this.#firstNoted & this.#mask] = 0;
      this.#noted--;
      this.#find(begin, end);
    }
  }

  #find(begin: number, end: number): void {
    const { text, window } = this.#options;
    const start = text.folded.rawAt(begin);
    if (start < this.#free) return;
    // Includes at most as much invisible text after the match as fits into the window, so that pieces give the same
    // result as the whole.
    const room = Math.max(this.#endOfLetters(end), wholeCharacters(text.raw, start + window));
    this.#free = Math.min(text.folded.rawEnd(end), room);
    this.#findings.push({ start, end: this.#free, label });
  }

  /** No text follows, so all noted phrases are found. */
  #finish(): number {
    this.#settle(this.#read);
    return this.#options.text.raw.length;
  }

  /** @returns the begin of the first phrase that later text may complete or invalidate */
  #pause(): number {
    const { automaton, text } = this.#options;
    let open = this.#read;
    for (let state = this.#state; state !== 0; state = automaton.shorter(state)) {
      open = this.#begin(state);
      this.#settle(open);
      if (this.#isOpen(this.#position(open))) break;
      open = this.#read;
    }
    this.#settle(open);
    if (this.#noted > 0) open = Math.min(open, this.#firstNoted);
    return open === this.#read ? text.raw.length : text.folded.rawAt(this.#position(open));
  }

  /** Whether later text may still invalidate a phrase that begins here. */
  #isOpen(begin: number): boolean {
    const { text, window } = this.#options;
    const start = text.folded.rawAt(begin);
    if (text.isEnd || start < this.#free) return false;
    return text.isPart === true || start > text.raw.length - window;
  }

  /**
   * At the end of an incomplete text the result is preliminary: the phrase is checked again until the window has
   * passed.
   */
  #isWordEnd(end: number): boolean {
    if (end === this.#folded.length) return true;
    const next = this.#character(end);
    if (isPartOfLetterBefore(next)) return false;
    return this.#options.withinWords || !isWithinWord(characterBefore(this.#folded, end), next);
  }

  /** A phrase that ends inside a character includes the whole character. */
  #characterEnd(end: number): number {
    const { folded } = this.#options.text;
    let characterEnd = end;
    while (folded.rawAt(characterEnd) === folded.rawAt(end - 1)) characterEnd++;
    return characterEnd;
  }

  #character(at: number): number {
    return codePointIn(this.#folded, at);
  }

  /** The raw end without the invisible text after it. @param end position in the folded text */
  #endOfLetters(end: number): number {
    const last = this.#options.text.folded.rawAt(end - 1);
    return last + characterLength(this.#options.text.raw, last);
  }
}
