// Start and stop of a program. Everything that was started is closed once, in reverse order; signals trigger it.
import type { Logger } from './logger.ts';

export interface Closer {
  readonly name: string;
  close(): Promise<void> | void;
}

export interface Lifecycle {
  /** Registers something to close. Closing happens in reverse order of registration. */
  onClose(name: string, close: () => Promise<void> | void): void;
  /** Closes everything once; later calls wait for the first. Failures are logged and do not stop the rest. */
  close(): Promise<void>;
}

export function createLifecycle(log: Logger): Lifecycle {
  const closers: Closer[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    for (const closer of closers.toReversed()) {
      try {
        await closer.close();
      } catch (err) {
        log.error({ err, part: closer.name }, 'could not be closed cleanly');
      }
    }
  };
  return {
    onClose: (name, close) => void closers.push({ name, close }),
    close: () => {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Resolves with the name of the first SIGTERM or SIGINT. A second one ends the process at once with code 130. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let requested = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (requested) process.exit(130);
      requested = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** Time left for data that is still unwritten because a file hangs, such as log lines. */
const lastMs = 2_000;

/**
 * Call when everything is closed: the process ends as soon as nothing keeps it alive. A hanging file system could still
 * do so. No exit call helps then, because Node waits for its threads first, so after a while the process sends itself
 * SIGKILL.
 */
export function endSoon(): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastMs).unref();
}
