import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  expectAcceptance,
  expectRefusal,
  history,
  messageWith,
  png,
  post,
  type Refusal,
  request,
  text,
  user,
  valid,
} from './post-message.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const image = (source: object) => history(request([{ type: 'image', source }]));

const base64 = (media_type: string, data: string) => image({ type: 'base64', media_type, data });

const document = (source: object, change: object = {}) => history(request([{ type: 'document', source, ...change }]));

const source = 'messages.0.content.0.image.source';

const pdf = Buffer.from('%PDF-1.7\n').toString('base64');

const gif = Buffer.from('GIF89a').toString('base64');

describe('images and documents', () => {
  it.each<Refusal>([
    [
      'a data URL',
      image({ type: 'url', url: `data:image/png;base64,${png}` }),
      `${source}.url.url: Only HTTPS URLs are supported.`,
    ],
    [
      'a plain URL',
      image({ type: 'url', url: 'http://example.com/a.png' }),
      `${source}.url.url: Only HTTPS URLs are supported.`,
    ],
    ['no URL', image({ type: 'url', url: 'cat.png' }), /Only HTTPS URLs are supported\.$/],
    [
      'an unknown kind',
      base64('image/svg+xml', png),
      `${source}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    ],
    [
      'a data URL as data',
      base64('image/png', `data:image/png;base64,${png}`),
      `${source}.base64: invalid base64 data`,
    ],
    ['no data', base64('image/png', ''), `${source}.base64: invalid base64 data`],
    [
      'another kind',
      base64('image/jpeg', png),
      /image\/jpeg media type, but the image appears to be a image\/png image$/,
    ],
    ['no image at all', base64('image/png', 'AAAA'), 'Could not process image'],
    [
      'more than 5 MB',
      base64('image/png', Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(5_242_880)]).toString('base64')),
      /^messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 52429\d\d bytes > 5242880 bytes$/,
    ],
    ['an unknown source', image({ type: 'blob' }), /^messages.0.content.0.image.source: Input tag 'blob'/],
    [
      'one of the assistant',
      history(user, messageWith([{ type: 'image', source: { type: 'url', url: 'https://a/b' } }]), user),
      'messages.1.content.0: `image` blocks can only be in `user` messages',
    ],
    [
      'more than 100 for a model with a small context',
      {
        ...history(request(Array(101).fill({ type: 'image', source: { type: 'url', url: 'https://a/b' } }))),
        model: 'claude-sonnet-4-5',
      },
      'Too much media: 0 document pages + 101 images > 100',
    ],
    [
      'a document that is none',
      document({ type: 'base64', media_type: 'application/pdf', data: png }),
      /The PDF specified was not valid\.$/,
    ],
    [
      'a document of another kind',
      document({ type: 'base64', media_type: 'text/csv', data: pdf }),
      "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
    ],
    ['a document without a source', history(request([{ type: 'document' }])), /document.source: Field required$/],
  ])('are refused: %s', (...row) => expectRefusal(simulator, row));

  it('are reported as not found when they refer to files, because there are none', async () => {
    const response = await post(simulator, { ...valid, ...image({ type: 'file', file_id: 'file_1' }) });
    expect([response.status, response.json().error]).toEqual([
      404,
      { type: 'not_found_error', message: 'File not found: file_1' },
    ]);
  });

  it.each<readonly [string, object]>([
    ['an image by URL', image({ type: 'url', url: 'https://example.com/a.png' })],
    ['a PNG', base64('image/png', png)],
    ['a GIF', base64('image/gif', gif)],
    [
      'more than 100 images for a model with a large context',
      history(request(Array(101).fill({ type: 'image', source: { type: 'url', url: 'https://a/b' } }))),
    ],
    ['a PDF', document({ type: 'base64', media_type: 'application/pdf', data: pdf }, { title: 'x', context: null })],
    ['a text', document({ type: 'text', media_type: 'text/plain', data: 'x' }, { citations: { enabled: true } })],
    ['a document of blocks', document({ type: 'content', content: [text('x')] })],
    ['a search result', history(request([{ type: 'search_result', content: [text('x')], source: 'a', title: 'b' }]))],
  ])('are accepted: %s', (_name, change) => expectAcceptance(simulator, change));
});
