// Requests that differ in the order of roles, in calls and in their ids.
import { assistant, boil, call, calling, group, result, spoken, system, user } from './request-parts.ts';
import type { CorpusRequest, Json } from './requests.ts';

/**
 * S system, D developer, U user, A assistant, E an assistant without a text, C one call, 2 two calls; calls are followed
 * by their results.
 */
const orders = [
  ...['U', 'SU', 'SSU', 'DU', 'SDU', 'UU', 'UUU', 'SUU', 'UAU', 'SUAU', 'UAAU', 'AU', 'SAU', 'UAUAU', 'UEU'],
  ...['USU', 'US', 'UAS', 'UASU', 'UAUS', 'SUSU', 'USSU', 'UDU', 'SUASUASU', 'USAU'],
  ...[
    'UC',
    'UCU',
    'UCA',
    'UCAU',
    'UCC',
    'UCCU',
    'U2',
    'U2U',
    'SUCAU',
    'UCS',
    'UCSU',
    'SUCSAU',
    'UC2CAU',
    'UACU',
    'U2SC',
  ],
  ...['UA', 'SUA', 'UCA'],
];

function messagesOf(order: string): Json[] {
  let id = 0;
  const next = () => `call_${++id}`;
  return [...order].flatMap((who, at): Json[] => {
    const text = `Turn ${at}.`;
    if (who === 'S') return [system(text)];
    if (who === 'D') return [{ role: 'developer', content: text }];
    if (who === 'U') return [user(text)];
    if (who === 'A') return [assistant(text)];
    if (who === 'E') return [assistant('')];
    const ids = who === '2' ? [next(), next()] : [next()];
    return [calling(...ids.map((one) => call(one))), ...ids.map((one) => result(one, `${text} ${one}`))];
  });
}

const inOrder = group(
  'turns',
  Object.fromEntries(
    [...new Set(orders)].map((order) => [
      order,
      { ...spoken(...messagesOf(order)), ...(/[C2]/.test(order) && { tools: [boil] }) },
    ]),
  ),
);

const spellings: Readonly<Record<string, string>> = {
  'large whole numbers': '{"cups":1234567890123456789}',
  'exact fractions': '{"cups":1.0,"more":2.50e3,"less":-0}',
  nested: '{"a":{"b":[1,{"c":null}]},"d":"é🍵"}',
  'an empty object': '{}',
  'an empty text': '',
  spaces: ' { "cups" : 2 } ',
  'no JSON': '{"cups":',
  'a list': '[1,2]',
  'escaped letters': '{"a":"\\u00e9\\n\\""}',
};
const args = group(
  'arguments of',
  Object.fromEntries(
    Object.entries(spellings).map(([name, written]) => [
      name,
      {
        ...spoken(user('Proceed.'), calling(call('call_1', written)), result('call_1', 'done')),
        tools: [boil],
      },
    ]),
  ),
);

const names: Readonly<Record<string, string>> = {
  'of the assistant vendor': 'toolu_01A09q90qw90lq917835lq9',
  'of the cloud': 'tooluse_kZJMlvQmRJ6eAyJE5GIl7Q',
  'a UUID': '0f1d2c3b-4a59-4687-9695-a4b3c2d1e0f1',
  'of a hundred letters': `call_${'a'.repeat(95)}`,
  'with other letters': 'functions.boil:0',
  'of nine letters': 'abcdefghi',
};
const ids = group('an id', {
  ...Object.fromEntries(
    Object.entries(names).map(([name, id]) => [
      name,
      { ...spoken(user('Proceed.'), calling(call(id)), result(id, 'done')), tools: [boil] },
    ]),
  ),
  'that comes twice': {
    ...spoken(
      user('Proceed.'),
      calling(call('call_1')),
      result('call_1', 'first'),
      assistant('Again.'),
      user('Proceed.'),
      calling(call('call_1')),
      result('call_1', 'second'),
    ),
    tools: [boil],
  },
});

const { function: boiling } = boil;
const legacy = group('deprecated', {
  functions: { ...spoken(user('Proceed.')), functions: [boiling] },
  'functions, one of them to be called': {
    ...spoken(user('Proceed.')),
    functions: [boiling],
    function_call: { name: 'boil' },
  },
  'a history of functions': {
    ...spoken(
      user('Proceed.'),
      { role: 'assistant', content: null, function_call: { name: 'boil', arguments: '{"cups":2}' } },
      { role: 'function', name: 'boil', content: 'done' },
      user('And now?'),
    ),
    functions: [boiling],
  },
});

export const turnRequests: readonly CorpusRequest[] = [...inOrder, ...args, ...ids, ...legacy];
