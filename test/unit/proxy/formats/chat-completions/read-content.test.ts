import { describe, expect, it } from 'vitest';
import { readParts } from '../../../../../proxy/formats/chat-completions/read-content.ts';

const at = 'messages[0].content';
const read = (content: unknown) => readParts(content, at);
const one = (part: object) => read([part])[0];
const refused = (param: string) => expect.objectContaining({ code: 'invalid_request', param });

describe('the content of a message', () => {
  it.each([
    ['nothing', undefined, []],
    ['null', null, []],
    ['no parts', [], []],
    ['an empty text', '', [{ kind: 'text', text: '' }]],
    ['a text', 'Hi', [{ kind: 'text', text: 'Hi' }]],
    ['a refusal', [{ type: 'refusal', refusal: 'No.' }], [{ kind: 'text', text: 'No.' }]],
  ])('can be %s', (_what, content, expected) => {
    expect(read(content)).toMatchObject(expected);
  });

  it.each([
    ['https://example.com/a.png', { kind: 'url', url: 'https://example.com/a.png' }],
    ['http://example.com/a.png', { kind: 'url', url: 'http://example.com/a.png' }],
    ['data:image/PNG;base64,aGk=', { kind: 'data', data: { mediaType: 'image/png', base64: 'aGk=' } }],
  ])('can contain images: %s', (url, source) => {
    const expected = { kind: 'image', source, at: `${at}[0]` };
    expect(one({ type: 'image_url', image_url: { url, detail: 'high' } })).toMatchObject({
      ...expected,
      detail: 'high',
    });
    expect(one({ type: 'image_url', image_url: url })).toMatchObject({ ...expected, detail: undefined });
    expect(one({ type: 'image_url', image_url: { url, detail: 'huge' } })).toMatchObject({
      detail: undefined,
    });
  });

  it.each(['data:application/pdf;base64,aGk=', 'data:image/png;base64,JVBERi0xLjc='])(
    'can contain a PDF that is sent as an image: %s',
    (url) => {
      const source = { kind: 'data', data: { mediaType: 'application/pdf' } };
      expect(one({ type: 'image_url', image_url: { url } })).toMatchObject({ kind: 'file', source });
    },
  );

  it('can contain audio', () => {
    const part = { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } };
    expect(one(part)).toEqual({ kind: 'audio', format: 'wav', base64: 'aGk=', at: `${at}[0]` });
  });

  it.each([
    [
      { file_id: 'f1', filename: 'a.pdf' },
      { source: { kind: 'id', id: 'f1' }, name: 'a.pdf' },
    ],
    [
      { file_data: 'https://example.com/a.pdf' },
      {
        source: { kind: 'url', url: 'https://example.com/a.pdf', isVideo: false },
        where: `${at}[0].file.file_data`,
      },
    ],
    [
      { file_data: 'data:text/csv;charset=utf-8;base64,aGk=' },
      { source: { kind: 'data', data: { mediaType: 'text/csv', base64: 'aGk=' } }, name: undefined },
    ],
    [{ file_data: 'aGk=' }, { source: { kind: 'data', data: { mediaType: 'application/pdf', base64: 'aGk=' } } }],
  ])('can contain files: %j', (file, expected) => {
    expect(one({ type: 'file', file })).toMatchObject({ kind: 'file', ...expected, at: `${at}[0]` });
  });

  it.each([
    ['https://example.com/a.mp4', { kind: 'url', url: 'https://example.com/a.mp4', isVideo: true }],
    ['data:video/mp4;base64,aGk=', { kind: 'data', data: { mediaType: 'video/mp4', base64: 'aGk=' } }],
  ])('can contain videos: %s', (url, source) => {
    const expected = { kind: 'file', source, name: undefined, at: `${at}[0]` };
    expect(one({ type: 'video_url', video_url: { url } })).toMatchObject(expected);
    expect(one({ type: 'video_url', video_url: url })).toMatchObject(expected);
  });

  it.each([
    [{ cache_control: { type: 'ephemeral' } }, { ttl: undefined }],
    [{ cache_control: { type: 'ephemeral', ttl: '1h' } }, { ttl: '1h' }],
    [{ cache_control: { type: 'ephemeral', ttl: '9h' } }, { ttl: undefined }],
    [{ prompt_cache_breakpoint: { mode: 'explicit' } }, { ttl: undefined }],
    [{ cache_control: null }, undefined],
    [{}, undefined],
  ])('marks where the prompt is cached: %j', (mark, expected) => {
    expect(one({ type: 'text', text: 'Hi', ...mark })).toMatchObject({ cache: expected });
    expect(one({ type: 'file', file: { file_id: 'f' }, ...mark })).toMatchObject({ cache: expected });
  });

  it.each([
    [{ type: 'text' }, `${at}[0].text`],
    [{ type: 'text', text: 4 }, `${at}[0].text`],
    [{ type: 'refusal' }, `${at}[0].refusal`],
    [{ type: 'image_url' }, `${at}[0].image_url`],
    [{ type: 'image_url', image_url: {} }, `${at}[0].image_url.url`],
    [{ type: 'image_url', image_url: { url: 'ftp://example.com' } }, `${at}[0].image_url.url`],
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,%%%' } }, `${at}[0].image_url.url`],
    [{ type: 'image_url', image_url: { url: 'data:image/png,raw' } }, `${at}[0].image_url.url`],
    [{ type: 'input_audio' }, `${at}[0].input_audio`],
    [{ type: 'input_audio', input_audio: { data: '%', format: 'wav' } }, `${at}[0].input_audio.data`],
    [{ type: 'input_audio', input_audio: { data: 'aGk=' } }, `${at}[0].input_audio.format`],
    [{ type: 'file' }, `${at}[0].file`],
    [{ type: 'file', file: {} }, `${at}[0].file.file_data`],
    [{ type: 'file', file: { file_data: 'not base64' } }, `${at}[0].file.file_data`],
    [{ type: 'video_url' }, `${at}[0].video_url`],
    [{ type: 'video_url', video_url: {} }, `${at}[0].video_url.url`],
    [{ type: 'video_url', video_url: { url: 'ftp://example.com' } }, `${at}[0].video_url.url`],
    [{ type: 'video' }, `${at}[0].type`],
    [{}, `${at}[0].type`],
  ])('is refused with the name of the invalid part: %j', (part, param) => {
    expect(() => read([part])).toThrow(refused(param));
  });

  it('is refused when it is neither a text nor a list of parts', () => {
    expect(() => read(4)).toThrow(refused(at));
    expect(() => read(['Hi'])).toThrow(refused(`${at}[0]`));
  });
});
