// What a feature, a team and an end user cost: from requests of every client's own SDK, through a sidecar too, to sums and
// lists of requests at the command line.
import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForwardScene } from '../../support/forward.ts';
import { chatRequest } from '../../support/gateway.ts';
import { type Gatewayctl, loggedIn, type Operated, startOperated } from '../../support/gatewayctl.ts';
import { until } from '../../support/process.ts';
import { costOf, recordedRequests } from '../../support/recorded.ts';
import { costsBy } from '../../support/tagged-usage.ts';

let operated: Operated;
let owner: Gatewayctl;
let key: string;
const model = 'gpt-provider/gpt-4o-mini';
const messages = [{ role: 'user' as const, content: 'Hello' }];

beforeAll(async () => {
  operated = await startOperated();
  ({ owner } = operated);
  await owner.expect('settings update --tags feature,user,team');
  key = (await owner.expect(['keys', 'create', 'apps', '--metadata', 'team=blue'])).trim();
});
afterAll(() => operated?.close());

/** @returns the metadata of the newest usage after so many requests */
async function rowsAfter(count: number) {
  const { controlPlane, organization } = operated.gateway;
  return await until(
    async () => {
      const rows = await recordedRequests({ controlPlane, organization });
      return rows.length >= count && rows;
    },
    { what: `${count} rows of usage` },
  );
}

const openai = (headers: Record<string, string> = {}) =>
  new OpenAI({
    ...{ apiKey: key, baseURL: `${operated.gateway.proxy.url}/v1`, maxRetries: 0, defaultHeaders: headers },
  });

const clients: Readonly<Record<string, () => Promise<unknown>>> = {
  'chat completions': () =>
    openai().chat.completions.create({ model, messages, user: 'ada', metadata: { feature: 'chat completions' } }),
  Responses: () =>
    openai().responses.create({ model, input: 'Hello', safety_identifier: 'ada', metadata: { feature: 'Responses' } }),
  Messages: () =>
    new Anthropic({ apiKey: key, baseURL: operated.gateway.proxy.url, maxRetries: 0 }).messages.create(
      { model, max_tokens: 100, messages, metadata: { user_id: 'ada' } },
      { headers: { 'X-Svc-Tag-Feature': 'Messages' } },
    ),
  generateContent: () =>
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: operated.gateway.proxy.url } }).models.generateContent({
      ...{ model, contents: 'Hello' },
      // With an API key the SDK takes labels only so.
      config: { httpOptions: { extraBody: { labels: { feature: 'generateContent', user: 'ada' } } } },
    }),
  Converse: async () => {
    const requestHandler = new NodeHttpHandler();
    const client = new BedrockRuntimeClient({
      ...{ endpoint: operated.gateway.proxy.url, region: 'eu-west-1', requestHandler, maxAttempts: 1 },
      ...{ token: { token: key }, authSchemePreference: ['httpBearerAuth'] },
    });
    const turns = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
    const requestMetadata = { feature: 'Converse', user: 'ada' };
    await client.send(new ConverseCommand({ modelId: model, messages: turns, requestMetadata }));
    requestHandler.destroy();
  },
};

