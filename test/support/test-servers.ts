// Servers that test files share during a run, requested from vitest's main process (global-setup.ts responds).
import { inject } from 'vitest';
import type { ServerSource } from './containers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testServers: string;
  }
}

export interface SharedServers {
  /** The source of servers. */
  readonly source: ServerSource;
  /** URL of the run's PostgreSQL, as a user who may create databases; started at the first request. */
  readonly postgres: string;
  /** Folder with the bundles of `npm run build`, which start faster than the sources. */
  readonly programs: string;
  /**
   * Name of a database on it with the empty tables of this version, to be copied: faster than running every migration
   * again.
   */
  readonly template: string;
  /** Where to connect to the run's Chromium; started at the first request. */
  readonly browser: string;
}

export async function askTestServers<Question extends keyof SharedServers>(
  question: Question,
): Promise<SharedServers[Question]> {
  const response = await fetch(`${inject('testServers')}/${question}`);
  const result = await response.text();
  if (!response.ok) throw new Error(result);
  return result as SharedServers[Question];
}
