// Finds media in messages, with their data or URLs (SDK type `ChatCompletionContentPart`), to estimate their tokens
// before a provider reads them. Malformed parts are skipped here; the readers of parts refuse them.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { isPdfBase64 } from '../../conversation/media.ts';

export interface GivenMedia {
  readonly kind: 'image' | 'audio' | 'file';
  /** Base64, a data URL or another URL, as the caller wrote it. */
  readonly data: string;
}

export function mediaOf(messages: readonly JsonObject[]): GivenMedia[] {
  return messages.flatMap(({ content, images }) => [
    ...(Array.isArray(content) ? content.flatMap(mediaOfPart) : []),
    // Images that an earlier response contained and the client sends back.
    ...(Array.isArray(images) ? images.flatMap(mediaOfPart) : []),
  ]);
}

const mediaFields: ReadonlyMap<unknown, MediaField> = new Map<string, MediaField>([
  ['image_url', { kind: 'image', holder: 'image_url', field: 'url' }],
  ['input_audio', { kind: 'audio', holder: 'input_audio', field: 'data' }],
  ['video_url', { kind: 'file', holder: 'video_url', field: 'url' }],
  ['file', { kind: 'file', holder: 'file', field: 'file_data' }],
]);

interface MediaField {
  readonly kind: GivenMedia['kind'];
  readonly holder: string;
  readonly field: string;
}

function mediaOfPart(part: unknown): GivenMedia[] {
  const media = isObject(part) ? mediaFields.get(part.type) : undefined;
  if (media === undefined || !isObject(part)) return [];
  const waiting = part[media.holder];
  // Some clients send an image's URL instead of the object.
  const data = isObject(waiting) ? waiting[media.field] : waiting;
  if (typeof data !== 'string') return [];
  return [{ kind: media.kind === 'image' && isOther(data) ? 'file' : media.kind, data }];
}

/** Whether data in an image part is another kind of file: clients also put documents there. */
function isOther(data: string): boolean {
  if (!/^data:/i.test(data)) return false;
  const comma = data.indexOf(',');
  if (!/^data:image\//i.test(data.slice(0, comma))) return true;
  return isPdfBase64(data.slice(comma + 1));
}
