// Start and stop of a program: what was started is closed in reverse order, once, within a time; signals ask for it.
import type { Logger } from './logger.ts';

export interface Closer {
  readonly name: string;
  close(): Promise<void> | void;
}

export interface Lifecycle {
  /** Registers what is to be closed. Closed in reverse order of registration. */
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

/** For what a file that hangs has kept so far, such as lines of the log. */
const lastMs = 2_000;

/**
 * All is closed, and the process ends as soon as nothing keeps it. What does all the same is a file system that hangs: no exit ends that,
 * because Node waits for its threads first, so the kernel is asked to.
 */
export function endSoon(): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastMs).unref();
}
