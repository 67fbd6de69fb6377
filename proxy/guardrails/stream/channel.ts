// Texts of a stream that come in pieces, each behind its window.
import type { TextWindow } from '../../../guardrails/window.ts';
import type { Piece } from '../delta.ts';

/** What has come of a text, and how much of it is decided: what stands behind it in the stream waits for that. */
export interface Decidable {
  /** UTF-16 units. */
  readonly pushed: number;
  readonly decided: number;
}

/** A text that leaves piece by piece, in chunks of the shape that it came in. */
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
    return this.#pushed - this.#window.held;
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

/** A text whose pieces leave as they came; from where something was replaced, with what is left of it. */
export class KeptChannel implements Decidable {
  readonly #makeWindow: () => TextWindow;
  #window: TextWindow;
  #hasEnded = false;
  #pushed = 0;
  #last = '';
  /** What has not left the window, so long as nothing was replaced. */
  #raw = '';
  /** So much left the window as it came. */
  #same = 0;
  #isReplaced = false;
  /** Of what left it from there on, what was not taken. */
  #rest = '';

  constructor(makeWindow: () => TextWindow) {
    this.#makeWindow = makeWindow;
    this.#window = makeWindow();
  }

  get pushed(): number {
    return this.#pushed;
  }

  get decided(): number {
    return this.#pushed - this.#window.held;
  }

  /** Whether a piece is the one before again. */
  isRepeated(text: string): boolean {
    return text === this.#last;
  }

  /** @returns where it begins in the text. @throws BlockedError */
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

  /** Nothing more of this text follows. @throws BlockedError */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#add(this.#window.end());
  }

  /** @param start where the piece begins @returns what leaves in its place; each once */
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
