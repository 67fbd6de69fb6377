// CSV by RFC 4180, read as it comes: quoted cells with commas, quotes and line ends in them, with either line end.
import { Failure } from '../failure.ts';

/** Of a record: a cell of a bill that is longer is a quote that was never closed. */
const recordCharactersMax = 1024 * 1024;

/** Every record, the header among them. @throws Failure for a quote that is not closed */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const reader = new CsvReader();
  let isFirst = true;
  for await (const chunk of chunks) {
    // The mark that some programs begin UTF-8 with.
    yield* reader.read(isFirst ? chunk.replace(/^\uFEFF/, '') : chunk);
    isFirst = false;
  }
  yield* reader.end();
}

class CsvReader {
  #cells: string[] = [];
  #cell = '';
  #size = 0;
  /** `after`: a quote in a quoted cell, which the next character says the meaning of. */
  #state: 'plain' | 'quoted' | 'after' = 'plain';

  *read(chunk: string): Generator<readonly string[]> {
    for (const letter of chunk) {
      if (++this.#size > recordCharactersMax)
        throw new Failure('usage', 'the file is no CSV: a quote is not closed');
      const record = this.#take(letter);
      if (record !== undefined) yield record;
    }
  }

  *end(): Generator<readonly string[]> {
    if (this.#state === 'quoted')
      throw new Failure('usage', 'the file is no whole CSV: it ends within quotes');
    if (this.#cells.length > 0 || this.#cell !== '') yield this.#record();
  }

  #take(letter: string): readonly string[] | undefined {
    if (this.#state === 'quoted') {
      if (letter === '"') this.#state = 'after';
      else this.#cell += letter;
      return undefined;
    }
    if (letter === '"' && this.#state === 'after') {
      this.#cell += letter;
      this.#state = 'quoted';
    } else if (letter === '"' && this.#cell === '') this.#state = 'quoted';
    else return this.#takePlain(letter);
    return undefined;
  }

  #takePlain(letter: string): readonly string[] | undefined {
    this.#state = 'plain';
    if (letter === ',') {
      this.#cells.push(this.#cell);
      this.#cell = '';
    } else if (letter === '\n') return this.#isEmpty ? this.#forget() : this.#record();
    else if (letter !== '\r') this.#cell += letter;
    return undefined;
  }

  get #isEmpty(): boolean {
    return this.#cells.length === 0 && this.#cell === '';
  }

  #forget(): undefined {
    this.#size = 0;
  }

  #record(): readonly string[] {
    const record = [...this.#cells, this.#cell];
    this.#cells = [];
    this.#cell = '';
    this.#size = 0;
    return record;
  }
}
