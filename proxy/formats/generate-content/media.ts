// Writes media of a user message as the vendor's parts (SDK types `Blob`, `FileData`): inline data, or the URI of a
// file that the vendor stores. The vendor's pages on images, audio, video and documents list the types that it accepts.
import type { JsonObject } from '../../../common/json.ts';
import { invalid, unsupported } from '../../conversation/invalid.ts';
import { type InlineData, sniffBase64Image } from '../../conversation/media.ts';
import type { AudioPart, FilePart, ImagePart } from '../../conversation/parts.ts';

/** @param images fetched images, by the URL as the caller wrote it */
export function imagePart({ source, at }: ImagePart, images: ReadonlyMap<string, InlineData>): JsonObject {
  const where = `${at}.image_url.url`;
  const data = source.kind === 'data' ? source.data : images.get(source.url);
  if (data === undefined) throw invalid(where, `${where} could not be fetched`);
  const { base64 } = data;
  return inlineData({ mediaType: sniffBase64Image(base64) ?? data.mediaType, base64 }, where);
}

const audioTypes = {
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aiff: 'audio/aiff',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
} as const;

export function audioPart({ format, base64, at }: AudioPart): JsonObject {
  const where = `${at}.input_audio.format`;
  const known = Object.entries(audioTypes).find(([name]) => name === format);
  if (known !== undefined) return inlineData({ mediaType: known[1], base64 }, where);
  const formats = Object.keys(audioTypes).join(', ');
  throw unsupported(where, `${where} is not one that this provider takes; there are ${formats}`);
}

export function filePart({ source, where }: FilePart): JsonObject {
  if (source.kind === 'data') return inlineData(source.data, where);
  const uri = fileUri(source.kind === 'id' ? source.id : source.url);
  if (uri !== undefined) return { fileData: { fileUri: uri } };
  throw unsupported(where, `${where} is no file of this provider; send files/<name>, its whole URI, or file_data`);
}

const filesUrl = 'https://generativelanguage.googleapis.com/v1beta/';

/** The URI of a file uploaded to the vendor, or of a video that the vendor fetches. */
function fileUri(id: string): string | undefined {
  if (/^files\/[a-z0-9-]+$/.test(id)) return filesUrl + id;
  const uploaded = /^https:\/\/generativelanguage\.googleapis\.com\/v1(?:beta)?\/files\/[a-z0-9-]+$/;
  const video = /^https:\/\/(?:www\.youtube\.com\/watch\?v=|youtu\.be\/)[\w-]+$/;
  return uploaded.test(id) || video.test(id) ? id : undefined;
}

const taken: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  ...['audio/wav', 'audio/mp3', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
  ...['video/mp4', 'video/mpeg', 'video/quicktime', 'video/webm', 'video/wmv', 'video/3gpp', 'video/x-flv'],
  ...['application/pdf', 'text/plain', 'text/html', 'text/css', 'text/markdown', 'text/csv', 'text/xml'],
]);

function inlineData({ mediaType, base64 }: InlineData, where: string): JsonObject {
  if (taken.has(mediaType)) return { inlineData: { mimeType: mediaType, data: base64 } };
  const type = mediaType === '' ? 'of no known type' : `of type ${mediaType}`;
  throw unsupported(where, `${where} is ${type}, which this provider does not take`);
}
