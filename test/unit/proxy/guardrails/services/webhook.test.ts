// Guardrails that call a webhook, over real connections to a receiver with a certificate: the contract, and services
// that break it.
import { lookup } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressRule } from '../../../../../common/addresses.ts';
import type { GuardOptions } from '../../../../../common/guarded-request.ts';
import { Secret } from '../../../../../common/secret.ts';
import { createWebhookSecret } from '../../../../../common/webhook-signature.ts';
import type { Guardrail } from '../../../../../guardrails/definition.ts';
import { webhookConnections, webhookResponseBytesMax } from '../../../../../proxy/guardrails/services/webhook.ts';
import { startBlackHole } from '../../../../support/black-hole.ts';
import { guardrailOf, openServiceFixture } from '../../../../support/service-guards.ts';
import { createAuthority, type TestAuthority } from '../../../../support/tls.ts';
import { postOnLoopback, type Receiver, startReceiver } from '../../../../support/webhook-receiver.ts';

let authority: TestAuthority;
let receiver: Receiver;
const never = new AbortController().signal;
const secret = createWebhookSecret();
const texts = ['Where is the tea?', 'In the “pot”.'];

beforeAll(async () => {
  authority = await createAuthority();
});
afterAll(() => authority.remove());
beforeEach(async () => {
  receiver = await startReceiver(authority);
});
afterEach(() => receiver.close());

const responds = (body: unknown) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

interface Desired extends Partial<Omit<Guardrail, 'check'>> {
  readonly url?: string;
  readonly timeoutMs?: number;
}

function guardrail({ url = receiver.url(), timeoutMs = 5000, ...fields }: Desired = {}): Guardrail {
  return guardrailOf({ kind: 'webhook', url, timeoutMs, secret: new Secret(secret) }, fields);
}

function openFixture(options: Partial<GuardOptions> = {}) {
  const more = { bodyBytesMax: webhookResponseBytesMax, keep: webhookConnections, ...options };
  return openServiceFixture({ post: postOnLoopback(authority, more) });
}

