// A chat-completion request that was found valid.
import type { Json } from '../checks.ts';
import { estimateTokens } from '../tokens.ts';
import { type Message, textOf } from './messages.ts';
import type { SimulatedModel } from './models.ts';

/** Fields are as sent; `body` holds the rest. */
export interface ChatRequest {
  readonly body: Json;
  readonly model: SimulatedModel;
  readonly messages: readonly Message[];
  readonly stream: boolean;
  readonly promptTokens: number;
}

/** @param body its parameters and messages were found valid, each by itself */
export function chatRequest(body: Json, model: SimulatedModel): ChatRequest {
  const messages = body.messages as readonly Message[];
  return { body, model, messages, stream: body.stream === true, promptTokens: promptTokens(messages) };
}

/** The vendor adds about three tokens a message and three for the answer's start. */
function promptTokens(list: readonly Message[]): number {
  return list.reduce((sum, one) => sum + 3 + estimateTokens(textOf(one)), 3);
}
