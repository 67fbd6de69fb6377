// The proxies that watch this replica, and what they report about themselves, for operators to see. This is in memory
// only, and no decision depends on it. A report is untrusted text: a value that is too long or not plain ASCII is left
// out.
import type { CatalogState } from '../../catalog/in-force.ts';
import type { Clock } from '../../common/clock.ts';
import type { ProxyProgram__Output } from '../../proto/generated/gateway/v1/ProxyProgram.ts';
import type { ProxyState__Output } from '../../proto/generated/gateway/v1/ProxyState.ts';
import type { RecordKeysState__Output as RecordKeysState } from '../../proto/generated/gateway/v1/RecordKeysState.ts';
import { enumNames } from '../../proto/json/contract.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { type ReportedTargets, reportedTargets } from './reported-targets.ts';

/** Times are wall-clock milliseconds since 1970. */
export interface Watcher {
  readonly caller: ProxyCaller;
  readonly since: number;
  readonly requestedAt: number | undefined;
  readonly version: string | undefined;
  readonly host: string | undefined;
  readonly redis: ProxyState__Output['redis'];
  readonly clockAheadMs: number | undefined;
  readonly catalog: CatalogState | undefined;
  readonly recordKeys: RecordKeysState | undefined;
  /** Undefined: it reports none. */
  readonly targets: ReportedTargets | undefined;
}

/** One watcher's entry. Its watch keeps it up to date. */
export interface WatcherEntry {
  program(program: ProxyProgram__Output | null | undefined): void;
  state(state: ProxyState__Output | null | undefined): void;
  requested(): void;
  gone(): void;
}

export interface Watchers {
  came(caller: ProxyCaller): WatcherEntry;
  /** Sorted by identity, then host. */
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
        requestedAt: undefined,
        version: undefined,
        host: undefined,
        redis: 'REDIS_STATE_UNSPECIFIED',
        clockAheadMs: undefined,
        catalog: undefined,
        recordKeys: undefined,
        targets: undefined,
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
            ...(state.targets != null && {
              targets: reportedTargets(state.targets, caller.organizationId, clock.now()),
            }),
          });
        },
        requested: () => change({ requestedAt: clock.now() }),
        gone: () => void entries.delete(id),
      };
    },
    list: () => [...entries.values()].sort(byIdentity),
  };
}

const versionMax = 64;
/** The longest DNS name. */
const hostMax = 253;

/** A newer proxy may report a state that this version does not know; it arrives as a number. */
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
