// JSON lines on standard output (the only pino). Never prompts, answers or keys: what is logged is chosen field by field.
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type DestinationStream,
  destination,
  type Logger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';

export type { Logger } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  readonly name: string;
  readonly level: LogLevel;
  /** A file path, or absent for standard output. */
  readonly file?: string;
  /** For tests. */
  readonly stream?: DestinationStream;
}

/** Lines are written together: a write for each would cost a request more than all of its checks. */
const heldBytesMax = 64 * 1024;
const bytesPerCharacterMax = 3;
const heldMs = 250;

export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? openDestination(options.file);
  const log = pino(
    {
      name: options.name,
      level: options.level,
      base: { name: options.name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err },
    },
    stream,
  );
  streams.set(log, stream);
  return log;
}

const streams = new WeakMap<Logger, DestinationStream>();

export type LineLevel = Extract<LogLevel, 'info' | 'warn' | 'error'>;

/** Writes a line: its members as JSON, without braces. */
export type WriteLine = (level: LineLevel, members: string, message: 'request') => void;

/**
 * Writes lines with the fields every line has: for what is written once a request, where the logger's own way of
 * putting a line together costs as much as the rest of the request's checks.
 */
export function createLineWriter(log: Logger): WriteLine {
  const stream = streams.get(log);
  if (stream === undefined) return () => undefined;
  const writes = {
    info: log.isLevelEnabled('info'),
    warn: log.isLevelEnabled('warn'),
    error: log.isLevelEnabled('error'),
  };
  const name = JSON.stringify(log.bindings().name);
  let second = 0;
  let upToSecond = '';
  return (level, members, message) => {
    if (!writes[level]) return;
    const now = Date.now();
    const ms = now % 1000;
    if (now - ms !== second) {
      second = now - ms;
      upToSecond = new Date(second).toISOString().slice(0, -4);
    }
    const time = `${upToSecond}${String(ms).padStart(3, '0')}Z`;
    stream.write(`{"level":"${level}","time":"${time}","name":${name},${members},"msg":"${message}"}\n`);
  };
}

/** An error as the logger writes it. */
export const errorFields = stdSerializers.err;

function openDestination(file: string | undefined): DestinationStream {
  // Opened here: a stream that is still opening cannot be flushed by a program that ends at once.
  const stream = destination({
    dest: file === undefined ? 1 : openLog(file),
    sync: false,
  });
  // Held here and not by the stream's own minLength, which copies all that it holds at every line; as bytes, because
  // strings put together from pieces keep their pieces alive until they are written.
  const held = Buffer.allocUnsafe(heldBytesMax);
  let used = 0;
  const release = () => {
    if (used === 0) return;
    stream.write(held.toString('utf8', 0, used));
    used = 0;
  };
  setInterval(release, heldMs).unref();
  // A program that has nothing left to do ends: pino closes the stream then, so what is held has to be in it before.
  process.prependListener('beforeExit', release);
  // What is still held when the process ends in another way is written then.
  process.once('exit', () => {
    release();
    stream.flushSync();
  });
  return {
    write: (line) => {
      const bytesMax = line.length * bytesPerCharacterMax;
      if (bytesMax > heldBytesMax - used) release();
      if (bytesMax > heldBytesMax) stream.write(line);
      else used += held.write(line, used);
    },
  };
}

/** @throws Error when the file cannot be written */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a', 0o640);
}
