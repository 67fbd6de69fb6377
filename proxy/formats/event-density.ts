// One stream event is read in one tick of the event loop. Its time depends less on its bytes, most of which are inside
// strings, than on its structure. So a large event may not have more structure than any vendor sends.
import { JsonGuard } from '../conversation/json-guard.ts';
import { GatewayError } from '../errors.ts';
import { protocolError } from './protocol-error.ts';

/** A smaller event takes a few milliseconds at most, whatever its content. */
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
