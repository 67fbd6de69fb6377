// Settings of the catalog, the same in both planes: one charges with the prices of a catalog, the other matches names
// with it, so both must use the same one.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Decoder, text } from '../common/settings.ts';

const publicKey: Decoder<KeyObject> = (value) => {
  const key = keyOf(value);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new Error('must be an Ed25519 public key: PEM, or its base64 line alone');
};

function keyOf(value: string): KeyObject | undefined {
  try {
    return value.includes('-----BEGIN')
      ? createPublicKey(value)
      : createPublicKey({ key: Buffer.from(value, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

export const catalogSettings = {
  catalogFile: {
    name: 'GATEWAY_CATALOG_FILE',
    about:
      'JSON file in the form of catalog/models.json: models and prices that replace all shipped ones; read again when it changes. The proxies and the control plane need the same one.',
    decode: text,
  },
  catalogPublicKey: {
    name: 'GATEWAY_CATALOG_PUBLIC_KEY',
    about:
      'Ed25519 public key, PEM or its base64 line alone: the catalog file is accepted only with a signature of it in `<file>.sig`.',
    decode: publicKey,
  },
} as const;
