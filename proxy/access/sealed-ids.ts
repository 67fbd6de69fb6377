// Ids of what a vendor stores, as clients see them. All keys of an organization share the vendor's account, and the
// vendor returns what it has stored to everyone who knows its id. So an id that leaves the gateway is sealed for the
// owner of the virtual key, and only opened for that owner. One id has one sealed form, in every event and later read.
import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { RecordKey } from './organization-key.ts';
import type { Principal } from './principal.ts';

/** What a sealed id stands for. */
export interface StoredId {
  /** The stored key whose account has it: a UUID. */
  readonly providerKeyId: string;
  /** The vendor's id, such as `resp_…`. */
  readonly id: string;
}

/** `resp_gw1_…`: the vendor's prefix stays, because clients distinguish kinds of items by it. */
const sealedForm = /^([a-z0-9]{1,16})_gw1_([A-Za-z0-9_-]{40,160})$/;

export function isSealed(id: string): boolean {
  return sealedForm.test(id);
}

const [nonceBytes, tagBytes, uuidBytes] = [12, 16, 16];
const cipher = 'aes-256-gcm';

export class SealedIds {
  readonly #generations: readonly DerivedKeys[];
  readonly #owner: Buffer;

  /** @param keys the open generations of the organization's record key, newest first; at least one */
  constructor(keys: readonly RecordKey[], owner: Buffer) {
    this.#generations = keys.map(derivedKeys);
    this.#owner = owner;
  }

  /** With the newest generation. */
  seal({ providerKeyId, id }: StoredId): string {
    const [newest] = this.#generations;
    if (newest === undefined) throw new Error('there is no record key');
    const plain = Buffer.concat([Buffer.from(providerKeyId.replaceAll('-', ''), 'hex'), Buffer.from(id)]);
    const nonce = this.#nonceOf(plain, newest);
    const sealing = createCipheriv(cipher, newest.sealing, nonce).setAAD(this.#owner);
    const sealed = Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
    const [prefix] = id.split('_', 1);
    return `${prefix}_gw1_${sealed.toString('base64url')}`;
  }

  /** @returns undefined for an id of another owner, and for one that was never sealed */
  open(sealedId: string): StoredId | undefined {
    const [, prefix, text] = sealedForm.exec(sealedId) ?? [];
    if (text === undefined) return undefined;
    const bytes = Buffer.from(text, 'base64url');
    for (const keys of this.#generations) {
      const plain = this.#plainOf(bytes, keys);
      if (plain === undefined) continue;
      const id = plain.toString('utf8', uuidBytes);
      return id.split('_', 1)[0] === prefix ? { providerKeyId: uuidOf(plain), id } : undefined;
    }
    return undefined;
  }

  #plainOf(bytes: Buffer, keys: DerivedKeys): Buffer | undefined {
    const end = bytes.length - tagBytes;
    if (end <= nonceBytes + uuidBytes) return undefined;
    const nonce = bytes.subarray(0, nonceBytes);
    const opening = createDecipheriv(cipher, keys.sealing, nonce, { authTagLength: tagBytes });
    opening.setAAD(this.#owner).setAuthTag(bytes.subarray(end));
    try {
      const plain = Buffer.concat([opening.update(bytes.subarray(nonceBytes, end)), opening.final()]);
      return timingSafeEqual(nonce, this.#nonceOf(plain, keys)) ? plain : undefined;
    } catch {
      // It was sealed for another owner, with another key, or not at all.
      return undefined;
    }
  }

  /** From what is sealed, so that the result is always the same and no nonce serves two ids. */
  #nonceOf(plain: Buffer, { nonces }: DerivedKeys): Buffer {
    return createHmac('sha256', nonces).update(this.#owner).update(plain).digest().subarray(0, nonceBytes);
  }
}

/** The scope of a virtual key: what was made with it stays readable if the key is rotated. */
export function ownerOf({ key }: Pick<Principal, 'key'>): Buffer {
  return Buffer.from([key.organizationId, key.scope.kind, key.scope.id].join('\n'));
}

interface DerivedKeys {
  readonly sealing: Buffer;
  readonly nonces: Buffer;
}

const derived = new WeakMap<RecordKey, DerivedKeys>();

function derivedKeys(key: RecordKey): DerivedKeys {
  const known = derived.get(key);
  if (known !== undefined) return known;
  const keys = { sealing: key.keyFor('stored-id 1'), nonces: key.keyFor('stored-id nonce 1') };
  derived.set(key, keys);
  return keys;
}

function uuidOf(plain: Buffer): string {
  const hex = plain.toString('hex', 0, uuidBytes);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
