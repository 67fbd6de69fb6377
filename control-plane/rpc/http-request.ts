// The parts of an HTTP request that the JSON API and the console read alike: headers that must be sent once, and a JSON
// body of bounded size.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallError } from './errors.ts';

/** A header that was sent more than once comes out joined, so that no reader accepts it as one value. */
export function single(request: IncomingMessage, name: string): string | undefined {
  const values = request.headersDistinct[name];
  return values === undefined ? undefined : values.length === 1 ? values[0] : values.join(', ');
}

/** @throws CallError unless the body is plain JSON: a form of another site cannot send this type */
export function expectJson(request: IncomingMessage): void {
  const type = single(request, 'content-type') ?? '';
  const encoding = single(request, 'content-encoding') ?? 'identity';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || encoding !== 'identity') {
    throw new CallError('unsupported_media_type', 'send Content-Type: application/json, not encoded');
  }
}

/** The whole body. @throws CallError for more bytes, for an early end, and for bytes that are not UTF-8 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Leaving the loop early must not cut the connection, because the response is still to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch {
    throw new CallError('cancelled', 'the request ended before its body was complete');
  }
  if (bytes > bytesMax) {
    throw new CallError('body_too_large', `the body is larger than ${bytesMax} bytes`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new CallError('invalid_request', 'the body is not UTF-8');
  }
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Address of the caller, without port. */
  readonly from: string;
}
