import type OpenAI from 'openai';
import { expect, it } from 'vitest';
import { refuseAccountFields } from '../../../../../proxy/formats/chat-completions/account-fields.ts';

type Part = OpenAI.ChatCompletionContentPart;

const part = (one: Part | object) => [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Hello' }, one] },
];
const refusal = (fields: object, messages: object[] = []): unknown => {
  try {
    refuseAccountFields({ ...fields }, messages as never);
    return undefined;
  } catch (error) {
    return error;
  }
};
const upload = 'https://generativelanguage.googleapis.com/v1beta/files/a1';
const at = 'messages[1].content[1]';

it.each<[string, object, object[]]>([
  ['cachedContent', { cachedContent: 'cachedContents/a' }, []],
  ['cached_content', { cached_content: 'cachedContents/a' }, []],
  ['guardrailConfig', { guardrailConfig: { guardrailIdentifier: 'g1' } }, []],
  ['audio.voice.id', { audio: { format: 'wav', voice: { id: 'voice_1' } } }, []],
  ['messages[0].audio.id', {}, [{ role: 'assistant', audio: { id: 'audio_1' } }]],
  [`${at}.file.file_id`, {}, part({ type: 'file', file: { file_id: 'file-1' } } satisfies Part)],
  [`${at}.file.file_id`, {}, part({ type: 'file', file: { file_id: 'files/a1' } })],
  [`${at}.file.file_id`, {}, part({ type: 'file', file: { file_id: upload } })],
  [`${at}.file.file_data`, {}, part({ type: 'file', file: { file_data: upload } })],
  [`${at}.video_url.url`, {}, part({ type: 'video_url', video_url: { url: upload.toUpperCase() } })],
  [`${at}.video_url`, {}, part({ type: 'video_url', video_url: upload })],
])('%s names something of the vendor’s whole account', (param, fields, messages) => {
  expect(refusal(fields, messages)).toMatchObject({ code: 'unsupported_parameter', param });
});

it.each<[string, object, object[]]>([
  ['no such field', { temperature: 1 }, part({ type: 'text', text: upload })],
  ['fields without a value', { cachedContent: '', cached_content: null, guardrailConfig: null }, []],
  ['a voice that every account has', { audio: { format: 'wav', voice: 'alloy' } }, []],
  ['sound as data', {}, part({ type: 'input_audio', input_audio: { format: 'wav', data: 'UklGRg==' } })],
  ['a file as data', {}, part({ type: 'file', file: { file_data: 'JVBERi0=', filename: 'a.pdf' } })],
  ['a page', {}, part({ type: 'file', file: { file_id: 'https://youtu.be/a' } })],
  ['a video by URL', {}, part({ type: 'video_url', video_url: { url: 'https://youtu.be/a' } })],
  ['parts that are none', {}, [{ role: 'user', content: [null, 'a', { file: 'file-1' }] }]],
])('%s passes', (_what, fields, messages) => {
  expect(refusal(fields, messages)).toBeUndefined();
});
