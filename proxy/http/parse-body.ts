// Parses a body into a request: a small one at once, a larger one when its organization gets time on the event loop, a
// large one in slices. Parsing stops when the caller no longer waits.
import { overloaded } from '../errors.ts';
import {
  type ChatRequest,
  isLargeBody,
  parseChatRequest,
  parseChatRequestInSteps,
  type ReadBody,
} from '../formats/chat-completions/read-request.ts';
import { type LoopScheduler, NotScheduledError } from '../loop-scheduler.ts';
import type { Abortable, Exchange } from './exchange.ts';

/**
 * @returns a promise unless the body is small
 * @throws GatewayError invalid_request that names the field, overloaded; or the error that aborted the request
 */
export function parseBody(exchange: Exchange, read: ReadBody, loop: LoopScheduler): ChatRequest | Promise<ChatRequest> {
  if (isLargeBody(read)) return inSlices(exchange, parseChatRequestInSteps(read), loop);
  const grant = scheduled(exchange, read, loop);
  return grant === undefined ? parseChatRequest(read) : grant.then(() => parseChatRequest(read));
}

/**
 * Waits for time on the event loop to process a body in one piece. A large body does not wait here: it is processed in
 * slices and by workers.
 * @returns undefined if it may be processed now.
 * @throws GatewayError overloaded
 */
export function scheduled({ owner }: Exchange, read: ReadBody, loop: LoopScheduler): Promise<void> | undefined {
  return isLargeBody(read) ? undefined : loop.ready(owner, read.bytes.length);
}

/** Does a large piece of work in slices. @throws GatewayError overloaded; or the error that aborted the request */
export async function inSlices<T>(exchange: Exchange, steps: Generator<void, T>, loop: LoopScheduler): Promise<T> {
  exchange.onAbort(nextTick);
  const isLeft = () => exchange.aborted !== undefined;
  try {
    return await loop.finish(exchange.owner, steps, isLeft);
  } catch (error) {
    exchange.throwIfAborted();
    throw error instanceof NotScheduledError ? overloaded(error) : error;
  }
}

/** The abort is noticed at the next slice. */
const nextTick: Abortable = { abort: () => undefined };
