// Converts sound that the model made (SDK type `Blob` with a type `audio/…`) to the callers' shape (SDK type
// `ChatCompletionAudio` of the package openai). The vendor sends bare samples without a header, as
// `audio/L16;codec=pcm;rate=24000`, so their format is in further fields.
import type { JsonObject } from '../../../common/json.ts';
import type { ResponsePart } from './response.ts';

export type SoundPart = Extract<ResponsePart, { kind: 'audio' }>;

const lifetimeSeconds = 3600;

/**
 * `message.audio`, or that of a delta: `data` is base64 of the samples, with the further fields `format`, `mime_type`
 * and `sample_rate`.
 * @param created time of the response, in Unix seconds
 */
export function audioField(parts: readonly SoundPart[], id: string, created: number): JsonObject | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const bytes = Buffer.concat(parts.map(({ base64 }) => Buffer.from(base64, 'base64')));
  return {
    id: `audio_${id}`,
    data: bytes.toString('base64'),
    // Required by the shape. The vendor stores no sound, and no later request can refer to it.
    expires_at: created + lifetimeSeconds,
    transcript: '',
    ...described(first.mimeType),
  };
}

function described(mimeType: string): JsonObject {
  const [type = '', ...parameters] = mimeType.toLowerCase().split(';');
  const rate = parameters.map((one) => /^\s*rate=(\d{1,6})\s*$/.exec(one)?.[1]).find((one) => one !== undefined);
  const isPcm = type === 'audio/l16' || type === 'audio/pcm';
  return {
    format: isPcm ? 'pcm16' : type.replace(/^audio\/(x-)?/, ''),
    mime_type: mimeType,
    ...(rate !== undefined && { sample_rate: Number(rate) }),
  };
}
