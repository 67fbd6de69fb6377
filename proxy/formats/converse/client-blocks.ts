// Reads content blocks of a client's message (SDK types `ContentBlock`, `SystemContentBlock`, `ToolResultContentBlock`)
// into parts of chat completions.
import { isUtf8 } from 'node:buffer';
import { writeJson } from '../../../common/exact-json.ts';
import { isObject, type JsonObject, objectsOf } from '../../../common/json.ts';
import { plainBase64 } from '../../../common/plain-base64.ts';
import { invalid } from '../../conversation/invalid.ts';
import { isGiven } from '../../conversation/options.ts';
import type { LossList } from '../client-losses.ts';
import { documentFormats, videoFormats } from './media-formats.ts';

export interface ClientBlock {
  readonly block: JsonObject;
  readonly at: string;
}

/** @param at path of the list @throws GatewayError invalid_request */
export function blocksOf(content: unknown, at: string): readonly ClientBlock[] {
  if (!Array.isArray(content)) throw invalid(at, `${at} must be an array of content blocks`);
  return content.map((block: unknown, index) => {
    const where = `${at}[${index}]`;
    if (!isObject(block)) throw invalid(where, `${where} must be an object`);
    return { block, at: where };
  });
}

type PartsOf = (one: ClientBlock, losses: LossList) => JsonObject[];

interface Reading {
  /** Path of the list. */
  readonly at: string;
  readonly partsOf: PartsOf;
}

/** Blocks as parts; a cache point marks the part before it. @throws GatewayError invalid_request */
export function chatContent(content: unknown, { at, partsOf }: Reading, losses: LossList): JsonObject[] {
  const parts: JsonObject[] = [];
  for (const one of blocksOf(content, at)) {
    if (isObject(one.block.cachePoint)) markLast(parts, one, losses);
    else parts.push(...partsOf(one, losses));
  }
  return parts;
}

/** Marks the last of a list with a cache point (SDK type `CachePointBlock`), which ends what is before it. */
export function markLast(list: JsonObject[], { block, at }: ClientBlock, losses: LossList): void {
  const last = list.pop();
  const ttl = isObject(block.cachePoint) ? block.cachePoint.ttl : undefined;
  if (last === undefined) losses.drop(`${at}.cachePoint`);
  else list.push({ ...last, cache_control: { type: 'ephemeral', ...(isGiven(ttl) && { ttl }) } });
}

/**
 * Parts of a message that has texts alone: a block of any other kind is refused.
 * @throws GatewayError invalid_request that names the block
 */
export function textParts(one: ClientBlock, losses: LossList): JsonObject[] {
  const parts = chatParts(one, losses);
  const [kind = ''] = Object.keys(one.block);
  if (parts.some(({ type }) => type !== 'text')) losses.refuse(`${one.at}.${kind}`);
  return parts;
}

/** @throws GatewayError invalid_request that names the block */
export function chatParts({ block, at }: ClientBlock, losses: LossList): JsonObject[] {
  const [kind = '', value] = Object.entries(block).find(([, given]) => isGiven(given)) ?? [];
  const where = `${at}.${kind}`;
  if (kind === 'text') return [textPart(value, where)];
  if (kind === 'json') return [{ type: 'text', text: writeJson(value) }];
  if (!isObject(value)) throw invalid(where, `${where} must be an object`);
  noteLosses(kind, value, { where, losses });
  switch (kind) {
    case 'image':
      return bytesOf(value, where, losses).map((base64) => imagePart(value.format, base64, where));
    case 'document':
      return documentParts(value, where, losses);
    case 'video':
      return bytesOf(value, where, losses).map((base64) => videoPart(value.format, base64, where));
    case 'audio':
      return bytesOf(value, where, losses).map((data) => ({
        type: 'input_audio',
        input_audio: { data, format: value.format },
      }));
    case 'guardContent':
      return guardParts(value, where, losses);
    case 'citationsContent':
      return [{ type: 'text', text: joinedText(value.content) }];
    case 'searchResult':
      return [{ type: 'text', text: [value.title, value.source, joinedText(value.content)].filter(isText).join('\n') }];
    default:
      losses.refuse(where);
      return [];
  }
}

interface Noting {
  /** Path of the block's value. */
  readonly where: string;
  readonly losses: LossList;
}

