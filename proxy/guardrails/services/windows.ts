// Long texts are asked about in windows that overlap: where a window begins goes by the text alone, never by how it came, so that a
// stream is asked about what a whole answer is asked about. Of what was judged the end is kept back and asked about again with what
// follows: whatever is no longer than the overlap is seen whole before any of it leaves.
import { never } from '../../../common/never.ts';
import { type Guardrail, isServiceCheck, type Stage } from '../../../guardrails/definition.ts';
import { modelForm } from '../../../guardrails/models/index.ts';
import { serviceAdapter } from '../../../guardrails/services/index.ts';

/** UTF-16 units of an answer's text that are asked about at a time, where the guardrail does not say. */
const windowDefault = 1_000;
/** Of a window; so much of it is asked about again. */
const overlapPart = 4;

/** @returns UTF-16 units of a text that are asked about at a time */
export function windowOf(
  { check, window = windowDefault }: Pick<Guardrail, 'check' | 'window'>,
  stage: Stage,
): number {
  const max = textMaxOf(check);
  return stage === 'output' ? Math.min(window, max) : max;
}

/** What is asked in one piece at most. */
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
  /** Of what was judged, what has not left. */
  #carry = '';
  #fresh = '';
  #hasEnded = false;
  #requested: string | undefined;
  #isLast = false;
  #isOver = false;
  #hasBegun = false;
  /** UTF-16 units as they came: of all, and of those that are in windows already. */
  #pushed = 0;
  #judged = 0;
  #decided = 0;

  constructor(window: number) {
    this.#window = window;
  }

  get pushed(): number {
    return this.#pushed;
  }

  /** So much of what came has left, in its place what the service left of it. */
  get decided(): number {
    return this.#decided;
  }

  /** UTF-16 units. */
  get held(): number {
    return this.#carry.length + this.#fresh.length;
  }

  /** All of it was judged. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether what is asked now is all of the text. */
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

  /** Whether there is something to ask about. */
  get isDue(): boolean {
    if (this.#isOver || this.#requested !== undefined) return false;
    return this.#hasEnded || this.held > this.#window;
  }

  /** @returns what is asked about, which is then told to `judged` */
  ask(): string {
    this.#isLast = this.#hasEnded && this.held <= this.#window;
    const room = Math.max(1, this.#window - this.#carry.length);
    const taken = this.#isLast ? this.#fresh.length : wholeUnits(this.#fresh, room);
    this.#requested = this.#carry + this.#fresh.slice(0, taken);
    this.#fresh = this.#fresh.slice(taken);
    this.#judged += taken;
    return this.#requested;
  }

  /** @param left in place of what was asked about @returns what leaves */
  judged(left: string): string {
    const isSame = left === this.#requested;
    this.#requested = undefined;
    this.#hasBegun = true;
    if (this.#isLast) {
      this.#isOver = true;
      this.#carry = '';
      this.#decided = this.#judged;
      return left;
    }
    const overlap = Math.floor(this.#window / overlapPart);
    const kept = left.length <= overlap ? 0 : wholeUnits(left, left.length - overlap);
    this.#carry = left.slice(kept);
    // Of what was replaced nobody knows where it came from: then what is kept back may be any of it.
    if (isSame) this.#decided = this.#judged - this.#carry.length;
    return left.slice(0, kept);
  }
}

/** So many units, and not half a character. */
function wholeUnits(text: string, units: number): number {
  if (units >= text.length) return text.length;
  const before = text.charCodeAt(units - 1);
  const isHalf = before >= 0xd800 && before <= 0xdbff;
  return isHalf ? (units > 1 ? units - 1 : units + 1) : units;
}

/** The windows of a text that nothing is replaced in. */
export function windowsOf(text: string, window: number): readonly string[] {
  const windowed = new WindowedText(window);
  windowed.push(text);
  windowed.end();
  const windows: string[] = [];
  while (windowed.isDue) {
    const requested = windowed.ask();
    windowed.judged(requested);
    windows.push(requested);
  }
  return windows;
}
