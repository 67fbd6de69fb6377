// Writes log lines to a file or standard output, away from the event loop. The log is the least important thing on a
// machine: lines that cannot be written, because the disk is full or the pipe has no reader, are dropped and counted,
// and nothing else is affected. pino's own stream is not used, because it retries a full disk forever when the program
// ends.
import { write, writeSync } from 'node:fs';

/** Functions that write files; tests replace them. */
export interface FileWriting {
  readonly write: typeof write;
  readonly writeSync: typeof writeSync;
}

export interface LogSink {
  /** Takes whole lines. Never throws and never waits. */
  write(text: string): void;
  /** Lines dropped since the start. */
  readonly lost: number;
  /** @param report called when lines can be written again after some were lost, with the number of lost lines */
  onRecovered(report: (lines: number) => void): void;
  /** Sends all later writes to this descriptor. */
  moveTo(fd: number): void;
  /** Starts writing the buffered lines. */
  release(): void;
  /** Writes the buffered lines synchronously, for as long as that succeeds. For the end of the program. */
  end(): void;
}

/** Lines are buffered, because one write per line would cost a request more than all of its checks. */
const bufferedBytesMax = 64 * 1024;
const bufferedMs = 250;
const bytesPerCharacterMax = 3;
/** Maximum of bytes that wait during a slow write. */
const waitingBytesMax = 8 * 1024 * 1024;
/** If a pipe or terminal accepts nothing at the moment, the write is retried after this time. */
const againMs = 50;
const endTriesMax = 20;
const lineEnd = 0x0a;

export function openLogSink(fd: number, files: FileWriting = { write, writeSync }): LogSink {
  const sink = new Sink(fd, files);
  setInterval(() => sink.release(), bufferedMs).unref();
  return sink;
}

class Sink implements LogSink {
  #fd: number;
  readonly #files: FileWriting;
  /** Bytes and not strings, because concatenated strings keep their pieces alive until they are written. */
  readonly #text = Buffer.allocUnsafe(bufferedBytesMax);
  #used = 0;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** The file ends in the middle of a line, because the rest of the line was dropped. */
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
    if (bytesMax > bufferedBytesMax - this.#used) this.release();
    if (bytesMax > bufferedBytesMax) this.#enqueue(Buffer.from(text));
    else this.#used += this.#text.write(text, this.#used);
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
    this.#enqueue(Buffer.from(this.#text.subarray(0, this.#used)));
    this.#used = 0;
  }

  end(): void {
    this.release();
    let tries = endTriesMax;
    // A write in progress is not repeated, because it is unknown how much of it was written.
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

  /** @returns the part that is still to be written */
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
    // Starts at 1, because a line break at 0 only ends a torn line.
    for (let at = chunk.indexOf(lineEnd, 1); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) this.#lost++;
  }
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EAGAIN' || code === 'EBUSY';
}

/** Blocks the thread. The program is ending, and nothing else may run in the meantime. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
