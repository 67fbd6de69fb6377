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
const heldCharactersMax = 64 * 1024;
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

/**
 * Writes a line of info with the fields every line has, at a quarter of what the logger takes: for what is written once a
 * request. Fields that are undefined are left out; there must be one that is not.
 */
export function createLineWriter(log: Logger): (fields: object, message: 'request') => void {
  const stream = streams.get(log);
  if (stream === undefined || !log.isLevelEnabled('info')) return () => undefined;
  const name = JSON.stringify(log.bindings().name);
  return (fields, message) => {
    const rest = JSON.stringify(fields).slice(1, -1);
    const time = new Date().toISOString();
    stream.write(`{"level":"info","time":"${time}","name":${name},${rest},"msg":"${message}"}\n`);
  };
}

/** An error as the logger writes it. */
export const errorFields = stdSerializers.err;

function openDestination(file: string | undefined): DestinationStream {
  // Opened here: a stream that is still opening cannot be flushed by a program that ends at once.
  const stream = destination({ dest: file === undefined ? 1 : openLog(file), sync: false });
  // Held here and not by the stream's own minLength, which copies all that it holds at every line.
  let held = '';
  const release = () => {
    if (held === '') return;
    stream.write(held);
    held = '';
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
      held += line;
      if (held.length > heldCharactersMax) release();
    },
  };
}

/** @throws Error when the file cannot be written */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a', 0o640);
}
