// Which target of a route gets a request first: through the vendors' own SDKs, without their retries.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../../simulator/record.ts';
import { type BlackHole, startBlackHole } from '../../support/black-hole.ts';
import { startGateway, type TestGateway, type TestOrganization, type TestProxy } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { createBudget } from '../../support/spending.ts';
import { metric } from '../../support/telemetry.ts';

const gpt = 'gpt-provider/gpt-4o-mini';
const claude = 'assistant-provider/claude-haiku-4-5';
const messages = [{ role: 'user' as const, content: 'Hello' }];
let organizations = 0;

let gateway: TestGateway;
let hole: BlackHole;
/** It may connect to the black hole. */
let reaching: TestProxy;
/** A new one for each test, because a proxy remembers which targets have failed. */
let organization: TestOrganization;
let key: { readonly id: string; readonly value: string };

beforeAll(async () => {
  hole = await startBlackHole();
  const listed = `127.0.0.1:${hole.port}`;
  gateway = await startGateway({ controlPlane: { GATEWAY_PRIVATE_UPSTREAMS: listed } });
  reaching = await gateway.startProxy({
    GATEWAY_PRIVATE_UPSTREAMS: `127.0.0.1:${gateway.simulator.port},${listed}`,
  });
});
beforeEach(async () => {
  gateway.simulator.reset();
  organization = await gateway.createOrganization(`tenant-${++organizations}`);
  await organization.storeProviderKeys();
  key = await organization.createKey();
});
afterAll(async () => {
  await gateway?.close();
  await hole?.stop();
});

async function createRoute(group: object, fields: object = {}): Promise<void> {
  const request = { organizationId: organization.id, name: 'fast', groups: [group], ...fields };
  await organization.api.call('Routes/Create', request);
}

async function storeKey(provider: string, name: string, fields: object = {}): Promise<string> {
  const secret = { apiKey: `sk-sim-${name}-0123456789` };
  const request = { organizationId: organization.id, provider, name, secret, ...fields };
  return String((await organization.api.call('ProviderKeys/Create', request)).id);
}

async function keysOf(provider: string): Promise<readonly string[]> {
  const listed = (await organization.api.call('ProviderKeys/List', { organizationId: organization.id })) as {
    providerKeys: { id: string; provider: string }[];
  };
  return listed.providerKeys.filter((one) => one.provider === provider).map(({ id }) => id);
}

function openai(headers: Readonly<Record<string, string>> = {}, proxy: TestProxy = gateway.proxy): OpenAI {
  const baseURL = `${proxy.url}/v1`;
  return new OpenAI({ apiKey: key.value, baseURL, maxRetries: 0, defaultHeaders: headers });
}

async function chat(headers?: Readonly<Record<string, string>>, model = 'fast') {
  const { response } = await openai(headers).chat.completions.create({ model, messages }).withResponse();
  return response.headers;
}

async function modelOf(headers?: Readonly<Record<string, string>>): Promise<string> {
  return String((await chat(headers)).get('x-svc-model'));
}

/** The key that the vendor got. */
function keyOf({ headers }: RecordedRequest): string {
  return String(headers['x-api-key'] ?? headers.authorization);
}

function keysUsed(): readonly string[] {
  return gateway.simulator.requests.map(keyOf);
}

async function lineOf(headers: Headers): Promise<unknown> {
  const id = headers.get('x-request-id') ?? '';
  const line = await until(() => Promise.resolve(gateway.logs.find((one) => one.includes(id))), { what: 'its line' });
  return JSON.parse(line);
}

describe('a sticky group', () => {
  const sessions = Array.from({ length: 16 }, (_, at) => ({ 'x-session-affinity': `session-${at}` }));

  it('sends the requests of a session to one target and one key, and sessions to all', async () => {
    await storeKey('gpt-provider', 'second');
    await createRoute({ targets: [{ model: gpt }, { model: claude }], choice: 'GROUP_CHOICE_STICKY' });
    for (const session of sessions) await chat(session);
    const first = keysUsed();
    gateway.simulator.reset();
    for (const session of sessions) await chat(session);
    expect(keysUsed()).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(1);
  });

  it('recognizes the turns of a conversation without a name, and returns to its target after a failure', async () => {
    const anthropic = new Anthropic({ apiKey: key.value, baseURL: gateway.proxy.url, maxRetries: 0 });
    await createRoute({ targets: [{ model: gpt }, { model: claude }], choice: 'GROUP_CHOICE_STICKY' });
    const turn = async (...content: readonly string[]) => {
      const turns = content.map((text, at) => ({
        role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: text,
      }));
      const request = { model: 'fast', max_tokens: 50, system: 'Be brief.', messages: turns };
      const { response } = await anthropic.messages.create(request).withResponse();
      return response.headers.get('x-svc-model');
    };
    const model = await turn('One');
    expect(await turn('One', 'Two', 'Three')).toBe(model);
    const first = keyOf(gateway.simulator.requests[0] as RecordedRequest);
    gateway.simulator.script({ status: 503 }, { times: 1, when: (request) => keyOf(request) === first });
    expect(await turn('One', 'Two', 'Three', 'Four', 'Five')).not.toBe(model);
    expect(await turn('One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven')).toBe(model);
    const others = new Set(await Promise.all(sessions.map((_, at) => turn(`Other ${at}`))));
    expect(others).toHaveLength(2);
  });
});

