// No caller or provider can keep a proxy's event loop to itself: the largest legal bodies and whole responses, as dense
// as possible, to all vendors, with the longest tick meanwhile. Also their effect on a caller of small requests.
// Each body goes unchanged to one vendor and translated to another one, in turn; `GATEWAY_TEST_ROUNDS=4` sends each to
// every vendor.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../common/exact-number.ts';
import { chatRequest, type ProxyProcess, startGateway, type TestGateway } from '../../support/gateway.ts';
import { measured } from '../../support/loop-pieces.ts';
import { until } from '../../support/process.ts';
import { inTurn } from '../../support/seed.ts';
import { plainModels } from '../../support/vendors.ts';

/** The promised bound of a tick, in processor time of a machine that is not busy; the test allows ten times as much. */
const promisedMs = 5;
const bound = 10 * promisedMs;
const mib = 1024 * 1024;
/** The vendor whose format is the caller's. */
const unchangedFor = 'gpt-provider';

let gateway: TestGateway;
let proxy: ProxyProcess;
let upstream: Server;
let folder: string;
let key: string;
let result: Buffer;
let received = 0;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.organization.storeProviderKeys();
  key = (await gateway.organization.createKey()).value;
  upstream = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      received = bytes;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': result.length });
      response.end(result);
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  folder = mkdtempSync(join(tmpdir(), 'loop-pieces-'));
  const url = `http://127.0.0.1:${port}`;
  proxy = await gateway.startProxyProcess({
    GATEWAY_GPT_PROVIDER_URL: url,
    GATEWAY_STUDIO_AI_URL: `${url}/models`,
    GATEWAY_MANAGED_CLOUD_MODELS_URL: url,
    GATEWAY_ASSISTANT_PROVIDER_URL: url,
    GATEWAY_SEARCH_PROVIDER_URL: url,
    GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${port}`,
    GATEWAY_BUFFERED_BYTES_MAX: '2GiB',
    GATEWAY_ORGANIZATION_SHARE: '50',
    ...measured(join(folder, 'ticks.json')),
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
  upstream.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** Ticks of more than a millisecond since the last call, in processor time, the longest first. */
async function turns(): Promise<readonly number[]> {
  const file = join(folder, 'ticks.json');
  rmSync(file, { force: true });
  proxy.child.signal('SIGUSR2');
  const text = await until(
    () => {
      try {
        return readFileSync(file, 'utf8') || undefined;
      } catch {
        return undefined;
      }
    },
    { what: 'the longest ticks', timeoutMs: 20_000 },
  );
  return JSON.parse(text) as number[];
}

/** The longest tick, as the best of up to three tries: the machine's other work does not disturb each of them. */
async function longestWhile(doing: () => Promise<number>): Promise<{ longest: number; all: string }> {
  let best = { longest: Number.POSITIVE_INFINITY, all: '' };
  for (let tries = 0; tries < 3 && best.longest > bound; tries++) {
    await turns();
    const status = await doing();
    const [longest = 0, ...more] = await turns();
    const shown = [longest, ...more.slice(0, 2)].map((ms) => ms.toFixed(1)).join(', ');
    if (longest < best.longest) best = { longest, all: `${shown} (${status})` };
  }
  return best;
}

const user = (content: unknown) => [{ role: 'user', content }];
const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));

const requests: Readonly<Record<string, () => object>> = {
  '31 MiB of prose': () => ({ messages: user(fill('Some words, é. ', 31 * mib)) }),
  '31 MiB of escapes': () => ({ messages: user(fill('\n"', 15 * mib)) }),
  '31 MiB of an image': () => ({
    messages: user([
      {
        type: 'image_url',
        image_url: { url: `data:image/png;base64,${fill('iVBORw0KGgoAAAAN', 31 * mib)}` },
      },
    ]),
  }),
  '41,000 messages': () => ({
    messages: Array.from({ length: 41_001 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: 'x',
    })),
  }),
  '41,000 parts': () => ({
    messages: user(Array.from({ length: 41_000 }, () => ({ type: 'text', text: 'x' }))),
  }),
  '8,000 tools': () => ({
    messages: user('x'),
    tools: Array.from({ length: 8000 }, (_, i) => ({
      type: 'function',
      function: { name: `f${i}`, parameters: { type: 'object', properties: { a: { type: 'string' } } } },
    })),
  }),
  '200,000 exact numbers': () => ({
    messages: user('x'),
    metadata: Array.from({ length: 200_000 }, () => new ExactNumber('1.0')),
  }),
};

const small = {
  id: 'a',
  model: 'm',
  choices: [{ message: { role: 'assistant', content: 'yes' } }],
  usage: { prompt_tokens: 5, completion_tokens: 1 },
};

const responses: Readonly<Record<string, () => object>> = {
  '60 MiB of prose without a usage': () => ({
    ...small,
    usage: undefined,
    choices: [{ message: { content: fill('Some words. ', 60 * mib) } }],
  }),
  '30 MiB of short choices': () => ({
    ...small,
    choices: Array.from({ length: 500_000 }, () => ({ message: { role: 'assistant', content: 'x' } })),
  }),
};

/** The members of a body without the model, so that a long one is serialized once for all vendors. */
const membersOf = (fields: object) => Buffer.from(JSON.stringify(fields).slice(1));

async function send(members: Buffer, model: string): Promise<number> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    ...chatRequest(key),
    body: Buffer.concat([Buffer.from(`{"model":${JSON.stringify(model)},`), members]),
  });
  await response.arrayBuffer();
  return response.status;
}

const short = membersOf({ messages: user('x') });

describe('no piece of work above 5 ms', () => {
  beforeAll(async () => {
    result = Buffer.from(JSON.stringify(small));
    const long = membersOf({ messages: user(fill('some words ', mib)) });
    // Compiles the code of both paths before it is measured.
    for (let round = 0; round < 2; round++)
      for (const [vendor, model] of Object.entries(plainModels)) {
        await send(short, `${vendor}/${model}`);
        await send(long, `${vendor}/${model}`);
      }
  });

  it.each(Object.keys(requests))(
    'on the event loop is caused by a request of %s',
    { timeout: 120_000 },
    async (name) => {
      const body = membersOf(requests[name]?.() ?? {});
      result = Buffer.from(JSON.stringify(small));
      const longest: Record<string, string> = {};
      const failed: string[] = [];
      const turn = Object.keys(requests).indexOf(name);
      // Unchanged, and translated for one vendor in turn.
      const translated = inTurn(
        Object.keys(plainModels).filter((vendor) => vendor !== unchangedFor),
        turn,
        4,
      );
      for (const [vendor, model] of Object.entries(plainModels)) {
        if (vendor !== unchangedFor && !translated.includes(vendor)) continue;
        const { longest: ms, all } = await longestWhile(() => send(body, `${vendor}/${model}`));
        longest[vendor] = `${all}, ${received} bytes`;
        if (ms > bound) failed.push(vendor);
      }
      console.log(name, longest);
      expect(failed).toEqual([]);
    },
  );

  it.each(Object.keys(responses))(
    'on the event loop is caused by a whole response of %s',
    { timeout: 120_000 },
    async (name) => {
      result = Buffer.from(JSON.stringify(responses[name]?.()));
      const { longest, all } = await longestWhile(() => send(short, `gpt-provider/${plainModels['gpt-provider']}`));
      console.log(name, all);
      expect(all).toContain('(200)');
      expect(longest).toBeLessThan(bound);
    },
  );
});

describe('a caller of small requests beside another organization that sends the largest', () => {
  it('gets its responses almost as fast as in quiet', async () => {
    result = Buffer.from(JSON.stringify(small));
    const hostile = await gateway.createOrganization('hostile');
    const hostileKey = (await hostile.createKey()).value;
    const model = `gpt-provider/${plainModels['gpt-provider']}`;
    const bodies = ['31 MiB of prose', '41,000 messages'].map((name) =>
      Buffer.from(JSON.stringify({ model, ...requests[name]?.() })),
    );
    const ask = async (count: number) => {
      const ms: number[] = [];
      for (let i = 0; i < count; i++) {
        const begun = performance.now();
        expect(await send(short, model)).toBe(200);
        ms.push(performance.now() - begun);
      }
      return ms.toSorted((a, b) => a - b);
    };
    const p99 = (ms: readonly number[]) => ms[Math.floor(ms.length * 0.99)] ?? 0;
    const quiet = p99(await ask(30));
    let isOver = false;
    let sent = 0;
    const floods = bodies.map(async (body) => {
      while (!isOver) {
        const response = await fetch(`${proxy.url}/v1/chat/completions`, {
          ...chatRequest(hostileKey),
          body,
        });
        await response.arrayBuffer();
        sent++;
      }
    });
    await turns();
    const beside = p99(await ask(30));
    const longest = await turns();
    isOver = true;
    await Promise.all(floods);
    console.log({ quiet, beside, sent, longest: longest.slice(0, 5) });
    expect(sent).toBeGreaterThan(0);
    expect(beside).toBeLessThan(10 * (2 * quiet + 10));
    // A single tick longer than all others is the garbage collector's.
    expect(longest[1] ?? 0).toBeLessThan(bound);
  });
});
