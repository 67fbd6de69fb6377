// What a replica tells of itself where a test does not look.
import { systemClock } from '../../common/clock.ts';
import type { Replica } from '../../control-plane/services/replica.ts';

export const someReplica: Replica = {
  ...{ version: '0.0.0', host: 'replica', startedAt: 0, database: 'sqlite', clock: systemClock },
  feed: { position: { epoch: 'epoch', revision: 0 }, readAt: 0 },
  watchers: () => [],
  selectors: () => undefined,
};
