// Writes parts of messages as the vendor's content blocks (SDK type `ContentBlockParam` of @anthropic-ai/sdk). Blank
// texts are omitted: the vendor refuses them.
import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../../../common/json.ts';
import { invalid, unsupported } from '../../conversation/invalid.ts';
import { type InlineData, sniffBase64Image } from '../../conversation/media.ts';
import type { CacheMark, FilePart, ImagePart, Part, TextPart } from '../../conversation/parts.ts';

export type Block = JsonObject & { readonly type: string };

/** @throws GatewayError invalid_request, unsupported_parameter, each naming the part */
export function contentBlocks(parts: readonly Part[]): Block[] {
  return parts.flatMap(partBlocks);
}

function partBlocks(part: Part): Block[] {
  switch (part.kind) {
    case 'text':
      return textBlocks([part]);
    case 'image':
      return [{ type: 'image', source: imageSource(part), ...cacheControl(part.cache) }];
    case 'file':
      return [fileBlock(part)];
    case 'audio':
      throw unsupported(part.at, `${part.at}: audio input is not supported by this provider`);
  }
}

export function textBlocks(parts: readonly TextPart[]): Block[] {
  return parts
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, cache }) => ({ type: 'text', text, ...cacheControl(cache) }));
}

export function cacheControl(cache: CacheMark | undefined): { readonly cache_control?: JsonObject } {
  if (cache === undefined) return {};
  return { cache_control: { type: 'ephemeral', ...(cache.ttl !== undefined && { ttl: cache.ttl }) } };
}

function imageSource({ source, at }: ImagePart): JsonObject {
  const where = `${at}.image_url.url`;
  if (source.kind === 'url') {
    if (/^https:/i.test(source.url)) return { type: 'url', url: source.url };
    throw invalid(where, `${where} must be an https or a base64 data URL`);
  }
  const { base64 } = source.data;
  const mediaType = sniffBase64Image(base64);
  if (mediaType === undefined) throw invalid(where, `${where} must be a PNG, JPEG, GIF or WebP image`);
  return { type: 'base64', media_type: mediaType, data: base64 };
}

function fileBlock({ source, where, name, citations, cache }: FilePart): Block {
  return {
    type: 'document',
    source: fileSource(source, where),
    ...(name !== undefined && name !== '' && { title: name }),
    ...(citations && { citations: { enabled: true } }),
    ...cacheControl(cache),
  };
}

function fileSource(source: FilePart['source'], where: string): JsonObject {
  if (source.kind === 'data') return documentSource(source.data, where);
  // The vendor fetches PDF files (SDK type `URLPDFSource`).
  if (source.kind === 'url' && !source.isVideo) return { type: 'url', url: source.url };
  if (source.kind === 'url') throw unsupported(where, `${where}: videos are not supported by this provider`);
  // Files belong to the vendor account, not to the caller that may use its key here.
  throw unsupported(where, 'files by id are not supported by this provider; send file_data');
}

const textTypes = /^(text\/.*|application\/(json|xml|yaml|x-yaml|javascript))$/;

function documentSource({ mediaType, base64 }: InlineData, at: string): JsonObject {
  if (mediaType === 'application/pdf') return { type: 'base64', media_type: mediaType, data: base64 };
  if (!textTypes.test(mediaType)) {
    throw unsupported(at, `${at} must be a PDF or a text; this provider reads no other files`);
  }
  const bytes = Buffer.from(base64, 'base64');
  if (!isUtf8(bytes)) throw invalid(at, `${at} must be text in UTF-8`);
  return { type: 'text', media_type: 'text/plain', data: bytes.toString() };
}
