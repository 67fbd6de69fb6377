// Text on its way through guardrails, whole or in pieces: the pieces give what the whole would. Nothing leaves before every guard
// has decided about it, so of a finding of up to `window` characters nothing leaves at all.
import { fold } from './fold.ts';
import type { Finding, InspectedText, Matcher } from './matcher.ts';

export interface Guard {
  readonly matcher: Matcher;
  /** What stands in place of what was found; keep: it stays; block: the text ends here. */
  readonly replacement: 'block' | 'keep' | ((found: string, label: string) => string);
  /** Called for every finding, in the order of the text. */
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
/** Of what has left, for whoever looks behind: whether a word begins. */
const contextMax = 32;

interface Found extends Finding {
  readonly guard: Guard;
}

export class TextWindow {
  readonly #guards: readonly Guard[];
  readonly #window: number;
  /** A piece of what has left, then all that has not. */
  #text = '';
  /** What stands before has left, or will never leave. */
  #left = 0;
  /** Of each guard, where it inspects on. */
  #from: number[];
  /** In what has not left; in the order of the text. */
  #found: Found[] = [];

  /** @param guards in their order: of findings that overlap the one that begins first is replaced, then the one of the first guard */
  constructor(guards: readonly Guard[], window: number = windowDefault) {
    this.#guards = guards;
    this.#window = window;
    this.#from = guards.map(() => 0);
  }

  /** UTF-16 units of what was pushed that have not left. */
  get held(): number {
    return this.#text.length - this.#left;
  }

  /** @returns what may leave. @throws BlockedError */
  push(piece: string): string {
    return piece === '' ? '' : this.#inspect(piece, false);
  }

  /** Nothing follows the last piece. @returns the rest. @throws BlockedError */
  end(piece = ''): string {
    return this.#inspect(piece, true);
  }

  #inspect(piece: string, isEnd: boolean): string {
    const raw = this.#text + piece;
    this.#text = raw;
    const text = { raw, folded: fold(raw), isEnd };
    let decided = raw.length;
    for (const [index, guard] of this.#guards.entries())
      decided = Math.min(decided, this.#inspectFor(guard, index, text));
    this.#found.sort((a, b) => a.start - b.start);
    const released = this.#release(isEnd ? decided : wholeCharacters(raw, decided));
    this.#forget();
    return released;
  }

  /** @returns up to where it has decided */
  #inspectFor(guard: Guard, index: number, text: InspectedText): number {
    const from = this.#from[index] ?? 0;
    const { findings, decided } = guard.matcher.inspect(text, from, this.#window);
    for (const finding of findings) {
      guard.found(finding.label);
      if (guard.replacement === 'block') throw new BlockedError(guard);
      this.#found.push({ ...finding, guard });
    }
    this.#from[index] = Math.max(decided, findings.at(-1)?.end ?? 0);
    return decided;
  }

  /** Lets go of what stands before `decided`. */
  #release(decided: number): string {
    let released = '';
    while (this.#found[0] !== undefined && this.#found[0].start < decided) {
      const { guard, start, end, label } = this.#found[0];
      this.#found.shift();
      const { replacement } = guard;
      if (typeof replacement !== 'function') continue;
      if (start >= this.#left) {
        released += this.#text.slice(this.#left, start) + replacement(this.#text.slice(start, end), label);
      }
      this.#left = Math.max(this.#left, end);
    }
    if (this.#left < decided) {
      released += this.#text.slice(this.#left, decided);
      this.#left = decided;
    }
    return released;
  }

  #forget(): void {
    const needed = Math.min(this.#left, ...this.#from, ...this.#found.map(({ start }) => start));
    const dropped = wholeCharacters(this.#text, Math.max(0, needed - contextMax));
    if (dropped === 0) return;
    this.#text = this.#text.slice(dropped);
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

/** Not within a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}
