// The stops that refuse requests of a key: the organization's and the platform's that no allow-list makes idle.
import type { Kysely } from 'kysely';
import { limitsModel } from '../../catalog/model-selector.ts';
import type { Stop } from '../../proto/generated/gateway/v1/Stop.ts';
import { mayBeginWith } from '../domain/model-selector.ts';
import type { Schema } from '../store/schema.ts';
import { openAt, type StopRow, stopMessage } from './stop-rows.ts';

export interface StoppedKey {
  readonly organizationId: string;
  /** Whether requests may send their own provider keys. */
  readonly callerProviderKeys: boolean;
  /** Whether all of its allow-lists allow the model. */
  allows(model: string): boolean;
  /** Names of known models. */
  readonly known: readonly string[];
  /** The allow-lists, without those that allow all models. */
  readonly lists: readonly (readonly string[])[];
}

/** @param now milliseconds since 1970, by the database's clock */
export async function stopsOf(db: Kysely<Schema>, key: StoppedKey, now: number): Promise<Stop[]> {
  const rows = await db
    .selectFrom('stops')
    .selectAll()
    .where((where) =>
      where.or([where('organization_id', 'is', null), where('organization_id', '=', key.organizationId)]),
    )
    .where(openAt(now))
    .orderBy('id')
    .execute();
  return rows.filter((row) => isBound(key, row)).map((row) => ({ ...stopMessage(row, now), createdBy: '' }));
}

function isBound(key: StoppedKey, { provider, model, direct_keys: directKeys }: StopRow): boolean {
  if (directKeys === 1) return key.callerProviderKeys;
  if (model === null) return mayCall(key, `${provider}/`);
  return key.allows(model) || key.known.some((name) => limitsModel(model, name) && key.allows(name));
}

function mayCall({ lists }: StoppedKey, beginning: string): boolean {
  return lists.every((globs) => globs.some((glob) => mayBeginWith(glob, beginning)));
}
