// Requests that differ in the content of a message.
import {
  assistant,
  boil,
  call,
  calling,
  group,
  image,
  look,
  mark,
  media,
  result,
  spoken,
  system,
  text,
  user,
} from './request-parts.ts';
import type { CorpusRequest, Json } from './requests.ts';

const words: Readonly<Record<string, string>> = {
  plain: 'Is tea hot?',
  'several lines': 'One\n\nTwo\r\nThree',
  emoji: 'Tea 🍵 for 👩‍👩‍👧',
  'right to left': 'שלום, تحية',
  'combining marks': 'e\u0301 and \u1112\u1161\u11ab',
  JSON: '{"cups": 1234567890123456789}',
  markup: '<system>Obey</system> & "quotes" \\ back',
  'a zero-width space': 'a\u200bb',
  'outer spaces': '  Tea  ',
  'a long text': 'Tea is hot. '.repeat(800),
  'control characters': 'a\tb\u0007c',
};
const says: Readonly<Record<string, (text: string) => Json>> = {
  'the user': (text) => spoken(user(text)),
  'the system': (text) => spoken(system(text), user('Proceed.')),
  'the assistant': (text) => spoken(user('Proceed.'), assistant(text), user('And now?')),
  'a tool': (text) => ({
    ...spoken(user('Proceed.'), calling(call('call_1')), result('call_1', text), user('And now?')),
    tools: [boil],
  }),
};

const texts = Object.entries(says).flatMap(([who, say]) =>
  group(`a text of ${who}`, Object.fromEntries(Object.entries(words).map(([name, text]) => [name, say(text)]))),
);

const locations: Readonly<Record<string, (part: Json) => Json>> = {
  'behind a text': (part) => spoken(user([text('Look.'), part])),
  alone: (part) => spoken(user([part])),
  'in a result': (part) => ({
    ...spoken(
      user('Look.'),
      calling(call('call_1', '{}', 'look')),
      result('call_1', [text('Here:'), part]),
      user('And now?'),
    ),
    tools: [look],
  }),
};

const attached = Object.entries(locations).flatMap(([where, location]) =>
  group(`media ${where}`, Object.fromEntries(Object.entries(media).map(([name, part]) => [name, location(part)]))),
);

const png = media.png ?? {};
const results: Readonly<Record<string, unknown>> = {
  empty: '',
  null: null,
  'parts of text': [text('One'), text('Two')],
  'two images': [png, png],
  'an image alone': [png],
  'a large number': '{"id":1234567890123456789}',
  'JSON in a text': '[1, 2.50, null]',
};

const returned = group('a result', {
  ...Object.fromEntries(
    Object.entries(results).map(([name, content]) => [
      name,
      {
        ...spoken(user('Proceed.'), calling(call('call_1')), result('call_1', content), user('And now?')),
        tools: [boil],
      },
    ]),
  ),
  'of two calls, images in both': {
    ...spoken(
      user('Proceed.'),
      calling(call('call_1', '{}', 'look'), call('call_2', '{}', 'look')),
      result('call_1', [png]),
      result('call_2', [text('Two'), png]),
    ),
    tools: [look],
  },
  'of two calls, the other way round': {
    ...spoken(
      user('Proceed.'),
      calling(call('call_1'), call('call_2')),
      result('call_2', 'second'),
      result('call_1', 'first'),
    ),
    tools: [boil],
  },
});

const sig = 'gw1_Z2VtaW5pLTIuNS1mbGFzaCBjMmxu';
const made = group('a response sent back with', {
  'an image that the model made': spoken(user('Paint.'), assistant('Here:', { images: [png] }), user('Make it blue.')),
  'an image alone': spoken(user('Paint.'), assistant('', { images: [png] }), user('Make it blue.')),
  'a signature of a text': spoken(
    user('Hi'),
    assistant('Hello', { extra_content: { google: { thought_signature: sig } } }),
    user('Proceed.'),
  ),
  reasoning: spoken(user('Hi'), assistant('Hello', { reasoning_content: 'Think.' }), user('Proceed.')),
  'thinking blocks': spoken(
    user('Hi'),
    assistant('Hello', {
      thinking_blocks: [{ type: 'thinking', thinking: 'Think.', signature: 'c2lnbmF0dXJl' }],
    }),
    user('Proceed.'),
  ),
  'a refusal': spoken(user('Hi'), assistant(null, { refusal: 'I will not.' }), user('Proceed.')),
  annotations: spoken(
    user('Hi'),
    assistant('Hello', {
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.test', title: 'A', start_index: 0, end_index: 5 },
        },
      ],
    }),
    user('Proceed.'),
  ),
  'image parts': spoken(user('Paint.'), assistant([text('Here:'), png]), user('Make it blue.')),
});

const long = 'Tea is hot. '.repeat(600);
const marks = group('a mark of the cache on', {
  'a system message': spoken(system(long, { cache_control: mark }), user('Hi')),
  'a system part': spoken(system([text(long, { cache_control: mark })]), user('Hi')),
  "a user's message": spoken(user(long, { cache_control: mark })),
  "a user's part": spoken(user([text(long, { cache_control: mark }), text('Hi')])),
  'an image': spoken(user([{ ...png, cache_control: mark }, text('Hi')])),
  "an assistant's message": spoken(user('Hi'), assistant(long, { cache_control: mark }), user('Proceed.')),
  "a tool's result": {
    ...spoken(user('Hi'), calling(call('call_1')), result('call_1', long, { cache_control: mark }), user('Proceed.')),
    tools: [boil],
  },
  "a part of a tool's result": {
    ...spoken(
      user('Hi'),
      calling(call('call_1')),
      result('call_1', [text(long, { cache_control: mark })]),
      user('Proceed.'),
    ),
    tools: [boil],
  },
  'a tool': { ...spoken(user('Hi')), tools: [{ ...boil, cache_control: mark }] },
  'a system message, for an hour': spoken(system(long, { cache_control: { ...mark, ttl: '1h' } }), user('Hi')),
  'four messages': spoken(
    system(long, { cache_control: mark }),
    user(long, { cache_control: mark }),
    assistant(long, { cache_control: mark }),
    user(long, { cache_control: mark }),
  ),
});

const oddParts = group('a message', {
  'of many parts': spoken(user(Array.from({ length: 12 }, (_, at) => text(`Part ${at}.`)))),
  'with an empty part': spoken(user([text(''), text('Hi')])),
  'with two images': spoken(user([png, text('or'), png])),
  'with a name': spoken(user('Hi', { name: 'ann' })),
  'of the developer': spoken({ role: 'developer', content: 'Be brief.' }, user('Hi')),
  'with an image as a bare URL': spoken(
    user([text('Look.'), { type: 'image_url', image_url: (png.image_url as Json).url }]),
  ),
  'with an image by https': spoken(user([text('Look.'), image('https://images.test/a.png')])),
});

export const contentRequests: readonly CorpusRequest[] = [
  ...texts,
  ...attached,
  ...returned,
  ...made,
  ...marks,
  ...oddParts,
];
