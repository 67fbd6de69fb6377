// Reads the content of a message, a string or parts, into typed parts (SDK type `ChatCompletionContentPart`).
import { isObject, type JsonObject } from '../../../common/json.ts';
import { plainBase64 } from '../../../common/plain-base64.ts';
import { readCacheMark } from '../../conversation/cache-marks.ts';
import { invalid } from '../../conversation/invalid.ts';
import { type InlineData, isPdfBase64, readDataUrl } from '../../conversation/media.ts';
import type { AudioPart, CacheMark, FilePart, ImagePart, Part } from '../../conversation/parts.ts';

/**
 * @param at path of the content in the body
 * @throws GatewayError invalid_request that names the part
 */
export function readParts(content: unknown, at: string): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content, cache: undefined }];
  if (!Array.isArray(content)) throw invalid(at, `${at} must be a string, an array of parts or null`);
  return content.map((part: unknown, index) => {
    if (!isObject(part)) throw invalid(`${at}[${index}]`, `${at}[${index}] must be an object with a type`);
    return readPart(part, `${at}[${index}]`);
  });
}

function readPart(part: JsonObject, at: string): Part {
  const cache = readCacheMark(part);
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: text(part.text, `${at}.text`), cache };
    case 'refusal':
      return { kind: 'text', text: text(part.refusal, `${at}.refusal`), cache };
    case 'image_url':
      return readImage(part.image_url, at, cache);
    case 'video_url':
      return readVideo(part.video_url, at, cache);
    case 'input_audio':
      return readAudio(part.input_audio, at);
    case 'file':
      return readFile(part, at, cache);
    default:
      throw invalid(`${at}.type`, `${at}.type must be text, image_url, video_url, input_audio or file`);
  }
}

function text(value: unknown, at: string): string {
  if (typeof value === 'string') return value;
  throw invalid(at, `${at} must be a string`);
}

/** @throws GatewayError invalid_request that names the field */
export function readImage(value: unknown, at: string, cache: CacheMark | undefined): ImagePart | FilePart {
  const where = `${at}.image_url`;
  // Some clients send the URL instead of the object.
  const image = typeof value === 'string' ? { url: value } : value;
  if (!isObject(image)) throw invalid(where, `${where} must be an object with a url`);
  const url = text(image.url, `${where}.url`);
  const data = readDataUrl(url, `${where}.url`);
  if (data === undefined && !/^https?:\/\//i.test(url)) {
    throw invalid(`${where}.url`, `${where}.url must be an https or a base64 data URL`);
  }
  // Many clients use image parts for every attachment.
  if (data !== undefined && isPdf(data)) return fileOf(data, { at, where: `${where}.url`, cache });
  const { detail } = image;
  return {
    kind: 'image',
    at,
    source: data === undefined ? { kind: 'url', url } : { kind: 'data', data },
    detail: detail === 'auto' || detail === 'low' || detail === 'high' ? detail : undefined,
    cache,
  };
}

/** Decided by the media type or by the first bytes. */
function isPdf({ mediaType, base64 }: InlineData): boolean {
  return mediaType === 'application/pdf' || isPdfBase64(base64);
}

type FileFields = Pick<FilePart, 'at' | 'where' | 'cache'> & Partial<Pick<FilePart, 'name' | 'citations'>>;

function fileOf(data: InlineData, fields: FileFields): FilePart {
  const mediaType = isPdf(data) ? 'application/pdf' : data.mediaType;
  return filePart({ kind: 'data', data: { ...data, mediaType } }, fields);
}

function filePart(source: FilePart['source'], fields: FileFields): FilePart {
  return { kind: 'file', source, name: undefined, citations: false, ...fields };
}

/** A de-facto extension by servers of open models: `{"url": "data:video/mp4;base64,…"}`. */
function readVideo(value: unknown, at: string, cache: CacheMark | undefined): FilePart {
  const where = `${at}.video_url`;
  const video = typeof value === 'string' ? { url: value } : value;
  if (!isObject(video)) throw invalid(where, `${where} must be an object with a url`);
  const url = text(video.url, `${where}.url`);
  const data = readDataUrl(url, `${where}.url`);
  const fields = { at, where: `${where}.url`, cache };
  if (data !== undefined) return fileOf(data, fields);
  if (!isUrl(url)) throw invalid(`${where}.url`, `${where}.url must be an https or a base64 data URL`);
  return filePart({ kind: 'url', url, isVideo: true }, fields);
}

function readAudio(value: unknown, at: string): AudioPart {
  const where = `${at}.input_audio`;
  if (!isObject(value)) throw invalid(where, `${where} must be an object with data and format`);
  const base64 = plainBase64(text(value.data, `${where}.data`));
  if (base64 === undefined) throw invalid(`${where}.data`, `${where}.data must be base64`);
  return { kind: 'audio', at, format: text(value.format, `${where}.format`), base64 };
}

function readFile(part: JsonObject, at: string, cache: CacheMark | undefined): FilePart {
  const where = `${at}.file`;
  const { file } = part;
  if (!isObject(file)) throw invalid(where, `${where} must be an object with file_data or file_id`);
  const name = typeof file.filename === 'string' ? file.filename : undefined;
  const citations = [part.citations, file.citations].some((one) => isObject(one) && one.enabled === true);
  const field = typeof file.file_id === 'string' ? 'file_id' : 'file_data';
  const fields = { at, where: `${where}.${field}`, name, citations, cache };
  const given = text(file[field], fields.where);
  if (isUrl(given)) return filePart({ kind: 'url', url: given, isVideo: false }, fields);
  if (field === 'file_id') return filePart({ kind: 'id', id: given }, fields);
  const data = readDataUrl(given, fields.where);
  if (data !== undefined) return fileOf(data, fields);
  const base64 = plainBase64(given);
  if (base64 === undefined) throw invalid(fields.where, `${fields.where} must be base64 or a data URL`);
  // Without a media type the data is treated as PDF, the usual content of this field.
  return fileOf({ mediaType: 'application/pdf', base64 }, fields);
}

function isUrl(given: string): boolean {
  return /^https:\/\/\S+$/i.test(given);
}

/**
 * URLs of images that are not inline data, as the caller wrote them, from message parts and from the assistant's
 * extension `images`. Malformed URLs are refused when the parts are read.
 */
export function imageUrls(messages: readonly JsonObject[]): string[] {
  const parts = messages.flatMap(({ content, images }): unknown[] => [
    ...(Array.isArray(content) ? content : []),
    ...(Array.isArray(images) ? images : []),
  ]);
  return parts.flatMap((part) => {
    if (!isObject(part) || part.type !== 'image_url') return [];
    const image = part.image_url;
    const url = isObject(image) ? image.url : image;
    return typeof url === 'string' && /^https?:/i.test(url) ? url : [];
  });
}
