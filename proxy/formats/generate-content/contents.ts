// Writes the conversation as the vendor's contents (SDK type `Content`): roles user and model, the results of calls in
// one content of their own after the calls, and no content without parts.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { vendorCallIds } from '../../conversation/call-ids.ts';
import type { AssistantTurn, Conversation, ToolCall, ToolTurn, Turn } from '../../conversation/conversation.ts';
import { type InlineData, sniffBase64Image } from '../../conversation/media.ts';
import type { Part, TextPart } from '../../conversation/parts.ts';
import { audioPart, filePart, imagePart } from './media.ts';
import type { FunctionNames } from './names.ts';
import { returnedSignature, signatureOf } from './signatures.ts';

export interface ContentContext {
  /** The vendor's name of the model. */
  readonly model: string;
  readonly names: FunctionNames;
  readonly capabilities: ModelCapabilities;
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
  const { systemMessages, prefill } = context.capabilities;
  const system = textParts(conversation.system);
  const contents = turnsOf(conversation, context);
  if (!systemMessages && system.length > 0) prepend(contents, system);
  // The first content must be the user's. Newer models also need the user, or the results of calls, last.
  if (contents[0]?.role !== 'user') contents.unshift(blankTurn);
  if (!prefill && contents.at(-1)?.role === 'model') contents.push(blankTurn);
  return {
    systemInstruction: systemMessages && system.length > 0 ? { parts: system } : undefined,
    contents,
  };
}

/** The vendor refuses empty texts and accepts blank ones. */
const blank: JsonObject = Object.freeze({ text: ' ' });
const blankTurn: Content = Object.freeze({ role: 'user', parts: Object.freeze([blank]) });

/** The vendor's pages on thought signatures allow this value for a lost signature. */
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
    case 'system':
      // System texts in a conversation have become notes in the user role.
      return { role: 'user', parts: orBlank(textParts(turn.parts)) };
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

/** Texts, images and calls, each with the signature that it came with. */
function modelParts({ parts, images, calls, signature }: AssistantTurn, context: CallContext): JsonObject[] {
  const { model } = context;
  const words = textParts(parts).map((part, index, all) =>
    index === all.length - 1 ? { ...part, ...signed(returnedSignature(model, signature)) } : part,
  );
  return [
    ...words,
    ...images.map((made) => ({
      ...imagePart(made.image, context.images),
      ...signed(returnedSignature(model, made.signature)),
    })),
    ...calls.map((call, index) => callPart(call, index === 0, context)),
  ];
}

function signed(thoughtSignature: string | undefined): JsonObject {
  return thoughtSignature === undefined ? {} : { thoughtSignature };
}

function callPart(call: ToolCall, isFirst: boolean, { model, names, capabilities, ids }: CallContext): JsonObject {
  // Of parallel calls, only the first is signed.
  const lost = isFirst && capabilities.signedCalls ? anySignature : undefined;
  const thoughtSignature = signatureOf(model, call.signature) ?? returnedSignature(model, call.ownSignature) ?? lost;
  return {
    functionCall: { id: ids.get(call), name: names.toVendor(call.name), args: call.arguments.splice },
    ...signed(thoughtSignature),
  };
}

/** Texts are the response; media are beside it (SDK type `FunctionResponsePart`). */
function resultParts({ results }: ToolTurn, context: CallContext): readonly JsonObject[] {
  const { names, ids } = context;
  return results.map(({ call, parts }) => {
    const media = parts.filter(({ kind }) => kind !== 'text').flatMap((part) => userPart(part, context));
    return {
      functionResponse: {
        id: ids.get(call),
        name: names.toVendor(call.name),
        // Sent as text even if it is JSON: parsing would round large numbers.
        response: { output: parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') },
        ...(media.length > 0 && { parts: media }),
      },
    };
  });
}

const imagesInResults: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp']);
const filesInResults: ReadonlySet<string> = new Set(['application/pdf', 'text/plain']);

/** From the vendor's page "Function calling", on multimodal responses: fewer types than in a user turn. */
export function isTakenInResult(part: Part, images: ReadonlyMap<string, InlineData>): boolean {
  if (part.kind === 'file') return part.source.kind === 'data' && filesInResults.has(part.source.data.mediaType);
  if (part.kind !== 'image') return false;
  const data = part.source.kind === 'data' ? part.source.data : images.get(part.source.url);
  return data !== undefined && imagesInResults.has(sniffBase64Image(data.base64) ?? data.mediaType);
}
