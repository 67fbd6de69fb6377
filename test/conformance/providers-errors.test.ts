// Errors of every provider as callers of the official SDK see them: one meaning has one status and code at all
// providers, no error shows anything of the organization's account, and no broken stream looks complete.
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type VendorName, vendorNames } from '../../common/vendors.ts';
import { providersByName } from '../../proxy/providers/index.ts';
import type { Behaviour } from '../../simulator/index.ts';
import { accessLine } from '../support/observe.ts';
import { until } from '../support/process.ts';
import { everyWay, modelFor, refusalOf, type Scene, startScene } from './providers/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello' }];
const forms = [false, true];

function ask(client: OpenAI, model: string, stream = false): Promise<unknown> {
  return stream
    ? client.chat.completions.stream({ model, messages }).finalChatCompletion()
    : client.chat.completions.create({ model, messages });
}

/** Keys in the vendor's form, so that the vendor refuses them as wrong. */
const wrongKeys: Readonly<Record<VendorName, Readonly<Record<string, string>>>> = {
  'gpt-provider': { authorization: 'Bearer sk-wrong-0123456789abcdef' },
  'studio-ai': { authorization: 'Bearer wrong-studio-0123456789' },
  'managed-cloud-models': { 'cloud-access-key-id': 'AKIAWRONG0123456789' },
  'assistant-provider': { authorization: 'Bearer sk-ant-wrong-0123456789' },
  'search-provider': { authorization: 'Bearer AIzaWrong-0123456789' },
};

