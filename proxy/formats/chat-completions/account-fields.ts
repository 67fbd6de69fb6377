// What a request of chat completions may name of the vendor's whole account: objects that all virtual keys would share.
// With a stored provider key it is refused, as in the other formats.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { isGiven } from '../../conversation/options.ts';
import { ofAccount } from '../client-losses.ts';

/** A prompt that the vendor has cached, and guardrails of the cloud account. */
const fields = ['cachedContent', 'cached_content', 'guardrailConfig'] as const;

/** @throws GatewayError unsupported_parameter */
export function refuseAccountFields(body: JsonObject, messages: readonly JsonObject[]): void {
  for (const name of fields) if (isGiven(body[name]) && body[name] !== '') throw ofAccount(name);
  if (hasOwnVoice(body.audio)) throw ofAccount('audio.voice.id');
  for (const [at, { content, audio }] of messages.entries()) {
    // Sound that the vendor has made and stored (SDK type `ChatCompletionAssistantMessageParam.Audio`).
    if (isObject(audio) && isGiven(audio.id)) throw ofAccount(`messages[${at}].audio.id`);
    if (!Array.isArray(content)) continue;
    for (const [index, part] of content.entries()) {
      const stored = isObject(part) ? storedFile(part) : undefined;
      if (stored !== undefined) throw ofAccount(`messages[${at}].content[${index}].${stored}`);
    }
  }
}

/** The path of what names a stored file in a part (SDK type `ChatCompletionContentPart.File` of the package openai). */
function storedFile({ file, video_url: video }: JsonObject): string | undefined {
  if (isObject(file)) {
    if (isGiven(file.file_id) && (isUpload(file.file_id) || !isUrl(file.file_id))) return 'file.file_id';
    if (isUpload(file.file_data)) return 'file.file_data';
  }
  if (isUpload(video)) return 'video_url';
  return isObject(video) && isUpload(video.url) ? 'video_url.url' : undefined;
}

/** A voice that was made for the account (SDK type `ChatCompletionAudioParam.ID`); the others are texts. */
function hasOwnVoice(audio: unknown): boolean {
  return isObject(audio) && isObject(audio.voice) && isGiven(audio.voice.id);
}

/** A page that a vendor fetches, such as a video. */
function isUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https:\/\//i.test(value.slice(0, 8));
}

/** The search vendor's own files also have a URL. */
function isUpload(value: unknown): boolean {
  return typeof value === 'string' && /^https:\/\/generativelanguage\.googleapis\.com\//i.test(value.slice(0, 64));
}
