// Streams a file or standard input as text. Decompresses gzip, and never has the whole file in memory.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';

/** Maximum length of a line of JSON; no row of a bill is longer. */
const lineCharactersMax = 4 * 1024 * 1024;

/**
 * @param file "-" for standard input.
 * @throws Failure that names the file, if it cannot be read
 */
export async function* textOfFile(file: string, io: Pick<Io, 'inputStream'>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false });
  try {
    const bytes = file === '-' ? io.inputStream() : createReadStream(file);
    for await (const chunk of unpacked(bytes)) {
      const text = decoder.decode(chunk, { stream: true });
      if (text !== '') yield text;
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const why = code.startsWith('Z_') ? `it is packed with gzip and damaged or cut: ${code}` : code;
    throw new Failure('usage', `${nameOf(file)} cannot be read (${why})`);
  }
}

export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : `the file ${file}`;
}

/** Lines without their line ends, including empty ones. @throws Failure */
export async function* linesOf(file: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax) throw new Failure('usage', `${nameOf(file)}: a line is too long to be a row`);
    yield* lines;
  }
  yield rest;
}

async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  // A pipe may deliver one byte at a time.
  while (head.length < 2) {
    const { value, done } = await chunks.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  const whole = continued(head, chunks);
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzipped(Readable.from(whole));
  else yield* whole;
}

async function* gunzipped(packed: Readable): AsyncGenerator<Uint8Array> {
  const plain = createGunzip();
  packed.on('error', (error) => plain.destroy(error));
  try {
    for await (const chunk of packed.pipe(plain)) yield chunk as Uint8Array;
  } finally {
    packed.destroy();
  }
}

async function* continued(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
