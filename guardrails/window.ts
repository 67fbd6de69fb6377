// Text on its way through guardrails, whole or in pieces: the pieces give what the whole would. Nothing leaves before every guard
// has decided about it, so of a finding of up to `window` characters nothing leaves at all. The text ends at the first finding that
// blocks, whichever guard is the quicker: what follows it is not counted.
import { endsWithHalf, wholeCharacters } from './characters.ts';
import { escapeBegun } from './escapes.ts';
import { contextMax, fold } from './fold.ts';
import { JsonKeeper } from './json-keeper.ts';
import type { Finding, InspectedText, Matcher } from './matcher.ts';

export interface Guard {
  readonly matcher: Matcher;
  /** What stands in place of what was found; keep: it stays; block: the text ends here. */
  readonly replacement: 'block' | 'keep' | ((found: string, label: string) => string);
  /**
   * Called for every finding, in the order of the text: of a guard that blocks or replaces when that is settled, up to the first
   * finding that blocks; of one that keeps as soon as it is found.
   */
  found(label: string): void;
}

/** A guard that blocks has found something. */
export class BlockedError extends Error {
  readonly guard: Guard;

  constructor(guard: Guard) {
    super('blocked');
    this.name = 'BlockedError';
    this.guard = guard;
  }
}

/** The longest finding that is promised never to leave in pieces, in UTF-16 units. */
export const windowDefault = 512;
/** What has left is forgotten when there is so much of it: not with each piece, for that costs as much as inspecting it. */
const forgottenMin = 128;

interface Found extends Finding {
  readonly guard: Guard;
  /** Of the guard. */
  readonly rank: number;
}

export class TextWindow {
  readonly #guards: readonly Guard[];
  readonly #window: number;
  /** A piece of what has left, then all that has not but {@link TextWindow.#half}. */
  #folded = fold('');
  /** What the last piece ended with of a surrogate pair or an escape: no guard sees it before the rest of it. */
  #half = '';
  /** What stands before has left, or will never leave. */
  #left = 0;
  /** Of each guard, where it inspects on. */
  #from: number[];
  /** What guards that block or replace have found in what has not left; in the order of the text, then of the guards. */
  #found: Found[] = [];
  /** Where something may be replaced: what leaves goes through it. */
  readonly #json: JsonKeeper | undefined;

  /** @param guards in their order: of findings that overlap the one that begins first is replaced, then the one of the first guard */
  constructor(guards: readonly Guard[], window: number = windowDefault) {
    this.#guards = guards;
    this.#window = window;
    this.#from = guards.map(() => 0);
    const replaces = guards.some(({ replacement }) => typeof replacement === 'function');
    this.#json = replaces ? new JsonKeeper() : undefined;
  }

  /** UTF-16 units of what was pushed that have not left. */
  get held(): number {
    return this.#text.length - this.#left + this.#half.length + (this.#json?.held ?? 0);
  }

  /** @returns what may leave. @throws BlockedError */
  push(piece: string): string {
    const pushed = this.#half + piece;
    const whole = endsWithHalf(pushed) ? pushed.length - 1 : escapeBegun(pushed);
    this.#half = pushed.slice(whole);
    return whole === 0 ? '' : this.#inspect(pushed.slice(0, whole), false);
  }

  /** Nothing follows the last piece. @returns the rest. @throws BlockedError */
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

  /** @returns what stands before may leave */
  #inspectFor(guard: Guard, rank: number, text: InspectedText): number {
    const { findings, decided } = guard.matcher.inspect(text, this.#from[rank] ?? 0, this.#window);
    this.#from[rank] = Math.max(decided, findings.at(-1)?.end ?? 0);
    if (guard.replacement !== 'keep') {
      for (const finding of findings) this.#found.push({ ...finding, guard, rank });
      return decided;
    }
    // Whoever only looks on holds nothing back.
    for (const { label } of findings) guard.found(label);
    return text.raw.length;
  }

  /** Lets go of what stands before `decided`: nothing is found there any more. */
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

  /** @returns what leaves up to the end of a finding; nothing where it begins within another one, which goes on as far as both. */
  #settle({ start, end, label, guard }: Found): string {
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
    return this.#json === undefined
      ? placeholder
      : this.#json.replaced(this.#text.slice(start, end), placeholder);
  }

  /** Of what has left no more than what matchers may look at, and what comes with not doing this for each piece. */
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

/** Text that is there as a whole. @throws BlockedError */
export function guardText(guards: readonly Guard[], text: string): string {
  return new TextWindow(guards).end(text);
}
