// Sends a response as its behaviour defines: delays, pieces, early stops. The outcome is returned, never thrown.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Stop } from './behaviour.ts';
import type { SimulatedResponse } from './wire-format.ts';

/** `stopped`: the behaviour ended it; `client_left`: the client closed it before its end, or while it was silent. */
export type Delivery = 'finished' | 'stopped' | 'client_left';

export async function deliver(response: ServerResponse, result: SimulatedResponse): Promise<Delivery> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  // An error of the socket ends in 'close' too; without a listener it would end the process.
  response.on('error', () => left.abort());
  try {
    return await send(response, result, left.signal);
  } catch (error) {
    if (left.signal.aborted || response.destroyed) return 'client_left';
    throw error;
  }
}

async function send(response: ServerResponse, result: SimulatedResponse, left: AbortSignal): Promise<Delivery> {
  const { behaviour } = result;
  if (behaviour.headDelayMs) await wait(behaviour.headDelayMs, undefined, { signal: left });
  if (behaviour.stop?.beforeHead) return stopBy(behaviour.stop, response, left);
  if (behaviour.rawBase64 !== undefined) {
    response.socket?.end(Buffer.from(behaviour.rawBase64, 'base64'));
    return 'stopped';
  }
  response.writeHead(result.status, { ...result.headers, ...behaviour.headers });
  const limits = {
    pieces: behaviour.stop?.afterPieces ?? Infinity,
    bytes: behaviour.stop?.afterBytes ?? Infinity,
  };
  let sentPieces = 0;
  let sentBytes = 0;
  for (const piece of piecesOf(result)) {
    if (sentPieces >= limits.pieces || sentBytes >= limits.bytes) break;
    if (behaviour.pieceDelayMs && sentPieces > 0) {
      await wait(behaviour.pieceDelayMs, undefined, { signal: left });
    }
    const bytes = piece.subarray(0, limits.bytes - sentBytes);
    if (behaviour.stop) await written(response, bytes);
    else if (!response.write(bytes)) await once(response, 'drain', { signal: left });
    sentPieces += 1;
    sentBytes += bytes.length;
  }
  if (behaviour.stop) return stopBy(behaviour.stop, response, left);
  response.end();
  await once(response, 'finish', { signal: left });
  return 'finished';
}

/** Resolves when the bytes have left Node's buffers, so that the caller may then end the connection. */
function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

async function stopBy(stop: Stop, response: ServerResponse, left: AbortSignal): Promise<Delivery> {
  if (response.headersSent) response.flushHeaders();
  switch (stop.by) {
    case 'cut':
      // Half-closing lets the written bytes arrive first; destroying the socket at once may lose them.
      response.socket?.end(() => response.destroy());
      break;
    case 'reset':
      response.socket?.resetAndDestroy();
      break;
    case 'end':
      response.end();
      break;
    case 'silence':
      break;
  }
  if (!left.aborted) await once(left, 'abort');
  return stop.by === 'silence' ? 'client_left' : 'stopped';
}

function* piecesOf(result: SimulatedResponse): Generator<Buffer> {
  const sizes = result.behaviour.pieceBytes;
  if (sizes === undefined) {
    yield* bodyOf(result);
    return;
  }
  let buffered = Buffer.alloc(0);
  let next = 0;
  const size = () => sizes[Math.min(next, sizes.length - 1)] ?? 1;
  for (const part of bodyOf(result)) {
    buffered = Buffer.concat([buffered, part]);
    while (buffered.length >= size()) {
      yield buffered.subarray(0, size());
      buffered = buffered.subarray(size());
      next += 1;
    }
  }
  if (buffered.length > 0) yield buffered;
}

function* bodyOf(result: SimulatedResponse): Generator<Buffer> {
  const { body, bodyBase64 } = result.behaviour;
  if (bodyBase64 !== undefined) yield Buffer.from(bodyBase64, 'base64');
  else if (body !== undefined) yield Buffer.from(body);
  else for (const part of result.parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}
