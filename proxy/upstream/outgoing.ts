// The body of a request to a provider. A large body is sent in pieces, as fast as the provider reads: in one piece it
// would be encrypted and copied in one tick of the event loop.
import { Readable } from 'node:stream';
import type { BuiltRequest } from './translation-job.ts';
import type { OutgoingRequest } from './transport.ts';

const pieceBytes = 64 * 1024;

/** @param fresh it needs a new connection */
export function outgoing(request: BuiltRequest, fresh: boolean): OutgoingRequest {
  const { body, origin, path, headers } = request;
  if (typeof body === 'string') return { origin, path, headers, body, fresh };
  return {
    origin,
    path,
    fresh,
    headers: [...headers, 'content-length', String(body.length)],
    body: inPieces(body),
  };
}

function inPieces(body: Buffer): Readable {
  let sent = 0;
  return new Readable({
    highWaterMark: pieceBytes,
    read() {
      const piece = body.subarray(sent, sent + pieceBytes);
      sent += piece.length;
      this.push(piece.length === 0 ? null : piece);
    },
  });
}
