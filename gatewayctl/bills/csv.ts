// Reads CSV (RFC 4180) as a stream. Quoted cells may contain commas, quotes and line ends; both kinds of line end are
// accepted.
import { Failure } from '../failure.ts';

/** Maximum length of a record. In a bill, a longer one means a quote that was never closed. */
const recordCharactersMax = 1024 * 1024;

/** Every record, including the header. @throws Failure if a quote is not closed */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const reader = new CsvReader();
  let isFirst = true;
  for await (const chunk of chunks) {
    // Removes the byte order mark with which some programs begin UTF-8.
    yield* reader.read(isFirst ? chunk.replace(/^\uFEFF/, '') : chunk);
    isFirst = false;
  }
  yield* reader.end();
}

class CsvReader {
  #cells: string[] = [];
  #cell = '';
  #size = 0;
  /** `after`: a quote inside a quoted cell; the next character decides its meaning. */
  #state: 'plain' | 'quoted' | 'after' = 'plain';

  *read(chunk: string): Generator<readonly string[]> {
    for (const letter of chunk) {
      if (++this.#size > recordCharactersMax) throw new Failure('usage', 'the file is no CSV: a quote is not closed');
      const record = this.#take(letter);
      if (record !== undefined) yield record;
    }
  }

  *end(): Generator<readonly string[]> {
    if (this.#state === 'quoted') throw new Failure('usage', 'the file is no whole CSV: it ends within quotes');
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
