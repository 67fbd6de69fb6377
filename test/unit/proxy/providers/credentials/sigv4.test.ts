import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../../common/secret.ts';
import { parseBaseUrl } from '../../../../../proxy/formats/format.ts';
import { regionOf, signedHeaders } from '../../../../../proxy/providers/credentials/sigv4.ts';
import { Random } from '../../../../support/access/random.ts';
import { roundsOf, startingSeed } from '../../../../support/seed.ts';

const keys = (accessKeyId: string, secretAccessKey: string, sessionToken?: string) => ({
  accessKeyId: new Secret(accessKeyId),
  secretAccessKey: new Secret(secretAccessKey),
  sessionToken: sessionToken === undefined ? undefined : new Secret(sessionToken),
});

const asObject = (headers: readonly string[]): Record<string, string> =>
  Object.fromEntries(Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]]));

const vector = {
  request: {
    origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    path: '/model/anthropic.claude-3-5-sonnet-20240620-v1%3A0/converse',
    headers: { 'content-type': 'application/json' },
    body: '{"messages":[{"role":"user","content":[{"text":"hi"}]}]}',
  },
  scope: { region: 'us-east-1', now: Date.UTC(2026, 0, 2, 3, 4, 5), keep: true },
};
const exampleKeys = keys('AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');

describe('a SigV4 signature', () => {
  it('trap 1: equals the test vector, with the path encoded once more than it is sent', async () => {
    const headers = asObject(await signedHeaders(vector.request, exampleKeys, vector.scope));
    expect(headers).toEqual({
      host: 'bedrock-runtime.us-east-1.amazonaws.com',
      'content-type': 'application/json',
      'x-amz-date': '20260102T030405Z',
      'x-amz-content-sha256': 'c3335e07d6e89650bf94cb98664be69f8774dbc3198df221f113db0a59ea14f0',
      authorization:
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=48f2f90cd13fc9466a3ce93da02195c60c96ad9e32404c55f77c42162f7eae9e',
    });
  });

  it('trap 1: covers the session token', async () => {
    const temporary = keys('ASIDEXAMPLE', 'not-a-secret', 'token==');
    const headers = asObject(await signedHeaders(vector.request, temporary, vector.scope));
    expect(headers['x-amz-security-token']).toBe('token==');
    expect(headers.authorization).toContain('x-amz-date;x-amz-security-token,');
  });

  it('covers a non-default port in the host', async () => {
    const request = { ...vector.request, origin: 'http://127.0.0.1:8090' };
    expect(asObject(await signedHeaders(request, exampleKeys, vector.scope)).host).toBe('127.0.0.1:8090');
  });

  it('is the same whether or not derived keys are cached', async () => {
    const sign = (keep: boolean) => signedHeaders(vector.request, exampleKeys, { ...vector.scope, keep });
    const first = await sign(true);
    expect(await sign(true)).toEqual(first);
    expect(await sign(false)).toEqual(first);
    expect(await Promise.all([sign(true), sign(false), sign(true)])).toEqual([first, first, first]);
  });

  const seed = startingSeed();
  it(`equals the signature of the vendor’s SDK for ${roundsOf(500)} requests (seed ${seed})`, async () => {
    const random = new Random(seed);
    for (let count = 0; count < roundsOf(500); count++) {
      const requested = randomRequest(random);
      const sdk = await signedBySdk(requested);
      const { authorization, ...others } = sdk.headers;
      const own = await signedHeaders(
        { origin: sdk.origin, path: sdk.path, headers: signedOf(authorization, others), body: sdk.body },
        keys(requested.accessKeyId, requested.secretAccessKey, requested.sessionToken),
        { region: requested.region, now: timeOf(others['x-amz-date']), keep: random.chance(0.5) },
      );
      expect(asObject(own).authorization, JSON.stringify(requested)).toBe(authorization);
      expect(`/model/${encodeURIComponent(requested.modelId)}/converse`).toBe(sdk.path);
    }
  });
});

interface RequestTarget {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly modelId: string;
  readonly text: string;
}

const modelIdCharacters = 'abcXYZ0189._:@/+-';
const textCharacters = 'aZ09 \n"\\{}äß漢字🍵\u0000';

function randomRequest(random: Random): RequestTarget {
  const text = (characters: string, length: number) =>
    Array.from({ length }, () => random.pick([...characters])).join('');
  const credential = (length: number) => text('ABCabc0123/+=', length);
  return {
    accessKeyId: `AKID${text('ABC123', 16)}`,
    secretAccessKey: credential(1 + random.below(60)),
    ...(random.chance(0.5) && { sessionToken: credential(1 + random.below(400)) }),
    region: random.pick(['us-east-1', 'eu-west-1', 'ap-southeast-3', 'us-gov-west-1', 'cn-north-1']),
    modelId: `m${text(modelIdCharacters, random.below(80))}`,
    text: text(textCharacters, 1 + random.below(200)),
  };
}

interface Signed {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request as the SDK passes it to its handler. */
interface SdkRequest extends Pick<Signed, 'path' | 'headers'> {
  readonly protocol: string;
  readonly hostname: string;
  readonly body: Uint8Array;
}

class Captured extends Error {
  readonly signed: Signed;

  constructor(signed: Signed) {
    super('captured');
    this.signed = signed;
  }
}

/** The request that the SDK would send. */
async function signedBySdk({ region, modelId, text, ...credentials }: RequestTarget): Promise<Signed> {
  const client = new BedrockRuntimeClient({
    region,
    credentials,
    maxAttempts: 1,
    requestHandler: {
      handle: ({ protocol, hostname, path, headers, body }: SdkRequest) => {
        throw new Captured({
          origin: `${protocol}//${hostname}`,
          path,
          headers,
          body: new TextDecoder().decode(body),
        });
      },
    },
  });
  const command = new ConverseCommand({ modelId, messages: [{ role: 'user', content: [{ text }] }] });
  const caught: unknown = await client.send(command).catch((error: unknown) => error);
  if (caught instanceof Captured) return caught.signed;
  throw caught;
}

const added = ['host', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'];

/** The headers that the SDK signed, without those that every signature adds. */
function signedOf(authorization = '', headers: Readonly<Record<string, string>>): Record<string, string> {
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  return Object.fromEntries(names.filter((name) => !added.includes(name)).map((name) => [name, headers[name] ?? '']));
}

/** Parses a time such as `20260102T030405Z`. */
function timeOf(written = ''): number {
  return Date.parse(written.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:'));
}

describe('the region in a host name', () => {
  it.each([
    ['https://bedrock-runtime.us-east-1.amazonaws.com', 'us-east-1'],
    ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['https://bedrock-runtime.cn-north-1.amazonaws.com.cn/base', 'cn-north-1'],
    ['https://vpce-0a1b2c3d-4e5f.bedrock-runtime.ap-southeast-3.vpce.amazonaws.com', 'ap-southeast-3'],
    ['https://models.example.com', undefined],
    ['http://127.0.0.1:8090', undefined],
  ])('of %s is %s', (url, region) => {
    expect(regionOf(parseBaseUrl(url))).toBe(region);
  });
});
