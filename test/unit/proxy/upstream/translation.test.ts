// A worker translates a large call exactly like the provider's functions in the main thread: for every vendor and for
// custom providers in every format. Without room, time or a worker, the call is refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { CapabilityTable } from '../../../../proxy/catalog/capabilities.ts';
import { FetchedImage } from '../../../../proxy/conversation/media.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import {
  type ChatRequest,
  parseChatRequest,
  parseChatRequestInSteps,
  withBody,
  withOutputCeiling,
} from '../../../../proxy/formats/chat-completions/read-request.ts';
import { completionTokensMax } from '../../../../proxy/formats/chat-completions/text-meter.ts';
import { parseBaseUrl, VendorFailure } from '../../../../proxy/formats/format.ts';
import { noOwnTools } from '../../../../proxy/formats/own-tools.ts';
import { LoopScheduler } from '../../../../proxy/loop-scheduler.ts';
import { customProvider } from '../../../../proxy/providers/custom.ts';
import { providers } from '../../../../proxy/providers/index.ts';
import { buildRequest, type Provider, type ProviderCall } from '../../../../proxy/providers/provider.ts';
import { Translation } from '../../../../proxy/upstream/translation.ts';
import { NotTranslatedError, TranslationWorkers } from '../../../../proxy/upstream/translation-workers.ts';

