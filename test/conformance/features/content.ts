// Features of messages and their content.
import { png } from '../../support/png.ts';
import {
  dropped,
  emulated,
  emulatedAndNamed,
  type Feature,
  fetched,
  type Json,
  native,
  refused,
  usually,
  vendorRefuses,
} from './feature.ts';

/** Of a file, as `x-svc-dropped-params` names it. */
const filename = 'messages.file.filename';
const hello = { role: 'user', content: 'Hello' };
const brief = 'Be brief.';
const long = 'Be brief. '.repeat(10_240);
const plain = Buffer.from('Tea is hot.').toString('base64');
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const withPart = (part: Json) => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, part] }],
});
const inTheMiddle = {
  messages: [hello, { role: 'system', content: brief }, { role: 'user', content: 'Proceed.' }],
};
const note = `<system_message>\n${brief}\n</system_message>`;
const asNote = (at: string, value = note) => emulatedAndNamed('messages.role', 'as a note at its position', at, value);
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
const inResult = (part: Json) => ({
  tools: [look],
  messages: [
    hello,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [part] },
  ],
});
const asTurn = (at: string, value: unknown) =>
  emulatedAndNamed('messages.content', 'in a further user message', at, value);
const made = (at: string, value: unknown) => emulatedAndNamed('messages.images', 'in the next user message', at, value);
const marked = { type: 'ephemeral' };
const begun = { messages: [hello, { role: 'assistant', content: 'Tea is ' }] };
const inPart = 'messages.0.content.1';

