// Replaces parts of a text so that JSON in it stays valid (json-level.ts). The caller passes the whole text in order,
// both the parts that stay and the parts that are replaced. The output does not depend on how the text is cut into
// pieces.
import { type Cover, Level } from './json-level.ts';

export class JsonKeeper {
  #level = new Level();

  /** UTF-16 units that were passed in and not put out yet: a number is put out when it has ended. */
  get withheld(): number {
    return this.#level.withheld;
  }

  /** @returns the text that can be put out */
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

  /** @param placeholder the replacement; if it is empty, the text is removed, or replaced by what JSON needs there */
  replaced(text: string, placeholder: string): string {
    const before = this.#level;
    for (let flatFrom = Number.POSITIVE_INFINITY; ; ) {
      const cover = { text: placeholder, isPlaced: placeholder === '', flatFrom, brokenAt: flatFrom };
      this.#level = before.clone();
      const out = this.#cover(text, cover);
      if (cover.brokenAt >= flatFrom) return out;
      // The text is not JSON after all: its brackets are text and are replaced too.
      flatFrom = cover.brokenAt;
    }
  }

  /** Call when no text follows. */
  end(): string {
    return this.#level.end();
  }

  #cover(text: string, cover: Cover): string {
    let out = '';
    for (let at = 0; at < text.length; at++) out += this.#level.take(text.charAt(at), text.charAt(at), cover);
    return out;
  }
}
