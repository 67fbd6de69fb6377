// The signature of a request, after the published algorithm (AWS4-HMAC-SHA256), deliberately not with the library by
// which clients sign. The path is encoded once more before signing: `%3A` on the wire is `%253A` in the signed text.
import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const algorithm = 'AWS4-HMAC-SHA256';
export const terminator = 'aws4_request';

export interface SignedRequest {
  readonly method: string;
  /** As received. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Scope {
  /** yyyymmdd */
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** @param signed header names in lower case, sorted */
export function canonicalRequest(request: SignedRequest, signed: readonly string[]): string {
  const headers = signed.map((name) => `${name}:${headerValue(request.headers[name])}\n`).join('');
  const path = request.path.split('/').map(encoded).join('/');
  // The hash is of the received body, whatever `x-amz-content-sha256` contains: a body changed on the way fails here.
  return [request.method, path, canonicalQuery(request.query), headers, signed.join(';'), sha256(request.body)].join(
    '\n',
  );
}

/** @param time the value of `x-amz-date` */
export function stringToSign(canonical: string, { date, region, service }: Scope, time: string): string {
  return [algorithm, time, `${date}/${region}/${service}/${terminator}`, sha256(canonical)].join('\n');
}

export function signatureOf(text: string, secretAccessKey: string, { date, region, service }: Scope): string {
  const key = [date, region, service, terminator].reduce<string | Buffer>(
    (above, part) => hmac(above, part),
    `AWS4${secretAccessKey}`,
  );
  return hmac(key, text).toString('hex');
}

export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function headerValue(value: string | readonly string[] | undefined): string {
  return [value ?? ''].flat().join(',').trim().replaceAll(/\s+/g, ' ');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    return `${encoded(decodedOrSame(name))}=${encoded(decodedOrSame(value))}`;
  });
  return pairs.sort().join('&');
}

/** Everything but letters, digits and `-._~` percent-encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
