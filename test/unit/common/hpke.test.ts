// HPKE beside others: a vector of RFC 9180, and a text that another implementation sealed (the npm package hpke 1.1.7).
import { expect, it } from 'vitest';
import { openContent, sealContent, sealedOverheadBytes } from '../../../common/captured-content.ts';
import { createHpkeKeys, hpkeOpen, hpkePrivateKey, hpkePublicKey, hpkeSeal } from '../../../common/hpke.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const text = 'Beauty is truth, truth beauty';

it('opens what RFC 9180 prints in A.1.1.1, which has a shorter key of the cipher', () => {
  const key = hpkePrivateKey(bytes('4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8'));
  const context = { info: bytes('4f6465206f6e2061204772656369616e2055726e'), associated: bytes('436f756e742d30') };
  const sealed = bytes(
    '37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431' +
      'f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a',
  );
  const aes128Gcm = { id: 1, cipher: 'aes-128-gcm', keyBytes: 16 } as const;
  expect(hpkeOpen(key, context, sealed, aes128Gcm)?.toString()).toBe(text);
});

it('opens what another implementation has sealed', () => {
  const key = hpkePrivateKey(bytes('70176aa826b2e8cbd1e68a896b38ceb8f704ef0e041f7268590509c5907b266f'));
  const context = { info: Buffer.from('gateway-capture-v1'), associated: Buffer.from('associated') };
  const sealed = bytes(
    '8586320b16d44dc1930e11306477a068043998d9d4fc2e044b7ed81e6170651a' +
      '64e08715f908ec32e5bc7f695de99c6d8ff0b2906b603ef7e3e2bded2014a95702889bd635e4b7b30eb54b675f',
  );
  expect(hpkeOpen(key, context, sealed)?.toString()).toBe(text);
});

it('opens with the private key in the same context only, and nothing that was changed', () => {
  const { publicKey, privateKey } = createHpkeKeys();
  const context = { info: Buffer.from('info'), associated: Buffer.from('associated') };
  const sealed = hpkeSeal(hpkePublicKey(publicKey), context, Buffer.from(text));
  const open = (other: Partial<typeof context>, at = sealed, key = privateKey) =>
    hpkeOpen(hpkePrivateKey(key), { ...context, ...other }, at)?.toString();
  expect(open({})).toBe(text);
  expect(open({ info: Buffer.from('other') })).toBeUndefined();
  expect(open({ associated: Buffer.from('other') })).toBeUndefined();
  expect(open({}, sealed, createHpkeKeys().privateKey)).toBeUndefined();
  for (let index = 0; index < sealed.length; index += 7) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(open({}, changed)).toBeUndefined();
  }
  for (const length of [0, 31, 47, sealed.length - 1]) expect(open({}, sealed.subarray(0, length))).toBeUndefined();
});

it('refuses keys of another length, and seals nothing to a public key of low order', () => {
  for (const length of [0, 31, 33]) {
    expect(() => hpkePublicKey(Buffer.alloc(length))).toThrow();
    expect(() => hpkePrivateKey(Buffer.alloc(length))).toThrow();
  }
  const context = { info: Buffer.alloc(0), associated: Buffer.alloc(0) };
  expect(() => hpkeSeal(hpkePublicKey(Buffer.alloc(32)), context, Buffer.from(text))).toThrow();
});

it('binds content to organization, request, side and expiry, however their texts adjoin', () => {
  const { publicKey, privateKey } = createHpkeKeys();
  const binding = { organizationId: 'ab', id: 'c', side: 'request', expiresAt: 12 } as const;
  const content = { form: 'stream', text: 'höflich', isCut: true, isUnfinished: false } as const;
  const sealed = sealContent(hpkePublicKey(publicKey), binding, content);
  expect(sealed.length).toBe(Buffer.byteLength(content.text) + sealedOverheadBytes);
  const open = (other: Partial<Parameters<typeof openContent>[1]>) =>
    openContent(hpkePrivateKey(privateKey), { ...binding, ...other }, sealed);
  expect(open({})).toEqual(content);
  const others = [
    { organizationId: 'a', id: 'bc' },
    { id: 'd' },
    { side: 'response' as const },
    { expiresAt: 13 },
    { organizationId: 'other' },
  ];
  for (const other of others) expect(open(other)).toBeUndefined();
});
