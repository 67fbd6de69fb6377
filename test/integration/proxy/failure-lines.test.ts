// The access-log line of a failed request: the caller and the target, the deciding limit, and the provider's message;
// never a key, a prompt or unprintable text.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { chatBody, startGateway, type TestGateway } from '../../support/gateway.ts';
import { observe } from '../../support/observe.ts';
import { metric } from '../../support/telemetry.ts';

let gateway: TestGateway;
let key: { readonly id: string; readonly value: string };

beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.organization.createKey();
  expect((await send()).status).toBe(200);
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly fields?: object;
}

function send({ path = '/v1/chat/completions', method = 'POST', headers, fields = {} }: Sent = {}) {
  return observe(gateway, gateway.proxy.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(headers ?? { authorization: `Bearer ${key.value}` }) },
    ...(method === 'POST' && { body: chatBody(fields) }),
  });
}

describe('the access log line', () => {
  it('of an unknown path has the path and the key', async () => {
    const { line } = await send({ path: '/v1/embeddings?token=hidden' });
    expect(line).toMatchObject({
      ...{ route: 'none', status: 404, error_code: 'route_not_found', error_source: 'gateway' },
      ...{ method: 'POST', path: '/v1/embeddings', key_id: key.id, organization_id: gateway.organization.id },
    });
    const method = await send({ method: 'DELETE' });
    expect(method.line).toMatchObject({ status: 405, method: 'DELETE', path: '/v1/chat/completions' });
    const stranger = await send({ path: '/v1/embeddings', headers: {} });
    expect(stranger.line).toMatchObject({ path: '/v1/embeddings' });
    expect(stranger.line).not.toHaveProperty('key_hint');
  });

  it('of a hostile path is shortened to its known words, without anything that may be a key', async () => {
    const secret = `sk-proj-${'a1B2'.repeat(10)}`;
    const { line } = await send({ path: `/v1/engines/${secret}/%0d%0a"x"/${'long/'.repeat(300)}` });
    expect(line.path).toBe('/v1/engines/…');
    expect(JSON.stringify(line)).not.toContain('a1B2a1B2');
  });

  it('of a key that is not in memory has its last characters, without a look-up', async () => {
    const lookups = () => metric(gateway.proxy, 'gateway_key_lookups_total');
    const before = await lookups();
    const fresh = await gateway.organization.createKey();
    const { line } = await send({ path: '/v1/embeddings', headers: { 'x-api-key': fresh.value } });
    expect(line).toMatchObject({ status: 404, key_hint: fresh.value.slice(-4) });
    expect(line).not.toHaveProperty('key_id');
    const malformed = await send({ path: '/v1/embeddings', headers: { 'x-api-key': `${fresh.value}x` } });
    expect(malformed.line).not.toHaveProperty('key_hint');
    expect(await lookups()).toBe(before);
  });

  it('of a refused key names the key', async () => {
    const switchedOff = await gateway.organization.createKey({ active: false });
    const { line } = await send({ headers: { authorization: `Bearer ${switchedOff.value}` } });
    expect(line).toMatchObject({ status: 403, error_code: 'access_blocked', key_id: switchedOff.id });
    const unknown = createCredential('virtualKey');
    const nobody = await send({ headers: { authorization: `Bearer ${unknown}` } });
    expect(nobody.line).toMatchObject({ status: 401, key_hint: unknown.slice(-4) });
  });

  it("of a provider's failure has its message in one line, its request id and the stored key", async () => {
    const { providerKeys } = (await gateway.organization.api.call('ProviderKeys/List', {
      organizationId: gateway.organization.id,
    })) as { providerKeys: { id: string }[] };
    const headers = { 'x-request-id': 'req_of_the_vendor' };
    gateway.simulator.script({ status: 429, error: { message: 'slow\ndown, sk-abcdefgh12' }, headers });
    const refused = await send();
    expect(refused.line).toMatchObject({
      ...{ status: 429, error_code: 'rate_limit_exceeded', error_source: 'provider', level: 'info' },
      ...{ reason: 'status 429: slow down, [hidden]', upstream_request_id: 'req_of_the_vendor' },
      provider_key_id: providerKeys[0]?.id,
    });
    gateway.simulator.script({ status: 503, error: { message: 'no capacity' }, headers });
    const down = await send();
    expect(down.line).toMatchObject({ level: 'warn', reason: 'status 503: no capacity' });
    gateway.simulator.script({ status: 401, error: { message: 'key revoked by its owner' }, headers });
    const denied = await send();
    expect(denied.line).toMatchObject({
      ...{ level: 'error', status: 502, error_code: 'upstream_authentication_failed' },
      ...{ reason: 'status 401: key revoked by its owner', upstream_request_id: 'req_of_the_vendor' },
    });
  });

  it('of an unusable response has the reason, and no content', async () => {
    gateway.simulator.script({ body: 'no JSON' });
    const odd = await send();
    expect(odd.line).toMatchObject({
      level: 'warn',
      reason: expect.stringMatching(/./),
      estimated: 'not_read',
    });
    expect(odd.line).not.toHaveProperty('err');
    expect(JSON.stringify(odd.line)).not.toContain('no JSON');
  });

  it("of a provider's failure lacks the prompt that the provider repeats", async () => {
    const prompt = 'the patient was born in Nantes on the third of May';
    const fields = { messages: [{ role: 'user', content: prompt }] };
    gateway.simulator.script({ status: 500, error: { message: `cannot tokenize "${prompt}"` } });
    const { line, error } = await send({ fields });
    expect(line.reason).toBe('status 500');
    expect(error?.message).toContain(prompt);
    gateway.simulator.script({ status: 400, error: { message: 'no' } });
    expect((await send({ fields })).line.reason).toBe('status 400');
  });

  it('of a stream that the provider ends with an error is like that of any other failure', async () => {
    const event = { error: { message: 'overloaded in the middle', type: 'server_error', code: null } };
    const piece = { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] };
    const body = [piece, event].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
    gateway.simulator.script({
      body,
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'req_of_the_stream' },
    });
    const { line, error, headers, end } = await send({ fields: { stream: true } });
    expect([error?.message, end]).toEqual(['overloaded in the middle', 'cut']);
    expect(headers.get('x-svc-upstream-request-id')).toBe('req_of_the_stream');
    expect(line).toMatchObject({
      ...{ level: 'warn', error_source: 'provider', upstream_request_id: 'req_of_the_stream' },
      reason: expect.stringMatching(/^status 5\d\d: overloaded in the middle$/),
    });
  });
});

describe("a provider's failure", () => {
  it.each([400, 429, 500, 503])(
    'with status %i reaches the caller with its message and its request id',
    async (status) => {
      const headers = { 'x-request-id': 'req_of_the_vendor' };
      gateway.simulator.script({ status, error: { message: 'in the words of the vendor' }, headers });
      const seen = await send();
      expect(seen.status).toBe(status);
      expect(seen.error?.message).toBe('in the words of the vendor');
      expect(seen.headers.get('x-svc-upstream-request-id')).toBe('req_of_the_vendor');
      expect(seen.headers.get('x-svc-error-source')).toBe('provider');
    },
  );

  it("of the stored key has the gateway's message, and the request id", async () => {
    const headers = { 'x-request-id': 'req_of_the_vendor' };
    gateway.simulator.script({ status: 403, error: { message: 'account acct_1 is closed' }, headers });
    const seen = await send();
    expect([seen.status, seen.error?.code]).toEqual([502, 'upstream_authentication_failed']);
    expect(seen.body).not.toContain('acct_1');
    expect(seen.headers.get('x-svc-upstream-request-id')).toBe('req_of_the_vendor');
  });
});
