// Texts of a stream that arrive in pieces, each with its window.
import type { TextWindow } from '../../../guardrails/window.ts';
import type { Piece } from '../delta.ts';

/** How much of a text was received, and how much is decided. Fields after it in the stream wait for that. */
export interface Decidable {
  /** In UTF-16 units. */
  readonly pushed: number;
  readonly decided: number;
}

/** A text that is released piece by piece, in chunks of the shape in which it arrived. */
export class Channel implements Decidable {
  readonly #window: TextWindow;
  #pushed = 0;
  shape: Piece['shape'];

  constructor(window: TextWindow, shape: Piece['shape']) {
    this.#window = window;
    this.shape = shape;
  }

  get pushed(): number {
    return this.#pushed;
  }

  get decided(): number {
    return this.#pushed - this.#window.withheld;
  }

  push({ text, shape }: Piece): string {
    this.#pushed += text.length;
    this.shape = shape;
    return this.#window.push(text);
  }

  end(): string {
    return this.#window.end();
  }
}

/** A text whose pieces are released unchanged. After the first replacement, the rewritten text is released instead. */
export class KeptChannel implements Decidable {
  readonly #makeWindow: () => TextWindow;
  #window: TextWindow;
  #hasEnded = false;
  #pushed = 0;
  #last = '';
  /** Text that is still in the window, before the first replacement. */
  #raw = '';
  /** How much text has left the window unchanged. */
  #same = 0;
  #isReplaced = false;
  /** Text that left the window after that and was not taken. */
  #rest = '';

  constructor(makeWindow: () => TextWindow) {
    this.#makeWindow = makeWindow;
    this.#window = makeWindow();
  }

  get pushed(): number {
    return this.#pushed;
  }

  get decided(): number {
    return this.#pushed - this.#window.withheld;
  }

  /** Whether a piece repeats the one before. */
  isRepeated(text: string): boolean {
    return text === this.#last;
  }

  /** @returns the start of the piece in the text. @throws BlockedError */
  push(text: string): number {
    if (this.#hasEnded) this.#window = this.#makeWindow();
    this.#hasEnded = false;
    const start = this.#pushed;
    this.#pushed += text.length;
    this.#last = text;
    if (!this.#isReplaced) this.#raw += text;
    this.#add(this.#window.push(text));
    return start;
  }

  /** The text has ended. @throws BlockedError */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#add(this.#window.end());
  }

  /** @param start start of the piece @returns the released text for the piece; called once for each */
  take(text: string, start: number): string {
    if (this.decided < start + text.length) this.end();
    if (!this.#isReplaced || start + text.length <= this.#same) return text;
    const taken = text.slice(0, Math.max(0, this.#same - start)) + this.#rest;
    this.#rest = '';
    return taken;
  }

  #add(left: string): void {
    if (!this.#isReplaced && this.#raw.startsWith(left)) {
      this.#raw = this.#raw.slice(left.length);
      this.#same += left.length;
      return;
    }
    let same = 0;
    if (!this.#isReplaced) while (left.charCodeAt(same) === this.#raw.charCodeAt(same)) same++;
    this.#isReplaced = true;
    this.#raw = '';
    this.#same += same;
    this.#rest += left.slice(same);
  }
}
