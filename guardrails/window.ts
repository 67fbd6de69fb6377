// Passes text through guardrails, whole or in pieces; pieces give the same result as the whole. No text is released
// before every guard has decided on it, so no part of a match of up to `window` characters is released. The text ends
// at the first match that blocks, whichever guard is faster; matches after it are not counted.
import { endsWithHalf, wholeCharacters } from './characters.ts';
import { escapeBegun } from './escapes.ts';
import { contextMax, fold } from './fold.ts';
import { JsonKeeper } from './json-keeper.ts';
import type { Finding, InspectedText, Matcher } from './matcher.ts';

export interface Guard {
  readonly matcher: Matcher;
  /** The replacement of a match. keep: it stays; block: the text ends here. */
  readonly replacement: 'block' | 'keep' | ((found: string, label: string) => string);
  /**
   * Called for every match in the order of the text. For a guard that blocks or replaces: when the match is settled, up
   * to the first match that blocks. For a guard that keeps: as soon as the match is found.
   */
  found(label: string): void;
}

/** A guard that blocks has a match. */
export class BlockedError extends Error {
  readonly guard: Guard;

  constructor(guard: Guard) {
    super('blocked');
    this.name = 'BlockedError';
    this.guard = guard;
  }
}

/** Maximum length of a match that is guaranteed never to be released in part, in UTF-16 units. */
export const windowDefault = 512;
/**
 * Released text is removed only when there is this much of it. Doing so for each piece would cost as much as inspecting
 * it.
 */
const forgottenMin = 128;

interface GuardedMatch extends Finding {
  readonly guard: Guard;
  /** Rank of the guard. */
  readonly rank: number;
}

export class TextWindow {
  readonly #guards: readonly Guard[];
  readonly #window: number;
  /** The end of the released text as context, then all unreleased text except {@link TextWindow.#half}. */
  #folded = fold('');
  /** Half of a surrogate pair or an escape at the end of the last piece. Guards see it only together with the rest. */
  #half = '';
  /** Text before this position was released, or never will be. */
  #left = 0;
  /** For each guard, the position from which it inspects next. */
  #from: number[];
  /** Matches of blocking and replacing guards in unreleased text; in the order of the text, then of the guards. */
  #found: GuardedMatch[] = [];
  /** Set if a guard may replace text: all released text passes through it. */
  readonly #json: JsonKeeper | undefined;

  /**
   * @param guards in their order. If matches overlap, the one that begins first is replaced; if they begin together,
   * the one of the first guard
   */
  constructor(guards: readonly Guard[], window: number = windowDefault) {
    this.#guards = guards;
    this.#window = window;
    this.#from = guards.map(() => 0);
    const replaces = guards.some(({ replacement }) => typeof replacement === 'function');
    this.#json = replaces ? new JsonKeeper() : undefined;
  }

  /** UTF-16 units that were pushed and not released. */
  get withheld(): number {
    return this.#text.length - this.#left + this.#half.length + (this.#json?.withheld ?? 0);
  }

  /**
   * @returns the text that may be released
   * @throws BlockedError
   */
  push(piece: string): string {
    const pushed = this.#half + piece;
    const whole = endsWithHalf(pushed) ? pushed.length - 1 : escapeBegun(pushed);
    this.#half = pushed.slice(whole);
    return whole === 0 ? '' : this.#inspect(pushed.slice(0, whole), false);
  }

  /** Call with the last piece. @returns the rest of the text. @throws BlockedError */
  end(piece = ''): string {
    const pushed = this.#half + piece;
    this.#half = '';
    return this.#inspect(pushed, true);
  }

  get #text(): string {
    return this.#folded.raw;
  }

  #inspect(piece: string, isEnd: boolean): string {
    this.#folded = this.#folded.with(fold(piece));
    const text = { raw: this.#text, folded: this.#folded, isEnd };
    const noted = this.#found.length;
    const decided = this.#guards.map((guard, rank) => this.#inspectFor(guard, rank, text));
    if (this.#found.length > noted) this.#found.sort((a, b) => a.start - b.start || a.rank - b.rank);
    const released = this.#release(wholeCharacters(text.raw, Math.min(text.raw.length, ...decided)));
    if (isEnd) return released + (this.#json?.end() ?? '');
    this.#forget();
    return released;
  }

  /** @returns the position before which text may be released */
  #inspectFor(guard: Guard, rank: number, text: InspectedText): number {
    const { findings, decided } = guard.matcher.inspect(text, this.#from[rank] ?? 0, this.#window);
    this.#from[rank] = Math.max(decided, findings.at(-1)?.end ?? 0);
    if (guard.replacement !== 'keep') {
      for (const finding of findings) this.#found.push({ ...finding, guard, rank });
      return decided;
    }
    // A guard that only observes holds nothing back.
    for (const { label } of findings) guard.found(label);
    return text.raw.length;
  }

  /** Releases the text before `decided`; no further match can begin there. */
  #release(decided: number): string {
    let released = '';
    while (this.#found[0] !== undefined && this.#found[0].start < decided) {
      released += this.#settle(this.#found[0]);
      this.#found.shift();
    }
    if (this.#left >= decided) return released;
    const rest = this.#text.slice(this.#left, decided);
    this.#left = decided;
    return released + this.#kept(rest);
  }

  /**
   * @returns the text up to the end of a match. A match that begins inside another one adds nothing of its own; both
   * are replaced as one.
   */
  #settle({ start, end, label, guard }: GuardedMatch): string {
    guard.found(label);
    if (guard.replacement === 'block') throw new BlockedError(guard);
    const before = this.#left;
    this.#left = Math.max(before, end);
    if (start < before || guard.replacement === 'keep') return this.#replaced(before, this.#left, '');
    const kept = this.#kept(this.#text.slice(before, start));
    return kept + this.#replaced(start, end, guard.replacement(this.#text.slice(start, end), label));
  }

  #kept(text: string): string {
    return this.#json === undefined ? text : this.#json.kept(text);
  }

  #replaced(start: number, end: number, placeholder: string): string {
    return this.#json === undefined ? placeholder : this.#json.replaced(this.#text.slice(start, end), placeholder);
  }

  /** Removes released text, except for the context of matchers. Not for each piece; see forgottenMin. */
  #forget(): void {
    const needed = Math.min(this.#left, this.#found[0]?.start ?? this.#left, ...this.#from);
    const dropped = wholeCharacters(this.#text, needed - contextMax);
    if (dropped < forgottenMin) return;
    this.#folded = this.#folded.from(dropped);
    this.#left -= dropped;
    this.#from = this.#from.map((from) => from - dropped);
    this.#found = this.#found.map((found) => ({
      ...found,
      start: found.start - dropped,
      end: found.end - dropped,
    }));
  }
}

/** Inspects a complete text. @throws BlockedError */
export function guardText(guards: readonly Guard[], text: string): string {
  return new TextWindow(guards).end(text);
}