describe('tags', () => {
  it('are found in the own fields of each SDK, and usage is summed by them to the nano-dollar', async () => {
    for (const send of Object.values(clients)) await send();
    const rows = await rowsAfter(5);
    // Proxies' clocks differ, and several rows may be of one millisecond: their order says nothing.
    expect(new Set(rows.map(({ metadata }) => metadata))).toEqual(
      new Set(Object.keys(clients).map((feature) => ({ feature, user: 'ada', team: 'blue' }))),
    );
    const { organization } = operated.gateway;
    const ofFeature = (name: string) => rows.filter(({ metadata }) => metadata?.feature === name).map(costOf);
    expect(new Map(await costsBy(organization, 'feature'))).toEqual(
      new Map(Object.keys(clients).map((name) => [name, ofFeature(name)[0]])),
    );
    const sum = rows.map(costOf).reduce((all, cost) => all + cost, 0);
    expect(await costsBy(organization, 'user')).toEqual([['ada', sum]]);
    expect(await costsBy(organization, 'team')).toEqual([['blue', sum]]);
  });

  it('reach no provider as headers, through a sidecar neither, and the header comes before the body', async () => {
    const scene = await createForwardScene();
    const { gateway } = operated;
    const egress = await scene.startEgress(gateway);
    const sidecar = await scene.startSidecar(egress.url);
    try {
      gateway.simulator.reset();
      for (const url of [gateway.proxy.url, sidecar.url]) {
        const headers = { 'x-svc-tag-feature': `by ${url}`, 'x-svc-tag-user': 'bob', 'x-svc-tag-unknown': 'x' };
        const { status } = await fetch(`${url}/v1/chat/completions`, chatRequest(key, { user: 'ada' }, headers));
        expect(status).toBe(200);
      }
      const rows = await rowsAfter(7);
      expect(new Set(rows.flatMap(({ metadata }) => (metadata?.user === 'bob' ? [metadata] : [])))).toEqual(
        new Set([gateway.proxy.url, sidecar.url].map((url) => ({ feature: `by ${url}`, user: 'bob', team: 'blue' }))),
      );
      expect(gateway.simulator.requests).toHaveLength(2);
      for (const { headers } of gateway.simulator.requests)
        expect(Object.keys(headers).filter((name) => name.startsWith('x-svc'))).toEqual([]);
    } finally {
      await scene.close();
    }
  });

  it('narrow lists of requests and sums at the command line', async () => {
    const send = async (headers: Record<string, string>) => {
      const response = await fetch(`${operated.gateway.proxy.url}/v1/chat/completions`, chatRequest(key, {}, headers));
      await response.text();
      return response.headers.get('x-request-id') ?? '';
    };
    const search = await send({ 'x-svc-tag-feature': 'search', 'x-svc-tag-user': 'eve' });
    const chat = await send({ 'x-svc-tag-feature': 'chat', 'x-svc-tag-user': 'eve' });
    await rowsAfter(9);
    const listed = async (...options: string[]) =>
      (await owner.json(['requests', 'list', ...options])).requests.map(
        (row: { facts: { requestId: string } }) => row.facts.requestId,
      );
    await until(async () => (await listed('--tag', 'user=eve')).length === 2, { what: 'both rows of requests' });
    expect(await listed('--tag', 'user=eve')).toEqual([chat, search]);
    expect(await listed('--tag', 'user=eve', '--tag', 'feature=search')).toEqual([search]);
    expect(await listed('--tag', 'user=EVE')).toEqual([]);
    expect(await owner.expect(['requests', 'get', search])).toMatch(/^request facts tags +feature=search.*user=eve/m);
    expect(await owner.expect('requests list --tag feature=chat')).toMatch(/ TAGS /);
    const table = await owner.expect('usage totals --by tag.feature --tag user=eve --sort requests');
    expect(table).toMatch(/feature=(search|chat) /);
    const { totals } = await owner.json('usage totals --by tag.user --top 1 --sort requests');
    expect(totals).toMatchObject([{ metadata: { user: 'ada' }, requests: '5' }]);
    expect((await owner.run('usage totals --tag nothing')).err).toContain('--tag must be name=value');
    expect((await owner.run('requests list --tag nothing')).err).toContain('--tag must be name=value');
    expect((await owner.run('requests list --tag Feature=x')).err).toContain('--tag must be tags');
  });

  it('are seen by members of their own requests only', async () => {
    await owner.expect('people create Mo --role member');
    const token = (await owner.expect('operator-tokens create laptop --person Mo')).trim();
    const member = await loggedIn(operated.gateway.controlPlane.grpcPort, token);
    const own = (await owner.expect('keys create of-mo --person Mo')).trim();
    const url = `${operated.gateway.proxy.url}/v1/chat/completions`;
    await (await fetch(url, chatRequest(own, {}, { 'x-svc-tag-user': 'eve', 'x-svc-tag-feature': 'mine' }))).text();
    await rowsAfter(10);
    const { totals } = await member.json('usage totals --by tag.feature --tag user=eve');
    expect(totals).toMatchObject([{ metadata: { feature: 'mine' }, requests: '1' }]);
    await until(async () => (await member.json('requests list --tag user=eve')).requests.length === 1, {
      what: 'the row of the member',
    });
    member.remove();
  });

  it('never make a request fail', async () => {
    const url = `${operated.gateway.proxy.url}/v1/chat/completions`;
    const hostile = ['\u0080\u00ff', ' ', 'x'.repeat(4_000), '__proto__', '(other)', "'; drop table usage_events; --"];
    for (const value of hostile) {
      const headers = { 'x-svc-tag-user': value, 'x-svc-tag-__proto__': value };
      const fields = { metadata: JSON.parse('{"__proto__": "x", "feature": "\\u0000"}'), store: true };
      expect((await fetch(url, chatRequest(key, fields, headers))).status).toBe(200);
    }
    const dropping = "'; drop table usage_events; --";
    const found = (await rowsAfter(16)).map(({ metadata }) => metadata);
    expect(found.filter((metadata) => metadata?.user === dropping)).toEqual([{ team: 'blue', user: dropping }]);
    // Far above the limit of all headers together: refused before anything is read.
    const huge = chatRequest(key, {}, { 'x-svc-tag-user': 'x'.repeat(1 << 20) });
    expect((await fetch(url, huge)).status).toBe(431);
  });
});
