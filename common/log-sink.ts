// Where log lines go: a file or standard output, written away from the event loop. A log is the least important thing on a machine: what
// cannot be written, because the disk is full or nobody reads the pipe, is dropped and counted, and nothing else notices. Written here
// and not by pino's own stream, which retries a full disk for ever when the program ends.
import { write, writeSync } from 'node:fs';

/** How files are written, for tests. */
export interface FileWriting {
  readonly write: typeof write;
  readonly writeSync: typeof writeSync;
}

export interface LogSink {
  /** Whole lines. Never throws, never waits. */
  write(text: string): void;
  /** Lines that were dropped, since the start. */
  readonly lost: number;
  /** @param report is called where lines are written again after some were lost, with their number */
  onRecovered(report: (lines: number) => void): void;
  /** What is written from now on goes there. */
  moveTo(fd: number): void;
  /** Sends off what is held. */
  release(): void;
  /** Writes what is held, for as long as that succeeds; for the end of the program. */
  end(): void;
}

/** Lines are written together: a write for each would cost a request more than all of its checks. */
const heldBytesMax = 64 * 1024;
const heldMs = 250;
const bytesPerCharacterMax = 3;
/** What may wait while a write takes long. */
const waitingBytesMax = 8 * 1024 * 1024;
/** A pipe or terminal that takes nothing for the moment is tried again. */
const againMs = 50;
const endTriesMax = 20;
const lineEnd = 0x0a;

export function openLogSink(fd: number, files: FileWriting = { write, writeSync }): LogSink {
  const sink = new Sink(fd, files);
  setInterval(() => sink.release(), heldMs).unref();
  return sink;
}

class Sink implements LogSink {
  #fd: number;
  readonly #files: FileWriting;
  /** As bytes, because strings put together from pieces keep their pieces alive until they are written. */
  readonly #held = Buffer.allocUnsafe(heldBytesMax);
  #used = 0;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** The file ends in the middle of a line: the rest of it was dropped. */
  #isTorn = false;
  #lost = 0;
  #reported = 0;
  #report: (lines: number) => void = () => undefined;

  constructor(fd: number, files: FileWriting) {
    this.#fd = fd;
    this.#files = files;
  }

  get lost(): number {
    return this.#lost;
  }

  write(text: string): void {
    const bytesMax = text.length * bytesPerCharacterMax;
    if (bytesMax > heldBytesMax - this.#used) this.release();
    if (bytesMax > heldBytesMax) this.#enqueue(Buffer.from(text));
    else this.#used += this.#held.write(text, this.#used);
  }

  onRecovered(report: (lines: number) => void): void {
    this.#report = report;
  }

  moveTo(fd: number): void {
    this.#fd = fd;
    this.#isTorn = false;
  }

  release(): void {
    if (this.#used === 0) return;
    this.#enqueue(Buffer.from(this.#held.subarray(0, this.#used)));
    this.#used = 0;
  }

  end(): void {
    this.release();
    let tries = endTriesMax;
    // One that is under way is left to itself: nobody can say how much of it is written.
    for (let chunk = this.#next(); chunk !== undefined; ) {
      try {
        const rest = this.#written(chunk, this.#files.writeSync(this.#fd, chunk));
        chunk = rest.length > 0 ? rest : this.#next();
      } catch (error) {
        if (isBusy(error) && tries-- > 0) sleep(againMs);
        else return;
      }
    }
  }

  #enqueue(chunk: Buffer): void {
    if (this.#waitingBytes + chunk.length > waitingBytesMax) {
      this.#drop(chunk);
      return;
    }
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#writeNext();
  }

  #writeNext(): void {
    if (this.#isWriting) return;
    const chunk = this.#next();
    if (chunk !== undefined) this.#write(chunk);
  }

  #next(): Buffer | undefined {
    const chunk = this.#waiting.shift();
    if (chunk === undefined) return undefined;
    this.#waitingBytes -= chunk.length;
    return this.#isTorn ? Buffer.concat([Buffer.of(lineEnd), chunk]) : chunk;
  }

  /** @returns what is left to be written of it */
  #written(chunk: Buffer, length: number): Buffer {
    if (length > 0) this.#isTorn = chunk[length - 1] !== lineEnd;
    return chunk.subarray(length);
  }

  #write(chunk: Buffer): void {
    this.#isWriting = true;
    this.#files.write(this.#fd, chunk, (error, written) => {
      if (error !== null && isBusy(error)) {
        setTimeout(() => this.#write(chunk), againMs).unref();
        return;
      }
      const rest = error === null ? this.#written(chunk, written) : chunk;
      if (error === null && rest.length > 0) {
        this.#write(rest);
        return;
      }
      this.#isWriting = false;
      if (error === null) this.#reportLost();
      else this.#drop(rest);
      this.#writeNext();
    });
  }

  #reportLost(): void {
    const lines = this.#lost - this.#reported;
    this.#reported = this.#lost;
    if (lines > 0) this.#report(lines);
  }

  #drop(chunk: Buffer): void {
    // What mends a torn line is in front.
    for (let at = chunk.indexOf(lineEnd, 1); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) this.#lost++;
  }
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EAGAIN' || code === 'EBUSY';
}

/** The program ends: nothing else is to run meanwhile. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
