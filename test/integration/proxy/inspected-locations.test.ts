// Caller-supplied parts of an operator's URL: an endpoint in the path, a region in a header. Every value in a wrong
// form is refused before a byte of the body is read, and a value in the right form can only lead to the operator's
// host.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatBody, startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { openConnection, type RawResponse } from '../../support/raw-http.ts';
import { ownHeaders } from '../../support/vendors.ts';

let gateway: TestGateway;
/** A proxy with placeholders in its templates, as an operator's may have; no server listens at the addresses. */
let proxy: TestProxy;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  const { id, api, createKey } = gateway.organization;
  await api.call('Organizations/UpdateSettings', { id, settings: { access: { callerProviderKeys: true } } });
  key = (await createKey()).value;
  proxy = await gateway.startProxy({
    GATEWAY_STUDIO_AI_URL: 'https://{endpoint}.studio.test/models',
    GATEWAY_ENDPOINT_HOST_SUFFIXES: '.studio.test',
    GATEWAY_MANAGED_CLOUD_MODELS_URL: 'https://models.{region}.cloud.test',
  });
});
beforeEach(() => gateway.simulator.reset());
afterAll(() => gateway.close());

type Headers = Readonly<Record<string, string>>;

interface Sent {
  readonly path: string;
  readonly headers: Headers;
  /** If absent, a body is announced and never sent. */
  readonly body?: string;
  readonly to?: TestProxy;
}

