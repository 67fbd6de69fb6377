// Vendors' guardrail services over real connections: the documented requests, how responses are read, and what happens
// with services that break their contract.
import { createVerify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addressRule } from '../../../../../common/addresses.ts';
import type { GuardedPost, GuardOptions } from '../../../../../common/guarded-request.ts';
import { Secret } from '../../../../../common/secret.ts';
import { readCheck } from '../../../../../guardrails/contract.ts';
import type { Guardrail, ServiceCheck } from '../../../../../guardrails/definition.ts';
import { serviceAdapters } from '../../../../../guardrails/services/index.ts';
import { signedHeaders } from '../../../../../proxy/providers/credentials/sigv4.ts';
import type { Target } from '../../../../../proxy/providers/provider.ts';
import {
  type ServiceFixture,
  serviceAccount,
  serviceAccountKey,
  serviceFixtures,
} from '../../../../support/guardrails/service-fixtures.ts';
import { guardrailOf, openServiceFixture } from '../../../../support/service-guards.ts';
import { createAuthority, type TestAuthority } from '../../../../support/tls.ts';
import { postOnLoopback, type Received, type Receiver, startReceiver } from '../../../../support/webhook-receiver.ts';

let authority: TestAuthority;
let receiver: Receiver;
/** Shared: a connection per test would take longer than the test. */
let post: GuardedPost;
const never = new AbortController().signal;
const fixtures = Object.entries(serviceFixtures);

