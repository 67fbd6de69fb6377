// Signed thinking between a vendor and clients whose format has no field for it: wrapped for the client, and as the
// vendor sent it when it comes back. This is decided here, because only an attempt knows its target.
import { type JsonObject, objectsOf } from '../../../common/json.ts';
import { type Issuer, unwrapOpaque } from '../../conversation/opaque.ts';
import type { ResponseChoice, ResponseMessage, ThinkingBlock } from '../../conversation/response.ts';
import { readThinkingBlock } from '../../models/claude/thinking-blocks.ts';
import { ownThinking, wrappedValue, wrapThinking } from '../../models/claude/wrapped-thinking.ts';
import type { ChatMessage, ChatRequest } from './read-request.ts';

export function formOfThought(issuer: Issuer): (block: ThinkingBlock) => readonly ThinkingBlock[] {
  return (block) => wrapThinking(block, issuer);
}

export function clientThinking(message: ResponseMessage, issuer: Issuer): ResponseMessage {
  return { ...message, choices: message.choices.map((choice) => wrappedChoice(choice, issuer)) };
}

function wrappedChoice(choice: ResponseChoice, issuer: Issuer): ResponseChoice {
  const blocks = objectsOf(choice.extras?.thinking_blocks).flatMap((block) => readThinkingBlock(block) ?? []);
  if (blocks.length === 0) return choice;
  const wrapped = blocks.flatMap((block) => wrapThinking(block, issuer));
  return { ...choice, extras: { ...choice.extras, thinking_blocks: wrapped } };
}

export interface VendorThinking {
  readonly request: ChatRequest;
  /** Set if another issuer's blocks were left out. */
  readonly dropped: readonly string[];
}

/** The request as the issuer gets it: with its own blocks as it sent them, and without those of others. */
export function vendorThinking(request: ChatRequest, issuer: Issuer): VendorThinking {
  if (!request.messages.some(hasWrapped)) return { request, dropped: [] };
  let isLost = false;
  const messages = request.messages.map((message) => {
    if (!hasWrapped(message)) return message;
    const blocks = blocksOf(message);
    const own = blocks.flatMap((block) => ownThinking(block, issuer) ?? []);
    isLost ||= own.length < blocks.length;
    return { ...message, thinking_blocks: own };
  });
  return { request: { ...request, messages }, dropped: isLost ? ['messages.thinking_blocks'] : [] };
}

/** Who wrote the latest reasoning of the request that only its issuer can read; undefined if there is none. */
export function issuerOfThinking({ messages }: Pick<ChatRequest, 'messages'>): Issuer | undefined {
  const message = messages.findLast((one) => one.thinking_blocks !== undefined && hasWrapped(one));
  if (message === undefined) return undefined;
  const wrapped = blocksOf(message).flatMap((block) => wrappedValue(block) ?? []);
  return unwrapOpaque(wrapped.at(-1) ?? '')?.issuer;
}

function hasWrapped(message: ChatMessage): boolean {
  return message.thinking_blocks !== undefined && blocksOf(message).some((block) => wrappedValue(block) !== undefined);
}

function blocksOf({ thinking_blocks: blocks }: ChatMessage): JsonObject[] {
  return objectsOf(blocks);
}
