// Reads files again at intervals, because they change while the program runs (renewed certificates, Secrets that
// Kubernetes replaces). Unusable content is logged once, and the last good value stays current.
import { readFile } from 'node:fs/promises';
import type { Logger } from './logger.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface FileWatcher<T> {
  readonly current: T;
  /** Whether the current content of the files cannot be used. */
  readonly isFailing: boolean;
  /** Calls the listener with each new value. @returns a function that removes the listener */
  onChange(listener: (value: T) => void): () => void;
  close(): void;
}

export interface WatchedSource<T> {
  /** @throws Error that names the faulty file, never its content */
  read(): Promise<T>;
  /** Default: Object.is, for texts. */
  isSame?(one: T, other: T): boolean;
  /** File name for the log. */
  readonly file: string;
  /** Description for the log: "the certificate". */
  readonly what: string;
}

export interface FileWatcherOptions {
  readonly log: Logger;
  /** How often the files are read. */
  readonly everyMs?: number;
  readonly timers?: Timers;
}

/** Two seconds are cheap: the files are small and in the kernel's cache. */
const defaultEveryMs = 2000;

/** @param first the value that was read when the program started */
export function startFileWatcher<T>(first: T, source: WatchedSource<T>, options: FileWatcherOptions): FileWatcher<T> {
  const { log, everyMs = defaultEveryMs, timers = systemTimers } = options;
  const { file, what, isSame = Object.is } = source;
  const listeners = new Set<(value: T) => void>();
  let current = first;
  let complained = false;
  let closed = false;

  const look = async () => {
    try {
      const next = await source.read();
      complained = false;
      if (closed || isSame(current, next)) return;
      current = next;
      log.info({ file }, `${what} was read anew`);
      for (const listener of listeners) listener(next);
    } catch (err) {
      if (!complained && !closed) log.error({ err, file }, `${what} cannot be used anew; the last good one is kept`);
      complained = true;
    }
  };
  let cancel = timers.after(everyMs, again);
  function again() {
    void look().then(() => {
      if (!closed) cancel = timers.after(everyMs, again);
    });
  }

  return {
    get current() {
      return current;
    },
    get isFailing() {
      return complained;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      closed = true;
      cancel();
    },
  };
}

/** @throws Error that names the file */
export async function readNamed(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`the file ${file} cannot be read`, { cause });
  }
}
