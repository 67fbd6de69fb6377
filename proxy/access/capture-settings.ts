// What an organization's record says of captures: rules, and the key to which proxies seal.
import type { KeyObject } from 'node:crypto';
import { hpkeKeyBytes, hpkePublicKey } from '../../common/hpke.ts';
import type { CaptureTargetKind } from '../../proto/words/captures.ts';

export interface CaptureRule {
  readonly id: string;
  readonly target: { readonly kind: CaptureTargetKind; readonly id: string };
  readonly endsAt: number;
  readonly samplePerThousand: number;
  readonly retentionDays: number;
  /** Of each side. */
  readonly sideBytesMax: number;
}

/** Of an organization. */
export interface CaptureSettings {
  readonly rules: readonly CaptureRule[];
  readonly publicKey: CaptureKey;
  /** Of the public key. */
  readonly generation: number;
}

/** The public key to which content is sealed. Most proxies never capture, so it is imported at its first use. */
export class CaptureKey {
  readonly #bytes: Uint8Array;
  #key: KeyObject | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  static isUsable(bytes: Uint8Array): boolean {
    return bytes.length === hpkeKeyBytes;
  }

  get key(): KeyObject {
    this.#key ??= hpkePublicKey(this.#bytes);
    return this.#key;
  }
}
