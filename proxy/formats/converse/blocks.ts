// Writes the parts of a message as the vendor's content blocks (SDK type `ContentBlock`): texts that are not blank,
// images by their bytes, documents under names that the vendor accepts.
import type { JsonObject } from '../../../common/json.ts';
import type { ModelCapabilities } from '../../catalog/capabilities.ts';
import { invalid, unsupported } from '../../conversation/invalid.ts';
import { type InlineData, sniffBase64Image } from '../../conversation/media.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, Part, TextPart } from '../../conversation/parts.ts';
import { documentFormats, videoFormats } from './media-formats.ts';

export type Block = JsonObject;

/** Inputs for writing blocks. */
export interface BlockContext {
  readonly promptCache: ModelCapabilities['promptCache'];
  /** Fetched images by the URL as the caller wrote it. */
  readonly images: ReadonlyMap<string, InlineData>;
  readonly documentNames: DocumentNames;
}

/** A block where the vendor requires one and the caller has sent none. */
export const placeholder: Block = Object.freeze({ text: '.' });

/** Blocks of a user turn. The vendor requires a text beside a document, so a missing text is added. */
export function userBlocks(parts: readonly Part[], context: BlockContext): Block[] {
  const blocks = parts.flatMap((part) => partBlocks(part, context));
  const isMute =
    blocks.some(({ document }) => document !== undefined) && !blocks.some(({ text }) => text !== undefined);
  return isMute ? [...blocks, placeholder] : blocks;
}

/** Omits empty and blank texts: no model accepts them. */
export function textBlocks(parts: readonly TextPart[], { promptCache }: Pick<BlockContext, 'promptCache'>): Block[] {
  return parts.flatMap(({ text, cache }) => (text.trim() === '' ? [] : [{ text }, ...cachePoint(cache, promptCache)]));
}

/** Ends the cached prefix. Omitted for a model without a cache, which would report a missing permission. */
export function cachePoint(mark: CacheMark | undefined, promptCache: ModelCapabilities['promptCache']): Block[] {
  if (mark === undefined || promptCache === 'none') return [];
  const long = mark.ttl === '1h' && promptCache === '1h';
  return [{ cachePoint: { type: 'default', ...(long && { ttl: '1h' }) } }];
}

/** Gives each document of a request a name of its own. */
export class DocumentNames {
  readonly #taken = new Set<string>();
  /** The last number used for each name. A request may have thousands of documents. */
  readonly #counts = new Map<string, number>();

  give(wanted: string | undefined): string {
    const base = plainName(wanted);
    let count = this.#counts.get(base) ?? 1;
    let name = base;
    while (this.#taken.has(name)) name = `${base} ${++count}`;
    this.#counts.set(base, count);
    this.#taken.add(name);
    return name;
  }
}

function partBlocks(part: Part, context: BlockContext): Block[] {
  switch (part.kind) {
    case 'text':
      return textBlocks([part], context);
    case 'image':
      return [imageBlock(part, context), ...cachePoint(part.cache, context.promptCache)];
    case 'audio':
      return [audioBlock(part)];
    case 'file':
      return [fileBlock(part, context), ...cachePoint(part.cache, context.promptCache)];
  }
}

/** Blocks of a tool result (SDK type `ToolResultContentBlock`), where the vendor accepts no cache point. */
export function resultBlocks(parts: readonly Part[], context: BlockContext): Block[] {
  return parts.flatMap((part) => partBlocks(part, { ...context, promptCache: 'none' }));
}

function fileBlock(part: FilePart, context: BlockContext): Block {
  const { source } = part;
  if (source.kind === 'data' && Object.hasOwn(videoFormats, source.data.mediaType)) {
    const { mediaType, base64 } = source.data;
    return { video: { format: videoFormats[mediaType], source: { bytes: base64 } } };
  }
  return documentBlock(part, context);
}

function imageBlock({ source, at }: ImagePart, { images }: BlockContext): Block {
  const where = `${at}.image_url.url`;
  const data = source.kind === 'data' ? source.data : images.get(source.url);
  if (data === undefined) throw invalid(where, `${where} could not be fetched`);
  const type = sniffBase64Image(data.base64);
  if (type === undefined) throw invalid(where, `${where} must be a PNG, JPEG, GIF or WebP image`);
  return { image: { format: type.slice('image/'.length), source: { bytes: data.base64 } } };
}

const audioFormats: ReadonlySet<string> = new Set(['wav', 'mp3', 'flac', 'opus', 'aac', 'ogg', 'm4a', 'webm']);

function audioBlock({ format, base64, at }: AudioPart): Block {
  const where = `${at}.input_audio.format`;
  if (!audioFormats.has(format)) throw unsupported(where, `${where} is not one that this provider takes`);
  return { audio: { format, source: { bytes: base64 } } };
}

function documentBlock({ source, where, name, citations }: FilePart, { documentNames }: BlockContext): Block {
  if (source.kind !== 'data') {
    const given = source.kind === 'id' ? 'files by id are' : 'a file by its URL is';
    throw unsupported(where, `${given} not supported by this provider; send file_data`);
  }
  const { mediaType, base64 } = source.data;
  const format = Object.hasOwn(documentFormats, mediaType) ? documentFormats[mediaType] : undefined;
  if (format === undefined) {
    throw unsupported(where, `${where} is of a type that this provider does not take`);
  }
  const document = { format, name: documentNames.give(name), source: { bytes: base64 } };
  return { document: { ...document, ...(citations && { citations: { enabled: true } }) } };
}

/** Keeps only letters, digits, single spaces, hyphens and brackets. */
function plainName(wanted = ''): string {
  const plain = wanted
    .slice(0, 1000)
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .replaceAll(/[^A-Za-z0-9()[\]-]+/g, ' ')
    .trim()
    .slice(0, 100)
    .trim();
  return plain === '' ? 'document' : plain;
}
