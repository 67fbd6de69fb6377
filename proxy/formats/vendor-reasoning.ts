// Reasoning in a client's own request that only its vendor can read, and that names no account: the client has it from
// a vendor of its own format. A vendor that cannot read it, because another account or another model wrote it, refuses
// the whole request.
import { isObject, type JsonObject, objectsOf } from '../../common/json.ts';

export interface VendorReasoning {
  /** Whether the request contains such reasoning, or requests it for the turns that follow. */
  isUsed(body: JsonObject): boolean;
  /** @returns undefined if there is none */
  without(body: JsonObject): WithoutReasoning | undefined;
}

export interface WithoutReasoning {
  readonly body: JsonObject;
  /** For `x-svc-dropped-params`. */
  readonly dropped: readonly string[];
}

/** Whether a content of one of the messages has such a block. */
export function hasBlocks(messages: unknown, isMeant: (block: JsonObject) => boolean): boolean {
  return objectsOf(messages).some(({ content }) => objectsOf(content).some(isMeant));
}

/** Messages without some blocks of their contents. @returns undefined if nothing changes */
export function withoutBlocks(
  messages: unknown,
  isLeftOut: (block: JsonObject) => boolean,
): readonly unknown[] | undefined {
  if (!Array.isArray(messages) || !hasBlocks(messages, isLeftOut)) return undefined;
  return messages.flatMap((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.content)) return [message];
    const content = message.content.filter((block: unknown) => !isObject(block) || !isLeftOut(block));
    // Vendors refuse a message without content.
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
}

/** Whether the last message has results of tools: Claude models with thinking then need the thinking before the calls. */
export function awaitsResults(messages: unknown, isResult: (block: JsonObject) => boolean): boolean {
  const last = objectsOf(messages).at(-1);
  return last !== undefined && objectsOf(last.content).some(isResult);
}