/** Fields that chat completions has no part for, in blocks that it has. */
function noteLosses(kind: string, { error, citations }: JsonObject, { where, losses }: Noting): void {
  // Why the vendor's model could not make it.
  if (isGiven(error)) losses.drop(`${where}.error`);
  const isLost = kind === 'searchResult' ? isEnabled(citations) : objectsOf(citations).length > 0;
  if (isLost) losses.drop(`${where}.citations`);
}

/** SDK type `CitationsConfig`. */
function isEnabled(citations: unknown): boolean {
  return isObject(citations) && citations.enabled === true;
}

function textPart(text: unknown, at: string): JsonObject {
  if (typeof text !== 'string') throw invalid(at, `${at} must be a string`);
  return { type: 'text', text };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function joinedText(content: unknown): string {
  return objectsOf(content)
    .map(({ text }) => text)
    .filter(isText)
    .join('\n');
}

/** The bytes of a source in base64; none for a location in a store of the account. */
function bytesOf({ source }: JsonObject, at: string, losses: LossList): readonly string[] {
  const where = `${at}.source`;
  if (!isObject(source)) throw invalid(where, `${where} must be an object with bytes`);
  if (isGiven(source.s3Location)) {
    losses.refuse(`${where}.s3Location`);
    return [];
  }
  const base64 = typeof source.bytes === 'string' ? plainBase64(source.bytes) : undefined;
  if (base64 === undefined) throw invalid(`${where}.bytes`, `${where}.bytes must be base64`);
  return [base64];
}

const imageFormat = /^(?:png|jpe?g|gif|webp)$/;

export function imagePart(format: unknown, base64: string, at: string): JsonObject {
  if (typeof format !== 'string' || !imageFormat.test(format)) {
    throw invalid(`${at}.format`, `${at}.format must be png, jpeg, gif or webp`);
  }
  return { type: 'image_url', image_url: { url: `data:image/${format};base64,${base64}` } };
}

function videoPart(format: unknown, base64: string, at: string): JsonObject {
  const [type] = Object.entries(videoFormats).find(([, name]) => name === format) ?? [];
  if (type === undefined) throw invalid(`${at}.format`, `${at}.format must be the format of a video`);
  return { type: 'video_url', video_url: { url: `data:${type};base64,${base64}` } };
}

/** What a guardrail of the vendor would inspect is content like any other. */
function guardParts({ text, image }: JsonObject, at: string, losses: LossList): JsonObject[] {
  if (isObject(text)) {
    if (isGiven(text.qualifiers)) losses.drop(`${at}.text.qualifiers`);
    return [textPart(text.text, `${at}.text.text`)];
  }
  if (!isObject(image)) throw invalid(at, `${at} must be an object with text or image`);
  return bytesOf(image, `${at}.image`, losses).map((base64) => imagePart(image.format, base64, `${at}.image`));
}

/** A text is a text everywhere, with its name before it; only as a file can it be cited. */
function documentParts(document: JsonObject, at: string, losses: LossList): JsonObject[] {
  const { format, name, source, context, citations } = document;
  const before = isText(context) ? [{ type: 'text', text: context }] : [];
  const isCited = isEnabled(citations);
  const text = isObject(source)
    ? (source.text ?? (Array.isArray(source.content) && joinedText(source.content)))
    : undefined;
  if (typeof text === 'string') return [...before, textOrFile({ name, text, isCited })];
  return [
    ...before,
    ...bytesOf(document, at, losses).map((base64) => {
      const [type = ''] = Object.entries(documentFormats).find(([, one]) => one === format) ?? [];
      if (type === '') throw invalid(`${at}.format`, `${at}.format must be the format of a document`);
      const bytes = Buffer.from(base64, 'base64');
      if (type.startsWith('text/') && isUtf8(bytes)) return textOrFile({ name, text: bytes.toString(), isCited });
      return filePart(name, `data:${type};base64,${base64}`, isCited);
    }),
  ];
}

interface TextDocument {
  readonly name: unknown;
  readonly text: string;
  readonly isCited: boolean;
}

function textOrFile({ name, text, isCited }: TextDocument): JsonObject {
  if (!isCited) return { type: 'text', text: [name, text].filter(isText).join('\n') };
  return filePart(name, `data:text/plain;base64,${Buffer.from(text).toString('base64')}`, isCited);
}

function filePart(name: unknown, data: string, isCited: boolean): JsonObject {
  const file = { file_data: data, ...(isText(name) && { filename: name }) };
  return { type: 'file', file, ...(isCited && { citations: { enabled: true } }) };
}
