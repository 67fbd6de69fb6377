import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/index.ts';
import {
  type Acceptance,
  assistant,
  call,
  expectAcceptance,
  expectRefusal,
  haiku3,
  hello,
  history,
  llama,
  novaLite,
  type Refusal,
  result,
  text,
  turn,
  user,
} from './post-converse.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
});
afterAll(() => simulator.close());

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0]).toString('base64');
const gif = Buffer.from('GIF89a....').toString('base64');
const webp = Buffer.from('RIFF....WEBPVP8 ').toString('base64');
const image = (bytes: string, format = 'png') => ({ image: { format, source: { bytes } } });
const fromBucket = { s3Location: { uri: 's3://simulated/cat.png', bucketOwner: '111122223333' } };
const document = (name: string, change: object = {}) => ({
  document: { name, format: 'txt', source: { bytes: 'dGVh' }, ...change },
});

const novaMicro = 'amazon.nova-micro-v1:0';
const llama4 = 'us.meta.llama4-maverick-17b-instruct-v1:0';

describe('media in a converse request', () => {
  it.each<Refusal>([
    [
      'an image of another kind',
      history(user(text, image(png, 'jpg'))),
      "Value 'jpg' at 'messages.1.member.content.2.member.image.format' failed to satisfy constraint: Member must satisfy enum value set: [png, jpeg, gif, webp]",
    ],
    [
      'an image by its address',
      history(user({ image: { format: 'png', source: { url: 'https://a/b' } } })),
      'The ImageSource object at messages.0.content.0.image.source must set one of the following keys: bytes, s3Location.',
    ],
    [
      'an image that is another',
      history(user(image(png, 'jpeg'))),
      'The image was specified using the image/jpeg media type, but the image appears to be a image/png image',
    ],
    [
      'an image that is none',
      history(user(image('AAAA'))),
      'The model returned the following errors: Could not process image',
    ],
    [
      'an image that is another, of another family',
      history(user(image(png, 'gif'))),
      'The model returned the following errors: The provided image does not match the specified image format.',
      novaLite,
    ],
    [
      'an image that is too large',
      history(user(image(Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(4_000_000)]).toString('base64')))),
      'image exceeds 3.75 MB maximum',
    ],
    [
      '21 images',
      history(user(...Array.from({ length: 21 }, () => image(png)))),
      "A message can't contain more than 20 images.",
    ],
    [
      'an image for a model without',
      history(user(image(png))),
      "This model doesn't support the image field for user messages.",
      novaMicro,
    ],
    [
      'an image in a tool result for a model without',
      turn([call('a')], result('a', { content: [image(png)] })),
      "This model doesn't support the image field for user messages.",
      llama4,
    ],
    [
      'an image from a bucket for a model without',
      history(user({ image: { format: 'png', source: fromBucket } })),
      "This model doesn't support the image.source.s3Location field.",
    ],
    [
      'a bucket’s name of another form',
      history(user({ image: { format: 'png', source: { s3Location: { uri: 'https://a/b' } } } })),
      "Value 'https://a/b' at 'messages.1.member.content.1.member.image.source.s3Location.uri'",
      novaLite,
    ],
    [
      'sound',
      history(user({ audio: { format: 'wav', source: { bytes: 'AAAA' } } })),
      "This model doesn't support the audio field for user messages.",
    ],
    [
      'a film for a model without',
      history(user({ video: { format: 'mp4', source: { bytes: 'AAAA' } } })),
      "This model doesn't support the video field for user messages.",
    ],
    [
      'search results for a model without',
      history(user({ searchResult: { source: 'a', title: 'a', content: [text] } })),
      "This model doesn't support the searchResult field for user messages.",
      haiku3,
    ],
    ['a document without a text', history(user(document('a'))), 'A text block must be included when using documents.'],
    [
      'a document whose name has a dot',
      history(user(text, document('a.pdf'))),
      'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.',
    ],
    [
      'a document whose name has two spaces',
      history(user(text, document('a  b'))),
      "The name can't contain more than one consecutive whitespace character.",
    ],
    [
      'a document whose name is empty',
      history(user(text, document(''))),
      'Member must have length greater than or equal to 1',
    ],
    [
      'two documents of one name',
      history(user(text, document('a')), assistant(text), user(text, document('a'))),
      "Messages can't contain duplicate document names. Rename the document and retry your request.",
    ],
    [
      'six documents',
      history(user(text, ...Array.from({ length: 6 }, (_, index) => document(`a${index}`)))),
      "A message can't contain more than 5 documents.",
    ],
    [
      'a document of another kind',
      history(user(text, document('a', { format: 'json' }))),
      'Member must satisfy enum value set: [pdf, csv, doc, docx, xls, xlsx, html, txt, md]',
    ],
    [
      'a document that is too large',
      history(user(text, document('a', { source: { bytes: Buffer.alloc(4_800_000).toString('base64') } }))),
      'The maximum document size is 4.5 MB.',
    ],
    [
      'a document for a model without',
      history(user(text, document('a'))),
      "This model doesn't support the document field for user messages.",
      llama,
    ],
  ])('refuse %s', (...row) => expectRefusal(simulator, row));

  it.each<Acceptance>([
    [
      'images of the four kinds',
      history(user(image(png), image(jpeg, 'jpeg'), image(gif, 'gif'), image(webp, 'webp'))),
    ],
    ['an image in a tool result', turn([call('a')], result('a', { content: [image(png)] }))],
    [
      'media in a bucket',
      history(
        user(text, { image: { format: 'png', source: fromBucket } }, { video: { format: 'mp4', source: fromBucket } }),
      ),
      novaLite,
    ],
    [
      'an image behind the results of a model that takes none inside them',
      turn([call('a')], result('a'), text, image(png)),
      'openai.gpt-5.6-sol',
    ],
    [
      'documents',
      history(
        user(
          text,
          document('a (1) [x]-y'),
          document('b', { format: 'pdf', citations: { enabled: true }, context: 'x' }),
          document('c', { source: { text: 'tea' } }),
          document('d', { source: { content: [text] } }),
        ),
      ),
    ],
    [
      'search results',
      history(
        user(text, {
          searchResult: { source: 'a', title: 'a', content: [text], citations: { enabled: true } },
        }),
        assistant(text),
        hello,
      ),
    ],
  ])('accept %s', (...row) => expectAcceptance(simulator, row));
});

it('an ARN of an application profile has the limits of its model', async () => {
  const change = { inferenceConfig: { temperature: 0.5, topP: 0.5 } };
  const profile = 'arn:aws:bedrock:us-east-1:111122223333:application-inference-profile/simclaude45s';
  await expectRefusal(simulator, ['', change, 'cannot both be specified', profile]);
  expect(simulator.requests.at(-1)?.target).toContain('application-inference-profile%2Fsimclaude45s/converse');
});
