// Reads a request body. Media type, size, structure and memory are checked while it arrives, never afterwards.
import { ByteStore } from '../../common/byte-store.ts';
import { JsonGuard, type JsonLimits } from '../conversation/json-guard.ts';
import { GatewayError } from '../errors.ts';
import type { ReadBody } from '../formats/chat-completions/read-request.ts';
import type { LoopScheduler } from '../loop-scheduler.ts';
import type { Exchange } from './exchange.ts';

export interface BodyLimits extends JsonLimits {
  readonly bodyBytesMax: number;
}

/**
 * @returns the whole body
 * @throws GatewayError unsupported_media_type, body_too_large, invalid_request, request_timeout, overloaded; ClientGone
 */
export async function readBody(exchange: Exchange, limits: BodyLimits, loop: LoopScheduler): Promise<ReadBody> {
  checkMediaType(exchange);
  const announced = Number(exchange.headers.get('content-length') ?? 0);
  if (announced > limits.bodyBytesMax) throw tooLarge(limits);
  // Reserves memory for the whole body first. Otherwise several bodies could all fail because none finds room for its
  // last part.
  if (announced > 0) exchange.buffer(announced);
  if (exchange.expectsContinue) exchange.response.writeContinue();
  exchange.waitFor('body');
  const body = await collect(exchange, limits, loop);
  exchange.waitFor(undefined);
  return body;
}

function checkMediaType({ headers, format }: Exchange): void {
  const type = headers.get('content-type');
  const isAny = format.translation?.anyMediaType === true;
  if (type === undefined && !isAny) {
    throw new GatewayError('unsupported_media_type', {
      message: 'Content-Type is missing; send application/json',
    });
  }
  if (!isAny && !/^application\/json\s*(;|$)/i.test(type ?? '')) throw new GatewayError('unsupported_media_type');
  const encoding = headers.get('content-encoding')?.toLowerCase();
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError('unsupported_media_type', {
      message: 'a compressed body is not accepted; send it uncompressed',
    });
  }
}

const tinyBytes = 256;

function collect(exchange: Exchange, limits: BodyLimits, loop: LoopScheduler): Promise<ReadBody> {
  const { headers, owner, request, record } = exchange;
  const isAnnounced = headers.get('content-length') !== undefined;
  const guard = new JsonGuard(limits);
  const store = new ByteStore();
  return new Promise((resolve, reject) => {
    const done = () => {
      const { numbersArePlain, structural } = guard;
      resolve({ bytes: store.bytes, numbersArePlain, structural });
    };
    let [isStopped, waits, hasEnded] = [false, false, false];
    const stop = (error: Error) => {
      isStopped = true;
      request.removeAllListeners('data');
      if (waits) request.resume();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      try {
        guard.push(chunk);
        if (!isAnnounced) exchange.buffer(chunk.length);
        store.push(chunk);
      } catch (error) {
        stop(error instanceof Error ? error : new Error(String(error)));
      }
    };
    exchange.onAbort({ abort: stop });
    if (exchange.aborted !== undefined) return stop(exchange.aborted);
    request.on('data', (chunk: Buffer) => {
      record.requestBytes += chunk.length;
      if (record.requestBytes > limits.bodyBytesMax) {
        stop(tooLarge(limits));
        return;
      }
      // Measuring a tiny chunk would take longer than processing it.
      if (chunk.length <= tinyBytes) {
        take(chunk);
        return;
      }
      waits = !loop.run(owner, chunk.length, () => {
        if (isStopped) return;
        take(chunk);
        if (!waits) return;
        waits = false;
        if (hasEnded) done();
        else request.resume();
      });
      // A paused request is not read any further; the caller's connection keeps the rest.
      if (waits) request.pause();
    });
    request.once('end', () => {
      hasEnded = true;
      if (!waits) done();
    });
    // The response's close reports a broken connection too. Without a listener here the error would be uncaught.
    request.once('error', () => undefined);
  });
}

function tooLarge(limits: BodyLimits): GatewayError {
  return new GatewayError('body_too_large', {
    message: `the body is larger than ${limits.bodyBytesMax} bytes`,
  });
}