describe.each(vendorNames)('%s', (vendor) => {
  // The assistant vendor has its own status for overload.
  const overload = vendor === 'assistant-provider' ? 529 : 503;
  const failures: readonly (readonly [string, Behaviour, object, string | null])[] = [
    ['a rate limit', rateLimit, { status: 429, type: 'rate_limit_error' }, '7'],
    ['an internal error', { status: 500 }, { status: 500, type: 'server_error' }, null],
    ['an overload', { status: overload }, { status: 503, type: 'server_error' }, null],
    ['an HTML page of a proxy', badGateway, { status: 502, type: 'server_error' }, null],
  ];

  it.each(failures)(
    'trap 22: %s is returned with its status, whole and in a stream',
    async (...[, stated, parsed, wait]) => {
      for (const stream of forms) {
        scene.gateway.simulator.script(stated);
        const error = await refusalOf(ask(scene.client(vendor), modelFor(vendor, 'stored key'), stream));
        expect(error).toMatchObject({ ...parsed, message: expect.not.stringContaining('html') });
        expect(error.headers?.get('x-svc-error-source')).toBe('provider');
        if (wait !== null) expect(error.headers?.get('retry-after')).toBe(wait);
      }
    },
  );

  it('a prompt that is too long is a 400 with the code context_length_exceeded', async () => {
    scene.gateway.simulator.script(tooLong[vendor]);
    const error = await refusalOf(ask(scene.client(vendor), modelFor(vendor, 'stored key')));
    expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' });
  });

  it('a filtered response is reported as content_filter', async () => {
    scene.gateway.simulator.script(filtered[vendor], { times: 2 });
    const model = modelFor(vendor, 'stored key');
    for (const stream of forms) {
      const outcome = await ask(scene.client(vendor), model, stream).catch((thrown: unknown) => thrown);
      if (outcome instanceof OpenAI.APIError) {
        expect(outcome).toMatchObject({ status: 400, code: 'content_filter' });
      } else expect(outcome).toMatchObject({ choices: [{ finish_reason: 'content_filter' }] });
    }
  });

  it('trap 6: an error as the first event of a stream is returned with a status', async () => {
    scene.gateway.simulator.script({ tokens: 50, errorAfterEvents: 0 });
    const first = await refusalOf(ask(scene.client(vendor), modelFor(vendor, 'stored key'), true));
    expect(first.status).toBeGreaterThanOrEqual(500);
    expect(first.headers?.get('x-svc-error-source')).toBe('provider');
  });

  it('an error inside a stream is an error event, and the stream has no clean end', async () => {
    scene.gateway.simulator.script({ tokens: 50, errorAfterEvents: 6 });
    const received = await listen(vendor);
    expect(received.text).toContain('token');
    expect(received.text).not.toContain('[DONE]');
    expect(received.text.trimEnd().split('\n\n').at(-1)).toMatch(/^data: \{"error":\{"message":/);
    expect(received.broken).toBe(true);
  });

  const stops = (['cut', 'reset', 'end'] as const).flatMap((by) =>
    [1, 3, 12, 30].map((afterPieces) => [by, afterPieces] as const),
  );
  it.each(stops)('a stream that stops early (%s after %i events) never looks complete', async (...stop) => {
    const [by, afterPieces] = stop;
    scene.gateway.simulator.script({ tokens: 50, stop: { by, afterPieces } });
    const received = await listen(vendor);
    expect(received.text).not.toContain('[DONE]');
    expect(received.text).toMatch(/"error":\{"message":/);
    // Before the first byte the error is an envelope with a status; afterwards the connection breaks off.
    expect(received.broken).toBe(received.status === 200);
  });
});

describe.each(vendorNames)('trap 20: a client of %s that leaves', (vendor) => {
  const stops = providersByName.get(vendor)?.streamStops.value === true;

  it(
    stops ? 'ends the stream at the vendor, which then stops generating' : 'leaves the stream to be read to its end',
    async () => {
      scene.gateway.simulator.script({ tokens: 100, pieceDelayMs: 5 });
      const requestId = `left-${vendor}`;
      const client = scene.client(vendor, 'stored key', { 'x-request-id': requestId });
      const model = modelFor(vendor, 'stored key');
      const stream = await client.chat.completions.create({ model, messages, stream: true });
      for await (const { choices } of stream) if (choices[0]?.delta.content) break;
      stream.controller.abort();
      const ended = () => scene.gateway.simulator.requests[0]?.ended;
      await until(() => ended() === (stops ? 'client_left' : 'finished'));
      const line = await accessLine(scene.gateway, requestId);
      expect(line).toMatchObject({
        status: 499,
        error_code: 'client_left',
        provider: vendor,
        streamed: true,
      });
      expect(line.estimated).toBe(stops ? 'left' : undefined);
      // Tokens that the vendor reported before the end, or at the end.
      const counts = vendor === 'assistant-provider' || !stops;
      expect(Number(line.prompt_tokens ?? 0) > 0).toBe(counts);
    },
  );
});

const rateLimit: Behaviour = { status: 429, headers: { 'retry-after': '7', 'retry-after-ms': '7000' } };
const badGateway: Behaviour = {
  rawBase64: Buffer.from(
    'HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>Bad Gateway</html>',
  ).toString('base64'),
};

const tooLong: Readonly<Record<VendorName, Behaviour>> = {
  'gpt-provider': { status: 400, error: { code: 'context_length_exceeded' } },
  'studio-ai': { status: 400, error: { code: 'context_length_exceeded' } },
  'managed-cloud-models': { status: 400, error: { message: 'Input is too long for requested model.' } },
  'assistant-provider': {
    status: 400,
    error: { message: 'prompt is too long: 200001 tokens > 200000 maximum' },
  },
  'search-provider': {
    status: 400,
    error: {
      message: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    },
  },
};

const filtered: Readonly<Record<VendorName, Behaviour>> = {
  'gpt-provider': { status: 400, error: { code: 'content_filter' } },
  'studio-ai': { status: 400, error: { code: 'content_filter' } },
  'managed-cloud-models': { blocked: 'guardrail_intervened' },
  'assistant-provider': { finishReason: 'refusal' },
  'search-provider': { blocked: 'SAFETY' },
};

interface ReceivedError {
  readonly status: number;
  readonly text: string;
  /** The connection ended before the response did. */
  readonly broken: boolean;
}

/** Reads a stream byte by byte, as no SDK shows it. */
async function listen(vendor: VendorName): Promise<ReceivedError> {
  const response = await fetch(`${scene.gateway.proxy.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: modelFor(vendor, 'stored key'), messages, stream: true }),
  });
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    return { status: response.status, text, broken: true };
  }
  return { status: response.status, text, broken: false };
}

describe.each(everyWay)('%s with %s', (vendor, way) => {
  const isOwn = way !== 'stored key';
  const model = modelFor(vendor, way);

  it('a refused key is a 401 when it is the caller’s own and a 502 when it is the stored one', async () => {
    const client = isOwn ? scene.client(vendor, way, wrongKeys[vendor]) : await withWrongStoredKey(vendor);
    const error = await refusalOf(ask(client, model));
    const parsed = isOwn
      ? { status: 401, code: 'invalid_api_key' }
      : { status: 502, code: 'upstream_authentication_failed' };
    expect(error).toMatchObject(parsed);
    // The vendors themselves show only the ends of a key.
    expect(JSON.stringify(error.error)).not.toMatch(/0123456789/);
  });

  it('an unknown model is refused, with the vendor’s message only for callers with their own key', async () => {
    const error = await refusalOf(ask(scene.client(vendor, way), modelFor(vendor, way, missing[vendor])));
    expect([400, 404]).toContain(error.status);
    expect(error.headers?.get('x-svc-error-source')).toBe('provider');
    if (error.status === 404) expect(error.message.includes('stored key')).toBe(!isOwn);
  });
});

const missing: Readonly<Record<VendorName, string>> = {
  'gpt-provider': 'gpt-none',
  'studio-ai': 'gpt-none',
  'managed-cloud-models': 'anthropic.claude-none-v1:0',
  'assistant-provider': 'claude-none',
  'search-provider': 'gemini-none',
};

/** A client of an organization whose stored key of this vendor is wrong. */
async function withWrongStoredKey(vendor: VendorName): Promise<OpenAI> {
  const { gateway } = scene;
  const organization = await gateway.createOrganization(`wrong-${vendor}`);
  await organization.storeProviderKeys();
  const listed = (await organization.api.call('ProviderKeys/List', { organizationId: organization.id })) as {
    providerKeys: { id: string; provider: string }[];
  };
  const stored = listed.providerKeys.find(({ provider }) => provider === vendor);
  const secret =
    vendor === 'managed-cloud-models'
      ? { accessKeyId: 'AKIAWRONG0123456789', secretAccessKey: 'wrong-0123456789' }
      : { apiKey: 'wrong-0123456789-abcdef' };
  await organization.api.call('ProviderKeys/Update', { id: stored?.id, secret });
  const { value } = await organization.createKey();
  return new OpenAI({ baseURL: `${gateway.proxy.url}/v1`, apiKey: value, maxRetries: 0 });
}
