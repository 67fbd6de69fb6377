// ProviderKeys.ReportRefused: proxies report provider keys that a vendor refuses. Fifty proxies report the same key, so
// an organization gets one audit event and one webhook notice per key and hour, and another one at once if the key was
// changed and is refused again. A key that one model is refused to counts apart: it still works for others, and must not
// hide that all are refused.
import type { Kysely } from 'kysely';
import type { RefusedProviderKey__Output } from '../../proto/generated/gateway/v1/RefusedProviderKey.ts';
import type { ReportRefusedProviderKeysRequest__Output } from '../../proto/generated/gateway/v1/ReportRefusedProviderKeysRequest.ts';
import type { ReportRefusedProviderKeysResponse } from '../../proto/generated/gateway/v1/ReportRefusedProviderKeysResponse.ts';
import { type KeyRefusal, keyRefusals } from '../../proto/words/access.ts';
import { wordOf } from '../domain/enum-names.ts';
import { id, time, timeText, visible } from '../domain/shared-fields.ts';
import type { ProxyCaller } from '../rpc/caller.ts';
import { checked, invalidRequest } from '../rpc/checked.ts';
import { CallError, permissionDenied } from '../rpc/errors.ts';
import type { RefusalExtent } from '../store/key-refusal-table.ts';
import type { Schema } from '../store/schema.ts';
import type { Change, ChangeTransaction, Store, Unchanged } from '../store/store.ts';
import { enqueueDeliveries } from '../webhooks/enqueue.ts';
import { stateAfter, writeState } from './provider-key-states.ts';

/**
 * @throws CallError invalid_request, or permission_denied for an organization other than the proxy's;
 * StoreUnavailableError
 */
export type ReportRefusedKeys = (
  caller: ProxyCaller,
  request: ReportRefusedProviderKeysRequest__Output,
) => Promise<ReportRefusedProviderKeysResponse>;

export const refusedKeysMax = 100;
/** So often at most, by the database's clock. */
export const noticeEveryMs = 3_600_000;

export interface ReportRefusedKeysDeps {
  readonly store: Pick<Store, 'ledger' | 'change'>;
  /** Makes a change when it is its organization's turn. @throws CallError too_many_requests */
  readonly inOrder?: (organizationId: string, work: () => Promise<void>) => Promise<void>;
}

export function createReportRefusedKeys({
  store,
  inOrder = (_, work) => work(),
}: ReportRefusedKeysDeps): ReportRefusedKeys {
  return async (caller, { keys }) => {
    if (keys.length > refusedKeysMax) {
      throw invalidRequest([{ field: 'keys', description: `must contain at most ${refusedKeysMax}` }]);
    }
    const read = keys.map(readKey);
    requireOwn(caller, read);
    const later: string[] = [];
    const noteOne = async (refused: Refused) => {
      try {
        await inOrder(refused.organization_id, () => store.change(context, (tx) => note(tx, caller, refused)));
      } catch (error) {
        if (!(error instanceof CallError && error.reason === 'too_many_requests')) throw error;
        later.push(refused.provider_key_id);
      }
    };
    // Most reports are doubles, and a change waits for all others: only those that are due become one.
    const due = Map.groupBy(await dueOf(store, read), ({ organization_id }) => organization_id);
    const ofOne = async (refused: readonly Refused[]) => {
      for (const each of refused) await noteOne(each);
    };
    // Organizations run concurrently and all to the end, so that none waits for another's turn.
    const done = await Promise.allSettled([...due.values()].map(ofOne));
    for (const each of done) if (each.status === 'rejected') throw each.reason;
    return { laterProviderKeyIds: later };
  };
}

const context = {
  actor: { kind: 'system', id: 'control-plane' },
  from: '',
  action: 'ProviderKeys.FindRefused',
} as const;

type Refused = ReturnType<typeof readKey>;

const refusal = wordOf(keyRefusals);
const modelLengthMax = 256;