describe('a group', () => {
  it('sends requests to the cheapest target', async () => {
    await createRoute({ targets: [{ model: claude }, { model: gpt }], choice: 'GROUP_CHOICE_CHEAPEST' });
    for (let request = 0; request < 5; request++) expect(await modelOf()).toBe('gpt-4o-mini');
  });

  it('sends requests to the least busy target', async () => {
    await createRoute({ targets: [{ model: claude }, { model: gpt }], choice: 'GROUP_CHOICE_LEAST_BUSY' });
    gateway.simulator.script({ headDelayMs: 300 }, { times: 8 });
    const found = [];
    for (let request = 0; request < 8; request++) {
      found.push(modelOf());
      await until(() => gateway.simulator.requests.length === request + 1, { what: 'the request at the vendor' });
    }
    const models = await Promise.all(found);
    expect(models.filter((model) => model === 'gpt-4o-mini')).toHaveLength(4);
    gateway.simulator.reset();
    // All of them have ended, so the next one finds no target busy.
    await modelOf();
  });

  it('sends streams to the target whose streams begin sooner', async () => {
    await createRoute({ targets: [{ model: claude }, { model: gpt }], choice: 'GROUP_CHOICE_FASTEST' });
    gateway.simulator.script(
      { headDelayMs: 150 },
      { times: 20, when: ({ headers }) => headers['x-api-key'] !== undefined },
    );
    const models: string[] = [];
    for (let request = 0; request < 8; request++) {
      const { data, response } = await openai()
        .chat.completions.create({ model: 'fast', messages, stream: true })
        .withResponse();
      for await (const _chunk of data);
      models.push(String(response.headers.get('x-svc-model')));
    }
    expect(models.slice(2)).toEqual(Array(6).fill('gpt-4o-mini'));
  });
});

describe('a canary', () => {
  const requests = (canary: string) => metric(gateway.proxy, 'gateway_requests_total', { canary });

  it('gets its share first, and has a label of its own in metrics and in the log', async () => {
    await createRoute({ targets: [{ model: gpt }, { model: claude, canary: 100 }] });
    const before = await Promise.all(['true', 'failed', 'false'].map(requests));
    const headers = await chat();
    expect(headers.get('x-svc-model')).toBe('claude-haiku-4-5');
    expect(await lineOf(headers)).toMatchObject({ canary: 'true' });
    gateway.simulator.script({ status: 503 }, { when: ({ headers: sent }) => sent['x-api-key'] !== undefined });
    const failed = await chat();
    expect(failed.get('x-svc-model')).toBe('gpt-4o-mini');
    expect(await lineOf(failed)).toMatchObject({ canary: 'failed' });
    expect(await lineOf(await chat({}, gpt))).not.toHaveProperty('canary');
    const after = await Promise.all(['true', 'failed', 'false'].map(requests));
    expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 1]);
  });
});

describe('a target', () => {
  it('without a connection in its time is followed by the next one, and costs nothing', async () => {
    const keyId = await storeKey('gpt-provider', 'nowhere', {
      settings: { baseUrl: `https://127.0.0.1:${hole.port}/v1` },
    });
    await createRoute(
      { targets: [{ model: gpt, providerKeyId: keyId, connectMs: 100 }] },
      {
        groups: [{ targets: [{ model: gpt, providerKeyId: keyId, connectMs: 100 }] }, { targets: [{ model: claude }] }],
      },
    );
    const budget = await createBudget(organization, { kind: 'VIRTUAL_KEY', id: key.id }, { amountUsd: '5' });
    const startedAt = performance.now();
    const pending = openai({}, reaching).chat.completions.create({ model: 'fast', messages });
    const { headers } = (await pending.withResponse()).response;
    expect(performance.now() - startedAt).toBeLessThan(2500);
    expect([headers.get('x-svc-model'), headers.get('x-svc-attempts')]).toEqual(['claude-haiku-4-5', '2']);
    expect([hole.accepted(), budget]).toEqual([1, expect.any(String)]);
  });

  it('whose own budget is spent is passed over if the route says so', async () => {
    const groups = [{ targets: [{ model: gpt }] }, { targets: [{ model: claude }] }];
    await createRoute({}, { groups, settings: { onBudget: true } });
    const subject = { kind: 'VIRTUAL_KEY', id: key.id } as const;
    await createBudget(organization, subject, { amountUsd: '0.000001', model: gpt });
    const headers = await chat();
    expect([headers.get('x-svc-model'), headers.get('x-svc-attempts')]).toEqual(['claude-haiku-4-5', '1']);
    await createBudget(organization, subject, { amountUsd: '0.000001', model: claude });
    await expect(chat()).rejects.toMatchObject({ status: 402, code: 'budget_exceeded' });
  });
});

