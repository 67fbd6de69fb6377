// Splits bytes into Server-Sent Events without decoding or copying them. An event ends at a blank line; LF, CRLF and CR
// end a line (HTML standard, "Server-sent events"). Chunks may be cut anywhere.
import { ByteStore } from './byte-store.ts';

const lf = 0x0a;
const cr = 0x0d;
const lineFeed = Buffer.from([lf]);

/** Accepts every event. A class for events that cannot be trusted overrides the two checks. */
export class EventSplitter {
  readonly #rest = new ByteStore();

  /** @returns the events that are complete, each with its blank line. @throws what the checks throw */
  push(chunk: Buffer): Buffer[] {
    // A line end at the end of the earlier bytes may begin a blank line, so the search starts there.
    let from = Math.max(0, this.#rest.length - 3);
    this.#rest.push(chunk);
    const { bytes } = this.#rest;
    const events: Buffer[] = [];
    let start = 0;
    for (let end = eventEnd(bytes, from); end !== -1; end = eventEnd(bytes, from)) {
      this.checkSize(end - start);
      // Further blank lines have no meaning and do not become events.
      while (isLineEnd(bytes[end])) end++;
      const event = bytes.subarray(start, end);
      this.checkEvent(event);
      events.push(event);
      start = end;
      from = end;
    }
    this.checkSize(bytes.length - start);
    if (start > 0) {
      // The events are views of the store's memory, so they keep it, and the store gets new memory.
      this.#rest.clear();
      this.#rest.push(bytes.subarray(start));
    }
    return events;
  }

  /**
   * The connection has ended, so no line feed follows a last carriage return.
   * @returns the event that this completes
   */
  end(): Buffer[] {
    return this.#rest.bytes.at(-1) === cr ? this.push(lineFeed) : [];
  }

  /** The bytes of an incomplete event. */
  get rest(): Buffer {
    return this.#rest.bytes;
  }

  /** @param _eventBytes of an event that may be incomplete */
  protected checkSize(_eventBytes: number): void {}

  protected checkEvent(_event: Buffer): void {}
}

/** The end index of the next blank line at or after `from`, or -1. A CR at the very end waits for the next byte. */
function eventEnd(bytes: Buffer, from: number): number {
  for (let i = nextLineEnd(bytes, from); i !== -1; ) {
    const next = afterLineEnd(bytes, i);
    if (next === -1) return -1;
    if (next < bytes.length && isLineEnd(bytes[next])) {
      const end = afterLineEnd(bytes, next);
      return end;
    }
    i = nextLineEnd(bytes, next);
  }
  return -1;
}

function nextLineEnd(bytes: Buffer, from: number): number {
  const foundLf = bytes.indexOf(lf, from);
  const foundCr = bytes.subarray(0, foundLf === -1 ? bytes.length : foundLf).indexOf(cr, from);
  return foundCr === -1 ? foundLf : foundCr;
}

function afterLineEnd(bytes: Buffer, at: number): number {
  if (bytes[at] === lf) return at + 1;
  if (at + 1 >= bytes.length) return -1;
  return bytes[at + 1] === lf ? at + 2 : at + 1;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === lf || byte === cr;
}

/** The event's data: its `data` lines joined by line feeds, or undefined if it has none (comments, other fields). */
export function eventData(event: Buffer): string | undefined {
  const data = event
    .toString()
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:') || line === 'data')
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5));
  return data.length === 0 ? undefined : data.join('\n');
}
