// Guardrails that a service decides, when the service is down, slow, wrong or endless: through the whole gateway, by
// the guardrail's failure rule, streamed and not; and the addresses that a service may have.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import {
  type GuardrailFixture,
  guardrailFields,
  guardrailsIn,
  openGuardrailFixture,
} from '../../support/guardrails/fixture.ts';
import { loopbackAllowed, openServiceNetwork } from '../../support/guardrails/services.ts';
import { ask, parsed, plainWay, type ReadResponse } from '../../support/guardrails/ways.ts';
import { freePort, until } from '../../support/process.ts';
import { metric } from '../../support/telemetry.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';
import { publicHost, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const timeoutMs = 300;
const text = 'What the provider sent.';

let network: Awaited<ReturnType<typeof openServiceNetwork>>;
let stranger: TestAuthority;
let gateway: TestGateway;
let receiver: Receiver;
let key: string;
let fixture: GuardrailFixture;

const pass = (response: ServerResponse) => respondJson(response, { decision: 'pass' });

function respondJson(response: ServerResponse, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(result));
}

beforeAll(async () => {
  network = await openServiceNetwork();
  stranger = await createAuthority('stranger');
  receiver = await startReceiver(network.authority);
  gateway = await startGateway({ proxy: loopbackAllowed, serviceNetwork: network.serviceNetwork });
  gateway.simulator.script({ text: text }, { times: Number.POSITIVE_INFINITY });
  key = (await gateway.organization.createKey()).value;
  fixture = openGuardrailFixture(gateway, gateway.organization, key);
});
afterEach(() => {
  receiver.respond = pass;
});
afterAll(async () => {
  await gateway?.close();
  await receiver?.close();
  network?.authority.remove();
  stranger?.remove();
});

let requested = 0;

function send(streamed = false, url = gateway.proxy.url): Promise<ReadResponse> {
  const messages = [{ role: 'user', content: 'Hello' }];
  return ask(plainWay, { url, key, id: `service-${++requested}`, body: { stream: streamed, messages } });
}

/** Uses a webhook that responds. */
function useWebhook(
  [stage, action]: readonly [string, string],
  onFailure: string,
  url = receiver.url(publicHost),
  responsesWithinMs = timeoutMs,
): Promise<string> {
  receiver.respond = pass;
  const more = { onFailure: `GUARDRAIL_FAILURE_RULE_${onFailure.toUpperCase()}` };
  return fixture.replace(guardrailFields([stage, action], { webhook: { url, timeoutMs: responsesWithinMs } }, more));
}

interface Failure {
  readonly name: string;
  /** Its label in the metric of questions. */
  readonly outcome: string;
  readonly respond: Receiver['respond'];
}

