// Reads parts of a client's contents (SDK type `Part` of @google/genai) into parts of chat completions.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';
import { camelNames } from './client-names.ts';

/** A part with its names in camel case. */
export interface ClientPart {
  readonly part: JsonObject;
  readonly at: string;
}

/** @param at path of the list @throws GatewayError invalid_request */
export function partsOf(parts: unknown, at: string): ClientPart[] {
  if (!isGiven(parts)) return [];
  if (!Array.isArray(parts)) throw invalid(at, `${at} must be an array of parts`);
  return parts.map((part: unknown, index) => {
    const where = `${at}[${index}]`;
    if (!isObject(part)) throw invalid(where, `${where} must be an object`);
    return { part: camelNames(part, where), at: where };
  });
}

/**
 * Text and media. Thoughts are left out, because only their own model could read them.
 * @throws GatewayError invalid_request that names the part
 */
export function chatParts({ part, at }: ClientPart, losses: LossList): JsonObject[] {
  for (const name of hints) if (isGiven(part[name])) losses.drop(`${at}.${name}`);
  if (isGiven(part.inlineData)) return [mediaPart(part.inlineData, `${at}.inlineData`)];
  if (isGiven(part.text)) {
    if (typeof part.text !== 'string') throw invalid(`${at}.text`, `${at}.text must be a string`);
    if (part.thought === true) losses.drop(`${at}.thought`);
    return part.thought === true || part.text === '' ? [] : [{ type: 'text', text: part.text }];
  }
  // Files of the account, and what the vendor's own tools did.
  const other = Object.keys(part).find((name) => isGiven(part[name]) && !silent.has(name));
  if (other !== undefined) losses.refuse(`${at}.${other}`);
  return [];
}

/** What a part says about its text or medium. */
const hints = ['videoMetadata', 'mediaResolution', 'mediaProcessing', 'partMetadata', 'speechMetadata'] as const;

/** Fields that are no part alone. */
const silent: ReadonlySet<string> = new Set(['thought', 'thoughtSignature', ...hints]);

/** Media types whose data no guardrail could read as text: text must come as text. SVG is text. */
const mediaTypes = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf)$/;

/** @throws GatewayError invalid_request */
function mediaPart(value: unknown, at: string): JsonObject {
  if (!isObject(value)) throw invalid(at, `${at} must be an object with mimeType and data`);
  const { mimeType, data, displayName } = camelNames(value, at);
  const type = typeof mimeType === 'string' ? (mimeType.split(';')[0] ?? '').trim().toLowerCase() : '';
  if (!mediaTypes.test(type)) {
    throw invalid(
      `${at}.mimeType`,
      `${at}.mimeType must be that of an image, of sound, of a video or application/pdf; send text as text`,
    );
  }
  if (typeof data !== 'string') throw invalid(`${at}.data`, `${at}.data must be a string in base64`);
  const [kind = '', format = ''] = type.split('/');
  const url = `data:${type};base64,${standard(data)}`;
  if (kind === 'image') return { type: 'image_url', image_url: { url } };
  if (kind === 'audio') {
    return { type: 'input_audio', input_audio: { data: standard(data), format: audioFormats.get(format) ?? format } };
  }
  const named = typeof displayName === 'string' && displayName !== '' ? { filename: displayName } : {};
  return { type: 'file', file: { file_data: url, ...named } };
}

/** The vendor reads both alphabets of base64. */
function standard(base64: string): string {
  return base64.replaceAll('-', '+').replaceAll('_', '/');
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ['mpeg', 'mp3'],
  ['x-wav', 'wav'],
  ['x-aiff', 'aiff'],
  ['x-flac', 'flac'],
]);

/** An image in a model's turn: an entry of `images` of the message. @throws GatewayError invalid_request */
export function madeImage({ part, at }: ClientPart): JsonObject {
  const image = mediaPart(part.inlineData, `${at}.inlineData`);
  if (image.type !== 'image_url') {
    throw invalid(`${at}.inlineData`, `${at}.inlineData must be an image in a content of the role model`);
  }
  return typeof part.thoughtSignature === 'string' ? { ...image, thought_signature: part.thoughtSignature } : image;
}
