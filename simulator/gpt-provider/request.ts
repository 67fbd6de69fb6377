// A chat request that passed every check.
import type { Json } from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import { type Message, textOf } from './messages.ts';
import type { SimulatedModel } from './models.ts';

/** `body` contains the fields as sent. */
export interface ChatRequest {
  readonly body: Json;
  readonly model: SimulatedModel;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly promptTokens: number;
}

/** @param body with parameters and messages that each passed their check */
export function chatRequest(body: Json, model: SimulatedModel): ChatRequest {
  const messages = body.messages as readonly Message[];
  return { body, model, messages, stream: body.stream === true, promptTokens: promptTokens(messages) };
}

/** The vendor adds about three tokens per message, and three for the start of the response. */
function promptTokens(list: readonly Message[]): number {
  return list.reduce((sum, one) => sum + 3 + estimateTokens(textOf(one)), 3);
}
