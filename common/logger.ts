// JSON lines on standard output (the only pino). Never prompts, answers or keys: what is logged is chosen field by field.
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
  /** A file path, or absent for standard output. */
  readonly file?: string;
  /** For tests. */
  readonly stream?: DestinationStream;
}

/** @throws Error that names the file where it cannot be opened, unless its disk is to blame: then the log goes to standard output */
export function createLogger(options: LoggerOptions): Logger {
  if (options.stream !== undefined) return createOver(options.stream, options);
  const { file } = options;
  const opened = file === undefined ? standardOutput : openLog(file);
  const isOpen = typeof opened === 'number';
  const sink = openSink(isOpen ? opened : standardOutput);
  const log = createOver(sink, options);
  sink.onRecovered((lines) => log.warn({ lines }, 'log lines were lost: they could not be written'));
  if (file !== undefined && !isOpen) {
    log.error(
      { err: opened, file },
      'the log file cannot be opened: standard output has the log until it can',
    );
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

const standardOutput = 1;
const openAgainMs = 5_000;

function openSink(fd: number): LogSink {
  const sink = openLogSink(fd);
  sinks.push(sink);
  // A program that has nothing left to do goes on until its lines are written; what is held when it ends in another way is written then.
  process.prependListener('beforeExit', () => sink.release());
  process.once('exit', () => sink.end());
  return sink;
}

const sinks: LogSink[] = [];

/** Options of the counter of lines that could not be written, for each program's prom-client. */
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

/** @returns why it cannot be opened for now. @throws Error that names the file, where it never will be */
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
 * Log lines that others bring about, at most one a second for each reason, so that nobody fills the log.
 * @returns writes, or drops what comes too soon after a line with the same reason
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