export const contentFeatures: readonly Feature[] = [
  {
    name: 'a message of the role `system`',
    ask: { messages: [{ role: 'system', content: brief }, hello] },
    at: usually(native('messages.0.content', brief), {
      'managed-cloud-models': native('system.0.text', brief),
      'assistant-provider': native('system.0.text', brief),
      'search-provider': native('systemInstruction.parts.0.text', brief),
    }),
  },
  {
    name: 'a message of the role `developer`',
    ask: { messages: [{ role: 'developer', content: brief }, hello] },
    at: usually(emulated('as a system text', 'system.0.text', brief), {
      'gpt-provider': native('messages.0.role', 'developer'),
      'studio-ai': emulated('as a system message', 'messages.0', { role: 'system', content: brief }),
      'search-provider': emulated('as a system text', 'systemInstruction.parts.0.text', brief),
    }),
  },
  {
    name: 'a system message in the middle',
    ask: inTheMiddle,
    at: usually(native('messages.1.content', brief), {
      'managed-cloud-models': asNote('messages.0.content.1.text'),
      'assistant-provider': asNote('messages.0.content.1.text'),
      'search-provider': asNote('contents.0.parts.1.text'),
    }),
  },
  {
    name: 'a system message in the middle, of a model that takes it there',
    ask: inTheMiddle,
    models: { 'assistant-provider': 'claude-opus-4-8' },
    at: usually(native('messages.1.content', brief), {
      'managed-cloud-models': asNote('messages.0.content.1.text'),
      'assistant-provider': native('messages.1', {
        role: 'system',
        content: [{ type: 'text', text: brief }],
      }),
      'search-provider': asNote('contents.0.parts.1.text'),
    }),
  },
  {
    name: 'a system message in the middle, of an open model',
    ask: inTheMiddle,
    models: {
      'studio-ai': 'Llama-3.3-70B-Instruct',
      'managed-cloud-models': 'us.meta.llama3-3-70b-instruct-v1:0',
    },
    at: usually(asNote('messages.0.content.1.text'), {
      'gpt-provider': native('messages.1.content', brief),
      'studio-ai': asNote('messages.0.content', `Hello\n${note}\nProceed.`),
      'search-provider': asNote('contents.0.parts.1.text'),
    }),
  },
  {
    name: 'a system prompt of 100 KiB',
    ask: { messages: [{ role: 'system', content: long }, hello] },
    at: usually(native('messages.0.content', long), {
      'managed-cloud-models': native('system.0.text', long),
      'assistant-provider': native('system.0.text', long),
      'search-provider': native('systemInstruction.parts.0.text', long),
    }),
  },
  {
    name: 'a response begun by the caller: the last message is the assistant’s',
    ask: begun,
    at: usually(native('messages.1.content', 'Tea is '), {
      'managed-cloud-models': native('messages.1.content.0.text', 'Tea is'),
      'assistant-provider': native('messages.1.content.0.text', 'Tea is'),
      'search-provider': native('contents.1.parts.0.text', 'Tea is '),
    }),
  },
  {
    name: 'a response begun by the caller, of a model that takes only a user message as the last',
    ask: begun,
    models: {
      'studio-ai': 'Mistral-Large-3',
      'managed-cloud-models': 'us.anthropic.claude-opus-4-7',
      'assistant-provider': 'claude-opus-4-8',
      'search-provider': 'gemini-3.8-flash',
    },
    at: usually(emulated('with a request to continue', 'messages.2.content.0.text', 'Continue.'), {
      'gpt-provider': native('messages.1.content', 'Tea is '),
      'studio-ai': emulated('with a request to continue', 'messages.2.content', 'Continue.'),
      'search-provider': emulated('with a blank user message', 'contents.2.parts.0.text', ' '),
    }),
  },
  {
    name: '`name` of a message',
    ask: { messages: [{ ...hello, name: 'ann' }] },
    at: usually(dropped('messages.name'), {
      'gpt-provider': native('messages.0.name', 'ann'),
    }),
  },
  {
    name: 'an image as data URL',
    ask: withPart({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }),
    at: usually(native(`${inPart}.image_url.url`, `data:image/png;base64,${png}`), {
      'managed-cloud-models': native(`${inPart}.image`, { format: 'png', source: { bytes: png } }),
      'assistant-provider': native(`${inPart}.source`, {
        type: 'base64',
        media_type: 'image/png',
        data: png,
      }),
      'search-provider': native('contents.0.parts.1.inlineData', { mimeType: 'image/png', data: png }),
    }),
  },
  {
    name: 'an image by URL',
    // The gateway or vendor that fetches images must refuse to fetch this one.
    ask: withPart({ type: 'image_url', image_url: { url: 'https://127.0.0.1/a.png' } }),
    at: usually(native(`${inPart}.image_url.url`, 'https://127.0.0.1/a.png'), {
      'managed-cloud-models': fetched,
      'assistant-provider': native(`${inPart}.source`, { type: 'url', url: 'https://127.0.0.1/a.png' }),
      'search-provider': fetched,
    }),
  },
  {
    name: 'a PDF file as data',
    ask: withPart({
      type: 'file',
      file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
    }),
    at: usually(native(`${inPart}.file.filename`, 'a.pdf'), {
      'studio-ai': refused('messages[0].content[1]'),
      'managed-cloud-models': native(`${inPart}.document.source.bytes`, pdf),
      'assistant-provider': native(`${inPart}.source.data`, pdf),
      'search-provider': native('contents.0.parts.1.inlineData.data', pdf, filename),
    }),
  },
  {
    name: 'sound',
    ask: withPart({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
    at: usually(native(`${inPart}.input_audio.format`, 'wav'), {
      'managed-cloud-models': vendorRefuses(null),
      'assistant-provider': refused('messages[0].content[1]'),
      'search-provider': native('contents.0.parts.1.inlineData', { mimeType: 'audio/wav', data: 'UklGRg==' }),
    }),
  },
  {
    name: 'an image in a tool’s result',
    ask: inResult(image),
    at: usually(asTurn('messages.3.content.1', image), {
      'managed-cloud-models': native('messages.2.content.0.toolResult.content.0.image', {
        format: 'png',
        source: { bytes: png },
      }),
      'assistant-provider': native('messages.2.content.0.content.0.source', {
        type: 'base64',
        media_type: 'image/png',
        data: png,
      }),
      'search-provider': asTurn('contents.3.parts.1.inlineData', { mimeType: 'image/png', data: png }),
    }),
  },
  {
    name: 'an image in a tool’s result, of a model with or without images there',
    ask: inResult(image),
    models: {
      'managed-cloud-models': 'us.meta.llama4-maverick-17b-instruct-v1:0',
      'search-provider': 'gemini-3-flash-preview',
    },
    at: usually(asTurn('messages.3.content.1', image), {
      'managed-cloud-models': asTurn('messages.4.content.1.image.format', 'png'),
      'assistant-provider': native('messages.2.content.0.content.0.source', {
        type: 'base64',
        media_type: 'image/png',
        data: png,
      }),
      'search-provider': native('contents.2.parts.0.functionResponse.parts.0.inlineData', {
        mimeType: 'image/png',
        data: png,
      }),
    }),
    // The model takes no tools in a stream.
    streamed: { 'managed-cloud-models': vendorRefuses(null) },
  },
  {
    name: 'a document in a tool’s result',
    ask: inResult({
      type: 'file',
      file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
    }),
    models: { 'search-provider': 'gemini-3-flash-preview' },
    at: usually(asTurn('messages.3.content.1.file.filename', 'a.pdf'), {
      'studio-ai': refused('messages[2].content[0]'),
      'managed-cloud-models': native('messages.2.content.0.toolResult.content.0.document.source.bytes', pdf),
      'assistant-provider': native('messages.2.content.0.content.0.source.data', pdf),
      'search-provider': native('contents.2.parts.0.functionResponse.parts.0.inlineData.data', pdf, filename),
    }),
  },
  {
    name: '`images` of an assistant’s message, which the model made (extension)',
    ask: {
      messages: [
        { role: 'user', content: 'Paint.' },
        { role: 'assistant', content: 'Here:', images: [image] },
        { role: 'user', content: 'Make it blue.' },
      ],
    },
    at: usually(made('messages.2.content.1', image), {
      'managed-cloud-models': made('messages.2.content.1.image', { format: 'png', source: { bytes: png } }),
      'assistant-provider': made('messages.2.content.1.source', {
        type: 'base64',
        media_type: 'image/png',
        data: png,
      }),
      'search-provider': native('contents.1.parts.1.inlineData', { mimeType: 'image/png', data: png }),
    }),
  },
  {
    name: '`citations` of a file (extension)',
    ask: withPart({
      type: 'file',
      file: { filename: 'a.txt', file_data: `data:text/plain;base64,${plain}` },
      citations: { enabled: true },
    }),
    at: usually(dropped('messages.citations'), {
      'search-provider': dropped('messages.citations', filename),
      'studio-ai': refused('messages[0].content[1]'),
      'managed-cloud-models': native(`${inPart}.document.citations`, { enabled: true }),
      'assistant-provider': native(`${inPart}.citations`, { enabled: true }),
    }),
  },
  {
    name: '`cache_control` of a part (extension)',
    ask: {
      messages: [{ role: 'system', content: [{ type: 'text', text: brief, cache_control: marked }] }, hello],
    },
    at: usually(dropped('messages.cache_control'), {
      'managed-cloud-models': native('system.1.cachePoint', { type: 'default' }),
      'assistant-provider': native('system.0.cache_control', marked),
    }),
  },
  {
    name: '`cache_control` of a message (extension)',
    ask: { messages: [{ role: 'system', content: brief, cache_control: marked }, hello] },
    at: usually(dropped('messages.cache_control'), {
      'managed-cloud-models': native('system.1.cachePoint', { type: 'default' }),
      'assistant-provider': native('system.0.cache_control', marked),
    }),
  },
];
