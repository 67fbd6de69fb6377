// Writes a conversation as input items (SDK type `ResponseInputItem` of the package openai).
import type { JsonObject } from '../../../common/json.ts';
import { vendorCallIds } from '../../conversation/call-ids.ts';
import type { Conversation, ToolCall, Turn } from '../../conversation/conversation.ts';
import { unsupported } from '../../conversation/invalid.ts';
import type { FilePart, ImagePart, Part, TextPart } from '../../conversation/parts.ts';

export interface WrittenInput {
  readonly instructions: string | undefined;
  readonly input: readonly JsonObject[];
}

/** @throws GatewayError unsupported_parameter that names the part */
export function writeInput({ system, turns }: Conversation): WrittenInput {
  const instructions = joined(system);
  const ids = vendorCallIds(turns.flatMap((turn) => (turn.role === 'assistant' ? turn.calls : [])));
  const input = turns.flatMap((turn) => itemsOf(turn, ids));
  // The input must not be empty.
  if (input.length === 0) return { instructions: undefined, input: [message('system', instructions)] };
  return { instructions: instructions === '' ? undefined : instructions, input };
}

type Ids = ReadonlyMap<ToolCall, string>;

function itemsOf(turn: Turn, ids: Ids): readonly JsonObject[] {
  switch (turn.role) {
    case 'user':
      return [message('user', contentOf(turn.parts))];
    case 'system':
      return [message('system', joined(turn.parts))];
    case 'assistant':
      return turn.messages.flatMap(({ parts, calls }) => [
        ...(joined(parts) === '' ? [] : [message('assistant', joined(parts))]),
        ...calls.map((call) => functionCall(call, ids)),
      ]);
    case 'tool':
      return turn.results.map(({ call, parts }) => ({
        type: 'function_call_output',
        call_id: ids.get(call),
        output: contentOf(parts),
      }));
  }
}

function message(role: 'user' | 'system' | 'assistant', content: string | readonly JsonObject[]): JsonObject {
  return { type: 'message', role, content };
}

function functionCall(call: ToolCall, ids: Ids): JsonObject {
  return { type: 'function_call', call_id: ids.get(call), name: call.name, arguments: call.arguments.text };
}

function joined(parts: readonly TextPart[]): string {
  return parts
    .filter(({ text }) => text !== '')
    .map(({ text }) => text)
    .join('\n\n');
}

/** A single text is a string. */
function contentOf(parts: readonly Part[]): string | readonly JsonObject[] {
  const [first, ...others] = parts;
  if (first === undefined) return '';
  return first.kind === 'text' && others.length === 0 ? first.text : parts.map(inputPart);
}

function inputPart(part: Part): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image':
      return { type: 'input_image', detail: part.detail ?? 'auto', image_url: imageUrl(part) };
    case 'file':
      return filePart(part);
    case 'audio':
      throw unsupported(part.at, `${part.at}: audio input is not supported by this provider`);
  }
}

function imageUrl({ source }: ImagePart): string {
  return source.kind === 'url' ? source.url : `data:${source.data.mediaType};base64,${source.data.base64}`;
}

function filePart({ source, where, name }: FilePart): JsonObject {
  if (source.kind === 'data') {
    const { mediaType, base64 } = source.data;
    return { type: 'input_file', filename: name ?? 'file', file_data: `data:${mediaType};base64,${base64}` };
  }
  if (source.kind === 'url' && !source.isVideo) return { type: 'input_file', file_url: source.url };
  if (source.kind === 'url') throw unsupported(where, `${where}: videos are not supported by this provider`);
  // Files belong to the vendor account, not to the caller that may use its key here.
  throw unsupported(where, 'files by id are not supported by this provider; send file_data');
}
