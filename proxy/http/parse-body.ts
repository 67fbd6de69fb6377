// A body becomes a request: a small one at once, a larger one in its organization's turn, a large one in slices; no longer than its caller
// waits for it.
import { overloaded } from '../errors.ts';
import {
  type ChatRequest,
  isLargeBody,
  parseChatRequest,
  parseChatRequestInSteps,
  type ReadBody,
} from '../formats/chat-completions/read-request.ts';
import { type LoopTurns, NoTurnError } from '../loop-turns.ts';
import type { Abortable, Exchange } from './exchange.ts';

/**
 * @returns a promise of what is not small
 * @throws GatewayError invalid_request that names the field, overloaded; what ended the request
 */
export function parseBody(
  exchange: Exchange,
  read: ReadBody,
  turns: LoopTurns,
): ChatRequest | Promise<ChatRequest> {
  if (isLargeBody(read)) return inSlices(exchange, read, turns);
  const turn = turnFor(exchange, read, turns);
  return turn === undefined ? parseChatRequest(read) : turn.then(() => parseChatRequest(read));
}

/**
 * For what is done with a body in one piece. A large one is not: it is for slices and workers.
 * @returns undefined where it may follow now. @throws GatewayError overloaded
 */
export function turnFor({ owner }: Exchange, read: ReadBody, turns: LoopTurns): Promise<void> | undefined {
  return isLargeBody(read) ? undefined : turns.ready(owner, read.bytes.length);
}

async function inSlices(exchange: Exchange, read: ReadBody, turns: LoopTurns): Promise<ChatRequest> {
  exchange.onAbort(nextTurn);
  const isLeft = () => exchange.aborted !== undefined;
  try {
    return await turns.finish(exchange.owner, parseChatRequestInSteps(read), isLeft);
  } catch (error) {
    exchange.throwIfAborted();
    throw error instanceof NoTurnError ? overloaded(error) : error;
  }
}

/** What ended the request is seen when its turn comes. */
const nextTurn: Abortable = { abort: () => undefined };
