import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createSigningKey,
  isSigned,
  parseSigningKey,
  parseVerifyingKeys,
  publicPemOf,
  type RecordBody,
  type SignedRecord,
  signedTextOf,
  signingKeyOf,
  signRecords,
  verifyingKey,
} from '../../../common/record-signature.ts';

const key = parseSigningKey(createSigningKey());
const publicKey = verifyingKey(key.publicKey);
const head = { epoch: 'epoch-1', revision: 7, signedAt: 1_790_000_000_000 };

const bodies = (count: number): readonly RecordBody[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'person',
    ref: `person:${index}`,
    body: Buffer.from(`body ${index}`),
  }));

function isGood(record: SignedRecord): boolean {
  const text = signedTextOf(record);
  return text !== undefined && isSigned(publicKey, text, record.signature);
}

describe('a signed batch of records', () => {
  it.each([1, 2, 3, 4, 5, 7, 8, 33])('of %i records proves each record alone by its own path', (count) => {
    const signed = signRecords(key, head, bodies(count));
    expect(signed).toHaveLength(count);
    expect(signed.every(isGood)).toBe(true);
    expect(new Set(signed.map(({ signature }) => Buffer.from(signature.signature).toString('hex'))).size).toBe(1);
  });

  const [record] = signRecords(key, head, bodies(3));
  if (record === undefined) throw new Error('there is one');
  const changes: Readonly<Record<string, Partial<SignedRecord>>> = {
    body: { body: Buffer.from('body 1') },
    subject: { ref: 'person:1' },
    kind: { kind: 'ai_system' },
    epoch: { signature: { ...record.signature, epoch: 'epoch-2' } },
    revision: { signature: { ...record.signature, revision: 8 } },
    time: { signature: { ...record.signature, signedAt: head.signedAt + 1 } },
    path: { path: record.path.toReversed() },
    side: { left: record.left ^ 1 },
    'length of the path': { path: record.path.slice(1) },
    'end of the subject, moved into the body': { ref: 'person:', body: Buffer.from('0body 0') },
  };
  it.each(Object.entries(changes))('does not prove a record with another %s', (_name, change) => {
    expect(isGood(record)).toBe(true);
    expect(isGood({ ...record, ...change })).toBe(false);
  });

  it('does not prove an inner node of its tree as a record', () => {
    const [one, other] = signRecords(key, head, bodies(2));
    if (one === undefined || other === undefined) throw new Error('there are two');
    const inside = Buffer.concat([...one.path, ...other.path]);
    expect(isGood({ ...one, body: inside, path: [], left: 0 })).toBe(false);
  });

  it('refuses a path that is longer than in any tree', () => {
    expect(signedTextOf({ ...record, path: Array(33).fill(Buffer.alloc(32)) })).toBeUndefined();
  });
});

describe('keys that sign records', () => {
  it('are read in PEM, several public keys one after another', () => {
    const other = parseSigningKey(createSigningKey());
    const read = parseVerifyingKeys(`${publicPemOf(key)}\n${publicPemOf(other)}`);
    expect(read.map(({ id }) => id)).toEqual([key.id, other.id]);
    expect(key.id).toHaveLength(8);
  });

  it('derived from the same secret are equal, and from another secret differ', () => {
    const seed = Buffer.alloc(32, 1);
    expect(signingKeyOf(seed).id).toEqual(signingKeyOf(seed).id);
    expect(signingKeyOf(seed).id).not.toEqual(signingKeyOf(Buffer.alloc(32, 2)).id);
  });

  it('of another kind, private ones among public ones, and cut-off ones are refused without being repeated', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const rsaPublic = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const rsaPrivate = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => parseSigningKey(rsaPrivate)).toThrow('must be an Ed25519 private key in PEM');
    expect(() => parseSigningKey(publicPemOf(key))).toThrow('must be an Ed25519 private key in PEM');
    expect(() => parseVerifyingKeys(rsaPublic)).toThrow('must be an Ed25519 public key');
    expect(() => parseVerifyingKeys(createSigningKey())).toThrow('contains a private key');
    for (const text of ['', 'nothing', `${publicPemOf(key)} and more`, publicPemOf(key).slice(0, 60)])
      expect(() => parseVerifyingKeys(text)).toThrow('must be one to 16 Ed25519 public keys');
  });
});
