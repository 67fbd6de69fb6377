// JSON lines on standard output; the only use of pino. Prompts, responses and keys are never logged: every logged field
// is chosen individually.
import { openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { Clock } from './clock.ts';
import { type LogSink, openLogSink } from './log-sink.ts';
import { isDiskTrouble, makeFolder } from './system-errors.ts';

export type { Logger } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  readonly name: string;
  readonly level: LogLevel;
  /** Path of a file; absent for standard output. */
  readonly file?: string;
  /** For tests. */
  readonly stream?: DestinationStream;
}

/**
 * If the file cannot be opened because of its disk, the log goes to standard output.
 * @throws Error that names the file if it cannot be opened for another reason
 */
export function createLogger(options: LoggerOptions): Logger {
  if (options.stream !== undefined) return createOver(options.stream, options);
  const { file } = options;
  const opened = file === undefined ? standardOutput : openLog(file);
  const isOpen = typeof opened === 'number';
  const sink = openSink(isOpen ? opened : standardOutput);
  const log = createOver(sink, options);
  sink.onRecovered((lines) => log.warn({ lines }, 'log lines were lost: they could not be written'));
  if (file !== undefined && !isOpen) {
    log.error({ err: opened, file }, 'the log file cannot be opened: standard output has the log until it can');
    openLater(file, sink, log);
  }
  return log;
}

function openLater(file: string, sink: LogSink, log: Logger): void {
  const timer = setInterval(() => {
    const opened = openLog(file);
    if (typeof opened !== 'number') return;
    clearInterval(timer);
    log.info({ file }, 'the log file is open again: the log goes there from now on');
    sink.release();
    sink.moveTo(opened);
  }, openAgainMs).unref();
}

function createOver(stream: DestinationStream, options: LoggerOptions): Logger {
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

/** Writes a line. @param members JSON members without braces */
export type WriteLine = (level: LineLevel, members: string, message: 'request') => void;

/**
 * Writes lines with the fields that every line has. For lines that are written for each request: the logger's own
 * formatting would cost as much as all other checks of the request.
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

/** Formats an error as the logger does. */
export const errorFields = stdSerializers.err;

const standardOutput = 1;
const openAgainMs = 5_000;

function openSink(fd: number): LogSink {
  const sink = openLogSink(fd);
  sinks.push(sink);
  // The process stays alive until the lines are written. If it ends in another way, `exit` writes the buffered lines.
  process.prependListener('beforeExit', () => sink.release());
  process.once('exit', () => sink.end());
  return sink;
}

const sinks: LogSink[] = [];

/** Options for the counter of lines that could not be written; each program has its own prom-client. */
export function lostLinesCounter<Registry>(registers: Registry[]) {
  return {
    name: 'gateway_log_lines_lost_total',
    help: 'Log lines that could not be written, because the disk is full or their reader has gone; everything else continues',
    registers,
    collect(this: { reset(): void; inc(count: number): void }) {
      this.reset();
      this.inc(sinks.reduce((sum, { lost }) => sum + lost, 0));
    },
  };
}

/**
 * @returns the reason if the file cannot be opened at the moment.
 * @throws Error that names the file if it can never be opened
 */
function openLog(file: string): number | Error {
  try {
    makeFolder(dirname(file));
    return openSync(file, 'a', 0o640);
  } catch (error) {
    if (isDiskTrouble(error)) return error;
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new Error(`the log file ${file} cannot be opened: ${reason}`, { cause: error });
  }
}

const betweenMs = 1000;

/**
 * Limits log lines that callers can cause to one per second for each reason, so that nobody can fill the log.
 * @returns a function that writes the line, or drops it if it comes too soon after one with the same reason
 */
export function sparing<Fields extends { readonly reason: string }>(
  write: (fields: Fields) => void,
  { monotonic }: Pick<Clock, 'monotonic'>,
): (fields: Fields) => void {
  const writtenAt = new Map<string, number>();
  return (fields) => {
    const now = monotonic();
    if (now - (writtenAt.get(fields.reason) ?? Number.NEGATIVE_INFINITY) < betweenMs) return;
    writtenAt.set(fields.reason, now);
    write(fields);
  };
}
