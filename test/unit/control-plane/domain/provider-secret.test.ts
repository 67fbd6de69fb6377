import { describe, expect, it } from 'vitest';
import { createSealKey, parseSealKeys } from '../../../../common/seal.ts';
import { sealProviderSecret, unsealProviderSecret } from '../../../../control-plane/domain/provider-secret.ts';

const location = { organizationId: 'organization-1', providerKeyId: 'provider-key-1', version: 3 };
const secret = { accessKeyId: 'access-key-id-1', secretAccessKey: 'canary-secret-access-key' };

describe('the secret of a provider key', () => {
  const oldKey = createSealKey();
  const keys = parseSealKeys(oldKey);

  it('is unsealed for its own record, and absent fields stay absent', () => {
    const sealed = sealProviderSecret(keys, location, secret);
    expect(unsealProviderSecret(keys, location, sealed)).toStrictEqual(secret);
  });

  it('shows none of its text when sealed, and is never sealed twice to the same bytes', () => {
    const sealed = sealProviderSecret(keys, location, secret);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('canary');
    expect(sealProviderSecret(keys, location, secret)).not.toBe(sealed);
  });

  it.each([
    ['another organization', { ...location, organizationId: 'organization-2' }],
    ['another provider key', { ...location, providerKeyId: 'provider-key-2' }],
    ['an older version', { ...location, version: 2 }],
  ])('is not unsealed for %s', (_name, other) => {
    expect(unsealProviderSecret(keys, other, sealProviderSecret(keys, location, secret))).toBeUndefined();
  });

  it('is not unsealed when altered, cut off or empty', () => {
    const bytes = Buffer.from(sealProviderSecret(keys, location, secret), 'base64');
    const last = bytes.length - 1;
    bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
    expect(unsealProviderSecret(keys, location, bytes.toString('base64'))).toBeUndefined();
    expect(unsealProviderSecret(keys, location, bytes.subarray(0, 20).toString('base64'))).toBeUndefined();
    expect(unsealProviderSecret(keys, location, '')).toBeUndefined();
  });

  it('is still unsealed after a new master key was put in front, and not without the old one', () => {
    const newKey = createSealKey();
    const sealed = sealProviderSecret(keys, location, secret);
    expect(unsealProviderSecret(parseSealKeys(`${newKey},${oldKey}`), location, sealed)).toStrictEqual(secret);
    expect(unsealProviderSecret(parseSealKeys(newKey), location, sealed)).toBeUndefined();
  });
});
