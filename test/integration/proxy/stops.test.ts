// Stops at proxies, over PostgreSQL and Redis with two control-plane replicas: how soon every proxy follows, what is
// refused and how, what passes, and that a stop ends without a message.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorApi } from '../../../quickstart/operator-api.ts';
import { admission, chat, outcomes, turns } from '../../support/chat-requests.ts';
import { log } from '../../support/figures.ts';
import {
  chatBody,
  startGateway,
  type TestGateway,
  type TestOrganization,
  type TestProxy,
} from '../../support/gateway.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until as waitUntil } from '../../support/process.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { metric } from '../../support/telemetry.ts';

const [served, stopped] = ['200', '403 stopped_by_operator'];
const reason = 'incident 4711';
const claude = { model: 'assistant-provider/claude-sonnet-4-5', max_tokens: 16 };

let database: TestDatabase;
let redis: TestRedis;
let gateway: TestGateway;
let proxies: readonly TestProxy[];
let acme: TestOrganization;
let other: TestOrganization;
let acmeKey: string;
let otherKey: string;

beforeAll(async () => {
  [database, redis] = await Promise.all([createDatabase(), startRedis()]);
  gateway = await startGateway({ databaseUrl: database.url, proxy: { REDIS_URL: redis.url } });
  const second = await gateway.startControlPlane();
  const addresses = [gateway.controlPlane, second].map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(',');
  proxies = [gateway.proxy, await gateway.startProxy({ GATEWAY_CONTROL_PLANE: addresses })];
  acme = gateway.organization;
  other = await gateway.createOrganization('other');
  await Promise.all([acme.storeProviderKeys(), other.storeProviderKeys()]);
  const settings = { access: { callerProviderKeys: true } };
  await acme.api.call('Organizations/UpdateSettings', { id: acme.id, settings });
  [acmeKey, otherKey] = [(await acme.createKey()).value, (await other.createKey()).value];
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([redis?.stop(), database?.drop()]);
});

/** Lifts the stop at the end. */
async function withStop(api: OperatorApi, fields: object, test: (id: string) => Promise<void>): Promise<void> {
  const { id } = (await api.call('Stops/Create', { reason, ...fields })) as { id: string };
  try {
    await test(id);
  } finally {
    await api.call('Stops/Delete', { id }).catch(() => undefined);
  }
}

/** A stream that takes a second, and of which the head is there. */
function openStream(): Promise<Response> {
  gateway.simulator.script({ tokens: 20, pieceDelayMs: 50 });
  return fetch(`${gateway.proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${acmeKey}` },
    body: chatBody({ stream: true }),
  });
}

const ofAcme = (fields: object, test: (id: string) => Promise<void>) =>
  withStop(acme.api, { organizationId: acme.id, ...fields }, test);
const until = (key: string, [from = '', to = '']: readonly string[], fields: object = {}) =>
  turns(proxies, chat(key, fields), { from, to });

describe('a stop of a provider', () => {
  it('by the platform binds everybody at every proxy, and both are served again once it is lifted', async () => {
    for (const key of [acmeKey, otherKey])
      expect(await outcomes(proxies, chat(key))).toEqual(proxies.map(() => served));
    const delays: number[] = [];
    await withStop(gateway.platform, { target: { provider: 'gpt-provider' } }, async (id) => {
      for (const key of [acmeKey, otherKey]) delays.push(await until(key, [served, stopped]));
      expect(await outcomes(proxies, chat(acmeKey, claude))).toEqual(proxies.map(() => served));
      expect(await metric(gateway.proxy, 'gateway_stops', { by: 'platform' })).toBe(1);
      await gateway.platform.call('Stops/Delete', { id });
      for (const key of [acmeKey, otherKey]) delays.push(await until(key, [stopped, served]));
    });
    log('delay of a stop at two proxies', delays);
  });

  it('by an organization binds itself alone, and is refused with reason and end in the envelope of every client format', async () => {
    const endsAt = new Date(Date.now() + 60_000).toISOString();
    const message = `\`gpt-provider\` has been stopped by an operator: ${reason}; until ${endsAt}`;
    const running = await openStream();
    await ofAcme({ target: { provider: 'gpt-provider' }, endsAt }, async () => {
      await until(acmeKey, [served, stopped]);
      expect(await outcomes(proxies, chat(otherKey))).toEqual(proxies.map(() => served));
      // A response that has begun runs on.
      expect(await running.text()).toContain('[DONE]');
      const input = [{ role: 'user', content: 'Hi' }];
      const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
      const model = 'gpt-provider/gpt-4o-mini';
      const requests = {
        '/v1/chat/completions': chatBody(),
        '/v1/responses': JSON.stringify({ model, input }),
        '/v1/messages': JSON.stringify({ model, max_tokens: 16, messages: input }),
        [`/v1beta/models/${model}:generateContent`]: JSON.stringify({ contents }),
        [`/model/${encodeURIComponent(model)}/converse`]: JSON.stringify({
          messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
        }),
      };
      for (const [path, body] of Object.entries(requests)) {
        const headers = { 'content-type': 'application/json', 'x-svc-vk': acmeKey };
        const response = await fetch(`${gateway.proxy.url}${path}`, { method: 'POST', headers, body });
        expect([path, response.status, response.headers.get('x-svc-error-code')]).toEqual([
          ...[path, 403, 'stopped_by_operator'],
        ]);
        expect(response.headers.get('x-should-retry')).toBe('false');
        expect(await response.text()).toContain(message);
      }
    });
    await until(acmeKey, [stopped, served]);
  });

  it('ends by the proxy’s clock, without a message', async () => {
    const endsAt = new Date(Date.now() + 1_500).toISOString();
    await ofAcme({ target: { provider: 'gpt-provider' }, endsAt }, async () => {
      await until(acmeKey, [served, stopped]);
      await turns(proxies, chat(acmeKey), { from: stopped, to: served, withinMs: 5_000 });
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(endsAt));
    });
  });
});

