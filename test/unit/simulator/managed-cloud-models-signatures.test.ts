import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { describe, expect, it } from 'vitest';
import { accounts } from '../../../simulator/managed-cloud-models/accounts.ts';
import { authorize } from '../../../simulator/managed-cloud-models/authorization.ts';
import { Refusal } from '../../../simulator/managed-cloud-models/refusal.ts';
import {
  canonicalRequest,
  sha256,
  signatureOf,
  stringToSign,
} from '../../../simulator/managed-cloud-models/signature.ts';
import type { Received } from '../../../simulator/wire-format.ts';

// 2026-01-02T03:04:05Z
const now = 1_767_323_045;
const body = '{"messages":[{"role":"user","content":[{"text":"hi"}]}]}';
const path = '/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse';

describe('the signature of a request', () => {
  const headers = {
    'content-type': 'application/json',
    host: 'bedrock-runtime.us-east-1.amazonaws.com',
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': '20260102T030405Z',
  };
  const scope = { date: '20260102', region: 'us-east-1', service: 'bedrock' };

  it('equals that of two other implementations', () => {
    expect(sha256(body)).toBe('c3335e07d6e89650bf94cb98664be69f8774dbc3198df221f113db0a59ea14f0');
    const received = { method: 'POST', path, query: '', headers, body: Buffer.from(body) };
    const canonical = canonicalRequest(received, Object.keys(headers));
    expect(canonical).toContain('v1%253A0/converse');
    expect(sha256(canonical)).toBe('19a0ffaa8e4df61f9c8dd6aa6dfcba0a751d402aaa148c8cf0d53a3d830d8ae8');
    const text = stringToSign(canonical, scope, headers['x-amz-date']);
    expect(signatureOf(text, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', scope)).toBe(
      '48f2f90cd13fc9466a3ce93da02195c60c96ad9e32404c55f77c42162f7eae9e',
    );
  });

  it('of only two headers equals that of another client', () => {
    const received = { method: 'POST', path, query: '', headers, body: Buffer.from(body) };
    const text = stringToSign(canonicalRequest(received, ['host', 'x-amz-date']), scope, headers['x-amz-date']);
    expect(signatureOf(text, 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', scope)).toBe(
      '9a958bc1cbb43c3b3f6e94aa46d80a767104dcdca59681db58c164ff81f3aa05',
    );
  });
});

class NodeSha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

interface Signing {
  readonly account?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  readonly region?: string;
  readonly service?: string;
  /** Seconds from now. */
  readonly at?: number;
  readonly path?: string;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/** Returns a request that the usual client library signed, in the form that the simulator receives. */
async function signed(signing: Signing = {}): Promise<Received> {
  const { account = accounts.permanent, region = 'us-east-1', service = 'bedrock', query = {} } = signing;
  const signer = new SignatureV4({ credentials: account, region, service, sha256: NodeSha256 });
  const request = {
    method: 'POST',
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: signing.path ?? `/managed-cloud-models${path}`,
    query,
    headers: { host: '127.0.0.1:8080', 'content-type': 'application/json', ...signing.headers },
    body,
  };
  const signingDate = new Date((now + (signing.at ?? 0)) * 1000);
  const { headers } = await signer.sign(request, { signingDate });
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    method: 'POST',
    path: request.path,
    query: Object.entries(query)
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .join('&'),
    headers: Object.fromEntries(lower),
    body: Buffer.from(body),
  };
}

const context = { keys: new Set(['listed-key']), now };

function refusalOf(received: Received): Refusal {
  try {
    authorize(received, context);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('the request was accepted');
}

function withHeaders(received: Received, change: Record<string, string | undefined>): Received {
  const headers = Object.entries({ ...received.headers, ...change }).filter(([, value]) => value !== undefined);
  return { ...received, headers: Object.fromEntries(headers) };
}

const authorization = (received: Received) => String(received.headers.authorization);

describe('a signed request is accepted', () => {
  it.each<readonly [string, Signing]>([
    ['of a permanent account', {}],
    ['of a temporary account with its token', { account: accounts.temporary }],
    ['for any region of the right form', { region: 'ap-southeast-2' }],
    ['for a government region', { region: 'us-gov-west-1' }],
    ['signed almost five minutes ago', { at: -299 }],
    ['signed by a clock that is almost five minutes fast', { at: 299 }],
    [
      'with a path that contains an ARN',
      {
        path: '/managed-cloud-models/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A111122223333%3Aapplication-inference-profile%2Fab12cd/converse',
      },
    ],
    ['with a query', { query: { b: 'x y', a: '1/2' } }],
    ['with further headers', { headers: { 'x-amz-user-agent': 'tests', 'x-other': ' two  spaces ' } }],
  ])('%s', async (_name, signing) => {
    const received = await signed(signing);
    expect(() => authorize(received, context)).not.toThrow();
  });

  it('with any added headers other than x-amz headers', async () => {
    const received = withHeaders(await signed(), { via: '1.1 proxy', 'x-forwarded-for': '10.0.0.1' });
    expect(() => authorize(received, context)).not.toThrow();
  });
});

const invalidSignature = [403, 'InvalidSignatureException'] as const;
const unrecognized = [
  403,
  'UnrecognizedClientException',
  'The security token included in the request is invalid.',
] as const;
const mismatch = [...invalidSignature, 'The request signature we calculated does not match'] as const;

describe('a signed request is refused', () => {
  it.each<readonly [string, Signing, readonly [number, string, string]]>([
    [
      'of an unknown account',
      { account: { ...accounts.permanent, accessKeyId: 'AKIASIM0NOBODY000000' } },
      unrecognized,
    ],
    [
      'of a temporary account without its token',
      {
        account: {
          accessKeyId: accounts.temporary.accessKeyId,
          secretAccessKey: accounts.temporary.secretAccessKey,
        },
      },
      unrecognized,
    ],
    [
      'of a temporary account with another token',
      { account: { ...accounts.temporary, sessionToken: 'other' } },
      unrecognized,
    ],
    [
      'of a permanent account with a token',
      { account: { ...accounts.permanent, sessionToken: 'other' } },
      unrecognized,
    ],
    ['of an expired account', { account: accounts.expired }, [403, 'ExpiredTokenException', 'is expired']],
    [
      'of an account that may do nothing',
      { account: accounts.denied },
      [403, 'AccessDeniedException', 'not authorized to perform: bedrock:InvokeModel'],
    ],
    ['with another secret', { account: { ...accounts.permanent, secretAccessKey: 'other' } }, mismatch],
    ['for another service', { service: 'bedrock-runtime' }, [...invalidSignature, "correct service: 'bedrock'"]],
    ['for a region that is none', { region: 'mars' }, [...invalidSignature, "valid region, not 'mars'"]],
    [
      'more than five minutes old',
      { at: -301 },
      [
        ...invalidSignature,
        'Signature expired: 20260102T025904Z is now earlier than 20260102T025905Z (20260102T030405Z - 5 min.)',
      ],
    ],
    [
      'from the future',
      { at: 301 },
      [
        ...invalidSignature,
        'Signature not yet current: 20260102T030906Z is still later than 20260102T030905Z (20260102T030405Z + 5 min.)',
      ],
    ],
  ])('%s', async (_name, signing, [status, type, message]) => {
    const refusal = refusalOf(await signed(signing));
    expect([refusal.status, refusal.error.type]).toEqual([status, type]);
    expect(refusal.message).toContain(message);
  });

  it.each<readonly [string, (received: Received) => Received, string]>([
    ['whose body was changed', (received) => ({ ...received, body: Buffer.from('{}') }), mismatch[2]],
    [
      'whose path was decoded on the way',
      (received) => ({ ...received, path: received.path.replace('%3A', ':') }),
      mismatch[2],
    ],
    ['whose host was changed', (received) => withHeaders(received, { host: 'other' }), mismatch[2]],
    ['whose query was changed', (received) => ({ ...received, query: 'a=b' }), mismatch[2]],
    ['whose method was changed', (received) => ({ ...received, method: 'PUT' }), mismatch[2]],
    [
      'with an x-amz header that is not signed',
      (received) => withHeaders(received, { 'x-amz-meta': 'x' }),
      "'x-amz-meta' must be a 'SignedHeader'",
    ],
    [
      'without the host among the signed',
      (received) => withHeaders(received, { authorization: authorization(received).replace('host;', '') }),
      "'Host' or ':authority' must be a 'SignedHeader'",
    ],
    [
      'scoped to another day',
      (received) =>
        withHeaders(received, { authorization: authorization(received).replace('/20260102/', '/20260101/') }),
      "'20260101' != '20260102', from '20260102T030405Z'",
    ],
    [
      'with another terminator',
      (received) =>
        withHeaders(received, {
          authorization: authorization(received).replace('aws4_request', 'aws5_request'),
        }),
      "valid terminator: 'aws4_request'",
    ],
  ])('%s', async (_name, change, message) => {
    const refusal = refusalOf(change(await signed()));
    expect([refusal.status, refusal.error.type]).toEqual(invalidSignature);
    expect(refusal.message).toContain(message);
  });

  it('with the expected canonical strings in the message', async () => {
    const refusal = refusalOf({ ...(await signed()), body: Buffer.from('{}') });
    expect(refusal.message).toContain(
      "The Canonical String for this request should have been\n'POST\n/managed-cloud-models/model/anthropic.claude-3-5-sonnet-20240620-v1%253A0/converse\n\n",
    );
    expect(refusal.message).toContain(
      "The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20260102T030405Z\n20260102/us-east-1/bedrock/aws4_request\n",
    );
  });

  it.each<readonly [string, (received: Received) => Received, string]>([
    [
      'without a signature',
      (received) => withHeaders(received, { authorization: authorization(received).replace(/, Signature=.*/, '') }),
      "requires 'Signature' parameter.",
    ],
    [
      'without signed headers',
      (received) =>
        withHeaders(received, { authorization: authorization(received).replace(/SignedHeaders=[^,]*,/, '') }),
      "requires 'SignedHeaders' parameter.",
    ],
    [
      'without a date',
      (received) => withHeaders(received, { 'x-amz-date': undefined }),
      "existence of either a 'X-Amz-Date' or a 'Date' header.",
    ],
    [
      'with a date of another form',
      (received) => withHeaders(received, { 'x-amz-date': '2026-01-02T03:04:05Z' }),
      "Date must be in ISO-8601 'basic format'.",
    ],
    [
      'with a date that is none',
      (received) =>
        withHeaders(received, {
          'x-amz-date': '20261399T030405Z',
          authorization: authorization(received).replace('20260102', '20261399'),
        }),
      "Date must be in ISO-8601 'basic format'.",
    ],
    [
      'with a credential of four parts',
      (received) => withHeaders(received, { authorization: authorization(received).replace('/aws4_request', '') }),
      'Credential must have exactly 5 slash-delimited elements',
    ],
    [
      'of another algorithm',
      (received) => withHeaders(received, { authorization: 'Basic c2ltOnNpbQ==' }),
      "Authorization header requires algorithm 'AWS4-HMAC-SHA256'. (Hashed with SHA-256 and encoded with Base64) Authorization=",
    ],
  ])('%s as incomplete', async (_name, change, message) => {
    const refusal = refusalOf(change(await signed()));
    expect([refusal.status, refusal.error.type]).toEqual([400, 'IncompleteSignature']);
    expect(refusal.message).toContain(message);
  });

  it('as unauthenticated without an authorization header', async () => {
    const refusal = refusalOf(withHeaders(await signed(), { authorization: undefined }));
    expect(refusal).toMatchObject({
      status: 403,
      error: { type: 'MissingAuthenticationToken', message: 'Missing Authentication Token' },
    });
  });
});

describe('an API key', () => {
  const withKey = (key: string): Received => ({
    method: 'POST',
    path,
    query: '',
    headers: { authorization: key },
    body: Buffer.from(body),
  });

  it.each(['Bearer sk-sim-key', 'bearer sk-sim-key', 'Bearer ABSKSimQmVkcm9jaw==', 'Bearer listed-key'])(
    'is accepted as %s',
    (key) => {
      expect(() => authorize(withKey(key), context)).not.toThrow();
    },
  );

  it.each([
    ['Bearer ABSKQmVkcm9jaw==', 'Authentication failed: Please make sure your API Key is valid.'],
    ['Bearer sk-sim-', 'Authentication failed: Please make sure your API Key is valid.'],
    ['Bearer sk-other', 'Invalid API Key format: Must start with pre-defined prefix'],
    ['Bearer ', 'Invalid API Key format: Must start with pre-defined prefix'],
  ])('is refused as %s', (key, message) => {
    const refusal = refusalOf(withKey(key));
    expect(refusal).toMatchObject({
      status: 403,
      layer: 'framework',
      error: { type: 'AccessDeniedException', message },
    });
  });
});
