// The conversation as the vendor's contents (SDK type `Content`): roles user and model, the results of calls in one content of
// their own behind the calls, and nowhere a content without parts.
import type { JsonObject } from '../../../common/json.ts';
import type { Traits } from '../../catalog/traits.ts';
import { vendorCallIds } from '../../chat/call-ids.ts';
import type { Part, TextPart } from '../../chat/content.ts';
import type { AssistantTurn, Conversation, ToolCall, ToolTurn, Turn } from '../../chat/conversation.ts';
import type { InlineData } from '../../chat/media.ts';
import { audioPart, filePart, imagePart } from './media.ts';
import type { FunctionNames } from './names.ts';
import { signatureOf } from './signatures.ts';

export interface ContentContext {
  /** The vendor's name of it. */
  readonly model: string;
  readonly names: FunctionNames;
  readonly traits: Traits;
  /** Fetched images, by the URL as the caller wrote it. */
  readonly images: ReadonlyMap<string, InlineData>;
}

export interface Contents {
  readonly systemInstruction: { readonly parts: readonly JsonObject[] } | undefined;
  readonly contents: readonly Content[];
}

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly JsonObject[];
}

/** @throws GatewayError invalid_request, unsupported_parameter */
export function vendorContents(conversation: Conversation, context: ContentContext): Contents {
  const { systemMessages, prefill } = context.traits;
  const system = textParts(conversation.system);
  const contents = turnsOf(conversation, context);
  if (!systemMessages && system.length > 0) prepend(contents, system);
  // The vendor begins with the user; newer models also want the user, or the results of calls, at the end.
  if (contents[0]?.role !== 'user') contents.unshift(blankTurn);
  if (!prefill && contents.at(-1)?.role === 'model') contents.push(blankTurn);
  return {
    systemInstruction: systemMessages && system.length > 0 ? { parts: system } : undefined,
    contents,
  };
}

/** Empty texts are refused, blank ones are not. */
const blank: JsonObject = Object.freeze({ text: ' ' });
const blankTurn: Content = Object.freeze({ role: 'user', parts: Object.freeze([blank]) });

/** What the vendor's pages on thought signatures allow in place of one that was lost. */
const anySignature = 'skip_thought_signature_validator';

function prepend(contents: Content[], system: readonly JsonObject[]): void {
  const [first] = contents;
  if (first?.role === 'user') contents[0] = { role: 'user', parts: [...system, ...first.parts] };
  else contents.unshift({ role: 'user', parts: system });
}

function turnsOf({ turns }: Conversation, context: ContentContext): Content[] {
  const ids = vendorCallIds(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])));
  return turns.map((turn) => contentOf(turn, { ...context, ids }));
}

function contentOf(turn: Turn, context: CallContext): Content {
  switch (turn.role) {
    case 'user':
      return { role: 'user', parts: orBlank(turn.parts.flatMap((part) => userPart(part, context))) };
    case 'assistant':
      return { role: 'model', parts: orBlank(modelParts(turn, context)) };
    case 'tool':
      return { role: 'user', parts: resultParts(turn, context) };
  }
}

interface CallContext extends ContentContext {
  readonly ids: ReadonlyMap<ToolCall, string>;
}

function userPart(part: Part, { images }: ContentContext): JsonObject[] {
  switch (part.kind) {
    case 'text':
      return textParts([part]);
    case 'image':
      return [imagePart(part, images)];
    case 'audio':
      return [audioPart(part)];
    case 'file':
      return [filePart(part)];
  }
}

function textParts(parts: readonly TextPart[]): JsonObject[] {
  return parts.flatMap(({ text }) => (text === '' ? [] : [{ text }]));
}

function orBlank(parts: readonly JsonObject[]): readonly JsonObject[] {
  return parts.length > 0 ? parts : [blank];
}

function modelParts({ parts, calls }: AssistantTurn, context: CallContext): JsonObject[] {
  return [...textParts(parts), ...calls.map((call, index) => callPart(call, index === 0, context))];
}

function callPart(call: ToolCall, isFirst: boolean, { model, names, traits, ids }: CallContext): JsonObject {
  // Of calls made at once only the first is signed.
  const lost = isFirst && traits.signedCalls ? anySignature : undefined;
  const thoughtSignature = signatureOf(model, call.signature) ?? lost;
  return {
    functionCall: { id: ids.get(call), name: names.toVendor(call.name), args: call.arguments.splice },
    ...(thoughtSignature !== undefined && { thoughtSignature }),
  };
}

function resultParts({ results }: ToolTurn, { names, ids }: CallContext): readonly JsonObject[] {
  return results.map(({ call, parts }) => ({
    functionResponse: {
      id: ids.get(call),
      name: names.toVendor(call.name),
      // As text even where it is JSON: to parse it would round large numbers.
      response: { output: parts.map(({ text }) => text).join('') },
    },
  }));
}
