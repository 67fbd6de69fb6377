// Log lines that cannot be written are dropped and counted, with no other effect.
import { openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FileWriting, openLogSink } from '../../../common/log-sink.ts';
import { until } from '../../support/process.ts';

type Fault = 'ENOSPC' | 'EAGAIN' | undefined;

/** A disk with a limited amount of room. */
class Disk {
  content = '';
  room = Number.POSITIVE_INFINITY;
  fault: Fault;

  #take(bytes: Buffer): number {
    if (this.fault !== undefined) throw Object.assign(new Error(this.fault), { code: this.fault });
    const taken = Math.min(bytes.length, this.room - this.content.length);
    if (taken <= 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    this.content += bytes.toString('latin1', 0, taken);
    return taken;
  }

  get files(): FileWriting {
    const write = (_fd: number, bytes: Buffer, done: (error: Error | null, written: number) => void) => {
      setImmediate(() => {
        try {
          done(null, this.#take(bytes));
        } catch (error) {
          done(error as Error, 0);
        }
      });
    };
    const writeSync = (_fd: number, bytes: Buffer) => this.#take(bytes);
    return { write, writeSync } as unknown as FileWriting;
  }
}

const line = (n: number) => `{"n":${String(n).padStart(4, '0')}}\n`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => line(from + index)).join('');

describe('a log sink on a full disk', () => {
  it('drops lines, counts them, and starts a new line after a torn one', async () => {
    const disk = new Disk();
    const sink = openLogSink(0, disk.files);
    const reports: number[] = [];
    sink.onRecovered((lost) => reports.push(lost));
    disk.room = 2 * line(0).length + 5;
    for (const text of [lines(0, 2), lines(2, 6), lines(6, 7)]) {
      sink.write(text);
      sink.release();
    }
    await until(() => sink.lost === 5);
    expect(disk.content).toBe(`${lines(0, 2)}${line(2).slice(0, 5)}`);
    disk.room = Number.POSITIVE_INFINITY;
    sink.write(lines(7, 9));
    sink.release();
    await until(() => reports.length > 0);
    expect(disk.content).toBe(`${lines(0, 2)}${line(2).slice(0, 5)}\n${lines(7, 9)}`);
    expect([reports, sink.lost]).toEqual([[5], 5]);
  });

  it('does not delay the exit of the program', () => {
    const disk = new Disk();
    const sink = openLogSink(0, disk.files);
    sink.write(lines(0, 100));
    disk.room = 0;
    const begun = performance.now();
    sink.end();
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(disk.content).toBe('');
  });

  it('behaves the same on /dev/full', async () => {
    const sink = openLogSink(openSync('/dev/full', 'a'));
    sink.write(lines(0, 3));
    sink.release();
    await until(() => sink.lost === 3);
    sink.write(lines(3, 5));
    sink.end();
  });
});

describe('a log sink on a pipe without a reader', () => {
  it('buffers up to a number of bytes, and drops lines beyond it', () => {
    const disk = new Disk();
    disk.fault = 'EAGAIN';
    const sink = openLogSink(0, disk.files);
    const megabyte = `${'x'.repeat(1024 * 1024 - 1)}\n`;
    for (let n = 0; n < 20; n++) sink.write(megabyte);
    // One megabyte is being written, eight wait.
    expect(sink.lost).toBe(11);
  });

  it('writes all lines in order when the pipe is read again', async () => {
    const disk = new Disk();
    disk.fault = 'EAGAIN';
    const sink = openLogSink(0, disk.files);
    for (let n = 0; n < 50; n++) {
      sink.write(line(n));
      if (n % 7 === 0) sink.release();
    }
    sink.release();
    setTimeout(() => {
      disk.fault = undefined;
    }, 100);
    await until(() => disk.content === lines(0, 50));
    expect(sink.lost).toBe(0);
  });

  it('is waited for at exit, but not for ever', () => {
    const disk = new Disk();
    disk.fault = 'EAGAIN';
    const sink = openLogSink(0, disk.files);
    sink.write(line(0));
    const begun = performance.now();
    sink.end();
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});

it('log lines are written whole and in order, however long they are', async () => {
  const disk = new Disk();
  const sink = openLogSink(0, disk.files);
  const texts = Array.from({ length: 400 }, (_, n) => `${n}:${'ü'.repeat((n * 797) % 8_000)}\n`);
  for (const text of texts) sink.write(text);
  sink.release();
  const all = Buffer.from(texts.join('')).toString('latin1');
  await until(() => disk.content.length === all.length);
  expect(disk.content === all).toBe(true);
});
