// A body becomes a request: a small one at once, a large one in slices, in turns with all other work that is done so, by organization and
// key; no longer than its caller waits for it.
import { NoTurnError, type SliceTurns } from '../../common/slice-turns.ts';
import {
  type ChatRequest,
  isLargeBody,
  parseChatRequest,
  parseChatRequestInSteps,
  type ReadBody,
} from '../chat/request.ts';
import { GatewayError } from '../errors.ts';
import type { Abortable, Exchange } from './exchange.ts';

/**
 * @returns a promise only of a large one
 * @throws GatewayError invalid_request that names the field, overloaded; what ended the request
 */
export function parseBody(
  exchange: Exchange,
  read: ReadBody,
  turns: SliceTurns,
): ChatRequest | Promise<ChatRequest> {
  return isLargeBody(read) ? inTurns(exchange, read, turns) : parseChatRequest(read);
}

async function inTurns(exchange: Exchange, read: ReadBody, turns: SliceTurns): Promise<ChatRequest> {
  exchange.onAbort(nextTurn);
  const isLeft = () => exchange.aborted !== undefined;
  try {
    return await turns.finish(exchange.owner, parseChatRequestInSteps(read), isLeft);
  } catch (error) {
    exchange.throwIfAborted();
    throw error instanceof NoTurnError
      ? new GatewayError('overloaded', { retryAfter: 1, cause: error })
      : error;
  }
}

/** What ended the request is seen when its turn comes. */
const nextTurn: Abortable = { abort: () => undefined };