describe('a stop of models', () => {
  const models = async (key: string) => {
    const response = await fetch(`${gateway.proxy.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };

  it('refuses every name of the model, and GET /v1/models leaves it out', async () => {
    expect(await models(acmeKey)).toContain('gpt-provider/gpt-4o-mini');
    await ofAcme({ target: { provider: 'gpt-provider', model: 'gpt-4o-mini' } }, async () => {
      await until(acmeKey, [served, stopped]);
      const names = ['gpt-provider/gpt-4o-mini-2024-07-18', 'gpt-provider/GPT-4o-mini'];
      for (const model of names) expect((await chat(acmeKey, { model })(gateway.proxy)).outcome).toBe(stopped);
      expect((await chat(acmeKey, { model: 'gpt-provider/gpt-4.1' })(gateway.proxy)).outcome).toBe(served);
      const listed = await models(acmeKey);
      expect(listed).toContain('gpt-provider/gpt-4.1');
      for (const name of ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18'])
        expect(listed).not.toContain(`gpt-provider/${name}`);
      expect(await models(otherKey)).toContain('gpt-provider/gpt-4o-mini');
    });
    await until(acmeKey, [stopped, served]);
  });

  it('takes its targets out of a route, which is refused only when none is left', async () => {
    const groups = [{ targets: [{ model: 'gpt-provider/gpt-4o-mini' }] }, { targets: [{ model: claude.model }] }];
    await acme.api.call('Routes/Create', { organizationId: acme.id, name: 'fast', groups });
    const question = chat(acmeKey, { model: 'fast', max_tokens: 16 });
    await turns(proxies, question, { from: '404 model_not_found', to: served });
    await ofAcme({ target: { model: 'gpt-provider/gpt-4o-mini' } }, async () => {
      await until(acmeKey, [served, stopped]);
      gateway.simulator.reset();
      expect(await outcomes(proxies, question)).toEqual(proxies.map(() => served));
      expect(gateway.simulator.requests.map(({ target }) => target)).toEqual(
        proxies.map(() => expect.stringMatching(/\/messages$/)),
      );
      await ofAcme({ target: { provider: 'assistant-provider' } }, async () => {
        await turns(proxies, question, { from: served, to: stopped });
      });
      await turns(proxies, question, { from: stopped, to: served });
    });
    await until(acmeKey, [stopped, served]);
  });
});

describe('a stop of a model', () => {
  it('also stops cached responses of it', async () => {
    const settings = { cache: { ttlSeconds: 600 } };
    const groups = [{ targets: [{ model: 'gpt-provider/gpt-4.1' }] }];
    await acme.api.call('Routes/Create', { organizationId: acme.id, name: 'cached', groups, settings });
    const question = chat(acmeKey, { model: 'cached' });
    // Redis may respond too late on a busy machine; then the response is generated again.
    const untilCached = () =>
      waitUntil(async () => (await question(gateway.proxy)).headers['x-svc-cache'] === 'hit', { what: 'a hit' });
    await turns(proxies, question, { from: '404 model_not_found', to: served });
    await untilCached();
    await withStop(gateway.platform, { target: { model: 'gpt-provider/gpt-4.1' } }, async () => {
      await turns(proxies, question, { from: served, to: stopped });
    });
    await turns(proxies, question, { from: stopped, to: served });
    await untilCached();
  });

  it('makes guardrails fail that call it: their failure rule decides', async () => {
    const guarded = await gateway.createOrganization('guarded');
    await guarded.storeProviderKeys();
    const check = { model: { model: 'gpt-provider/gpt-4o', form: 'judge', criterion: 'prompt_injection' } };
    const guardrail = { name: 'attacks', stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK', check };
    await guarded.api.call('Guardrails/Create', { organizationId: guarded.id, ...guardrail });
    const question = chat((await guarded.createKey()).value, claude);
    gateway.simulator.reset();
    await withStop(gateway.platform, { target: { provider: 'gpt-provider', model: 'gpt-4o' } }, async () => {
      const models = chat(acmeKey, { model: 'gpt-provider/gpt-4o' });
      await turns(proxies, models, { from: served, to: stopped });
      gateway.simulator.reset();
      expect(await outcomes(proxies, question)).toEqual(proxies.map(() => '400 guardrail_blocked'));
      expect(gateway.simulator.requests).toEqual([]);
    });
  });
});

describe('a stop of a provider, for what is not a chat request', () => {
  it('lets nobody read stored responses, and lets them be deleted', async () => {
    const ask = async (method: string, path: string, body?: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${acmeKey}` };
      const response = await fetch(`${gateway.proxy.url}${path}`, { method, headers, ...(body && { body }) });
      const read = (await response.json()) as { id?: string; error?: { code: string } };
      return { id: read.id, outcome: response.ok ? served : `${response.status} ${read.error?.code}` };
    };
    const sent = JSON.stringify({ model: 'gpt-provider/gpt-4o-mini', input: 'Hi', store: true });
    const { id = '' } = await ask('POST', '/v1/responses', sent);
    expect((await ask('GET', `/v1/responses/${id}`)).outcome).toBe(served);
    await ofAcme({ target: { provider: 'gpt-provider' } }, async () => {
      await until(acmeKey, [served, stopped]);
      gateway.simulator.reset();
      expect((await ask('GET', `/v1/responses/${id}`)).outcome).toBe(stopped);
      expect(gateway.simulator.requests).toEqual([]);
      expect((await ask('DELETE', `/v1/responses/${id}`)).outcome).toBe(served);
    });
    await until(acmeKey, [stopped, served]);
  });

  it('stops its moderation as well', async () => {
    const moderated = await gateway.createOrganization('moderated');
    await moderated.storeProviderKeys();
    const guardrail = { name: 'moderation', stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK' };
    const check = { moderation: {} };
    await moderated.api.call('Guardrails/Create', { organizationId: moderated.id, ...guardrail, check });
    const question = chat((await moderated.createKey()).value, claude);
    expect((await question(gateway.proxy)).outcome).toBe(served);
    await withStop(gateway.platform, { target: { provider: 'gpt-provider' } }, async () => {
      await until(acmeKey, [served, stopped]);
      gateway.simulator.reset();
      expect((await question(gateway.proxy)).outcome).toBe('400 guardrail_blocked');
      expect(gateway.simulator.requests).toEqual([]);
    });
    await until(acmeKey, [stopped, served]);
  });
});

