// One event of a stream is read in one turn of the event loop. How long that takes is less a matter of its bytes, most of which are inside
// of strings, than of what is around them: so a large event may have no more of that than any vendor sends.
import { JsonGuard } from '../conversation/json-guard.ts';
import { GatewayError } from '../errors.ts';
import { protocolError } from './protocol-error.ts';

/** A smaller event takes a few milliseconds whatever it is made of. */
const largeBytes = 256 * 1024;
const limits = { jsonDepthMax: 1000, jsonStructuralMax: 50_000 };
const linesMax = 10_000;
const pieceBytes = 64 * 1024;
const lineFeed = 0x0a;

/** @throws GatewayError upstream_protocol_error */
export function expectReadable(event: Buffer): void {
  if (event.length <= largeBytes) return;
  const guard = new JsonGuard(limits);
  try {
    for (let start = 0; start < event.length; start += pieceBytes)
      guard.push(event.subarray(start, start + pieceBytes));
  } catch (error) {
    throw error instanceof GatewayError ? protocolError('a large event of the stream is too dense') : error;
  }
  let lines = 0;
  for (let at = event.indexOf(lineFeed); at !== -1; at = event.indexOf(lineFeed, at + 1)) {
    if (++lines > linesMax) throw protocolError('a large event of the stream has too many lines');
  }
}
