// What test files share during a run, asked from vitest's main process (global-setup.ts answers).
import { inject } from 'vitest';
import type { ServerSource } from './containers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    serverDesk: string;
  }
}

export interface SharedServers {
  /** Where servers come from. */
  readonly source: ServerSource;
  /** URL of the run's PostgreSQL, as a user who may create databases; started when first asked for. */
  readonly postgres: string;
  /** Folder with the bundles that `npm run build` makes: they start faster than the sources. */
  readonly programs: string;
  /** Name of a database of it that has the tables of this version and no rows, to be copied: faster than every migration again. */
  readonly template: string;
}

export async function askDesk<Question extends keyof SharedServers>(
  question: Question,
): Promise<SharedServers[Question]> {
  const response = await fetch(`${inject('serverDesk')}/${question}`);
  const result = await response.text();
  if (!response.ok) throw new Error(result);
  return result as SharedServers[Question];
}
