// Anchors of the audit log: their signatures, and the log lines that contain them.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  anchorKeyId,
  anchorOf,
  anchorSignature,
  ed25519PrivateKey,
  readAnchorLine,
} from '../../../common/audit-anchor.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const point = { revision: 12, hash: 'ab'.repeat(32) };
const anchor = anchorOf(point, 1_790_000_000_000, privateKey);
const { key: _key, signature: _signature, ...unsigned } = anchor;

describe('the signature of an anchor', () => {
  it('is valid for the signed anchor, which names its key', () => {
    expect(anchor.key).toBe(anchorKeyId(publicKey));
    expect(anchorSignature(anchor, [publicKey])).toBe('good');
  });

  it.each([
    ['revision', { revision: 13 }],
    ['hash', { hash: 'ba'.repeat(32) }],
    ['time', { at: anchor.at + 1 }],
    ['signature', { signature: Buffer.alloc(64).toString('base64') }],
  ])('is forged when the %s is changed', (_what, other) => {
    expect(anchorSignature({ ...anchor, ...other }, [publicKey])).toBe('forged');
  });

  it('by an unknown key is reported as unknown, and a missing one as none', () => {
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(anchorSignature(anchor, [other])).toBe('unknown_key');
    expect(anchorSignature(unsigned, [publicKey])).toBe('none');
    expect(anchorOf(point, anchor.at, undefined)).toEqual(unsigned);
  });
});

describe('a log line', () => {
  it.each([
    ['of the log', { level: 'info', audit_anchor: anchor, msg: 'audit anchor' }],
    ['of the webhook', { type: 'audit.anchored', timestamp: '2026-11-22T00:00:00Z', data: anchor }],
    ['of the folder', anchor],
  ])('%s contains an anchor', (_where, value) => {
    expect(readAnchorLine(JSON.stringify(value))).toEqual(anchor);
    expect(readAnchorLine(`pod-1 stdout ${JSON.stringify(value)}`)).toEqual(anchor);
  });

  it('with an event of the audit log counts as an anchor without a signature', () => {
    const event = { ...anchor, action: 'Keys.Create' };
    expect(readAnchorLine(JSON.stringify({ msg: 'audit', audit: event }))).toEqual(unsigned);
  });

  it.each([
    ['no JSON', 'ready "hash"'],
    ['another event of a webhook', JSON.stringify({ type: 'audit.broken', data: anchor })],
    ['a hash that is none', JSON.stringify({ ...anchor, hash: 'x' })],
    ['a revision that is none', JSON.stringify({ ...anchor, revision: -1 })],
    ['no event', JSON.stringify({ ...anchor, revision: 0 })],
  ])('that is %s contains no anchor', (_what, line) => {
    expect(readAnchorLine(line)).toBeUndefined();
  });
});

describe('the anchor signing key', () => {
  it('must be an Ed25519 key in PEM, and the error does not repeat a refused text', () => {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    expect(ed25519PrivateKey(pem).asymmetricKeyType).toBe('ed25519');
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const other = rsa.export({ format: 'pem', type: 'pkcs8' }).toString();
    for (const text of ['canary', other]) {
      expect(() => ed25519PrivateKey(text)).toThrow(/Ed25519/);
      expect(() => ed25519PrivateKey(text)).not.toThrow(text.slice(0, 40));
    }
  });
});
