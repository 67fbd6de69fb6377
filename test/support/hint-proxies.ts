// Proxies that share hints over one Redis, on a clock that a test advances. The Redis is a set for each scope in memory.
import { createBackground } from '../../common/background.ts';
import { createSealKey, parseSealKeys } from '../../common/seal.ts';
import { RecordKey } from '../../proxy/access/organization-key.ts';
import { RedisUnavailableError } from '../../proxy/redis/connection.ts';
import { Health } from '../../proxy/routing/health.ts';
import { type HintScope, sizeOf } from '../../proxy/routing/learned-hints.ts';
import type { HintResult } from '../../proxy/routing/results.ts';
import { hintSetName } from '../../proxy/routing/sealed-hints.ts';
import { SharedHints, type WrittenHint } from '../../proxy/routing/shared-hints.ts';
import { silentLog } from './silent-log.ts';
import { VirtualTime } from './virtual-time.ts';

export interface HintProxy {
  readonly health: Health;
  readonly hints: SharedHints;
  readonly counts: Record<HintResult, number>;
  /** A request of the organization. */
  use(organization?: string, hasChoice?: boolean): void;
}

export function createHintProxies() {
  const time = new VirtualTime();
  const sets = new Map<string, WrittenHint[]>();
  const redis: { isDown: boolean; reads: number; writes: number; defect?: Error } = {
    isDown: false,
    reads: 0,
    writes: 0,
  };
  const failedTasks: string[] = [];
  const cacheKeys = parseSealKeys(createSealKey());
  const recordKeys = new Map<string, readonly RecordKey[]>();
  const keysOf = (organization: string) => {
    const known = recordKeys.get(organization) ?? [new RecordKey(1, Buffer.alloc(32, `of ${organization}`))];
    recordKeys.set(organization, known);
    return known;
  };
  const setOf = (scope: HintScope) => sets.get(hintSetName(scope)) ?? [];
  const open = () => {
    if (redis.defect !== undefined) throw redis.defect;
    if (redis.isDown) throw new RedisUnavailableError('down');
  };
  /** @param aheadMs how far its clock is ahead */
  const started = (platformIdentity: string | undefined, aheadMs: number): HintProxy => {
    const counts = { sent: 0, received: 0, ignored: 0, failed: 0 };
    const clock = { now: () => time.now() + aheadMs, monotonic: () => time.monotonic() };
    const hints = new SharedHints({
      commands: {
        read: async (scope) => {
          redis.reads++;
          open();
          return setOf(scope).map(({ sealed }) => sealed);
        },
        write: async (scope, written, now) => {
          redis.writes++;
          open();
          const left = [...setOf(scope).filter(({ until }) => until > now), ...written];
          sets.set(hintSetName(scope), left.toSorted((a, b) => b.until - a.until).slice(0, sizeOf(scope)));
        },
      },
      ...{ cacheKeys, platformIdentity: () => platformIdentity, clock, timers: time },
      background: createBackground({ log: silentLog, onFailure: (task) => void failedTasks.push(task) }),
      metrics: {
        hints: (result, count) => {
          counts[result] += count;
        },
      },
    });
    const health = new Health({ clock: time, random: () => 0, hints });
    const use = (organization = 'org', hasChoice = true) =>
      hints.use({ id: organization, recordKeys: keysOf(organization) }, hasChoice);
    return { health, hints, counts, use };
  };
  return {
    ...{ time, sets, redis, cacheKeys, keysOf, failedTasks },
    proxy: (identity = 'platform', aheadMs = 0) => started(identity, aheadMs),
    /** To one organization. */
    boundProxy: () => started(undefined, 0),
  };
}