const owner = { organization: 'org', key: 'key' };
const requested = { owner, isLeft: () => false };
const loop = new LoopScheduler({ now: () => performance.now() });
let workers: TranslationWorkers;
let translation: Translation;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'translation-'));
  workers = new TranslationWorkers({
    file: new URL('../../../../proxy/translation-worker.ts', import.meta.url),
  });
  translation = new Translation({ workers, loop: loop });
});
afterAll(async () => {
  await workers.close();
  rmSync(folder, { recursive: true });
});

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
const body = {
  model: 'provider/m',
  temperature: 0.5,
  messages: [
    { role: 'system', content: 'Be brief. \ud83d' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'é'.repeat(200_000) },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"n": 1.50, "a":"\\u00e9"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'x'.repeat(100_000) },
    ...Array.from({ length: 40 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${i}`,
    })),
    { role: 'user', content: 'Continue.' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'f',
        parameters: { type: 'object', properties: { n: { type: 'number', minimum: 1.0 } } },
      },
    },
  ],
};

function large(value: object = body): ChatRequest {
  const bytes = Buffer.from(JSON.stringify(value));
  const steps = parseChatRequestInSteps({ bytes, numbersArePlain: false });
  for (;;) {
    const { done, value: request } = steps.next();
    if (done === true) return request;
  }
}

const cloudKeys = {
  apiKey: undefined,
  accessKeyId: new Secret('AKIA'),
  secretAccessKey: new Secret('s'),
  sessionToken: new Secret('t'),
};

function callTo(provider: Provider, request: ChatRequest): ProviderCall {
  const isCloud = provider.name === 'managed-cloud-models';
  return {
    ...{
      request,
      model: 'm-1',
      capabilities: new CapabilityTable().of(provider.name, 'm-1'),
      outputTokensMax: 1000,
      now: 1_795_176_000_000,
    },
    images: new Map([['https://a.example/b.png', { mediaType: 'image/png', base64: png }]]),
    target: {
      ...{
        provider,
        baseUrl: parseBaseUrl('https://models.example/base'),
        providerKeyId: 'key-1',
        ownTools: noOwnTools,
      },
      ...{
        region: 'eu-west-1',
        apiVersion: undefined,
        credential: isCloud ? cloudKeys : { apiKey: new Secret('sk-of-the-vendor') },
      },
    },
  };
}

const custom = (base: Provider) =>
  customProvider(base, {
    ...{ id: 'id-1', name: 'mine', wireFormat: base.name, baseUrl: 'https://models.example/base' },
    ...{ keyForm: { header: 'x-models-key' }, passedFields: ['grammar'], models: [] },
  });
const all = providers.flatMap((base) => [[base.name, base] as const, [`custom ${base.name}`, custom(base)] as const]);

const responses: Readonly<Record<string, object>> = {
  'gpt-provider': {
    id: 'a',
    model: 'm-1',
    choices: [{ message: { role: 'assistant', content: 'yes '.repeat(90_000) } }],
    usage: { prompt_tokens: 5, completion_tokens: 7 },
  },
  'assistant-provider': {
    id: 'a',
    model: 'm-1',
    type: 'message',
    content: [{ type: 'text', text: 'yes '.repeat(90_000) }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 5, output_tokens: 7 },
  },
  'search-provider': {
    responseId: 'a',
    modelVersion: 'm-1',
    candidates: [{ content: { parts: [{ text: 'yes '.repeat(90_000) }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7 },
  },
  'managed-cloud-models': {
    output: { message: { content: [{ text: 'yes '.repeat(90_000) }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 5, outputTokens: 7 },
  },
};
const responseOf = (provider: Provider) => {
  const name = provider.madeOf?.wireFormat ?? provider.name;
  return Buffer.from(JSON.stringify(responses[name] ?? responses['gpt-provider']));
};

describe.each(all)('a large call to %s', (_name, provider) => {
  it('is built in a worker as in the main thread, from its bytes, with a ceiling, and rewritten', async () => {
    const request = large();
    const rewritten = withBody(request, { ...request.body, user: 'someone else', temperature: 0.25 });
    for (const one of [request, withOutputCeiling(request, 77), rewritten, withOutputCeiling(rewritten, 78), request]) {
      const plain = parseChatRequest(Buffer.from(JSON.stringify(one.body)));
      const here = await buildRequest(callTo(provider, { ...plain, bytes: one.bytes }));
      const there = await translation.build(callTo(provider, one), requested);
      expect({ ...there, body: there.body.toString() }).toEqual({
        ...here,
        body: Buffer.from(here.body).toString(),
      });
    }
    // The worker returned the bytes.
    expect(request.source?.kept.bytes?.length).toBe(request.bytes);
  });

  it('is built with fetched images, whose bytes are transferred', async () => {
    const bytes = Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(600_000, 7)]);
    const url = 'https://a.example/b.png';
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    const request = parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages })));
    const plain = { mediaType: 'image/png', base64: bytes.toString('base64') };
    const here = await buildRequest({
      ...callTo(provider, request),
      images: new Map([[url, plain]]),
    });
    const image = new FetchedImage('image/png', bytes);
    const call = { ...callTo(provider, request), images: new Map([[url, image]]) };
    expect(translation.isLarge(call)).toBe(true);
    const there = await translation.build(call, requested);
    expect(there.body.toString()).toBe(Buffer.from(here.body).toString());
    expect(image.isGone).toBe(true);
    await expect(translation.build(call, requested)).rejects.toThrow('handed over');
    expect(
      (await translation.read(call, { head: {}, body: responseOf(provider) }, requested)).textTokens,
    ).toBeGreaterThan(1);
  });

  it('is read in a worker as in the main thread, with the tokens of its text', async () => {
    const call = callTo(provider, large());
    const here = provider.format.readResponse(call, { head: {}, body: responseOf(provider) });
    const there = await translation.read(call, { head: {}, body: responseOf(provider) }, requested);
    expect({ ...there, body: there.body.toString() }).toEqual({
      ...here,
      body: here.body.toString(),
      textTokens: completionTokensMax(here.body),
    });
    expect(there.textTokens).toBeGreaterThan(90_000);
  });

  it('fails in a worker as in the main thread', async () => {
    const call = callTo(provider, large());
    const error = await translation
      .read(call, { head: {}, body: Buffer.from('[]') }, requested)
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'upstream_protocol_error' });
  });
});

it('a worker reports an error instead of a response, and a request that cannot be built', async () => {
  const [gpt] = providers;
  if (gpt === undefined) throw new Error('no provider');
  const failure = Buffer.from(JSON.stringify({ error: { message: 'too much', code: 'x' } }));
  const parsed = await translation
    .read(callTo(gpt, large()), { head: {}, body: failure }, requested)
    .catch((one: unknown) => one);
  expect(parsed).toBeInstanceOf(VendorFailure);
  expect(parsed).toMatchObject({ vendor: { message: 'too much', code: 'x' } });
  const keyless = { ...callTo(gpt, large()).target, credential: { apiKey: undefined } };
  await expect(translation.build({ ...callTo(gpt, large()), target: keyless }, requested)).rejects.toMatchObject({
    code: 'no_healthy_target',
  });
});

it('only large calls of known providers are translated in a worker', () => {
  const [gpt] = providers;
  if (gpt === undefined) throw new Error('no provider');
  const small = parseChatRequest(Buffer.from('{"model":"a","messages":[{"role":"user","content":"x"}]}'));
  const plain = { ...callTo(gpt, small), images: new Map() };
  expect(translation.isLarge(plain)).toBe(false);
  expect(translation.isLarge(plain, 1024 * 1024)).toBe(true);
  expect(translation.isLarge({ ...plain, request: large() })).toBe(true);
  const image = { mediaType: 'image/png', base64: 'A'.repeat(1024 * 1024) };
  expect(translation.isLarge({ ...plain, images: new Map([['https://a.example', image]]) })).toBe(true);
  const unknown = { ...plain.target, provider: { ...gpt, name: 'unknown' } };
  expect(translation.isLarge({ ...plain, target: unknown, request: large() })).toBe(false);
});

describe('translation workers', () => {
  let own: TranslationWorkers;
  afterEach(() => own.close());
  const job = (): Parameters<TranslationWorkers['run']>[0] => ({
    ...{ provider: 'gpt-provider', form: undefined, request: new Uint8Array(1000), numbersArePlain: true },
    ...{
      outputCeiling: undefined,
      overrides: undefined,
      client: undefined,
      requestBytes: 1,
      call: { target: {}, credential: {} } as never,
    },
  });
  const workerThat = (does: string) => {
    const file = join(folder, `${Math.random()}.mjs`);
    writeFileSync(
      file,
      `import { parentPort } from 'node:worker_threads';\nparentPort.on('message', (job) => { ${does} });`,
    );
    return file;
  };
  const wait =
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300); parentPort.postMessage({ request: job.request });';

  it('are terminated when they take too long, and another worker does the next job', {
    timeout: 30_000,
  }, async () => {
    own = new TranslationWorkers({
      file: workerThat(
        'if (job.request.length > 500) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);' +
          'parentPort.postMessage(job)',
      ),
      workMsMax: 2000,
    });
    await expect(own.run(job(), owner, requested.isLeft)).rejects.toMatchObject({ begun: true });
    const next = { ...job(), request: new Uint8Array(10) };
    expect((await own.run(next, owner, requested.isLeft)).request.length).toBe(10);
    expect(own.working.used).toBe(0);
  });

  it('lose only one job when they run out of memory', async () => {
    own = new TranslationWorkers({ file: workerThat('throw new Error("no memory")') });
    const lost = await own.run(job(), owner, requested.isLeft).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(NotTranslatedError);
    expect([own.working.used, own.waiting.used]).toEqual([0, 0]);
  });

  it('that cannot start refuse their current and waiting jobs', async () => {
    own = new TranslationWorkers({ file: 'not-absolute.mjs' });
    const refused = {
      name: 'NotTranslatedError',
      begun: false,
      message: expect.stringContaining('no worker can be started'),
    };
    await expect(own.run(job(), owner, requested.isLeft)).rejects.toMatchObject(refused);
    expect([own.working.used, own.waiting.used]).toEqual([0, 0]);
  });

  it('leave one worker to other organizations, however much one has waiting, and skip jobs whose caller has left', async () => {
    own = new TranslationWorkers({ file: workerThat(wait) });
    let isLeft = false;
    const order: string[] = [];
    const run = (organization: string, name: string, left = requested.isLeft) =>
      own.run(job(), { organization, key: 'k' }, left).then(
        () => order.push(name),
        (error: NotTranslatedError) => order.push(`${name} ${error.begun}`),
      );
    const greedy = [1, 2, 3].map((count) => run('a', `a${count}`, () => isLeft));
    expect(own.working.used).toBe(1);
    const other = run('b', 'b1');
    expect(own.working.used).toBe(2);
    isLeft = true;
    await Promise.all([...greedy, other]);
    // The machine determines the worker that starts first.
    expect(order.toSorted()).toEqual(['a1', 'a2 false', 'a3 false', 'b1']);
    expect(order.indexOf('a1')).toBeLessThan(order.indexOf('a2 false'));
  });

  it('refuse jobs that wait too long, and all jobs once they are closed', async () => {
    own = new TranslationWorkers({ file: workerThat(wait), waitMsMax: 50 });
    const first = own.run(job(), owner, requested.isLeft);
    await expect(own.run(job(), owner, requested.isLeft)).rejects.toMatchObject({ begun: false });
    await first;
    await own.close();
    await expect(own.run(job(), owner, requested.isLeft)).rejects.toThrow('stopping');
  });
});
