// Building blocks of the tables of requests.
import { png } from '../support/png.ts';
import type { CorpusRequest, Json } from './requests.ts';

export const base64 = (text: string) => Buffer.from(text).toString('base64');
export const pdf = base64('%PDF-1.4\n%%EOF\n');
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex').toString('base64');
const gif = Buffer.from('47494638396101000100800000000000ffffff2c00000000010001000002024401003b', 'hex').toString(
  'base64',
);
const webp = Buffer.from('524946461a000000574542505650384c0d0000002f00000010071011118888fe0700', 'hex').toString(
  'base64',
);
const wav = Buffer.from('524946462400000057415645666d7420', 'hex').toString('base64');

export const text = (text: string, more: Json = {}): Json => ({ type: 'text', text: text, ...more });
export const image = (url: string, more: Json = {}): Json => ({
  type: 'image_url',
  image_url: { url, ...more },
});
export const file = (data: string, filename?: string, more: Json = {}): Json => ({
  type: 'file',
  file: { file_data: data, ...(filename !== undefined && { filename }) },
  ...more,
});

/** By name: one part of each kind that a user may send. */
export const media: Readonly<Record<string, Json>> = {
  png: image(`data:image/png;base64,${png}`),
  jpeg: image(`data:image/jpeg;base64,${jpeg}`),
  gif: image(`data:image/gif;base64,${gif}`),
  webp: image(`data:image/webp;base64,${webp}`),
  'png called jpeg': image(`data:image/jpeg;base64,${png}`),
  'png in low detail': image(`data:image/png;base64,${png}`, { detail: 'low' }),
  'png in high detail': image(`data:image/png;base64,${png}`, { detail: 'high' }),
  'png without padding': image(`data:image/png;base64,${png.replace(/=+$/, '')}`),
  'png in lines': image(`data:image/png;base64,${png.match(/.{1,40}/g)?.join('\n')}`),
  'pdf as an image': image(`data:application/pdf;base64,${pdf}`),
  pdf: file(`data:application/pdf;base64,${pdf}`, 'a.pdf'),
  'pdf without a name': file(`data:application/pdf;base64,${pdf}`),
  'pdf as bare base64': file(pdf, 'a.pdf'),
  'text file': file(`data:text/plain;base64,${base64('Tea is hot.')}`, 'a.txt'),
  csv: file(`data:text/csv;base64,${base64('a,b\n1,2\n')}`, 'a.csv'),
  markdown: file(`data:text/markdown;base64,${base64('# Tea')}`, 'a.md'),
  'json file': file(`data:application/json;base64,${base64('{"tea":1}')}`, 'a.json'),
  'pdf to be cited': file(`data:application/pdf;base64,${pdf}`, 'a.pdf', { citations: { enabled: true } }),
  wav: { type: 'input_audio', input_audio: { data: wav, format: 'wav' } },
  mp3: { type: 'input_audio', input_audio: { data: base64('ID3'), format: 'mp3' } },
  mp4: { type: 'video_url', video_url: { url: `data:video/mp4;base64,${base64('ftypisom')}` } },
};

export const user = (content: unknown, more: Json = {}): Json => ({ role: 'user', content, ...more });
export const system = (content: unknown, more: Json = {}): Json => ({ role: 'system', content, ...more });
export const assistant = (content: unknown, more: Json = {}): Json => ({
  role: 'assistant',
  content,
  ...more,
});
export const result = (id: string, content: unknown, more: Json = {}): Json => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...more,
});
export const call = (id: string, args = '{"cups":2}', name = 'boil'): Json => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
export const calling = (...calls: readonly Json[]): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
});
export const tool = (name: string, parameters?: Json, more: Json = {}): Json => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, ...(parameters && { parameters }), ...more },
});
export const boil = tool('boil', {
  type: 'object',
  properties: { cups: { type: 'integer', description: 'How many.' } },
  required: ['cups'],
});
export const look = tool('look', { type: 'object', properties: {} });
export const mark: Json = { type: 'ephemeral' };

export function group(name: string, rows: Readonly<Record<string, Json>>): CorpusRequest[] {
  return Object.entries(rows).map(([what, body]) => ({ name: `${name}: ${what}`, body }));
}

export const spoken = (...messages: readonly Json[]): Json => ({ messages, max_tokens: 300 });
