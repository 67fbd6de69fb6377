// The only place for promises that no code awaits. Their failures are logged and counted, so that nothing fails unseen.
import type { Logger } from './logger.ts';

export interface BackgroundDeps {
  readonly log: Logger;
  /** Called once for each failure, to count it. */
  readonly onFailure?: (name: string) => void;
}

export type Background = (name: string, promise: Promise<unknown>) => void;

export function createBackground(deps: BackgroundDeps): Background {
  return (name, promise) => {
    promise.catch((err: unknown) => {
      deps.onFailure?.(name);
      deps.log.error({ err, task: name }, 'background task failed');
    });
  };
}
