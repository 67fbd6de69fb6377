// Which key signs records: the configured one, read again from its file when it changes; otherwise one derived from the
// master key.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createSigningKey, parseSigningKey, verifyingKey } from '../../../../common/record-signature.ts';
import { createSealKey, parseSealKeys } from '../../../../common/seal.ts';
import { openRecordSigner, type RecordSigner } from '../../../../control-plane/services/record-signer.ts';
import type { ResolveResponse } from '../../../../proto/generated/gateway/v1/ResolveResponse.ts';
import { until } from '../../../support/process.ts';
import { silentLog } from '../../../support/silent-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'record-signer-'));
const file = join(folder, 'record-signing-key.pem');
const opened: RecordSigner[] = [];

afterEach(() => {
  for (const signer of opened.splice(0)) signer.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const keyHash = 'ab'.repeat(32);
const response: ResolveResponse = {
  asOf: { epoch: 'one', revision: 7 },
  key: { keyId: 'key-1', organizationId: 'org-1' },
  organization: { id: 'org-1' },
};

const idOf = (pem: string) => parseSigningKey(pem).id.toString('hex');
const signedBy = (signer: RecordSigner) =>
  (signer.sign(response, keyHash, 0).signed ?? []).map(({ signature }) =>
    Buffer.from(signature?.keyId ?? '').toString('hex'),
  );
const named = (signer: RecordSigner) =>
  (signer.sign(response, keyHash, 0).recordKeys ?? []).map((key) => verifyingKey(Buffer.from(key)).id.toString('hex'));

function open(options: { readonly pem?: string; readonly file?: string; readonly masterKey?: string }): RecordSigner {
  const signer = openRecordSigner(
    {
      recordSigningKey: options.pem === undefined ? undefined : parseSigningKey(options.pem),
      recordSigningKeyFile: options.file,
      masterKey: parseSealKeys(options.masterKey ?? createSealKey()),
    },
    { log: silentLog, everyMs: 5 },
  );
  opened.push(signer);
  return signer;
}

describe('a signing key in a file', () => {
  it('is read again when it changes: from then on it signs and is announced', async () => {
    const [old, fresh] = [createSigningKey(), createSigningKey()];
    writeFileSync(file, old);
    const signer = open({ pem: old, file });
    expect([signer.keyId, named(signer), signedBy(signer)]).toEqual([idOf(old), [idOf(old)], [idOf(old), idOf(old)]]);
    writeFileSync(file, fresh);
    await until(() => signer.keyId === idOf(fresh), { what: 'the new key to sign' });
    expect([named(signer), signedBy(signer)]).toEqual([[idOf(fresh)], [idOf(fresh), idOf(fresh)]]);
    expect(signer.publicKeys.map((key) => verifyingKey(key).id.toString('hex'))).toEqual([idOf(fresh)]);
  });

  it.each(['', 'half a k', '-----BEGIN PRIVATE KEY-----'])(
    'that is unusable (%j) leaves the last good one in force',
    async (text) => {
      const [old, fresh] = [createSigningKey(), createSigningKey()];
      writeFileSync(file, old);
      const signer = open({ pem: old, file });
      writeFileSync(file, text);
      // The signer reads the file many times before the next good key.
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(signedBy(signer)).toEqual([idOf(old), idOf(old)]);
      writeFileSync(file, fresh);
      await until(() => signer.keyId === idOf(fresh), { what: 'the new key to sign' });
    },
  );
});

describe('a control plane without a configured signing key', () => {
  it('derives one from the newest master key: the same in every replica, and another for another master key', () => {
    const [one, other] = [createSealKey(), createSealKey()];
    const [first, second] = [open({ masterKey: one }), open({ masterKey: one })];
    expect(second.keyId).toBe(first.keyId);
    expect(signedBy(first)).toEqual([first.keyId, first.keyId]);
    expect(open({ masterKey: other }).keyId).not.toBe(first.keyId);
  });

  it('signs with the newest master key during a rotation and announces both, so no proxy resolves its records again', () => {
    const [old, fresh] = [createSealKey(), createSealKey()];
    const [before, after] = [open({ masterKey: old }).keyId, open({ masterKey: fresh }).keyId];
    const both = open({ masterKey: `${fresh},${old}` });
    expect(both.keyId).toBe(after);
    expect(named(both)).toEqual([after, before]);
    expect(signedBy(both)).toEqual([after, after]);
  });
});
