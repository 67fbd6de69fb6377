// Long texts are sent to services in overlapping windows. The start of a window depends on the text alone, not on its
// chunks, so that a stream is sent in the same windows as a whole response. The end of a checked window is held back
// and sent again with the text that follows: a match no longer than the overlap is inspected whole before any of it is
// released.
import { never } from '../../../common/never.ts';
import { type Guardrail, isServiceCheck, type Stage } from '../../../guardrails/definition.ts';
import { modelForm } from '../../../guardrails/models/index.ts';
import { serviceAdapter } from '../../../guardrails/services/index.ts';

/** In UTF-16 units: the length of a window in a response, if the guardrail has none. */
const windowDefault = 1_000;
/** The overlap is the window's length divided by this. */
const overlapPart = 4;

/** @returns the length of a window in UTF-16 units */
export function windowOf({ check, window = windowDefault }: Pick<Guardrail, 'check' | 'window'>, stage: Stage): number {
  const max = textMaxOf(check);
  return stage === 'output' ? Math.min(window, max) : max;
}

/** Maximum length of text in one call. */
function textMaxOf(check: Guardrail['check']): number {
  if (!isServiceCheck(check)) return Number.POSITIVE_INFINITY;
  switch (check.kind) {
    case 'service':
      return serviceAdapter(check.adapter)?.textMax ?? Number.POSITIVE_INFINITY;
    case 'model':
      return modelForm(check.form)?.textMax ?? Number.POSITIVE_INFINITY;
    case 'webhook':
    case 'moderation':
      return Number.POSITIVE_INFINITY;
    default:
      return never(check);
  }
}

export class WindowedText {
  readonly #window: number;
  /** The end of the checked text, which is held back. */
  #carry = '';
  #fresh = '';
  #hasEnded = false;
  #requested: string | undefined;
  #isLast = false;
  #isOver = false;
  #hasBegun = false;
  /** UTF-16 units of the original text: received, and already in windows. */
  #pushed = 0;
  #returned = 0;
  #decided = 0;

  constructor(window: number) {
    this.#window = window;
  }

  get pushed(): number {
    return this.#pushed;
  }

  /** How much of the original text was released, unchanged or replaced. */
  get decided(): number {
    return this.#decided;
  }

  /** In UTF-16 units. */
  get withheld(): number {
    return this.#carry.length + this.#fresh.length;
  }

  /** The whole text was checked. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the current window is the whole text. */
  get isWhole(): boolean {
    return !this.#hasBegun && this.#hasEnded && this.#pushed <= this.#window;
  }

  push(text: string): void {
    this.#pushed += text.length;
    this.#fresh += text;
  }

  end(): void {
    this.#hasEnded = true;
    if (this.#pushed === 0) this.#isOver = true;
  }

  /** Whether a window has to be sent. */
  get isDue(): boolean {
    if (this.#isOver || this.#requested !== undefined) return false;
    return this.#hasEnded || this.withheld > this.#window;
  }

  /** @returns the next window. Its result must be reported before the next one is taken */
  ask(): string {
    this.#isLast = this.#hasEnded && this.withheld <= this.#window;
    const room = Math.max(1, this.#window - this.#carry.length);
    const taken = this.#isLast ? this.#fresh.length : wholeUnits(this.#fresh, room);
    this.#requested = this.#carry + this.#fresh.slice(0, taken);
    this.#fresh = this.#fresh.slice(taken);
    this.#returned += taken;
    return this.#requested;
  }

  /** @param left the result for the current window @returns the text to release */
  returned(left: string): string {
    const isSame = left === this.#requested;
    this.#requested = undefined;
    this.#hasBegun = true;
    if (this.#isLast) {
      this.#isOver = true;
      this.#carry = '';
      this.#decided = this.#returned;
      return left;
    }
    const overlap = Math.floor(this.#window / overlapPart);
    const kept = left.length <= overlap ? 0 : wholeUnits(left, left.length - overlap);
    this.#carry = left.slice(kept);
    // After a replacement, positions in the original text are unknown: the held-back end may come from any of them.
    if (isSame) this.#decided = this.#returned - this.#carry.length;
    return left.slice(0, kept);
  }
}

/** This many units, but never half a surrogate pair. */
function wholeUnits(text: string, units: number): number {
  if (units >= text.length) return text.length;
  const before = text.charCodeAt(units - 1);
  const isHalf = before >= 0xd800 && before <= 0xdbff;
  return isHalf ? (units > 1 ? units - 1 : units + 1) : units;
}

/** The windows of a text in which nothing is replaced. */
export function windowsOf(text: string, window: number): readonly string[] {
  const windowed = new WindowedText(window);
  windowed.push(text);
  windowed.end();
  const windows: string[] = [];
  while (windowed.isDue) {
    const requested = windowed.ask();
    windowed.returned(requested);
    windows.push(requested);
  }
  return windows;
}