const failures: readonly Failure[] = [
  {
    name: 'that is down',
    outcome: 'unreachable',
    respond: (response) => response.destroy(),
  },
  { name: 'that is slow', outcome: 'timeout', respond: () => undefined },
  {
    name: 'that begins a response and stops',
    outcome: 'timeout',
    respond: (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{"decision":'),
  },
  {
    name: 'that returns an error',
    outcome: 'refused',
    respond: (response) => response.writeHead(500).end('{"decision":"pass"}'),
  },
  {
    name: 'that leads elsewhere',
    outcome: 'refused',
    respond: (response) => response.writeHead(307, { location: '/elsewhere' }).end(),
  },
  {
    name: 'that returns no JSON',
    outcome: 'answer',
    respond: (response) => response.writeHead(200).end('<p>pass</p>'),
  },
  {
    name: 'that returns a decision unknown to the contract',
    outcome: 'answer',
    respond: (response) => respondJson(response, { decision: 'allow' }),
  },
  {
    name: 'that returns more texts than it got',
    outcome: 'answer',
    respond: (response) => respondJson(response, { decision: 'redact', texts: Array(50).fill('x') }),
  },
  {
    name: 'that returns a response that is too large',
    outcome: 'answer',
    respond: (response) => respondJson(response, { decision: 'pass', more: 'x'.repeat(3 * 1024 * 1024) }),
  },
];

/** A busy machine responds late, which would be another outcome. */
const msFor = (outcome: string) => (outcome === 'timeout' ? timeoutMs : 20 * timeoutMs);

const questions = (outcome: string) =>
  metric(gateway.proxy, 'gateway_guardrail_questions_total', { kind: 'webhook', outcome });

describe.each(failures)('a service $name', ({ outcome, respond }) => {
  it.each(['input', 'output'])('blocks when its failure rule is to block: %s', async (stage) => {
    const name = await useWebhook([stage, 'redact'], 'block', receiver.url(publicHost), msFor(outcome));
    const before = await questions(outcome);
    for (const streamed of [false, true]) {
      receiver.respond = respond;
      const provided = gateway.simulator.requests.length;
      const reply = await send(streamed);
      expect([reply.status, reply.error?.code, reply.error?.message]).toEqual([
        ...[400, 'guardrail_blocked', `blocked by the guardrail ${name}`],
      ]);
      expect(reply.headers.get('content-type')).toBe('application/json');
      expect(reply.body).not.toContain(text);
      const decisions = stage === 'output' && streamed ? ['stream', 'failed_block'] : ['failed_block'];
      expect(guardrailsIn(reply.headers).get(name)).toEqual(decisions);
      expect(gateway.simulator.requests.length - provided).toBe(stage === 'input' ? 0 : 1);
    }
    expect((await questions(outcome)) - before).toBe(2);
    expect(await fixture.decisions(name)).toMatchObject({ [`${stage} failed_block`]: 2 });
  });

  it.each(['input', 'output'])('passes when its failure rule is to pass: %s', async (stage) => {
    const name = await useWebhook([stage, 'redact'], 'pass');
    for (const streamed of [false, true]) {
      receiver.respond = respond;
      const reply = await send(streamed);
      expect(reply.status).toBe(200);
      expect(parsed(reply).choices[0]?.content).toBe(text);
      const decisions = guardrailsIn(reply.headers).get(name);
      expect(decisions?.[0]).toBe(stage === 'output' && streamed ? 'stream' : 'failed_pass');
    }
    expect(await fixture.decisions(name)).toMatchObject({ [`${stage} failed_pass`]: 2 });
  });

  it('with the action observe delays nothing, whatever its failure rule', async () => {
    const name = await useWebhook(['both', 'observe'], 'block');
    for (const streamed of [false, true]) {
      receiver.respond = respond;
      const reply = await send(streamed);
      expect([reply.status, parsed(reply).choices[0]?.content]).toEqual([200, text]);
    }
    await until(async () => (await fixture.decisions(name))['output failed_pass'] === 2);
    expect(await fixture.decisions(name)).toMatchObject({ 'input failed_pass': 2 });
  });
});

describe('a slow service', () => {
  it('delays a request by no more than its timeout', async () => {
    await useWebhook(['input', 'block'], 'pass');
    receiver.respond = () => undefined;
    const { ms, status } = await send();
    console.log(`a service that never responds within ${timeoutMs} ms: ${Math.round(ms)} ms`);
    expect(status).toBe(200);
    expect(ms).toBeGreaterThanOrEqual(timeoutMs - 1);
    expect(ms).toBeLessThan(10 * timeoutMs);
  });
});

describe('a service that fails repeatedly', () => {
  it('is not called for ten seconds after five failures; its failure rule decides meanwhile', async () => {
    const name = await useWebhook(['input', 'block'], 'block');
    receiver.respond = (response) => response.writeHead(500).end();
    const before = receiver.received.length;
    for (let times = 0; times < 8; times++) expect((await send()).error?.code).toBe('guardrail_blocked');
    expect(receiver.received.length - before).toBe(5);
    expect(await questions('resting')).toBe(3);
    expect(await fixture.decisions(name)).toMatchObject({ 'input failed_block': 8 });
    receiver.respond = pass;
    expect((await send()).status).toBe(400);
    await until(async () => (await send()).status === 200, {
      timeoutMs: 12_000,
      what: 'the service to be called',
    });
    expect(receiver.received.length - before).toBe(6);
  });
});

describe('the address of a service', () => {
  let proxies: readonly TestProxy[];

  beforeAll(async () => {
    const environments = [
      { GATEWAY_GUARDRAIL_ADDRESSES: '' },
      { GATEWAY_GUARDRAIL_ADDRESSES: '10.0.0.0/8' },
      { ...loopbackAllowed, GATEWAY_DENY_CIDRS: '127.0.0.0/8' },
    ];
    proxies = await Promise.all(environments.map((environment) => gateway.startProxy(environment)));
  });

  it.each([publicHost, '127.0.0.1'])('is allowed by GATEWAY_GUARDRAIL_ADDRESSES only: %s', async (host) => {
    const name = await useWebhook(['input', 'block'], 'block', receiver.url(host));
    expect((await send()).status).toBe(200);
    for (const proxy of proxies) {
      await until(async () => guardrailsIn((await send(false, proxy.url)).headers).has(name), {
        what: 'the proxy to have the guardrail',
      });
      const before = receiver.received.length;
      const reply = await send(false, proxy.url);
      expect([reply.status, reply.error?.message]).toEqual([400, `blocked by the guardrail ${name}`]);
      expect(receiver.received.length).toBe(before);
    }
  });

  it.each([
    'https://169.254.169.254/check',
    'https://metadata.google.internal/check',
    'http://receiver.example.com/check',
    'https://name:word@receiver.example.com/check',
    'moderator',
  ])('cannot be %s', async (url) => {
    await expect(useWebhook(['input', 'block'], 'block', url)).rejects.toThrow(/Guardrails\/Create: /);
  });

  it('may have no listener, and the failure rule decides', async () => {
    const url = `https://${publicHost}:${await freePort()}/check`;
    const name = await useWebhook(['input', 'block'], 'block', url);
    expect((await send()).error?.message).toBe(`blocked by the guardrail ${name}`);
  });

  it("may present an unknown authority's certificate, and the failure rule decides", async () => {
    const impostor = await startReceiver(stranger);
    try {
      const name = await useWebhook(['input', 'block'], 'block', impostor.url(publicHost));
      expect((await send()).error?.message).toBe(`blocked by the guardrail ${name}`);
      expect(impostor.received).toEqual([]);
    } finally {
      await impostor.close();
    }
  });
});

describe('the moderation endpoint', () => {
  const use = (onFailure: string) =>
    fixture.replace(
      guardrailFields(['input', 'block'], { moderation: {} }, { onFailure: `GUARDRAIL_FAILURE_RULE_${onFailure}` }),
    );

  it.each([
    ['BLOCK', 400],
    ['PASS', 200],
  ])('that fails is decided by the failure rule: %s', async (onFailure, status) => {
    const name = await use(onFailure);
    gateway.simulator.reset();
    gateway.simulator.script({ text: text }, { when: ({ target }) => target.endsWith('/completions'), times: 100 });
    for (const failing of [
      { status: 500 },
      { body: '{"results":[]}' },
      { stop: { by: 'cut', beforeHead: true } },
    ] as const) {
      gateway.simulator.script(failing, { when: ({ target }) => target.endsWith('/moderations') });
      const reply = await send();
      expect([failing, reply.status]).toEqual([failing, status]);
    }
    const decision = status === 400 ? 'failed_block' : 'failed_pass';
    expect(await fixture.decisions(name)).toMatchObject({ [`input ${decision}`]: 3 });
  });
});