describe('a ceiling of requests in flight', () => {
  it('sends further requests to the next group, and the first one again when there is room', async () => {
    const groups = [{ targets: [{ model: gpt }], inFlightMax: 4 }, { targets: [{ model: claude }] }];
    await createRoute({}, { groups });
    gateway.simulator.script({ headDelayMs: 300 }, { times: 6 });
    const models = await Promise.all(Array.from({ length: 6 }, () => modelOf()));
    expect(models.filter((model) => model === 'gpt-4o-mini')).toHaveLength(4);
    expect(models.filter((model) => model === 'claude-haiku-4-5')).toHaveLength(2);
    expect(await modelOf()).toBe('gpt-4o-mini');
  });
});

describe('reasoning that only one account can read', () => {
  const model = 'assistant-provider/claude-sonnet-4-5';
  const reasoning = { effort: 'low' as const };

  /** A turn of a client of Responses with a Claude model: its thinking is wrapped. */
  async function turn(input: OpenAI.Responses.ResponseInput) {
    gateway.simulator.script({ reasoning: 'Let me think.' });
    const include = ['reasoning.encrypted_content' as const];
    const pending = openai().responses.create({ model: 'fast', input, reasoning, include, store: false });
    const { data, response } = await pending.withResponse();
    return { output: data.output, dropped: response.headers.get('x-svc-dropped-params') };
  }

  async function conversation(settings: object) {
    for (const name of ['second', 'third']) await storeKey('assistant-provider', name);
    await createRoute(
      { targets: [{ model }, { model: gpt }] },
      { groups: [{ targets: [{ model }] }, { targets: [{ model: gpt }] }], settings },
    );
    const first = await turn(messages);
    expect(first.output.map(({ type }) => type)).toContain('reasoning');
    return [...messages, ...first.output, { role: 'user' as const, content: 'And?' }] as OpenAI.Responses.ResponseInput;
  }

  it('goes to the key that wrote it, and elsewhere without it while that one fails', async () => {
    const input = await conversation({});
    const [issuer = ''] = keysUsed();
    for (let again = 0; again < 5; again++) expect((await turn(input)).dropped).toBeNull();
    expect(new Set(keysUsed())).toEqual(new Set([issuer]));
    gateway.simulator.reset();
    gateway.simulator.script({ status: 503 }, { when: (request) => keyOf(request) === issuer });
    expect((await turn(input)).dropped).toBe('input.reasoning');
    expect(new Set(keysUsed()).size).toBe(2);
  });

  it('is kept with its key if the route says so: without the key the request is refused', async () => {
    const input = await conversation({ keepReasoning: true });
    const [issuer = ''] = keysUsed();
    gateway.simulator.reset();
    gateway.simulator.script({ status: 503 }, { times: 2, when: (request) => keyOf(request) === issuer });
    await expect(turn(input)).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    expect(new Set(keysUsed())).toEqual(new Set([issuer]));
    for (const id of await keysOf('assistant-provider')) await organization.api.call('ProviderKeys/Delete', { id });
    await expect(turn(input)).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('of the client’s own format is left out once, at the same target, and that is named', async () => {
    await createRoute({ targets: [{ model: 'gpt-provider/gpt-5-mini' }] });
    const first = await turn(messages);
    const input = [...messages, ...first.output, { role: 'user' as const, content: 'And?' }];
    expect((await turn(input as OpenAI.Responses.ResponseInput)).dropped).toBeNull();
    const [id = ''] = await keysOf('gpt-provider');
    await organization.api.call('ProviderKeys/Update', { id, secret: { apiKey: 'sk-sim-other-0123456789' } });
    gateway.simulator.reset();
    const moved = await until(
      async () => {
        const found = await turn(input as OpenAI.Responses.ResponseInput);
        return found.dropped === null ? undefined : found;
      },
      { what: 'the other account' },
    );
    expect(moved.dropped).toBe('input.reasoning');
    const [refused, accepted] = gateway.simulator.requests.slice(-2);
    expect([refused, accepted].map((request) => request && keyOf(request))).toEqual(
      Array(2).fill('Bearer sk-sim-other-0123456789'),
    );
    expect(JSON.stringify(accepted?.json())).not.toContain('encrypted_content":"');
  });
});
