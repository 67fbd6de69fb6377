// JSON lines on standard output (the only pino). Never prompts, answers or keys: what is logged is chosen field by field.
import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

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
  const stream =
    options.stream ??
    destination({ dest: options.file ?? 1, sync: options.file === undefined, mkdir: true, minLength: 0 });
  return pino(
    {
      name: options.name,
      level: options.level,
      base: { name: options.name },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.err },
    },
    stream,
  );
}
