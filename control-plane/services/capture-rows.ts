// Capture settings in records and in responses. An ended setting is in no record, and neither is one without a key.
import type { Selectable } from 'kysely';
import type { CaptureRecord } from '../../proto/generated/gateway/v1/CaptureRecord.ts';
import type { CaptureSetting } from '../../proto/generated/gateway/v1/CaptureSetting.ts';
import { captureTargetKinds } from '../../proto/words/captures.ts';
import { timeText } from '../domain/shared-fields.ts';
import type { AccessCaptureRow, AccessRows } from '../store/access-rows.ts';
import type { Schema } from '../store/schema.ts';

export type CaptureSettingRow = Selectable<Schema['capture_settings']>;

/** @param rows of one organization. @returns undefined if nothing is captured */
export function captureRecord({
  capture_keys: [key],
  capture_settings: settings,
}: Pick<AccessRows, 'capture_keys' | 'capture_settings'>): CaptureRecord | undefined {
  if (key === undefined || settings.length === 0) return undefined;
  return {
    rules: settings.map((row) => ({ id: row.id, ...ruleOf(row) })),
    publicKey: Buffer.from(key.public_key, 'base64'),
    generation: key.generation,
  };
}

/** @param now by the database's clock */
export function settingMessage(row: CaptureSettingRow, now: number) {
  return {
    id: row.id,
    organizationId: row.organization_id,
    ...ruleOf(row),
    createdBy: row.created_by,
    createdAt: timeText(row.created_at),
    active: row.ends_at > now,
    sides: String(row.sides),
    bytes: String(row.bytes),
  } satisfies CaptureSetting;
}

function ruleOf(row: AccessCaptureRow) {
  return {
    target: { kind: captureTargetKinds.names[row.target_kind], id: row.target_id },
    endsAt: timeText(row.ends_at),
    samplePerThousand: row.sample_per_thousand,
    retentionDays: row.retention_days,
    sideBytesMax: row.side_bytes_max,
  };
}
