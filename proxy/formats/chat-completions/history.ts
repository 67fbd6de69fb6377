// Messages of a conversation for a vendor that uses the callers' format. They stay as the caller sent them, with two
// exceptions: fields that came from responses of other providers are removed, and media in messages that may contain
// only text move to a user message.
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { hasSignature, splitId } from '../../conversation/call-ids.ts';
import { mediaOfAssistant, mediaOfTool, pointerTo } from '../../conversation/moved-media.ts';
import type { ChatMessage } from './read-request.ts';

export interface OwnHistory {
  /** The caller's own array if nothing changes, which is the usual case. */
  readonly messages: readonly ChatMessage[];
  /** Fields whose effect is emulated. */
  readonly emulated: readonly string[];
}

export function ownHistory(messages: readonly ChatMessage[]): OwnHistory {
  const own = messages.some(isForeign) ? messages.map((one) => (isForeign(one) ? asOwn(one) : one)) : messages;
  if (!messages.some(containsMedia)) return { messages: own, emulated: [] };
  const mover = new MediaMover();
  messages.forEach((message, index) => {
    mover.add(message, own[index] ?? message);
  });
  return { messages: mover.end(), emulated: [...mover.emulated] };
}

/** Written out instead of a loop over field names, because every message of every request is checked. */
function isForeign(message: ChatMessage): boolean {
  const { thinking_blocks, reasoning_content, content_blocks, images, tool_calls, tool_call_id } = message;
  if (thinking_blocks !== undefined || reasoning_content !== undefined || images !== undefined) return true;
  if (content_blocks !== undefined || message.extra_content !== undefined) return true;
  if (Array.isArray(tool_calls)) return tool_calls.some((call: unknown) => isObject(call) && isForeignCall(call));
  return isSigned(tool_call_id);
}

function isForeignCall({ id, extra_content }: JsonObject): boolean {
  return isSigned(id) || extra_content !== undefined;
}

function isSigned(id: unknown): id is string {
  return typeof id === 'string' && hasSignature(id);
}

function asOwn(message: ChatMessage): ChatMessage {
  const { thinking_blocks, reasoning_content, content_blocks, images, extra_content, ...own } = message;
  const { tool_call_id, tool_calls } = own;
  return {
    ...own,
    ...(isSigned(tool_call_id) && { tool_call_id: splitId(tool_call_id).id }),
    ...(Array.isArray(tool_calls) && { tool_calls: tool_calls.map(unsigned) }),
  };
}

function unsigned(call: unknown): unknown {
  if (!isObject(call) || !isForeignCall(call)) return call;
  const { extra_content, ...own } = call;
  return isSigned(own.id) ? { ...own, id: splitId(own.id).id } : own;
}

const textRoles: ReadonlySet<string> = new Set(['tool', 'assistant']);

/**
 * Tool results and assistant messages may contain only text (SDK types `ChatCompletionToolMessageParam`,
 * `ChatCompletionAssistantMessageParam`), so their media have to move.
 */
function containsMedia({ role, content, images }: ChatMessage): boolean {
  if (!textRoles.has(role)) return false;
  return (Array.isArray(content) && content.some(isMedium)) || (Array.isArray(images) && images.length > 0);
}

const media: ReadonlySet<unknown> = new Set(['image_url', 'video_url', 'input_audio', 'file']);

function isMedium(part: unknown): part is JsonObject {
  return isObject(part) && media.has(part.type);
}

class MediaMover {
  readonly emulated = new Set<string>();
  readonly #messages: ChatMessage[] = [];
  /** Media for the next user message. They follow all results of one response's calls. */
  #waiting: JsonObject[] = [];

  /** @param own the message without fields from other providers */
  add(message: ChatMessage, own: ChatMessage): void {
    if (message.role !== 'tool') this.#flush(message.role === 'user');
    if (!containsMedia(message)) {
      this.#push(own);
      return;
    }
    const { content, images } = message;
    const parts: readonly unknown[] = Array.isArray(content) ? content : [];
    const moved = parts.filter(isMedium);
    const made = objectsOf(images).map(plainImage);
    if (moved.length > 0) this.emulated.add('messages.content');
    if (made.length > 0) this.emulated.add('messages.images');
    this.#waiting.push(text(message.role === 'tool' ? mediaOfTool() : mediaOfAssistant));
    for (const medium of [...moved, ...made]) this.#waiting.push(medium);
    this.#push({ ...own, ...(moved.length > 0 && { content: withoutMedia(parts) }) });
  }

  end(): ChatMessage[] {
    this.#flush(false);
    return this.#messages;
  }

  #push(message: ChatMessage): void {
    const waiting = this.#waiting;
    if (message.role !== 'user' || waiting.length === 0) {
      this.#messages.push(message);
      return;
    }
    this.#waiting = [];
    const { content } = message;
    const parts = typeof content === 'string' ? [text(content)] : Array.isArray(content) ? content : [];
    this.#messages.push({ ...message, content: [...waiting, ...parts] });
  }

  /** @param isNext the next message is the user's, and includes the waiting media */
  #flush(isNext: boolean): void {
    if (this.#waiting.length === 0 || isNext) return;
    this.#messages.push({ role: 'user', content: this.#waiting });
    this.#waiting = [];
  }
}

function withoutMedia(parts: readonly unknown[]): readonly unknown[] {
  return parts.map((part) => (isMedium(part) ? text(pointerTo(nameOf(part))) : part));
}

function nameOf({ type }: JsonObject): string {
  return String(type).replace(/^input_|_url$/g, '');
}

/** Drops the signature, which only the model that made the image can use. */
function plainImage({ image_url }: JsonObject): JsonObject {
  return { type: 'image_url', image_url };
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}
