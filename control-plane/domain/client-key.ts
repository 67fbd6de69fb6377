// Private keys with which the gateway authenticates at issuers (private_key_jwt), in place of a secret.
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { Secret } from '../../common/secret.ts';
import { type Field, invalid, valid } from './field.ts';

const pemLengthMax = 8192;
const rsaBitsMin = 2048;
const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** Reads a private key in PEM (PKCS #8, without a password): RSA from 2048 bits, or EC on P-256. */
export function clientKey(text: string): Field<Secret> {
  const key = text.length > pemLengthMax ? undefined : readKey(text);
  return key !== undefined && algorithmOf(key) !== undefined
    ? valid(new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString()))
    : invalid('must be a private key in PEM (PKCS #8): RSA from 2048 bits, or EC on P-256');
}

/** @param pem of a key that was read before */
export async function importClientKey(pem: string): Promise<webcrypto.CryptoKey> {
  const key = createPrivateKey(pem);
  const algorithm = algorithmOf(key);
  if (algorithm === undefined)
    throw new Error('a stored key of a client has another kind than those that are accepted');
  return await webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, false, [
    'sign',
  ]);
}

function readKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    // The library's message may repeat parts of the key.
    return undefined;
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject) {
  const { modulusLength = 0, namedCurve } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'rsa' && modulusLength >= rsaBitsMin) return rsa;
  return asymmetricKeyType === 'ec' && namedCurve === 'prime256v1'
    ? ({ name: 'ECDSA', namedCurve: 'P-256' } as const)
    : undefined;
}
