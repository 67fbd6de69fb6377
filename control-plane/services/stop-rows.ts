// Stops in records and in responses. An ended stop is in no record.
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely';
import type { PlatformRecord } from '../../proto/generated/gateway/v1/PlatformRecord.ts';
import type { Stop } from '../../proto/generated/gateway/v1/Stop.ts';
import type { StopRecord } from '../../proto/generated/gateway/v1/StopRecord.ts';
import type { StopTarget } from '../../proto/generated/gateway/v1/StopTarget.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { AccessRows, AccessStopRow } from '../store/access-rows.ts';
import type { OrganizationsTable, Suspension } from '../store/organization-table.ts';
import { isSuspended } from '../store/organization-table.ts';
import { platformId } from '../store/platform-id.ts';
import type { Schema } from '../store/schema.ts';
import type { Invalidation } from '../store/store.ts';
import { limitsBySubject } from './limit-rows.ts';

export type StopRow = Selectable<Schema['stops']>;

/** @param organizationId null: the platform's. @param now by the database's clock */
export async function readStops(db: Kysely<Schema>, organizationId: string | null, now: number): Promise<StopRecord[]> {
  const rows = await db
    .selectFrom('stops')
    .selectAll()
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .where(openAt(now))
    .orderBy('id')
    .execute();
  return rows.map(stopRecord);
}

export function openAt(now: number) {
  return (where: ExpressionBuilder<Schema, 'stops'>) =>
    where.or([where('ends_at', 'is', null), where('ends_at', '>', now)]);
}

export function platformRecord({ stops, limits }: Pick<AccessRows, 'stops' | 'limits'>): PlatformRecord {
  // Organizations' own proxies have this record too, and do not learn what the platform may spend.
  const ofPlatform = limitsBySubject(limits)(platformId).map(({ amountUsd: _amount, ...limit }) => limit);
  return {
    stops: stops.filter((row) => row.organization_id === null).map(stopRecord),
    ...(ofPlatform.length > 0 && { limits: ofPlatform }),
  };
}

/**
 * A suspension with an end, as a stop: proxies of an earlier release know `active` alone, and refuse until the record is
 * read again.
 */
export function suspensionStops(row: Suspension & Pick<OrganizationsTable, 'id'>, now: number): StopRecord[] {
  if (!isSuspended(row, now) || row.suspended_ends_at === null) return [];
  return [{ id: row.id, target: { organization: true }, reason: '', endsAt: timeText(row.suspended_ends_at) }];
}

export const platformChanged: Invalidation = { kind: 'platform', ref: 'platform', state: 'changed' };

export function stopRecord(row: AccessStopRow): StopRecord {
  return {
    id: row.id,
    target: targetMessage(row),
    reason: row.reason,
    ...(row.ends_at !== null && { endsAt: timeText(row.ends_at) }),
  };
}

/** @param reader undefined: the audit log, or the stop's own side */
export function stopMessage(row: StopRow, now: number, reader?: string | undefined) {
  const isForeign = reader !== undefined && row.organization_id !== reader;
  return {
    id: row.id,
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    target: targetMessage(row),
    reason: row.reason,
    createdBy: isForeign ? '' : row.created_by,
    createdAt: timeText(row.created_at),
    ...(row.ends_at !== null && { endsAt: timeText(row.ends_at) }),
    ended: row.ends_at !== null && row.ends_at <= now,
    revision: String(row.revision),
  } satisfies Stop;
}

function targetMessage({ provider, model, direct_keys: directKeys }: AccessStopRow) {
  const name = provider === null ? model : (model?.slice(provider.length + 1) ?? null);
  return {
    ...(provider !== null && { provider }),
    ...(name !== null && { model: name }),
    ...(directKeys === 1 && { directKeys: true }),
  } satisfies StopTarget;
}
