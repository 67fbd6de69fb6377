// JSON lines on standard output (the only pino). Never prompts, answers or keys: what is logged is chosen field by field.
import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { type LogSink, openLogSink } from './log-sink.ts';

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

export function createLogger(options: LoggerOptions): Logger {
  if (options.stream !== undefined) return createOver(options.stream, options);
  const sink = openSink(options.file);
  const log = createOver(sink, options);
  sink.onRecovered((lines) => log.warn({ lines }, 'log lines were lost: they could not be written'));
  return log;
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

function openSink(file: string | undefined): LogSink {
  const sink = openLogSink(file === undefined ? 1 : openLog(file));
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
    help: 'Log lines that could not be written, because the disk is full or their reader has gone; all else goes on',
    registers,
    collect(this: { reset(): void; inc(count: number): void }) {
      this.reset();
      this.inc(sinks.reduce((sum, { lost }) => sum + lost, 0));
    },
  };
}

/** @throws Error when the file cannot be written */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a', 0o640);
}
