// The media among the parts of messages, by where their data or URLs stand (SDK type `ChatCompletionContentPart`), for those who
// have to guess what they come to before a provider reads them. What is malformed is for others to refuse.
import { isObject, type JsonObject } from '../../common/json.ts';

export interface GivenMedia {
  readonly kind: 'image' | 'audio' | 'file';
  /** Base64, a data URL or another URL, as the caller wrote it. */
  readonly data: string;
}

export function mediaOf(messages: readonly JsonObject[]): GivenMedia[] {
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content.flatMap(mediaOfPart) : []));
}

const places: ReadonlyMap<unknown, Place> = new Map<string, Place>([
  ['image_url', { kind: 'image', holder: 'image_url', field: 'url' }],
  ['input_audio', { kind: 'audio', holder: 'input_audio', field: 'data' }],
  ['file', { kind: 'file', holder: 'file', field: 'file_data' }],
]);

interface Place {
  readonly kind: GivenMedia['kind'];
  readonly holder: string;
  readonly field: string;
}

function mediaOfPart(part: unknown): GivenMedia[] {
  const place = isObject(part) ? places.get(part.type) : undefined;
  if (place === undefined || !isObject(part)) return [];
  const held = part[place.holder];
  // Some clients send an image's URL itself in place of the object.
  const data = isObject(held) ? held[place.field] : held;
  return typeof data === 'string' ? [{ kind: place.kind, data }] : [];
}