describe('a call of a webhook', () => {
  it('contains the contract’s question, signed', async () => {
    receiver.respond = responds({ decision: 'pass' });
    const { guard } = openFixture();
    await guard(guardrail(), 'output').inspect(texts, never);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(JSON.parse(body)).toEqual({
      version: 1,
      guardrail: { id: 'guardrail-1', name: 'our-guard' },
      stage: 'output',
      request_id: 'request-1',
      organization_id: 'organization-1',
      model: 'gpt-provider/gpt-4o-mini',
      texts,
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' });
    const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(secret).verify(body, signed)).toEqual(JSON.parse(body));
    expect(() => new Webhook(createWebhookSecret()).verify(body, signed)).toThrow('No matching signature');
  });

  it('uses the same connection for all requests', async () => {
    receiver.respond = responds({ decision: 'pass' });
    const { guard } = openFixture();
    for (let times = 0; times < 3; times++) await guard(guardrail()).inspect(texts, never);
    expect(new Set(receiver.received.map(({ port }) => port)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('contains texts with unpaired surrogates', async () => {
    receiver.respond = responds({ decision: 'pass' });
    expect(await openFixture().guard(guardrail()).inspect(['\ud83d', 'é\u0000'], never)).toEqual(['\ud83d', 'é\u0000']);
    expect(JSON.parse(receiver.received[0]?.body ?? '').texts).toEqual(['\ud83d', 'é\u0000']);
  });
});

type Case = [response: object, action: Guardrail['action'], decision: string, left?: readonly string[]];

describe('the response of a webhook', () => {
  it.each<Case>([
    [{ decision: 'pass' }, 'block', 'pass', texts],
    [{ decision: 'pass' }, 'redact', 'pass', texts],
    [{ decision: 'pass' }, 'observe', 'pass', texts],
    [{ decision: 'pass', labels: ['TEA'], texts: [] }, 'redact', 'pass', texts],
    [{ decision: 'found', labels: ['TEA'] }, 'block', 'block'],
    [{ decision: 'block', labels: ['TEA'] }, 'block', 'block'],
    [{ decision: 'found' }, 'block', 'block'],
    [{ decision: 'found', labels: ['not a label', 7, null] }, 'block', 'block'],
    [{ decision: 'found', labels: 'TEA' }, 'block', 'block'],
    [{ decision: 'found', labels: ['TEA'] }, 'observe', 'observe', texts],
    [{ decision: 'block' }, 'observe', 'observe', texts],
    [{ decision: 'found', labels: ['TEA'] }, 'redact', 'block'],
    [{ decision: 'block' }, 'redact', 'block'],
    [{ decision: 'redact', texts: ['Where is it?', ''] }, 'redact', 'redact', ['Where is it?', '']],
    [{ decision: 'redact', texts: ['Where is it?', ''] }, 'block', 'block'],
    [{ decision: 'redact', texts: ['Where is it?', ''] }, 'observe', 'observe', texts],
  ])('is applied: %j with action %s gives %s', async (response, action, decision, left) => {
    receiver.respond = responds(response);
    const { guard, decisions, outcomes } = openFixture();
    const judging = guard(guardrail({ action })).inspect(texts, never);
    if (left === undefined) {
      await expect(judging).rejects.toMatchObject({
        code: 'guardrail_blocked',
        message: 'blocked by the guardrail our-guard',
      });
    } else expect(await judging).toEqual(left);
    expect([decisions, outcomes]).toEqual([[`our-guard input ${decision}`], ['answered']]);
  });

  it.each([
    ['the unchanged text', 1, 'redact'],
    ['the rewritten text', 0, 'block'],
  ])('that redacts is applied or blocks when the fixed text is %s', async (_where, fixed, decision) => {
    receiver.respond = responds({ decision: 'redact', texts: ['Where is it?', texts[1]] });
    const { guard, decisions } = openFixture();
    const judging = guard(guardrail({ action: 'redact' })).inspect(texts, never, {
      isFixed: (index) => index === fixed,
    });
    await judging.catch(() => undefined);
    expect(decisions).toEqual([`our-guard input ${decision}`]);
    if (decision === 'block') await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
    else expect(await judging).toEqual(['Where is it?', texts[1]]);
  });
});

interface Broken {
  readonly respond?: (response: ServerResponse) => void;
  readonly options?: Partial<GuardOptions>;
  readonly desired?: () => Desired | Promise<Desired>;
}

/** A response of this many bytes. */
function passOf(bytes: number): object {
  const response = { decision: 'pass', more: '' };
  return { ...response, more: 'a'.repeat(bytes - JSON.stringify(response).length) };
}

const broken: readonly (readonly [what: string, reason: string, Broken])[] = [
  [
    'responds with another status',
    'refused',
    { respond: (response) => response.writeHead(500).end('{"decision":"pass"}') },
  ],
  ['responds with status 204', 'refused', { respond: (response) => response.writeHead(204).end() }],
  ['redirects', 'refused', { respond: (response) => response.writeHead(307, { location: receiver.url() }).end() }],
  ['responds with text that is not JSON', 'answer', { respond: (response) => response.writeHead(200).end('pass') }],
  ['responds with an empty body', 'answer', { respond: (response) => response.writeHead(200).end() }],
  ['responds with a list', 'answer', { respond: responds([{ decision: 'pass' }]) }],
  ['responds with null', 'answer', { respond: responds(null) }],
  ['responds with an unknown decision', 'answer', { respond: responds({ decision: 'maybe' }) }],
  ['responds without a decision', 'answer', { respond: responds({}) }],
  ['responds with too few texts', 'answer', { respond: responds({ decision: 'redact', texts: ['one'] }) }],
  ['responds with too many texts', 'answer', { respond: responds({ decision: 'redact', texts: ['', '', ''] }) }],
  ['responds without texts', 'answer', { respond: responds({ decision: 'redact' }) }],
  ['responds with a text that is a number', 'answer', { respond: responds({ decision: 'redact', texts: ['one', 2] }) }],
  ['responds with too many bytes', 'answer', { respond: responds(passOf(webhookResponseBytesMax + 1)) }],
  [
    'responds with too many bytes of headers',
    'unreachable',
    {
      respond: (response) => response.writeHead(200, { long: 'a'.repeat(20_000) }).end('{"decision":"pass"}'),
    },
  ],
  [
    'cuts its response off',
    'unreachable',
    {
      respond: (response) => {
        response.writeHead(200, { 'content-length': '20' }).write('{"decision":"pass"}');
        setImmediate(() => response.destroy());
      },
    },
  ],
  ['closes the connection', 'unreachable', { respond: (response) => response.destroy() }],
  ['does not respond', 'timeout', { respond: () => undefined, desired: () => ({ timeoutMs: 100 }) }],
  [
    'does not end its response',
    'timeout',
    { respond: (response) => response.writeHead(200).write('{'), desired: () => ({ timeoutMs: 100 }) },
  ],
  ['is down', 'unreachable', { desired: async () => ({ url: await closedUrl() }) }],
  ['is at a private address', 'unreachable', { options: { allows: addressRule({ deny: [] }), resolve: lookup } }],
  [
    'has an empty list of addresses',
    'unreachable',
    { options: { resolve: (_host, _options, found) => found(null, []) } },
  ],
  [
    'has no address',
    'unreachable',
    { options: { resolve: (_host, _options, found) => found(new Error('ENOTFOUND'), []) } },
  ],
  [
    'has a name whose name servers do not respond',
    'timeout',
    { options: { resolve: () => undefined }, desired: () => ({ timeoutMs: 100 }) },
  ],
  [
    'shows the certificate of another host',
    'unreachable',
    {
      options: { resolve: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
      desired: () => ({ url: receiver.url('guards.example.com') }),
    },
  ],
];

async function closedUrl(): Promise<string> {
  const closed = await startReceiver(authority);
  await closed.close();
  return closed.url();
}

describe.each(broken)('a webhook that %s has failed (%s)', (_what, reason, { respond, options, desired }) => {
  it.each<[Guardrail['action'], Guardrail['onFailure'], string]>([
    ['block', 'block', 'failed_block'],
    ['block', 'pass', 'failed_pass'],
    ['redact', 'block', 'failed_block'],
    ['observe', 'block', 'failed_pass'],
  ])('with action %s and failure rule %s the decision is %s', async (action, onFailure, decision) => {
    receiver.respond = respond ?? responds({ decision: 'pass' });
    const { guard, decisions, outcomes, logged } = openFixture(options);
    const judging = guard(guardrail({ action, onFailure, ...(await desired?.()) })).inspect(texts, never);
    if (decision === 'failed_block') await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
    else expect(await judging).toEqual(texts);
    expect([decisions, outcomes]).toEqual([[`our-guard input ${decision}`], [reason]]);
    const line = logged.join('');
    expect(line).toContain(`"reason":"${reason}"`);
    for (const hidden of [secret, secret.slice(6), 'in-the-url', '127.0.0.1', 'localhost', 'tea'])
      expect(line).not.toContain(hidden);
  });
});

it('a webhook that never responds costs its time limit and no more', async () => {
  const hole = await startBlackHole();
  try {
    const { guard, outcomes } = openFixture();
    const url = `https://localhost:${hole.port}/`;
    const began = performance.now();
    const judging = guard(guardrail({ url, timeoutMs: 150 })).inspect(texts, never);
    await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
    const took = performance.now() - began;
    expect(outcomes).toEqual(['timeout']);
    expect(took).toBeGreaterThan(140);
    expect(took).toBeLessThan(1500);
  } finally {
    await hole.stop();
  }
});

it('a response with exactly the maximum length is read', async () => {
  receiver.respond = responds(passOf(webhookResponseBytesMax));
  const { guard, outcomes } = openFixture();
  await guard(guardrail()).inspect(texts, never);
  expect(outcomes).toEqual(['answered']);
});

it('a request that ends aborts its call of the webhook, which does not count as a failure', async () => {
  let cut = false;
  receiver.respond = (response) => {
    response.on('close', () => {
      cut = true;
    });
  };
  const { guard, decisions, outcomes } = openFixture();
  const ending = new AbortController();
  const judging = guard(guardrail()).inspect(texts, ending.signal);
  await expect.poll(() => receiver.received.length).toBe(1);
  const left = new Error('the client left');
  ending.abort(left);
  await expect(judging).rejects.toBe(left);
  await expect.poll(() => cut).toBe(true);
  expect([decisions, outcomes]).toEqual([[], []]);
});