function readKey(key: RefusedProviderKey__Output, index: number) {
  const fields = {
    organization_id: id(key.organizationId),
    provider_key_id: id(key.providerKeyId),
    cause: refusal(key.cause),
    at: time(key.at),
  };
  const read = checked(fields, `keys[${index}].`);
  return { ...read, model: read.cause === 'access' ? modelOf(key.model) : undefined };
}

/** Callers choose names of models. A name that cannot be shown is left out, and the report of others is not lost. */
function modelOf(text = ''): string | undefined {
  const model = visible(text, modelLengthMax);
  return 'problems' in model ? undefined : model.value;
}

/** @throws CallError */
function requireOwn({ organizationId }: ProxyCaller, keys: readonly Refused[]): void {
  if (organizationId === undefined) return;
  if (keys.some(({ organization_id }) => organization_id !== organizationId)) {
    throw permissionDenied('a proxy of one organization reports provider keys of that one only');
  }
}

function extentOf(cause: KeyRefusal): RefusalExtent {
  return cause === 'access' ? 'model' : 'whole';
}

/** @throws StoreUnavailableError */
async function dueOf(store: Pick<Store, 'ledger'>, keys: readonly Refused[]): Promise<readonly Refused[]> {
  return await store.ledger(async ({ db, now }) => {
    const due: Refused[] = [];
    for (const key of keys) if ((await noticeOf(db, key, now)) !== undefined) due.push(key);
    return due;
  });
}

/** The key, if it exists, is in use, and a notice about it is due. */
async function noticeOf(db: Kysely<Schema>, { organization_id, provider_key_id, cause }: Refused, now: number) {
  const row = await db
    .selectFrom('provider_keys as key')
    .leftJoin('provider_key_refusals as last', (join) =>
      join.onRef('last.provider_key_id', '=', 'key.id').on('last.extent', '=', extentOf(cause)),
    )
    .select(['key.name', 'key.provider', 'key.revision', 'last.noted_at', 'last.key_revision'])
    .where('key.id', '=', provider_key_id)
    .where('key.organization_id', '=', organization_id)
    .where('key.enabled', '=', 1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { noted_at, key_revision } = row;
  // The clock may have been set back.
  const isRecent = noted_at !== null && Math.abs(now - noted_at) < noticeEveryMs;
  return isRecent && key_revision === row.revision ? undefined : row;
}

/** The key works again, so the next refusal is reported at once. */
export async function forgetNotice(db: Kysely<Schema>, id: string): Promise<void> {
  const whole = db.deleteFrom('provider_key_refusals').where('provider_key_id', '=', id);
  await whole.where('extent', '=', extentOf('key')).execute();
}

async function note(
  tx: ChangeTransaction,
  proxy: ProxyCaller,
  refused: Refused,
): Promise<Change<void> | Unchanged<void>> {
  const { db, now } = tx;
  const { organization_id: organizationId, provider_key_id: providerKeyId, cause, model = null } = refused;
  const key = await noticeOf(db, refused, now);
  // Another replica, or an earlier report, was faster.
  if (key === undefined) return { unchanged: undefined };
  const columns = { key_revision: key.revision, noted_at: now };
  await db
    .insertInto('provider_key_refusals')
    .values({ provider_key_id: providerKeyId, extent: extentOf(cause), ...columns })
    .onConflict((conflict) => conflict.columns(['provider_key_id', 'extent']).doUpdateSet(columns))
    .execute();
  const { name, provider } = key;
  // The proxy's clock may be ahead.
  const at = Math.min(refused.at, now);
  const timestamp = timeText(at);
  const state = stateAfter(cause);
  if (state !== undefined) await writeState(db, { id: providerKeyId, at, ...state });
  const about = { provider, name, cause, model };
  await enqueueDeliveries(tx, organizationId, {
    type: 'provider_key.refused',
    timestamp,
    data: { organizationId, providerKeyId, ...about },
  });
  return {
    result: undefined,
    organizationId,
    target: { kind: 'provider_key', id: providerKeyId },
    after: { ...about, at: timestamp, proxy: proxy.id },
    invalidations: [],
  };
}
