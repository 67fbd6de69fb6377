// The state of the replica that responds, from its memory. Only platform operators get the proxies and their addresses.
import type { GetStatusRequest__Output } from '../../proto/generated/gateway/v1/GetStatusRequest.ts';
import type { GetStatusResponse } from '../../proto/generated/gateway/v1/GetStatusResponse.ts';
import type { StatusCaller } from '../../proto/generated/gateway/v1/StatusCaller.ts';
import type { Watcher as WatcherMessage } from '../../proto/generated/gateway/v1/Watcher.ts';
import type { WatcherList } from '../../proto/generated/gateway/v1/WatcherList.ts';
import { databaseKinds, roles } from '../../proto/words/access.ts';
import type { Watcher } from '../changes/watchers.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { ReadCall, ResponseCall } from './method.ts';
import { type HealthOf, readProviderHealth } from './provider-health-rows.ts';
import { selectorCheck } from './selector-check.ts';

export async function get(
  call: ResponseCall,
  { checkSelectors: checks }: GetStatusRequest__Output,
): Promise<GetStatusResponse> {
  const { replica } = call.deps;
  const { version, host, startedAt, database, feed, clock } = replica;
  const reported = call.caller.role === 'platform_operator';
  const watchers = reported ? replica.watchers() : [];
  const healthOf = reported ? await readProviderHealth(call.db, watchers) : () => [];
  const selectors = checks === true ? await selectorCheck(call) : undefined;
  return {
    version,
    replica: host,
    startedAt: timeText(startedAt),
    time: timeText(call.now),
    database: databaseKinds.names[database],
    feed: { position: feed.position, ageMs: Math.max(0, Math.round(clock.monotonic() - feed.readAt)) },
    caller: await callerMessage(call),
    ...(reported && { watchers: await watcherList(call, watchers, healthOf) }),
    ...(selectors && { selectors }),
    catalog: replica.catalog(),
    recordKey: replica.recordKey(),
    providers: healthOf(watchers),
    permissions: [...replica.permissionsOf(call.caller.role)],
  };
}

async function callerMessage({ caller, db }: ReadCall): Promise<StatusCaller> {
  const { personId, organizationId, role, tokenEndsAt } = caller;
  const { name } = await db.selectFrom('people').select('name').where('id', '=', personId).executeTakeFirstOrThrow();
  return {
    personId,
    name,
    role: roles.names[role],
    tokenEndsAt: timeText(tokenEndsAt),
    ...(organizationId !== undefined && { organizationId }),
  };
}

/** A message has at most 4 MiB. */
const watchersMax = 1000;

async function watcherList({ db }: ReadCall, watchers: readonly Watcher[], healthOf: HealthOf): Promise<WatcherList> {
  const reported = watchers.slice(0, watchersMax);
  const identities = [...new Set(reported.map(({ caller }) => caller.id))];
  const tokens =
    identities.length === 0
      ? []
      : await db.selectFrom('proxy_tokens').select(['id', 'name']).where('id', 'in', identities).execute();
  const names = new Map(tokens.map(({ id, name }) => [id, name]));
  return {
    watchers: reported.map((watcher) => ({
      ...watcherMessage(watcher, names.get(watcher.caller.id)),
      providers: healthOf([watcher]),
    })),
    total: watchers.length,
  };
}

function watcherMessage(watcher: Watcher, tokenName: string | undefined): WatcherMessage {
  const { caller, since, requestedAt, version, host, redis, clockAheadMs, catalog, recordKeys, targets } = watcher;
  const { organizationId } = caller;
  return {
    identity: caller.id,
    address: caller.from,
    since: timeText(since),
    redis,
    ...(tokenName !== undefined && { tokenName }),
    ...(organizationId !== undefined && { organizationId }),
    ...(requestedAt !== undefined && { askedAt: timeText(requestedAt) }),
    ...(version !== undefined && { version }),
    ...(host !== undefined && { host }),
    ...(clockAheadMs !== undefined && { clockAheadMs: String(Math.round(clockAheadMs)) }),
    ...(catalog !== undefined && { catalog }),
    ...(recordKeys !== undefined && { recordKeys }),
    targetsLeftOut: targets?.leftOut ?? 0,
  };
}
