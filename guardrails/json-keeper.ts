// Text with replacements, of which JSON stays JSON (json-level.ts): all of the text comes here, what stays and what is replaced, in
// its order. However it is cut, the same comes out.
import { type Cover, Level } from './json-level.ts';

export class JsonKeeper {
  #level = new Level();

  /** UTF-16 units that have come and not gone: a number goes when it has ended. */
  get held(): number {
    return this.#level.held;
  }

  /** @returns what goes */
  kept(text: string): string {
    const first = this.#level.nextIn(text, 0);
    if (first === text.length) return text;
    let out = '';
    for (let at = 0, next = first; at < text.length; next = this.#level.nextIn(text, at)) {
      out += text.slice(at, next);
      const unit = text.charAt(next);
      if (unit !== '') out += this.#level.take(unit, unit);
      at = next + 1;
    }
    return out;
  }

  /** @param placeholder in its place; empty: nothing, or what JSON needs there */
  replaced(text: string, placeholder: string): string {
    const before = this.#level;
    for (let flatFrom = Number.POSITIVE_INFINITY; ; ) {
      const cover = { text: placeholder, isPlaced: placeholder === '', flatFrom, brokenAt: flatFrom };
      this.#level = before.clone();
      const out = this.#cover(text, cover);
      if (cover.brokenAt >= flatFrom) return out;
      // No JSON: brackets are text there, and go with it.
      flatFrom = cover.brokenAt;
    }
  }

  /** Nothing follows. */
  end(): string {
    return this.#level.end();
  }

  #cover(text: string, cover: Cover): string {
    let out = '';
    for (let at = 0; at < text.length; at++) out += this.#level.take(text.charAt(at), text.charAt(at), cover);
    return out;
  }
}
