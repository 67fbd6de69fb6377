// Decodes what an organization's record says of captures, and encodes reports of them.
import type { CaptureRecord__Output } from '../../proto/generated/gateway/v1/CaptureRecord.ts';
import type { CaptureRule__Output } from '../../proto/generated/gateway/v1/CaptureRule.ts';
import type { ReportCapturesRequest } from '../../proto/generated/gateway/v1/ReportCapturesRequest.ts';
import { captureSides, captureTargetKinds } from '../../proto/words/captures.ts';
import { CaptureKey, type CaptureRule } from '../access/capture-settings.ts';
import type { OrganizationRecord } from '../access/principal.ts';
import type { SealedSide } from '../captures/captures.ts';
import { time } from './wire-values.ts';

/** A rule or a key that this version does not know captures nothing. */
export function decodeCapture(record: CaptureRecord__Output | null): Pick<OrganizationRecord, 'capture'> {
  const rules = record?.rules.flatMap(decodeRule) ?? [];
  if (record === null || rules.length === 0 || !CaptureKey.isUsable(record.publicKey)) return {};
  return { capture: { rules, publicKey: new CaptureKey(record.publicKey), generation: record.generation } };
}

function decodeRule({ id, target, endsAt, ...rule }: CaptureRule__Output): CaptureRule[] {
  const kind = target === null ? undefined : captureTargetKinds.wordOf(target.kind);
  const end = time(endsAt);
  if (target === null || kind === undefined || end === undefined) return [];
  const { samplePerThousand, retentionDays, sideBytesMax } = rule;
  return [{ id, target: { kind, id: target.id }, endsAt: end, samplePerThousand, retentionDays, sideBytesMax }];
}

export function encodeCaptures(sides: readonly SealedSide[]): ReportCapturesRequest {
  return {
    captures: sides.map(({ side, id, requestId, expiresAt, ...fields }) => ({
      ...fields,
      id,
      side: captureSides.names[side],
      ...(requestId !== id && { requestId }),
      expiresAtMs: String(expiresAt),
    })),
  };
}
