// One side of a captured request, as it is sealed by a proxy and opened by the control plane: three bytes that say what
// follows, then the text in UTF-8. The seal binds it to its organization, request, side and expiry.
import type { KeyObject } from 'node:crypto';
import { type HpkeContext, hpkeOpen, hpkeOverheadBytes, hpkeSeal } from './hpke.ts';

/** `body`: JSON in the caller's format. `stream`: a JSON list of the texts of a stream. */
export type ContentForm = 'body' | 'stream';

export interface CapturedContent {
  readonly form: ContentForm;
  readonly text: string;
  /** The rest of the text is not kept. */
  readonly isCut: boolean;
  /** The response ended before it was complete. */
  readonly isUnfinished: boolean;
}

export interface CaptureBinding {
  readonly organizationId: string;
  /** Of the request's row. */
  readonly id: string;
  readonly side: 'request' | 'response';
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const headBytes = 3;
const version = 1;
const forms: readonly ContentForm[] = ['body', 'stream'];
/** What sealing adds to the bytes of a text. */
export const sealedOverheadBytes = headBytes + hpkeOverheadBytes;

/** @throws Error for an unusable key */
export function sealContent(publicKey: KeyObject, binding: CaptureBinding, content: CapturedContent): Buffer {
  const { form, isCut, isUnfinished, text } = content;
  const flags = (isCut ? 1 : 0) | (isUnfinished ? 2 : 0);
  const head = Buffer.from([version, forms.indexOf(form), flags]);
  return hpkeSeal(publicKey, contextOf(binding), Buffer.concat([head, Buffer.from(text)]));
}

/** Undefined if it is not what a proxy sealed under this binding to this key, or is of a later version. */
export function openContent(
  privateKey: KeyObject,
  binding: CaptureBinding,
  sealed: Uint8Array,
): CapturedContent | undefined {
  const bytes = hpkeOpen(privateKey, contextOf(binding), sealed);
  if (bytes === undefined || bytes.length < headBytes || bytes[0] !== version) return undefined;
  const form = forms[bytes[1] ?? forms.length];
  const flags = bytes[2] ?? 0;
  if (form === undefined) return undefined;
  return { form, isCut: (flags & 1) !== 0, isUnfinished: (flags & 2) !== 0, text: bytes.toString('utf8', headBytes) };
}

const info = Buffer.from('model-gateway capture v1');

function contextOf({ organizationId, id, side, expiresAt }: CaptureBinding): HpkeContext {
  return { info, associated: Buffer.concat([organizationId, id, side, String(expiresAt)].map(prefixed)) };
}

/** With its length in front, so that no two lists of parts have the same bytes. */
function prefixed(part: string): Buffer {
  const bytes = Buffer.from(part);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
