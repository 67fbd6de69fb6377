// Captured content for tests of the control plane: settings, and sides that are sealed as a proxy would seal them.

import { type CapturedContent, sealContent } from '../../common/captured-content.ts';
import { hashCredential } from '../../common/credential.ts';
import { dayMs } from '../../common/durations.ts';
import { hpkePublicKey } from '../../common/hpke.ts';
import { uuidTime, uuidv7 } from '../../common/uuid.ts';
import type { CaptureRecord__Output } from '../../proto/generated/gateway/v1/CaptureRecord.ts';
import type { ReportedCapture } from '../../proto/generated/gateway/v1/ReportedCapture.ts';
import { type CaptureSide, captureSides } from '../../proto/words/captures.ts';
import { createKey, type OperatorsPlane, type OwnedTenant } from './operators.ts';

export const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

export function ofOrganization({ id }: OwnedTenant) {
  return {
    organizationId: id,
    target: { kind: 'CAPTURE_TARGET_KIND_ORGANIZATION', id },
    endsAt: inDays(1),
  };
}

/** Of which content is captured. */
export interface CapturedKey {
  readonly id: string;
  readonly value: string;
}

export async function organizationKey(plane: OperatorsPlane, tenant: OwnedTenant): Promise<CapturedKey> {
  const scope = { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: tenant.id };
  const { virtualKey, value } = await createKey(plane, tenant, { scope });
  return { id: virtualKey.id, value };
}

/** What the record of the key's organization says of captures; null: nothing is captured. */
export async function captureRecord(
  plane: OperatorsPlane,
  proxyToken: string,
  { value }: CapturedKey,
): Promise<CaptureRecord__Output | null> {
  const keyHash = Buffer.from(hashCredential(value), 'hex');
  return (await plane.expect('Access.Resolve', proxyToken, { keyHash })).organization?.capture ?? null;
}

export interface SideFields extends Partial<CapturedContent> {
  readonly id?: string;
  readonly side?: CaptureSide;
  readonly requestId?: string;
  readonly settingId?: string;
  readonly expiresAt?: number;
}

/** One side, sealed to the key of the record. @param setting by which it is captured */
export function sealedSide(
  { rules, publicKey, generation }: CaptureRecord__Output,
  { organizationId, keyId }: { readonly organizationId: string; readonly keyId: string },
  fields: SideFields = {},
): ReportedCapture & { readonly id: string } {
  const {
    id = uuidv7(),
    side = 'request',
    text = 'a text',
    form = 'body',
    isCut = false,
    isUnfinished = false,
  } = fields;
  const { expiresAt = uuidTime(id) + dayMs, requestId = '', settingId = rules[0]?.id ?? '' } = fields;
  const binding = { organizationId, id, side, expiresAt };
  const sealed = sealContent(hpkePublicKey(publicKey), binding, { text, form, isCut, isUnfinished });
  return {
    ...{ organizationId, keyId, id, requestId, settingId, generation, sealed },
    side: captureSides.names[side],
    expiresAtMs: String(expiresAt),
  };
}
