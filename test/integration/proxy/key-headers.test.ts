// Headers that identify the caller, and headers that reach the provider: the five key headers and `Project-Api-Key`, on
// every route, in every order, sent twice, and with a virtual key in place of a provider's. The test writes raw HTTP
// because clients merge headers.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway } from '../../support/gateway.ts';
import { accessLine } from '../../support/observe.ts';
import { openConnection } from '../../support/raw-http.ts';

interface Key {
  readonly id: string;
  readonly value: string;
}

let gateway: TestGateway;
/** Two keys of an organization that allows callers' own provider keys. */
let keys: readonly [Key, Key];

beforeAll(async () => {
  gateway = await startGateway();
  const { id, api, createKey } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  keys = [await createKey(), await createKey()];
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

type Header = readonly [name: string, value: string];

const routes = {
  chat: 'POST /v1/chat/completions',
  models: 'GET /v1/models',
  model: 'GET /v1/models/gpt-provider%2Fgpt-4o-mini',
  own: 'POST /v1/gpt-provider/chat/completions',
  alias: 'POST /v1/openai/chat/completions',
} as const;
type RouteName = keyof typeof routes;

let requests = 0;

interface Outcome {
  readonly status: number;
  readonly code: string | undefined;
  /** Id of the caller's key in the access log. */
  readonly keyId: unknown;
  readonly projectKeyId: unknown;
  /** The credential that the provider received; undefined if it was not called. */
  readonly sent: string | undefined;
}

async function send(route: RouteName, headers: readonly Header[]): Promise<Outcome> {
  requests++;
  const id = `key-headers-${requests}`;
  const before = gateway.simulator.requests.length;
  const isChat = routes[route].startsWith('POST');
  const model = route === 'chat' ? 'gpt-provider/gpt-4o-mini' : 'gpt-4o-mini';
  const body = isChat ? chatBody({ model }) : '';
  const lines = [
    `${routes[route]} HTTP/1.1`,
    ...['host: gateway', `x-request-id: ${id}`, 'content-type: application/json', `content-length: ${body.length}`],
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const connection = await openConnection(gateway.proxy.port);
  connection.send([...lines, '', body].join('\r\n'));
  const response = await connection.respond();
  connection.socket.destroy();
  const { error } = JSON.parse(response.body) as { error?: { code: string } };
  const line = await accessLine(gateway, id);
  return {
    ...{ status: response.status, code: error?.code, keyId: line.key_id, projectKeyId: line.project_key_id },
    sent: gateway.simulator.requests.slice(before)[0]?.headers.authorization,
  };
}

const storedCredential = 'Bearer sk-sim-stored-0123456789abcdef';
const ownCredential = 'Bearer sk-sim-own';

// In order of precedence.
const carriers: readonly { readonly name: string; readonly of: (value: string) => string }[] = [
  { name: 'x-svc-vk', of: (value) => value },
  { name: 'Authorization', of: (value) => `Bearer ${value}` },
  { name: 'x-api-key', of: (value) => value },
  { name: 'x-goog-api-key', of: (value) => value },
  { name: 'api-key', of: (value) => value },
];
const pairs = carriers.flatMap((first, at) => carriers.slice(at + 1).map((second) => ({ first, second })));

describe('a virtual key on the generic routes', () => {
  it.each(carriers)('is found in $name', async ({ name, of }) => {
    const [key] = keys;
    for (const route of ['chat', 'models', 'model'] as const) {
      const seen = await send(route, [[name, of(key.value)]]);
      expect(seen).toMatchObject({ status: 200, keyId: key.id, projectKeyId: undefined });
      expect(seen.sent).toBe(route === 'chat' ? storedCredential : undefined);
    }
    const spelled = await send('chat', [[name.toUpperCase(), `  ${of(key.value)}  `]]);
    expect(spelled).toMatchObject({ status: 200, keyId: key.id });
  });

  it.each(pairs)(
    'in $first.name takes precedence over one in $second.name, in any order of headers',
    async ({ first, second }) => {
      const [a, b] = keys;
      const headers: Header[] = [
        [first.name, first.of(a.value)],
        [second.name, second.of(b.value)],
      ];
      for (const sent of [headers, headers.toReversed()]) {
        expect(await send('chat', sent)).toMatchObject({ status: 200, keyId: a.id, sent: storedCredential });
      }
    },
  );

  it.each(pairs)('in $second.name is found even if $first.name contains something else', async ({ first, second }) => {
    const [a] = keys;
    for (const other of ['sk-sim-stray', '', 'SK-SVC-not-one']) {
      const seen = await send('chat', [
        [first.name, first.of(other)],
        [second.name, second.of(a.value)],
      ]);
      expect(seen).toMatchObject({ status: 200, keyId: a.id, sent: storedCredential });
    }
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('is read after the scheme "%s"', async (scheme) => {
    expect((await send('chat', [['authorization', `${scheme} ${keys[0].value}`]])).status).toBe(200);
  });

  it.each([
    ['authorization', ''],
    ['authorization', 'Basic '],
    ['authorization', 'Bearer Bearer '],
    ['authorization', 'Bearer "'],
    ['x-api-key', 'Bearer '],
    ['x-svc-vk', 'Bearer '],
    ['project-api-key', ''],
    ['cookie', 'x-svc-vk='],
    ['x-svc-vk-2', ''],
  ])('is not found in %s after "%s"', async (name, before) => {
    const seen = await send('chat', [[name, before + keys[0].value]]);
    expect(seen).toMatchObject({ status: 401, code: 'virtual_key_required' });
  });
});

describe('a header sent twice', () => {
  const all = [...carriers, { name: 'Project-Api-Key', of: (value: string) => value }];

  it.each(all)('$name: is accepted with equal values and refused with two, on every route', async ({ name, of }) => {
    const [a, b] = keys;
    for (const route of ['chat', 'models', 'own'] as const) {
      const enough: Header[] = [
        ['x-svc-vk', a.value],
        ...(route === 'own'
          ? ([
              ['project-api-key', a.value],
              ['authorization', ownCredential],
            ] as const)
          : []),
      ];
      const others = enough.filter(([other]) => other !== name.toLowerCase());
      const value = name === 'Authorization' && route === 'own' ? ownCredential : of(a.value);
      const same = await send(route, [...others, [name, value], [name.toLowerCase(), value]]);
      expect(same.status).toBe(200);
      for (const second of [of(b.value), 'sk-sim-other', '']) {
        const seen = await send(route, [...others, [name, value], [name, second]]);
        expect(seen).toMatchObject({ status: 400, code: 'conflicting_credentials', sent: undefined });
      }
    }
  });

  it('x-svc-direct-key: is refused with two values, in either order', async () => {
    const rest: Header[] = [
      ['x-svc-vk', keys[0].value],
      ['authorization', ownCredential],
    ];
    for (const values of [
      ['true', 'false'],
      ['false', 'true'],
    ]) {
      const flags = values.map((value): Header => ['x-svc-direct-key', value]);
      const seen = await send('chat', [...rest, ...flags]);
      expect(seen).toMatchObject({ status: 400, code: 'invalid_request', sent: undefined });
    }
  });
});

describe("the caller's own provider key on the generic route", () => {
  const direct = (): Header[] => [
    ['x-svc-direct-key', 'true'],
    ['x-svc-vk', keys[0].value],
  ];

  it.each([
    ['Authorization', 'Bearer '],
    ['x-api-key', ''],
    ['x-goog-api-key', ''],
  ])('is taken from %s', async (name, before) => {
    const seen = await send('chat', [...direct(), [name, `${before}sk-sim-own`]]);
    expect(seen).toMatchObject({ status: 200, keyId: keys[0].id, sent: ownCredential });
  });

  it('is the first of several', async () => {
    const headers: Header[] = [
      ['x-goog-api-key', 'sk-sim-third'],
      ['x-api-key', 'sk-sim-second'],
      ['authorization', 'Bearer sk-sim-first'],
    ];
    for (const [count, name] of [
      [3, 'first'],
      [2, 'second'],
      [1, 'third'],
    ] as const) {
      expect((await send('chat', [...direct(), ...headers.slice(0, count)])).sent).toBe(`Bearer sk-sim-${name}`);
    }
  });

  it('is the first one that is no virtual key', async () => {
    const seen = await send('chat', [
      ...direct(),
      ['authorization', `Bearer ${keys[1].value}`],
      ['x-api-key', 'sk-sim-own'],
    ]);
    expect(seen).toMatchObject({ status: 200, keyId: keys[0].id, sent: ownCredential });
  });

  it.each([
    ['Authorization', 'Bearer '],
    ['Authorization', 'Bearer Bearer '],
    ['Authorization', 'Bearer "'],
    ['x-api-key', ''],
    ['x-api-key', 'Bearer '],
    ['x-goog-api-key', ''],
    ['api-key', ''],
    ['api-key', 'sk-sim-own;'],
    ['project-api-key', ''],
  ])('is never a virtual key: in %s after "%s"', async (name, before) => {
    for (const key of keys) {
      const seen = await send('chat', [...direct(), [name, before + key.value]]);
      expect(seen).toMatchObject({ status: 401, code: 'provider_key_required', sent: undefined });
    }
  });

  it('without the flag is ignored and never forwarded', async () => {
    for (const flag of [[], [['x-svc-direct-key', 'false']]] as Header[][]) {
      const seen = await send('chat', [['x-svc-vk', keys[0].value], ['authorization', ownCredential], ...flag]);
      expect(seen).toMatchObject({ status: 200, sent: storedCredential });
    }
  });
});

describe("a provider's own route", () => {
  it.each(['own', 'alias'] as const)(
    "%s: accepts the project key, a caller's key beside it, and the provider key",
    async (route) => {
      const [a, b] = keys;
      const project: Header = ['Project-Api-Key', a.value];
      const provider: Header = ['Authorization', ownCredential];
      expect(await send(route, [project, provider])).toMatchObject({
        ...{ status: 200, keyId: a.id, projectKeyId: undefined, sent: ownCredential },
      });
      expect(await send(route, [project, provider, ['x-svc-vk', b.value]])).toMatchObject({
        ...{ status: 200, keyId: b.id, projectKeyId: a.id, sent: ownCredential },
      });
      // Where Authorization contains the provider's key, a virtual key in another header is ignored.
      expect(await send(route, [project, provider, ['x-api-key', b.value]])).toMatchObject({
        ...{ status: 200, keyId: a.id, projectKeyId: undefined },
      });
    },
  );

  it.each(carriers)('with a virtual key in $name only returns 401 project_key_required', async ({ name, of }) => {
    const seen = await send('own', [[name, of(keys[0].value)]]);
    expect(seen).toMatchObject({ status: 401, code: 'project_key_required', sent: undefined });
  });

  it.each([
    ['nothing', undefined],
    ['no scheme word', 'sk-sim-own'],
    ['another scheme', 'Basic sk-sim-own'],
    ['an empty key', 'Bearer '],
    ['the project key', 'Bearer <key>'],
    ['a key behind another scheme word', 'Bearer Bearer <key>'],
    ['a key in quotes', 'Bearer "<key>"'],
  ])('with %s in Authorization returns 401 provider_key_required', async (_what, value) => {
    const sent: Header[] = value === undefined ? [] : [['authorization', value.replace('<key>', keys[0].value)]];
    const seen = await send('own', [['project-api-key', keys[0].value], ...sent]);
    expect(seen).toMatchObject({ status: 401, code: 'provider_key_required', sent: undefined });
  });
});

it('a request’s headers do not reach the provider, except for its credential', async () => {
  const [a, b] = keys;
  await send('own', [
    ...([
      ['project-api-key', a.value],
      ['x-svc-vk', b.value],
      ['authorization', ownCredential],
    ] as const),
    ...([
      ['x-api-key', 'sk-1'],
      ['x-goog-api-key', 'sk-2'],
      ['api-key', 'sk-3'],
    ] as const),
    ...([
      ['cookie', 'a=b'],
      ['x-forwarded-for', '1.2.3.4'],
      ['openai-organization', 'org'],
      ['traceparent', 't'],
    ] as const),
  ]);
  const [seen] = gateway.simulator.requests;
  expect(Object.keys(seen?.headers ?? {}).sort()).toEqual([
    ...['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host', 'user-agent'],
  ]);
  expect(seen?.headers.authorization).toBe(ownCredential);
});

it('a request id is kept if it is harmless, and replaced if it contains a key', async () => {
  const id = async (sent: string) => {
    const connection = await openConnection(gateway.proxy.port);
    connection.send(`GET /v1/models HTTP/1.1\r\nhost: g\r\nx-request-id: ${sent}\r\n\r\n`);
    const response = await connection.respond();
    connection.socket.destroy();
    return response.headers.get('x-request-id');
  };
  for (const kept of ['a', 'A-1_2.3', 'z'.repeat(64)]) expect(await id(kept)).toBe(kept);
  const { ownerToken } = gateway.organization;
  for (const sent of ['', 'a b', 'a/b', 'ü', 'z'.repeat(65), keys[0].value, ownerToken, gateway.proxyToken]) {
    expect(await id(sent)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  }
});
