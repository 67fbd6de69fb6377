// Random numbers through a whole proxy, from socket to socket: all five vendors, whole and streamed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRequest, checkResponse } from '../../fuzz/number-checks.ts';
import { numberRequest, routes } from '../../fuzz/number-requests.ts';
import { numberResponse } from '../../fuzz/number-responses.ts';
import { Random } from '../../support/access/random.ts';
import { startGateway, type TestGateway, type TestProxy } from '../../support/gateway.ts';
import { cutBytes } from '../../support/guarded-responses.ts';
import { type RawUpstream, startRawUpstream } from '../../support/raw-upstream.ts';
import { startingSeed } from '../../support/seed.ts';

let gateway: TestGateway;
let upstream: RawUpstream;
let proxy: TestProxy;
let key: string;
let received = '';
/** The vendor's next response. */
let parsed: { readonly type: string; readonly parts: readonly Buffer[] } | undefined;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.organization.storeProviderKeys();
  upstream = await startRawUpstream((socket, body) => {
    received = body.toString();
    const { type, parts } = parsed ?? { type: 'text/plain', parts: [] };
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    socket.write(['HTTP/1.1 200 OK', `content-type: ${type}`, `content-length: ${length}`, '', ''].join('\r\n'));
    for (const part of parts) socket.write(part);
  });
  const url = `http://127.0.0.1:${upstream.port}`;
  proxy = await gateway.startProxy({
    ...upstream.settings,
    GATEWAY_STUDIO_AI_URL: `${url}/models`,
    GATEWAY_MANAGED_CLOUD_MODELS_URL: url,
    GATEWAY_ASSISTANT_PROVIDER_URL: url,
    GATEWAY_SEARCH_PROVIDER_URL: url,
  });
  key = (await gateway.organization.createKey()).value;
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function ask(body: string): Promise<string> {
  const response = await fetch(`${proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body,
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return text;
}

const own = routes.filter(({ dialect }) => dialect !== '/openai/v1');
const seed = startingSeed();

describe.each([false, true])('streamed: %s', (stream) => {
  it.each(own)(`$vendor $model receives and returns every number in its written form (seed ${seed})`, async (route) => {
    const random = new Random(seed);
    for (let round = 0; round < 10; round++) {
      const request = numberRequest(random, { ...route, model: `${route.vendor}/${route.model}` }, stream);
      const response = numberResponse(random, route.vendor, { stream, logprobs: true });
      parsed = { type: String(response.headers['content-type']), parts: cutBytes(random, response.bytes) };
      const bytes = await ask(request.text);
      checkRequest(request, route, { body: received, isRedacted: false });
      checkResponse(response, { bytes, stream, isRedacted: false });
    }
  });
});

describe('a limit of output tokens', () => {
  const limited = (written: string) =>
    `{"model":"gpt-provider/gpt-4o-mini","messages":[{"role":"user","content":"Hi"}],"max_tokens":${written}}`;

  it.each(['4e3', '100.0', '1e400', '-0', '1'.repeat(30), '0.5', '4000.00000000000000000000001'])(
    'is sent unchanged to a vendor of the callers’ format: %s',
    async (written) => {
      parsed = { type: 'application/json', parts: [Buffer.from('{"choices":[]}')] };
      await ask(limited(written));
      expect(received).toContain(`"max_tokens":${written}`);
    },
  );
});