beforeAll(async () => {
  authority = await createAuthority();
  receiver = await startReceiver(authority);
  post = openPost();
});
afterAll(async () => {
  await receiver.close();
  authority.remove();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const respond = (response: ServerResponse, body: unknown) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** The service, with the server that issues its tokens. */
function responding(body: unknown): Receiver['respond'] {
  return (response, request) =>
    request.path === '/token'
      ? respond(response, { access_token: 'access-token-1', expires_in: 3599, token_type: 'Bearer' })
      : respond(response, body);
}

function checkOf(adapter: string, { options, credential = {} }: ServiceFixture): ServiceCheck {
  const { api_key, access_key_id, secret_access_key, service_account } = credential;
  const secretOf = (text: string | undefined) => (text === undefined ? undefined : new Secret(text));
  return {
    kind: 'service',
    ...{ adapter, options, labels: [], scoreMin: undefined, timeoutMs: 3000 },
    url: `https://localhost:${receiver.port}`,
    credential: {
      apiKey: secretOf(api_key),
      accessKeyId: secretOf(access_key_id),
      secretAccessKey: secretOf(secret_access_key),
      serviceAccount: secretOf(service_account && serviceAccount(`https://localhost:${receiver.port}/token`)),
    },
  };
}

const openPost = (options: Partial<GuardOptions> = {}) =>
  postOnLoopback(authority, { bodyBytesMax: 64 * 1024, ...options });

function openFixture(options?: Partial<GuardOptions>, targets: () => readonly Target[] = () => []) {
  return openServiceFixture({
    post: options === undefined ? post : openPost(options),
    cloud: { targets, sign: signedHeaders },
  });
}

const cut: Receiver['respond'] = (response) => {
  response.writeHead(200).write('[');
  response.destroy();
};

const request = (): readonly Received[] => receiver.received.filter(({ path }) => path !== '/token');

it('every adapter has a fixture and a row in the documentation', () => {
  const documented = readFileSync('docs/guardrails.md', 'utf8');
  for (const [name, { options, source }] of Object.entries(serviceAdapters)) {
    expect(Object.keys(serviceFixtures)).toContain(name);
    expect(documented).toContain(`| \`${name}\` |`);
    for (const option of Object.keys(options)) expect(documented).toContain(`\`${option}\``);
    expect(source).not.toBe('');
  }
  expect(Object.keys(serviceFixtures)).toHaveLength(Object.keys(serviceAdapters).length);
});

describe.each(fixtures)('the adapter %s', (adapter, fixture) => {
  const { text, requests, authenticates, nonsense } = fixture;
  const verifier = async (fields: Partial<Guardrail>, stage: 'input' | 'output' = 'input', more = {}) => {
    const opened = openFixture();
    const guard = opened.guard(guardrailOf({ ...checkOf(adapter, fixture), ...more }, fields), stage);
    const left = await guard.inspect([text], never).catch((error: { code?: string }) => error.code);
    return { ...opened, left };
  };

  it('sends the request that the vendor documents', async () => {
    receiver.respond = responding(fixture.responses[0]?.response);
    const { left, outcomes } = await verifier({});
    expect([left, outcomes]).toEqual([[text], ['answered']]);
    const parsed = request().map(({ path, body }) => ({ path, body: JSON.parse(body) }));
    expect(parsed.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual(requests);
    const [name, value] = authenticates;
    for (const { headers } of request()) expect(headers[name] ?? '').toMatch(value);
  });

  it.each(fixture.responses)('finds $name', async ({ response: result, labels, stage }) => {
    receiver.respond = responding(result);
    const { left, decisions } = await verifier({ action: 'block' }, stage);
    const at = `our-guard ${stage ?? 'input'}`;
    if (labels.length === 0) expect([left, decisions]).toEqual([[text], [`${at} pass`]]);
    else expect([left, decisions]).toEqual(['guardrail_blocked', [`${at} block`]]);
    const observed = await verifier({ action: 'observe' }, stage);
    expect(observed.decisions).toEqual([`${at} ${labels.length === 0 ? 'pass' : 'observe'}`]);
    const others = await verifier({ action: 'block' }, stage, { labels: ['ANOTHER_LABEL'] });
    expect(others.left).toEqual([text]);
    for (const label of labels)
      expect((await verifier({ action: 'block' }, stage, { labels: [label] })).left).toBe('guardrail_blocked');
  });

  it.each(fixture.responses.filter(({ labels }) => labels.length > 0))(
    'redacts $name when the response contains the redaction, and blocks otherwise',
    async ({ response: result, stage, left }) => {
      receiver.respond = responding(result);
      const redacted = await verifier({ action: 'redact' }, stage);
      expect(redacted.left).toEqual(left === undefined ? 'guardrail_blocked' : [left]);
    },
  );

  it.each(nonsense.map((result) => [JSON.stringify(result), result]))(
    'fails when the service returns %s',
    async (_json, result) => {
      receiver.respond = responding(result);
      const { left, decisions, outcomes } = await verifier({});
      expect([left, decisions]).toEqual(['guardrail_blocked', ['our-guard input failed_block']]);
      expect(outcomes).toEqual(['answer']);
      expect((await verifier({ onFailure: 'pass' })).left).toEqual([text]);
    },
  );

  it.each<readonly [string, string, Receiver['respond']]>([
    ['text that is not JSON', 'answer', (response) => response.writeHead(200).end('<p>fine</p>')],
    ['an error', 'refused', (response) => response.writeHead(429).end('{}')],
    ['a redirect', 'refused', (response) => response.writeHead(307, { location: '/x' }).end()],
    ['too many bytes', 'answer', (response) => respond(response, ['x'.repeat(100_000)])],
    ['a part of its response', 'unreachable', cut],
  ])('fails when the service responds with %s', async (_what, outcome, respond) => {
    receiver.respond = (response, request) =>
      request.path === '/token' ? responding({})(response, request) : respond(response, request);
    const { left, outcomes } = await verifier({});
    expect([left, outcomes]).toEqual(['guardrail_blocked', [outcome]]);
  });

  it('fails when the service is slow', async () => {
    receiver.respond = () => undefined;
    const { left, outcomes } = await verifier({}, 'input', { timeoutMs: 50 });
    expect([left, outcomes]).toEqual(['guardrail_blocked', ['timeout']]);
  });

  it('does not call an address that is not allowed', async () => {
    const { guard, outcomes } = openFixture({ allows: addressRule({ allow: [], deny: [] }) });
    const check = checkOf(adapter, fixture);
    const judging = guard(guardrailOf({ ...check, url: `${check.url}/denied` })).inspect([text], never);
    await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
    // A request that another test gave up may still arrive.
    const denied = receiver.received.filter(({ path }) => path.includes('denied'));
    expect([outcomes, denied]).toEqual([['unreachable'], []]);
  });

  it('joins short texts in one call and keeps them apart', async () => {
    receiver.respond = responding(fixture.responses[0]?.response);
    const { guard } = openFixture();
    await guard(guardrailOf(checkOf(adapter, fixture))).inspect(['one', 'two', 'three'], never);
    expect(request()).toHaveLength(requests.length);
    expect(request()[0]?.body).toContain('one\\n\\ntwo\\n\\nthree');
  });
});

describe('the token of a service account', () => {
  it('is requested with a signature and used until shortly before it expires', async () => {
    const fixture = serviceFixtures.model_armor;
    if (fixture === undefined) throw new Error('no fixture');
    receiver.respond = responding(fixture.responses[0]?.response);
    const { guard } = openFixture();
    const guardrail = guardrailOf(checkOf('model_armor', fixture));
    await guard(guardrail).inspect([fixture.text], never);
    await guard(guardrail).inspect([fixture.text], never);
    const tokens = receiver.received.filter(({ path }) => path === '/token');
    expect(tokens).toHaveLength(1);
    const assertion = new URLSearchParams(tokens[0]?.body).get('assertion') ?? '';
    const [head = '', claims = '', signature = ''] = assertion.split('.');
    const verify = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(verify.verify(serviceAccountKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      iss: 'guard@project.iam.example.com',
      aud: `https://localhost:${receiver.port}/token`,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
  });
});

describe('the cloud’s own service', () => {
  const fixture = serviceFixtures.bedrock;
  if (fixture === undefined) throw new Error('no fixture');

  it('is called with the organization’s stored key when the guardrail has none', async () => {
    receiver.respond = responding(fixture.responses[0]?.response);
    const stored = { credential: { apiKey: new Secret('stored-bedrock-key') } } as Target;
    const { guard } = openFixture(undefined, () => [stored]);
    const check = { ...checkOf('bedrock', fixture), credential: undefined };
    await guard(guardrailOf(check)).inspect([fixture.text], never);
    expect(request()[0]?.headers.authorization).toBe('Bearer stored-bedrock-key');
  });

  it('is not called when neither has a key', async () => {
    const { guard, outcomes } = openFixture();
    const check = { ...checkOf('bedrock', fixture), credential: undefined };
    await guard(guardrailOf(check))
      .inspect([fixture.text], never)
      .catch(() => undefined);
    expect([outcomes, receiver.received]).toEqual([['no_key'], []]);
  });
});

it('an unknown adapter or option makes a check that always fails', () => {
  const message = (adapter: string, options: Record<string, string>) =>
    readCheck({
      kind: 'service',
      service: { adapter, url: 'https://a.example', options, labels: [], scoreMin: 0, timeoutMs: 0 },
    } as never);
  expect(message('presidio', { language: 'de' })).toMatchObject({ timeoutMs: 5000 });
  expect(message('presidio', { newer: 'x' })).toBeUndefined();
  expect(message('bedrock', { region: 'eu-west-1' })).toBeUndefined();
  expect(message('newer', {})).toBeUndefined();
});
