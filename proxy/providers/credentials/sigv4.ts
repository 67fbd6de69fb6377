// Signs a request with a cloud account's access key pair: Signature Version 4 (the only import of
// @smithy/signature-v4), including the body's hash. The keys are revealed only here, and nothing of a caller's own keys
// is kept.
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { clearCredentialCache, SignatureV4 } from '@smithy/signature-v4';
import type { Secret } from '../../../common/secret.ts';
import type { BaseUrl } from '../../formats/format.ts';

/** The service's name in signatures; its host has another name. */
const service = 'bedrock';

export interface AccessKeys {
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  /** For temporary credentials. */
  readonly sessionToken: Secret | undefined;
}

export interface UnsignedRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path as sent; the signature covers it encoded once more. */
  readonly path: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SigningScope {
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether data derived from the keys may be cached for later requests. */
  readonly keep: boolean;
}

/** @returns all headers of the request, as alternating names and values */
export async function signedHeaders(
  request: UnsignedRequest,
  keys: AccessKeys,
  { region, now, keep }: SigningScope,
): Promise<string[]> {
  const { hostname, host, protocol } = new URL(request.origin);
  const signer = new SignatureV4({
    service,
    region,
    credentials: revealed(keys),
    sha256: Sha256,
    uriEscapePath: true,
    applyChecksum: true,
  });
  try {
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol,
        hostname,
        path: request.path,
        headers: { host, ...request.headers },
        body: request.body,
      },
      { signingDate: new Date(now) },
    );
    return Object.entries(signed.headers).flat();
  } finally {
    // The library caches data derived from the keys, and the session token with it, indefinitely.
    if (!keep) clearCredentialCache();
  }
}

function revealed({ accessKeyId, secretAccessKey, sessionToken }: AccessKeys) {
  return {
    accessKeyId: accessKeyId.reveal(),
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken && { sessionToken: sessionToken.reveal() }),
  };
}

const regionForm = /^[a-z]{2}(-[a-z0-9]+)+-\d{1,2}$/;

/** The region in the host's name: `bedrock-runtime.eu-west-1.amazonaws.com`. */
export function regionOf({ origin }: BaseUrl): string | undefined {
  return new URL(origin).hostname.split('.').find((label) => regionForm.test(label));
}

/** SHA-256 with the library's interface; keyed if it gets a secret. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', keyBytes(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

function keyBytes(secret: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof secret === 'string') return Buffer.from(secret);
  if (secret instanceof ArrayBuffer) return Buffer.from(secret);
  return Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength);
}
