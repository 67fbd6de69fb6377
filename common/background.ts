// The one place for promises that nobody awaits: they are logged and counted, so that nothing fails unseen.
import type { Logger } from './logger.ts';

export interface BackgroundDeps {
  readonly log: Logger;
  /** Called once for each failure, for a counter. */
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
