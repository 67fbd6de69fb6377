// Who watches this replica, and what they tell of themselves, for operators to see. In memory alone; nothing is decided by it.
// What a proxy tells is text of a stranger's program: what is not plain or too long is left out.
import type { CatalogState } from '../../catalog/in-force.ts';
import type { Clock } from '../../common/clock.ts';
import type { ProxyProgram__Output } from '../../proto/generated/gateway/v1/ProxyProgram.ts';
import type { ProxyState__Output } from '../../proto/generated/gateway/v1/ProxyState.ts';
import type { RecordKeysState__Output as RecordKeysState } from '../../proto/generated/gateway/v1/RecordKeysState.ts';
import { enumNames } from '../../proto/json/contract.ts';
import type { ProxyCaller } from '../rpc/caller.ts';

/** Wall times in milliseconds since 1970. */
export interface Watcher {
  readonly caller: ProxyCaller;
  readonly since: number;
  readonly askedAt: number | undefined;
  readonly version: string | undefined;
  readonly host: string | undefined;
  readonly redis: ProxyState__Output['redis'];
  readonly clockAheadMs: number | undefined;
  readonly catalog: CatalogState | undefined;
  readonly recordKeys: RecordKeysState | undefined;
}

/** One watcher's entry, kept up to date by its watch. */
export interface WatcherEntry {
  program(program: ProxyProgram__Output | null | undefined): void;
  state(state: ProxyState__Output | null | undefined): void;
  requested(): void;
  gone(): void;
}

export interface Watchers {
  came(caller: ProxyCaller): WatcherEntry;
  /** By identity, then host. */
  list(): readonly Watcher[];
}

export function createWatchers(clock: Clock): Watchers {
  const entries = new Map<object, Watcher>();
  return {
    came: (caller) => {
      const id = {};
      entries.set(id, {
        caller,
        since: clock.now(),
        askedAt: undefined,
        version: undefined,
        host: undefined,
        redis: 'REDIS_STATE_UNSPECIFIED',
        clockAheadMs: undefined,
        catalog: undefined,
        recordKeys: undefined,
      });
      const change = (news: Partial<Watcher>) => {
        const watcher = entries.get(id);
        if (watcher !== undefined) entries.set(id, { ...watcher, ...news });
      };
      return {
        program: (program) =>
          change({ version: plain(program?.version, versionMax), host: plain(program?.host, hostMax) }),
        state: (state) => {
          if (state == null) return;
          const clockAheadMs = state.clockMs === undefined ? undefined : Number(state.clockMs) - clock.now();
          change({
            redis: redisState(state.redis),
            clockAheadMs,
            catalog: reportedCatalog(state.catalog),
            recordKeys: reportedKeys(state.recordKeys),
          });
        },
        requested: () => change({ askedAt: clock.now() }),
        gone: () => void entries.delete(id),
      };
    },
    list: () => [...entries.values()].sort(byIdentity),
  };
}

const versionMax = 64;
/** A DNS name is no longer. */
const hostMax = 253;

/** What a newer proxy tells may be none of ours: it comes as a number. */
function redisState(reported: ProxyState__Output['redis']): ProxyState__Output['redis'] {
  return enumNames('RedisState')?.includes(reported) ? reported : 'REDIS_STATE_UNSPECIFIED';
}

function reportedCatalog(reported: ProxyState__Output['catalog']): CatalogState | undefined {
  if (reported == null) return undefined;
  const { asOf, digest, rejected, shippedAsOf } = reported;
  const isPlain = isDay(asOf) && isDay(shippedAsOf) && /^[0-9a-f]{16}$/.test(digest);
  return isPlain ? { asOf, digest, rejected, shippedAsOf } : undefined;
}

const recordKeysMax = 16;

function reportedKeys(reported: ProxyState__Output['recordKeys']): RecordKeysState | undefined {
  if (reported == null) return undefined;
  const ids = reported.ids.filter((id) => /^[0-9a-f]{16}$/.test(id)).slice(0, recordKeysMax);
  return { ids, fromControlPlane: reported.fromControlPlane };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

function plain(text: string | undefined, charactersMax: number): string | undefined {
  return text !== undefined && text.length <= charactersMax && /^[\x21-\x7e]+$/.test(text) ? text : undefined;
}

function byIdentity(a: Watcher, b: Watcher): number {
  return order(a.caller.id, b.caller.id) || order(a.host ?? '', b.host ?? '') || a.since - b.since;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
