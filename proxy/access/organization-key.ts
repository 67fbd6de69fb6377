// An organization's record key. It is never used itself: each use derives a key of its own, so that a key that leaks
// from one use opens nothing of another, and none leads back to the record key.
import { hkdfSync } from 'node:crypto';

/** One generation of the key. It does not print. */
export class RecordKey {
  readonly generation: number;
  readonly #material: Buffer;

  /** @param material 32 random bytes */
  constructor(generation: number, material: Buffer) {
    this.generation = generation;
    this.#material = material;
  }

  /**
   * HKDF-SHA256 over the record key.
   * @param use its name and version, such as `response-id 1`; no two uses share one
   * @returns 32 bytes
   */
  keyFor(use: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#material, Buffer.alloc(0), `gateway-record-key ${use}`, 32));
  }
}
