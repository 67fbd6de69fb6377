// A gateway with a Redis of its own, and callers of a route that caches its responses.
import { Redis } from 'ioredis';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from './gateway.ts';
import { until } from './process.ts';
import { startRedis, type TestRedis } from './redis.ts';

export const gpt = 'gpt-provider/gpt-4o-mini';
export const hello = [{ role: 'user' as const, content: 'Hello' }];

interface Caller {
  readonly key?: string;
  readonly proxy?: TestProxy;
}

export interface Called {
  readonly text: string;
  /** The header `x-svc-cache`. */
  readonly cache: string | null;
  readonly headers: Headers;
}

export interface CachedGateway {
  readonly gateway: TestGateway;
  readonly redis: TestRedis;
  readonly commands: Redis;
  /** A new one for each test, with its key. */
  readonly organization: TestOrganization;
  readonly key: { readonly id: string; readonly value: string };
  /** The route `faq`. */
  createRoute(cache?: object, fields?: object, of?: TestOrganization): Promise<string>;
  openai(caller?: Caller): OpenAI;
  whole(fields?: object, caller?: Caller): Promise<Called & { readonly data: OpenAI.ChatCompletion }>;
  streamed(
    fields?: object,
    caller?: Caller,
  ): Promise<Called & { readonly chunks: readonly OpenAI.ChatCompletionChunk[] }>;
  /** The names of all cached responses in Redis. */
  storedNames(): Promise<readonly string[]>;
  /** Waits until the act has stored one more response. */
  storing<T>(act: () => Promise<T>): Promise<T>;
  /** Requests that reached a vendor in this test. */
  vendorCalls(): number;
}

export function useCachedGateway(): CachedGateway {
  let redis: TestRedis;
  let commands: Redis;
  let gateway: TestGateway;
  let organization: TestOrganization;
  let key: CachedGateway['key'];
  let organizations = 0;

  beforeAll(async () => {
    redis = await startRedis();
    commands = new Redis(redis.url);
    gateway = await startGateway({ proxy: { REDIS_URL: redis.url } });
  });
  beforeEach(async () => {
    gateway.simulator.reset();
    organization = await gateway.createOrganization(`cached-${++organizations}`);
    await organization.storeProviderKeys();
    key = await organization.createKey();
  });
  afterAll(async () => {
    commands?.disconnect();
    await gateway?.close();
    await redis?.stop();
  });

  const storedNames = async () =>
    (await commands.keys('gateway:response:1:*')).filter((name) => !name.includes(':bytes:'));
  const openai: CachedGateway['openai'] = ({ key: apiKey = key.value, proxy = gateway.proxy } = {}) =>
    new OpenAI({ apiKey, baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  const request = (fields: object) => ({ model: 'faq', messages: hello, ...fields });
  return {
    get gateway() {
      return gateway;
    },
    get redis() {
      return redis;
    },
    get commands() {
      return commands;
    },
    get organization() {
      return organization;
    },
    get key() {
      return key;
    },
    createRoute: async (cache = {}, fields = {}, of = organization) => {
      const settings = { cache: { ttlSeconds: 600, ...cache } };
      const groups = [{ targets: [{ model: gpt }] }];
      const route = { organizationId: of.id, name: 'faq', groups, settings, ...fields };
      return String((await of.api.call('Routes/Create', route)).id);
    },
    openai,
    whole: async (fields = {}, caller) => {
      const pending = openai(caller).chat.completions.create({ ...request(fields), stream: false });
      const { data, response } = await pending.withResponse();
      const text = data.choices[0]?.message.content ?? '';
      return { text, data, cache: response.headers.get('x-svc-cache'), headers: response.headers };
    },
    streamed: async (fields = {}, caller) => {
      const pending = openai(caller).chat.completions.create({ ...request(fields), stream: true });
      const { data, response } = await pending.withResponse();
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of data) chunks.push(chunk);
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      return { text, chunks, cache: response.headers.get('x-svc-cache'), headers: response.headers };
    },
    storedNames,
    storing: async (act) => {
      const before = (await storedNames()).length;
      const result = await act();
      await until(async () => (await storedNames()).length > before, { what: 'a response to be stored' });
      return result;
    },
    vendorCalls: () => gateway.simulator.requests.length,
  };
}
