// Every path of a request with a secret through the proxy: accepted, refused, failed at the provider, malformed.
import type { Behaviour } from '../../../simulator/index.ts';
import { chatBody } from '../../support/gateway.ts';
import { freePort, until } from '../../support/process.ts';
import { openConnection } from '../../support/raw-http.ts';
import type { Scene } from './scene.ts';

export type Header = readonly [name: string, value: string];

export interface Sent {
  readonly port?: number;
  readonly line?: string;
  readonly body?: string;
  readonly behaviour?: Behaviour;
}

export async function walkProxy(scene: Scene): Promise<void> {
  await letIn(scene);
  await refused(scene);
  await misplaced(scene);
  await failedAtProvider(scene);
  await cutOff(scene);
}

const chat = 'POST /v1/chat/completions';
const ownRoute = 'POST /v1/gpt-provider/chat/completions';
const streamed = chatBody({ stream: true, stream_options: { include_usage: true } });

export function send(scene: Scene, headers: readonly Header[], sent: Sent = {}): Promise<string> {
  const { port = scene.gateway.proxy.port, line = chat, body = chatBody(), behaviour } = sent;
  if (behaviour !== undefined) scene.gateway.simulator.script(behaviour);
  const lines = [
    `${line} HTTP/1.1`,
    ...['host: gateway', 'connection: close', 'content-type: application/json'],
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return scene.exchange(port, [...lines, '', body].join('\r\n'));
}

function credentials({ keys }: Scene) {
  const { usable, own, project } = keys;
  return {
    stored: [['authorization', `Bearer ${usable}`]],
    direct: [
      ['x-svc-vk', usable],
      ['x-svc-direct-key', 'true'],
      ['authorization', `Bearer ${own}`],
    ],
    route: [
      ['project-api-key', project],
      ['x-svc-vk', usable],
      ['authorization', `Bearer ${own}`],
    ],
  } as const satisfies Record<string, readonly Header[]>;
}

async function letIn(scene: Scene): Promise<void> {
  const { keys } = scene;
  const { stored, direct, route } = credentials(scene);
  for (const body of [chatBody(), streamed]) {
    await expectStatus(200, send(scene, stored, { body }));
    await expectStatus(200, send(scene, direct, { body }));
    await expectStatus(200, send(scene, route, { line: ownRoute, body: body.replace('gpt-provider/', '') }));
  }
  for (const name of ['x-svc-vk', 'x-api-key', 'x-goog-api-key', 'api-key']) {
    await expectStatus(200, send(scene, [[name, keys.rotated]]));
    await expectStatus(200, send(scene, [[name, keys.rotatedBefore]], { line: 'GET /v1/models', body: '' }));
  }
}

export async function expectStatus(status: number, response: Promise<string>): Promise<void> {
  const [line] = (await response).split('\r\n');
  if (!line?.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`${line} instead of ${status}`);
}

async function refused(scene: Scene): Promise<void> {
  const { keys, gateway } = scene;
  const { bootstrapToken, platformToken } = gateway.secrets;
  const others = [keys.owner, platformToken, bootstrapToken, gateway.proxyToken, keys.stored, keys.own];
  for (const key of [keys.revoked, keys.inactive, `${keys.usable}x`, keys.usable.slice(0, -1), ...others]) {
    await send(scene, [['authorization', `Bearer ${key}`]]);
    await send(scene, [['x-svc-vk', key]], { line: ownRoute });
    await send(
      scene,
      [
        ['project-api-key', key],
        ['authorization', `Bearer ${keys.own}`],
      ],
      { line: ownRoute },
    );
  }
  await send(scene, [
    ['x-svc-vk', keys.usable],
    ['x-svc-vk', keys.rotated],
  ]);
  await send(scene, [
    ['x-svc-direct-key', 'true'],
    ['authorization', `Bearer ${keys.own}`],
  ]);
  await send(scene, [
    ['x-svc-direct-key', keys.own],
    ['x-svc-vk', keys.usable],
  ]);
  await send(scene, [
    ['x-svc-direct-key', 'true'],
    ['x-svc-vk', keys.usable],
    ['x-api-key', keys.rotated],
  ]);
}

/** Secrets in unexpected parts of a request. */
async function misplaced(scene: Scene): Promise<void> {
  const { keys, gateway } = scene;
  const { stored } = credentials(scene);
  const { port } = gateway.proxy;
  for (const secret of [keys.usable, keys.own, keys.owner, gateway.proxyToken]) {
    for (const path of [
      `/${secret}`,
      `/v1/${secret}/chat/completions`,
      `/v1/chat/completions/${secret}`,
      `/v1/models/${secret}`,
      `/v1/models/gpt-provider%2F${secret}`,
      `/v1/models/%zz${secret}`,
      `/v1beta/models/${secret}`,
      `/openai/deployments/${secret}/chat/completions`,
    ]) {
      for (const method of ['GET', 'POST']) await send(scene, stored, { line: `${method} ${path}` });
    }
    await send(scene, stored, { line: `${chat}?key=${secret}` });
    await send(scene, stored, { line: `GET http://${secret}@gateway/v1/models?api_key=${secret}` });
    await send(scene, stored, { line: `${secret} /v1/models` });
    await send(scene, [
      ...stored,
      [secret, '1'],
      ['cookie', secret],
      ['user-agent', secret],
      ['referer', `http://x/?${secret}`],
    ]);
    await send(scene, [...stored, ['content-type', secret]]);
    await send(scene, [...stored, ['content-encoding', secret]]);
    await send(scene, [...stored, ['expect', secret]]);
    await send(scene, [['authorization', secret]]);
    await send(scene, [['authorization', `Basic ${Buffer.from(`:${secret}`).toString('base64')}`]]);
    for (const body of [
      `{"model":"${secret}"`,
      `{"${secret}":[]}`,
      chatBody({ messages: secret }),
      chatBody({ messages: [{ role: secret }] }),
      chatBody({ messages: [{ role: 'user', content: [{ [secret]: 1 }] }] }),
      chatBody({ stream: secret }),
      chatBody({ model: secret }),
      chatBody({ model: `${secret}/gpt-4o` }),
      chatBody({ model: `gpt-provider/ ${secret}` }),
    ]) {
      await send(scene, stored, { body });
    }
    await scene.exchange(port, `${secret}\r\n\r\n`);
    await scene.exchange(port, `GET / HTTP/1.1\r\n${secret}\r\n\r\n`);
    await scene.exchange(port, `POST / HTTP/1.1\r\nhost: x\r\nx-long: ${secret.repeat(500)}\r\n\r\n`);
  }
  // Texts that the gateway recognizes as secrets by their form are kept out of names too.
  for (const secret of [keys.usable, keys.owner, gateway.proxyToken, gateway.secrets.bootstrapToken]) {
    await send(scene, [...stored, ['x-request-id', secret]]);
    await send(scene, stored, { body: chatBody({ model: `gpt-provider/${secret}` }) });
  }
}

/** Providers that repeat the key of their request wherever they can. */
async function failedAtProvider(scene: Scene): Promise<void> {
  const { keys } = scene;
  const { stored, direct, route } = credentials(scene);
  for (const [headers, key, line] of [
    [stored, keys.stored, chat],
    [direct, keys.own, chat],
    [route, keys.own, ownRoute],
  ] as const) {
    const model = line === chat ? 'gpt-provider/gpt-4o-mini' : 'gpt-4o-mini';
    const echoing = headersThatEcho(key);
    const error = { message: `no such key ${key}, Bearer ${key}`, type: key, param: key, code: key };
    for (const status of [400, 401, 403, 404, 422, 429, 500, 503, 529]) {
      await send(scene, headers, {
        line,
        body: chatBody({ model }),
        behaviour: { status, error, headers: echoing },
      });
    }
    const inStream = `data: {"choices":[]}\n\ndata: ${JSON.stringify({ error })}\n\n`;
    const raw = (bytes: string) => ({ rawBase64: Buffer.from(bytes).toString('base64') });
    const behaviours: Behaviour[] = [
      { headers: echoing },
      { body: key },
      { body: inStream, headers: echoing },
      { body: `data: ${JSON.stringify({ error })}\n\n` },
      { status: 302, headers: { location: `https://x/?key=${key}` } },
      { headers: { 'content-type': key } },
      { headers: { 'content-type': `text/${key}` } },
      { headers: { 'content-encoding': key } },
      raw(`HTTP/1.1 500 ${key}\r\ncontent-length: 0\r\n\r\n`),
      raw(`HTTP/1.1 ${key}\r\n\r\n`),
      raw(`HTTP/1.1 200 OK\r\n${key}\r\n\r\n`),
      raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${key}\r\n`),
      raw(`HTTP/1.1 200 OK\r\ncontent-length: ${key}\r\n\r\n`),
      { body: key, stop: { by: 'reset', afterBytes: 20 } },
    ];
    for (const behaviour of behaviours) {
      for (const stream of [false, true]) {
        await send(scene, headers, { line, body: chatBody({ model, stream }), behaviour });
      }
    }
    const silence: Behaviour = { stop: { by: 'silence', beforeHead: true } };
    await send(scene, headers, {
      port: scene.hasty.port,
      line,
      body: chatBody({ model }),
      behaviour: silence,
    });
  }
  await send(scene, [...direct.slice(0, 2), ['authorization', `Bearer ${keys.ownRefused}`]]);
}

export function headersThatEcho(key: string): Record<string, string> {
  return {
    ...{ 'x-request-id': key, 'request-id': `req_${key}`, 'openai-processing-ms': key, 'retry-after': key },
    ...{
      'x-ratelimit-limit-requests': key,
      [`x-ratelimit-${key}`]: '1',
      [key]: '1',
      'set-cookie': `key=${key}`,
    },
    ...{ 'www-authenticate': `Bearer ${key}`, 'x-api-key': key, authorization: `Bearer ${key}` },
  };
}

/** Neither provider nor control plane can be reached; and callers that leave. */
async function cutOff(scene: Scene): Promise<void> {
  const { gateway, keys } = scene;
  const { stored, direct } = credentials(scene);
  const nowhere = await freePort();
  const environments = [
    {
      GATEWAY_GPT_PROVIDER_URL: `http://127.0.0.1:${nowhere}/v1`,
      GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${nowhere}`,
    },
    { GATEWAY_GPT_PROVIDER_URL: 'https://10.0.0.1/v1' },
    { GATEWAY_CONTROL_PLANE: `127.0.0.1:${nowhere}`, REDIS_URL: undefined },
    { REDIS_URL: `redis://:${keys.own}@127.0.0.1:${nowhere}` },
    { GATEWAY_PROXY_TOKEN: keys.revokedProxy, REDIS_URL: undefined },
    { GATEWAY_PROXY_TOKEN: keys.owner, REDIS_URL: undefined },
  ];
  for (const environment of environments) {
    const { port } = await gateway.startProxy(environment);
    for (const headers of [stored, direct]) await send(scene, headers, { port });
  }
  for (const headers of [stored, direct]) {
    gateway.simulator.reset();
    // The proxy does not read this stream on.
    gateway.simulator.script({ headDelayMs: 2000 });
    const connection = await openConnection(gateway.proxy.port);
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const body = chatBody({ stream: true });
    connection.send(
      [
        `${chat} HTTP/1.1`,
        'host: g',
        'content-type: application/json',
        `content-length: ${body.length}`,
        ...lines,
        '',
        body,
      ].join('\r\n'),
    );
    await until(() => gateway.simulator.requests.length === 1);
    connection.socket.destroy();
  }
}