async function send({ path, headers, body, to = proxy }: Sent): Promise<RawResponse> {
  const connection = await openConnection(to.port);
  const length = body === undefined ? 1000 : Buffer.byteLength(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    ...['host: gateway', 'content-type: application/json', `content-length: ${length}`],
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  connection.send(Buffer.from([...lines, '', body ?? ''].join('\r\n'), 'latin1'));
  const response = await connection.respond();
  connection.socket.destroy();
  return response;
}

function codeOf({ body }: RawResponse): string {
  return (JSON.parse(body) as { error: { code: string } }).error.code;
}

const body = chatBody({ model: 'm' });
const toStudio = (endpoint: string) => ({
  path: `/v1/studio-ai/${endpoint}/chat/completions`,
  headers: { ...ownHeaders['studio-ai'], 'project-api-key': key },
});
const toCloud = (region: string) => ({
  path: '/v1/managed-cloud-models/chat/completions',
  headers: { ...ownHeaders['managed-cloud-models'], 'cloud-region-name': region, 'project-api-key': key },
});

describe('the endpoint in the path', () => {
  it.each(['hub', 'my-hub', 'h', '0', 'a--b', 'hub.westeurope', 'xn--hb-eka', 'a'.repeat(63)])(
    'may be %s',
    async (endpoint) => {
      const response = await send({ ...toStudio(endpoint), body });
      expect([response.status, codeOf(response)]).toEqual([502, 'upstream_unreachable']);
    },
  );

  it.each([
    ...['Hub', 'HUB', 'my_hub', 'hub.', '.hub', '..', '.', '-hub', 'hub-', 'a..b', 'a.-b_', '*', '~', '$&', '$1'],
    ...['hub%2fx', 'hub%2Fx', 'hub%5cx', 'hub%2e', 'hub%00', 'hub%0d%0ax', '%68ub', 'hub%', 'hub%zz', 'hub%23'],
    ...['evil.test%2f', 'evil.test:443', 'user@evil.test', 'user:pw@evil.test', 'evil.test%23', 'evil.test;'],
    ...['localhost:8080', '[::1]', '%5b::1%5d', '127.0.0.1:80', '169.254.169.254:80', '@169.254.169.254'],
    ...['{endpoint}', '{region}', '$x', '%7bendpoint%7d', 'a\\b', 'a,b', 'a;b', 'a|b', "a'b", 'a"b', 'a^b'],
    ...['h\xfcb', '\xef\xbd\x88ub', '\xe2\x80\x8bhub', `${'a'.repeat(64)}`, `a${'.a'.repeat(127)}`],
  ])('is refused before the body when it is %s', async (endpoint) => {
    const response = await send(toStudio(endpoint));
    // A target with characters that HTTP forbids is refused as invalid HTTP.
    const refusals = ['400 invalid_endpoint', '400 invalid_request'];
    expect(refusals).toContain(`${response.status} ${codeOf(response)}`);
    if (/^[\x21-\x7e]+$/.test(endpoint)) expect(codeOf(response)).toBe('invalid_endpoint');
  });

  it.each(['', 'a/b', 'a?b', '?', 'a/../b', '/'])('is no route when it is %j', async (endpoint) => {
    const response = await send(toStudio(endpoint));
    expect([response.status, codeOf(response)]).toEqual([404, 'route_not_found']);
  });

  it('trap 28: leads only to hosts with the operator’s suffix', async () => {
    const open = await gateway.startProxy({
      GATEWAY_STUDIO_AI_URL: 'https://{endpoint}/models',
      GATEWAY_ENDPOINT_HOST_SUFFIXES: '.studio.test',
    });
    for (const endpoint of ['evil.test', 'studio.test', 'xstudio.test', 'a.studio.test.evil.test', '127.0.0.1']) {
      const response = await send({ ...toStudio(endpoint), body, to: open });
      expect([endpoint, response.status, codeOf(response)]).toEqual([endpoint, 400, 'invalid_endpoint']);
    }
    for (const endpoint of ['0x7f000001', '2130706433', 'a.b.studio.test', 'a.studio.test']) {
      const response = await send({ ...toStudio(endpoint), body, to: open });
      const isStudio = endpoint.endsWith('.studio.test');
      expect([endpoint, codeOf(response)]).toEqual([endpoint, isStudio ? 'upstream_unreachable' : 'invalid_endpoint']);
    }
  });

  it('is missing on the generic route when the operator’s URL needs one', async () => {
    const { authorization } = ownHeaders['studio-ai'];
    const headers = { authorization, 'x-svc-vk': key, 'x-svc-direct-key': 'true' };
    const response = await send({
      path: '/v1/chat/completions',
      headers,
      body: chatBody({ model: 'studio-ai/m' }),
    });
    expect([response.status, codeOf(response)]).toEqual([400, 'invalid_endpoint']);
  });
});

describe('the region in its header', () => {
  it.each(['eu-west-1', 'us-gov-west-1', 'ap-southeast-12', 'cn-north-1', ' eu-west-1\t'])(
    'may be %j',
    async (region) => {
      const response = await send({ ...toCloud(region), body });
      expect([response.status, codeOf(response)]).toEqual([502, 'upstream_unreachable']);
    },
  );

  const odd = [
    ...['eu-west', 'west-1', 'eu-1', 'EU-WEST-1', 'eu-west-100', 'eu--1', 'eu-west-1-', 'eu_west_1', 'euwest1'],
    ...['eu-west-1.evil.test', 'eu-west-1/..', 'eu-west-1#', 'eu-west-1?', 'eu-west-1@evil.test', 'eu-west-1:443'],
    ...['eu-west-1%2f', '127.0.0.1', 'localhost', '[::1]', '{region}', '$&', 'eu-west-1,us-east-1', '..', '*', '-'],
    ...['eu-west-1\\', 'eu-west-\xb9', `eu-${'a'.repeat(80)}-1`, 'e-west-1', 'eu-west-1;x'],
  ];
  it.each(odd)('is refused before the body when it is %s', async (region) => {
    const response = await send(toCloud(region));
    // A header with other than visible characters counts as missing.
    const wrong = /^[\x21-\x7e]+$/.test(region) ? [400, 'invalid_region'] : [401, 'provider_key_required'];
    expect([response.status, codeOf(response)]).toEqual(wrong);
  });

  it.each(odd.slice(0, 12))('is refused on the generic route too when it is %s', async (region) => {
    const { headers } = toCloud(region);
    const { 'project-api-key': _, ...cloud } = headers;
    const response = await send({
      path: '/v1/chat/completions',
      headers: { ...cloud, 'x-svc-vk': key, 'x-svc-direct-key': 'true' },
      body: chatBody({ model: 'managed-cloud-models/m' }),
    });
    expect([response.status, codeOf(response)]).toEqual([400, 'invalid_region']);
  });

  it('is refused when it is sent twice, and required when it is absent', async () => {
    const { path, headers } = toCloud('eu-west-1');
    const twice = { ...headers, 'Cloud-Region-Name': 'us-east-1' };
    expect(codeOf(await send({ path, headers: twice }))).toBe('conflicting_credentials');
    const { 'cloud-region-name': _, ...without } = headers;
    expect(codeOf(await send({ path, headers: without }))).toBe('provider_key_required');
  });
});
