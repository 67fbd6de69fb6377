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
const writeBytesMin = 64 * 1024;
const writeBytesMax = 4 * writeBytesMin;
const writeEveryMs = 250;

export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      name: options.name,
      level: options.level,
      base: { name: options.name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err },
    },
    options.stream ?? openDestination(options.file),
  );
}

function openDestination(file: string | undefined): DestinationStream {
  const stream = destination({
    // Opened here: a stream that is still opening cannot be flushed by a program that ends at once.
    dest: file === undefined ? 1 : openLog(file),
    sync: false,
    minLength: writeBytesMin,
    maxWrite: writeBytesMax,
    periodicFlush: writeEveryMs,
  });
  // What is still held when the process ends, however it ends, is written then.
  process.once('exit', () => stream.flushSync());
  return stream;
}

/** @throws Error when the file cannot be written */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a', 0o640);
}
