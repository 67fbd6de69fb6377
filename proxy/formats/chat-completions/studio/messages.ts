// A conversation in plain texts, as the templates of most models behind the studio need it: at most one system message,
// first; then user and assistant alternate, the user first; only the user's messages contain more than text.
import type { JsonObject } from '../../../../common/json.ts';
import type { ModelCapabilities } from '../../../catalog/capabilities.ts';
import { nineLetterIds, vendorCallIds } from '../../../conversation/call-ids.ts';
import type { AssistantTurn, Conversation, ToolCall, ToolTurn, Turn } from '../../../conversation/conversation.ts';
import { type EmulatedTurns, emulateTurns } from '../../../conversation/emulated-turns.ts';
import { unsupported } from '../../../conversation/invalid.ts';
import { sniffBase64Image } from '../../../conversation/media.ts';
import type { ImagePart, Part, TextPart } from '../../../conversation/parts.ts';
import { readConversation } from '../read-conversation.ts';
import type { ChatRequest } from '../read-request.ts';

/** Media are only in user turns. System texts come first, unless the model's capabilities allow them elsewhere. */
export function plainConversation(request: ChatRequest, capabilities: ModelCapabilities): EmulatedTurns {
  return emulateTurns(readConversation(request), {
    systemInPlace: capabilities.systemInPlace && !capabilities.plainTurns,
    inResult: () => false,
    madeImages: false,
  });
}

/**
 * @param conversation as `plainConversation` made it
 * @param instructions added to the system texts
 * @throws GatewayError unsupported_parameter that names the part
 */
export function plainMessages(
  { system, turns }: Conversation,
  capabilities: ModelCapabilities,
  instructions: readonly string[] = [],
): readonly JsonObject[] {
  const texts = [...system.map(({ text }) => text), ...instructions].filter((text) => text.trim() !== '');
  const calls = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : []));
  const ids = capabilities.family === 'mistral' ? nineLetterIds(vendorCallIds(calls)) : vendorCallIds(calls);
  const messages = turns.flatMap((turn, index) => [
    ...between(turns[index - 1], turn, capabilities),
    ...messagesOf(turn, ids),
  ]);
  if (!capabilities.prefill && messages.at(-1)?.role === 'assistant') {
    messages.push({ role: 'user', content: 'Continue.' });
  }
  return texts.length === 0 ? messages : [{ role: 'system', content: texts.join('\n') }, ...messages];
}

/** Content for a message that must exist and has none. */
const placeholder = '.';

function between(before: Turn | undefined, turn: Turn, { family }: ModelCapabilities): JsonObject[] {
  if (before === undefined && turn.role === 'assistant') return [{ role: 'user', content: placeholder }];
  // This family needs an assistant message between tool results and the next user message.
  const needsReply = family === 'mistral' && before?.role === 'tool' && turn.role === 'user';
  return needsReply ? [{ role: 'assistant', content: placeholder }] : [];
}

function messagesOf(turn: Turn, ids: ReadonlyMap<ToolCall, string>): JsonObject[] {
  switch (turn.role) {
    case 'user':
      return [{ role: 'user', content: userContent(turn.parts) }];
    case 'assistant':
      return [assistantMessage(turn, ids)];
    case 'tool':
      return resultMessages(turn, ids);
    case 'system':
      return [{ role: 'system', content: joined(turn.parts) }];
  }
}

function userContent(parts: readonly Part[]): string | JsonObject[] {
  const texts = parts.filter((part) => part.kind === 'text');
  if (texts.length === parts.length) return joined(texts);
  return parts.flatMap((part) => (part.kind === 'text' && part.text === '' ? [] : [vendorPart(part)]));
}

function assistantMessage({ parts, calls }: AssistantTurn, ids: ReadonlyMap<ToolCall, string>): JsonObject {
  const message = { role: 'assistant', content: joined(parts) };
  if (calls.length === 0) return message;
  const tool_calls = calls.map((call) => ({
    id: ids.get(call),
    type: 'function',
    function: { name: call.name, arguments: call.arguments.text },
  }));
  return { ...message, tool_calls };
}

function resultMessages({ results }: ToolTurn, ids: ReadonlyMap<ToolCall, string>): JsonObject[] {
  return results.map(({ call, parts }) => ({
    role: 'tool',
    tool_call_id: ids.get(call),
    content: joined(parts.filter((part) => part.kind === 'text')),
  }));
}

function joined(parts: readonly TextPart[]): string {
  return parts
    .filter(({ text }) => text !== '')
    .map(({ text }) => text)
    .join('\n');
}

function vendorPart(part: Part): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return imagePart(part);
    case 'audio':
      return { type: 'input_audio', input_audio: { data: part.base64, format: part.format } };
    case 'file':
      throw unsupported(part.at, `${part.at}: files are not supported by this provider`);
  }
}

function imagePart({ source, detail }: ImagePart): JsonObject {
  const url = source.kind === 'url' ? source.url : dataUrl(source.data);
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

function dataUrl({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): string {
  return `data:${sniffBase64Image(base64) ?? mediaType};base64,${base64}`;
}