describe('a stop of direct keys', () => {
  const direct = (key: string) =>
    chat(key, {}, { authorization: 'Bearer sk-own', 'x-svc-vk': key, 'x-svc-direct-key': 'true' });

  it('refuses them alone, and comes after the setting', async () => {
    expect((await direct(acmeKey)(gateway.proxy)).outcome).not.toBe(stopped);
    await withStop(gateway.platform, { target: { directKeys: true } }, async () => {
      const from = (await direct(acmeKey)(gateway.proxy)).outcome;
      await turns(proxies, direct(acmeKey), { from, to: stopped });
      expect(await outcomes(proxies, chat(acmeKey))).toEqual(proxies.map(() => served));
      // The specification's refusal goes first.
      expect((await direct(otherKey)(gateway.proxy)).outcome).toBe('403 policy_access_denied');
      const { message } = await direct(acmeKey)(gateway.proxy);
      expect(message).toBe(`the use of direct provider keys has been stopped by an operator: ${reason}`);
    });
  });
});

describe('a suspension with an end', () => {
  it('refuses the organization’s keys as ever, and ends by the proxy’s clock', async () => {
    const endsAt = new Date(Date.now() + 2_000).toISOString();
    await gateway.platform.call('Organizations/Suspend', { id: other.id, reason: 'unpaid', endsAt });
    await turns(proxies, admission(otherKey), { from: served, to: '403 access_blocked' });
    expect((await chat(otherKey)(gateway.proxy)).message).toBe('virtual key is inactive');
    await turns(proxies, admission(otherKey), { from: '403 access_blocked', to: served, withinMs: 5_000 });
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(endsAt));
    expect(await outcomes(proxies, chat(otherKey))).toEqual(proxies.map(() => served));
  });
});
