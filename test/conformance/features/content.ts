// Messages and what they are made of.
import { png } from '../../support/png.ts';
import {
  emulated,
  type Feature,
  fetched,
  type Json,
  leftOut,
  native,
  refused,
  vendorRefuses,
} from './feature.ts';

const hello = { role: 'user', content: 'Hello' };
const brief = 'Be brief.';
const long = 'Be brief. '.repeat(10_240);
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const withPart = (part: Json) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, part] }],
});
const begun = { messages: [hello, { role: 'assistant', content: 'Tea is ' }] };
const inPart = 'messages.0.content.1';

export const contentFeatures: readonly Feature[] = [
  {
    name: 'a message of the role `system`',
    ask: { messages: [{ role: 'system', content: brief }, hello] },
    at: [
      native('messages.0.content', brief),
      native('messages.0.content', brief),
      native('system.0.text', brief),
      native('system.0.text', brief),
      native('systemInstruction.parts.0.text', brief),
    ],
  },
  {
    name: 'a message of the role `developer`',
    ask: { messages: [{ role: 'developer', content: brief }, hello] },
    at: [
      native('messages.0.role', 'developer'),
      emulated('as a system message', 'messages.0', { role: 'system', content: brief }),
      emulated('as a system text', 'system.0.text', brief),
      emulated('as a system text', 'system.0.text', brief),
      emulated('as a system text', 'systemInstruction.parts.0.text', brief),
    ],
  },
  {
    name: 'a system message in the middle',
    ask: { messages: [hello, { role: 'system', content: brief }, { role: 'user', content: 'Go on.' }] },
    at: [
      native('messages.1.content', brief),
      emulated('moved to the front', 'messages.0', { role: 'system', content: brief }),
      emulated('moved to the front', 'system.0.text', brief),
      emulated('moved to the front', 'system.0.text', brief),
      emulated('moved to the front', 'systemInstruction.parts.0.text', brief),
    ],
  },
  {
    name: 'a system prompt of 100 KiB',
    ask: { messages: [{ role: 'system', content: long }, hello] },
    at: [
      native('messages.0.content', long),
      native('messages.0.content', long),
      native('system.0.text', long),
      native('system.0.text', long),
      native('systemInstruction.parts.0.text', long),
    ],
  },
  {
    name: 'an answer begun by the caller: the last message is the assistant’s',
    ask: begun,
    at: [
      native('messages.1.content', 'Tea is '),
      native('messages.1.content', 'Tea is '),
      native('messages.1.content.0.text', 'Tea is'),
      native('messages.1.content.0.text', 'Tea is'),
      native('contents.1.parts.0.text', 'Tea is '),
    ],
  },
  {
    name: 'the same, of a model that wants the user to speak last',
    ask: begun,
    models: {
      'studio-ai': 'Mistral-Large-3',
      'managed-cloud-models': 'us.anthropic.claude-opus-4-7',
      'assistant-provider': 'claude-opus-4-8',
      'search-provider': 'gemini-3.8-flash',
    },
    at: [
      native('messages.1.content', 'Tea is '),
      emulated('asked to continue', 'messages.2.content', 'Continue.'),
      emulated('asked to continue', 'messages.2.content.0.text', 'Continue.'),
      emulated('asked to continue', 'messages.2.content.0.text', 'Continue.'),
      emulated('a turn of the user’s that says nothing', 'contents.2.parts.0.text', ' '),
    ],
  },
  {
    name: '`name` of a message',
    ask: { messages: [{ ...hello, name: 'ann' }] },
    at: [native('messages.0.name', 'ann'), leftOut, leftOut, leftOut, leftOut],
  },
  {
    name: 'an image as data URL',
    ask: withPart({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }),
    at: [
      native(`${inPart}.image_url.url`, `data:image/png;base64,${png}`),
      native(`${inPart}.image_url.url`, `data:image/png;base64,${png}`),
      native(`${inPart}.image`, { format: 'png', source: { bytes: png } }),
      native(`${inPart}.source`, { type: 'base64', media_type: 'image/png', data: png }),
      native('contents.0.parts.1.inlineData', { mimeType: 'image/png', data: png }),
    ],
  },
  {
    name: 'an image by URL',
    // What fetches it must refuse to fetch this.
    ask: withPart({ type: 'image_url', image_url: { url: 'https://127.0.0.1/a.png' } }),
    at: [
      native(`${inPart}.image_url.url`, 'https://127.0.0.1/a.png'),
      native(`${inPart}.image_url.url`, 'https://127.0.0.1/a.png'),
      fetched,
      native(`${inPart}.source`, { type: 'url', url: 'https://127.0.0.1/a.png' }),
      fetched,
    ],
  },
  {
    name: 'a PDF file as data',
    ask: withPart({
      type: 'file',
      file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
    }),
    at: [
      native(`${inPart}.file.filename`, 'a.pdf'),
      refused('messages[0].content[1]'),
      native(`${inPart}.document.source.bytes`, pdf),
      native(`${inPart}.source.data`, pdf),
      native('contents.0.parts.1.inlineData.data', pdf),
    ],
  },
  {
    name: 'a file by id',
    ask: withPart({ type: 'file', file: { file_id: 'file-1' } }),
    at: [
      native(`${inPart}.file.file_id`, 'file-1'),
      refused('messages[0].content[1]'),
      refused('messages[0].content[1].file.file_id'),
      refused('messages[0].content[1].file.file_id'),
      refused('messages[0].content[1].file.file_id'),
    ],
  },
  {
    name: 'sound',
    ask: withPart({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
    at: [
      native(`${inPart}.input_audio.format`, 'wav'),
      native(`${inPart}.input_audio.format`, 'wav'),
      vendorRefuses(null),
      refused('messages[0].content[1]'),
      native('contents.0.parts.1.inlineData', { mimeType: 'audio/wav', data: 'UklGRg==' }),
    ],
  },
  {
    name: '`cache_control` of a part (extension)',
    ask: {
      messages: [
        { role: 'system', content: [{ type: 'text', text: brief, cache_control: { type: 'ephemeral' } }] },
        hello,
      ],
    },
    at: [
      vendorRefuses('messages[0].content[0].cache_control'),
      leftOut,
      native('system.1.cachePoint', { type: 'default' }),
      native('system.0.cache_control', { type: 'ephemeral' }),
      leftOut,
    ],
  },
];
