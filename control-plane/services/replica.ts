// The replica that answers, as its services see it.

import type { CatalogState } from '../../catalog/in-force.ts';
import type { Clock } from '../../common/clock.ts';
import type { DatabaseKind } from '../../proto/words/access.ts';
import type { Feed } from '../changes/feed.ts';
import type { Watcher } from '../changes/watchers.ts';
import type { LookedAt } from './selector-watch.ts';

/** What this process is. */
export interface Replica {
  readonly version: string;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly database: DatabaseKind;
  readonly feed: Pick<Feed, 'position' | 'readAt'>;
  readonly clock: Clock;
  watchers(): readonly Watcher[];
  /** The stored selectors of all organizations, as last looked at. */
  selectors(): LookedAt | undefined;
  catalog(): CatalogState;
  /** Id of the key that it signs records with. */
  recordKey(): string;
}
