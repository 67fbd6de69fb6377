// The GPT vendor receives the JSON that the caller sent, byte for byte, except for the model's name, the usage option
// of a stream and leftovers of earlier responses in messages. Over random valid bodies; GATEWAY_PASSTHROUGH_SEED
// repeats a run.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Random } from '../../support/access/random.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { type RawUpstream, startRawUpstream } from '../../support/raw-upstream.ts';
import { startingSeed } from '../../support/seed.ts';

let gateway: TestGateway;
let upstream: RawUpstream;
let proxy: TestProxy;
let received: string | undefined;

beforeAll(async () => {
  gateway = await startGateway();
  const { id, api } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  upstream = await startRawUpstream((socket, body) => {
    received = body.toString();
    const isStream = (JSON.parse(received) as Body).stream === true;
    const [type, response] = isStream
      ? ['text/event-stream', 'data: [DONE]\n\n']
      : ['application/json', '{"choices":[]}'];
    const head = ['HTTP/1.1 200 OK', `content-type: ${type}`, `content-length: ${response.length}`, '', ''];
    socket.write(head.join('\r\n') + response);
  });
  proxy = await gateway.startProxy(upstream.settings);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Body = { [name: string]: Json };

const bodies = 400;
const given = process.env.GATEWAY_PASSTHROUGH_SEED;
const seed = given === undefined ? startingSeed() : Number(given);

it(`a body arrives as it was sent (seed ${seed})`, async () => {
  const random = new Random(seed);
  const { value } = await gateway.organization.createKey();
  const seen = { streams: 0, cleaned: 0, own: 0 };
  for (let count = 0; count < bodies; count++) {
    const own = random.chance(0.3);
    const model = random.pick(['gpt-4o-mini', 'o3', 'ft:gpt-4o:acme/x', 'made.up_model-1@2']);
    const body = randomBody(random, own ? model : `${random.pick(['gpt-provider', 'openai'])}/${model}`);
    const sent = JSON.stringify(body, undefined, random.pick([undefined, 1, '\t']));
    const response = await fetch(`${proxy.url}/v1/${own ? 'openai/' : ''}chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(own ? { 'project-api-key': value, authorization: 'Bearer sk-own' } : { 'x-svc-vk': value }),
      },
      body: sent,
    });
    expect([await response.text(), response.status]).toEqual([expect.any(String), 200]);
    const expected = expectedOf(JSON.parse(sent) as Body, model);
    expect(received).toBe(JSON.stringify(expected));
    if (own) seen.own++;
    if (body.stream === true) seen.streams++;
    if (JSON.stringify(body.messages) !== JSON.stringify(expected.messages)) seen.cleaned++;
  }
  console.log(`${bodies} bodies, of them`, seen);
  expect(Object.values(seen).every((number) => number > bodies / 20)).toBe(true);
});

/** Written independently of the tested code, from the decisions. */
function expectedOf(body: Body, model: string): Body {
  const messages = (body.messages as Body[]).map((message) =>
    Object.fromEntries(
      Object.entries(message).filter(([name, value]) => {
        const isEmptyList = Array.isArray(value) && value.length === 0;
        if (name === 'tool_calls') return value !== null && !isEmptyList;
        return !(['function_call', 'refusal'].includes(name) && value === null);
      }),
    ),
  );
  const options = body.stream_options as Body | null | undefined;
  return {
    ...body,
    ...{ model, messages },
    ...(body.stream === true && { stream_options: { ...options, include_usage: true } }),
  };
}

function randomBody(random: Random, model: string): Body {
  const stream = random.pick([undefined, null, false, true, true]);
  const fields: [string, Json | undefined][] = [
    ['model', model],
    ['messages', listOf(random, 1, 5, randomMessage)],
    ['stream', stream],
    ['temperature', random.pick([undefined, 0, 0.1, 1e-7, 1.5e300, -0.5])],
    ['tools', random.chance(0.5) ? listOf(random, 1, 3, (r) => randomJson(r, 4)) : undefined],
    ['user', random.chance(0.5) ? randomText(random) : undefined],
    ['function_call', random.pick([undefined, null, 'auto'])],
    [
      'stream_options',
      stream === true
        ? random.pick([undefined, null, {}, { include_usage: false }, { include_obfuscation: false }])
        : undefined,
    ],
    ...listOf(random, 0, 4, (r): [string, Json] => [randomName(r), randomJson(r, 5)]),
  ];
  return toObject(random, fields);
}

function randomMessage(random: Random): Body {
  const role = random.pick(['system', 'developer', 'user', 'assistant', 'tool', 'function']);
  // Media in results of tools, and of the assistant's, are moved to a message of their own.
  const kinds = ['tool', 'function', 'assistant'].includes(role)
    ? ['text', 'new_kind']
    : ['text', 'image_url', 'new_kind'];
  const content = random.pick([
    () => randomText(random),
    () => null,
    () => undefined,
    () =>
      listOf(random, 0, 3, (r) => ({
        type: r.pick(kinds),
        [randomName(r)]: randomJson(r, 3),
      })),
  ]);
  return toObject(random, [
    ['role', role],
    ['content', content()],
    ['tool_calls', random.pick([undefined, undefined, null, [], [{ id: 'c', type: 'function' }]])],
    ['function_call', random.pick([undefined, null, { name: 'f', arguments: '{}' }])],
    ['refusal', random.pick([undefined, null, '', 'no'])],
    ...listOf(random, 0, 2, (r): [string, Json] => [randomName(r), randomJson(r, 3)]),
  ]);
}

/** In random order; undefined fields are omitted. */
function toObject(random: Random, fields: readonly (readonly [string, Json | undefined])[]): Body {
  const present = fields.filter((field): field is [string, Json] => field[1] !== undefined);
  const shuffled = present.map((field) => ({ field, at: random.next() })).sort((a, b) => a.at - b.at);
  return Object.fromEntries(shuffled.map(({ field }) => field));
}

function randomJson(random: Random, depth: number): Json {
  const plain = [
    () => null,
    () => random.chance(0.5),
    () => random.pick([0, -0, 1, -1, 1e21, 2 ** 53 - 1, 0.1, 1e-9, random.next() * 1e6]),
    () => randomText(random),
  ];
  const deep = [
    () => listOf(random, 0, 4, (r) => randomJson(r, depth - 1)),
    () =>
      toObject(
        random,
        listOf(random, 0, 4, (r): [string, Json] => [randomName(r), randomJson(r, depth - 1)]),
      ),
  ];
  return random.pick(depth > 0 ? [...plain, ...deep] : plain)();
}

function listOf<T>(random: Random, min: number, max: number, one: (random: Random) => T): T[] {
  return Array.from({ length: min + random.below(max - min + 1) }, () => one(random));
}

const names = ['a', 'name', 'usage', 'error', '__proto__', 'constructor', 'toJSON', '12', '', 'with space', 'ü', '😀'];

function randomName(random: Random): string {
  return random.pick(names) + (random.chance(0.5) ? String(random.below(1000)) : '');
}

const texts = [
  '',
  'Hello',
  '"quoted" \\ back',
  'line\nfeed\r\n\ttab',
  '\u0000\u001f',
  'ü ß 漢字 😀',
  '\ud800 alone',
  '\u2028\u2029',
  '{"a":[1,2]}',
  '[DONE]',
  '</script>',
  'x'.repeat(5000),
];

function randomText(random: Random): string {
  return listOf(random, 1, 3, (r) => r.pick(texts)).join(random.pick(['', ' ']));
}
