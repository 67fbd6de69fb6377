// Copies of requests to another model: which requests are copied and when, with which room and money, and how each ends.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { NotSent } from '../../../../proxy/http/shadow-results.ts';
import { ProviderFailure } from '../../../../proxy/upstream/provider-failure.ts';
import { budget, type Copied, callOf, respond, stopped, stream, world } from './shadows.fixture.ts';

describe('a request to a route with a shadow', () => {
  it.each([
    [5, 0.0499, 1],
    [5, 0.05, 0],
    [0.01, 0.00009, 1],
    [0.01, 0.0001, 0],
    [100, 0.999999, 1],
  ])('is copied for %d %% of them: chance %d', async (percent, random, copies) => {
    const at = world({ random });
    await at.copy(callOf({ percent }));
    expect(at.ran).toHaveLength(copies);
    expect(at.request.record.isCopied).toBe(copies === 1 ? true : undefined);
  });

  it('is copied in a later tick, and with nothing of the route or of the caller’s rates', async () => {
    const at = world();
    at.shadows.copy(callOf(), at.request, Promise.resolve());
    await at.time.advance(1000);
    expect([at.ran, at.shadows.requests.used]).toEqual([[], 0]);
    for (const work of at.deferred.splice(0)) work();
    await at.time.advance(0);
    const [sent] = at.ran;
    expect(sent?.call).toMatchObject({
      qualifiedModel: 'assistant-provider/claude-haiku-4-5',
      shadowOf: { name: 'fast' },
    });
    expect(sent?.call.route).toBeUndefined();
    expect(sent?.call.request.body).toMatchObject({ max_completion_tokens: 77 });
    expect(sent?.context.owner).toEqual({ organization: 'o', key: 'shadow' });
  });

  it('that takes time to be sent is copied afterwards, and not at all if it never is', async () => {
    const at = world();
    const later = { dispatchedAt: undefined as number | undefined, record: {} };
    const dispatching = Promise.withResolvers<void>();
    await at.copy(callOf(), later, dispatching.promise);
    expect(at.ran).toEqual([]);
    later.dispatchedAt = 5;
    dispatching.reject(new Error('refused by the vendor'));
    await at.time.advance(0);
    expect(at.ran).toHaveLength(1);
    await at.copy(callOf(), { dispatchedAt: undefined, record: {} }, Promise.reject(new Error('never sent')));
    expect(at.ran).toHaveLength(1);
    expect(at.failures).toEqual([]);
  });

  it.each<readonly [NotSent, Copied]>([
    ['no_budget', { limits: [] }],
    [
      'no_budget',
      {
        limits: [
          { ...budget, model: undefined },
          { ...budget, model: '*' },
          { ...budget, model: 'route/fast' },
        ],
      },
    ],
    ['no_budget', { limits: [{ ...budget, kind: 'requests_per_minute', count: 5 }] }],
    ['no_budget', { limits: [{ ...budget, model: 'shadow/faster' }] }],
    ['not_allowed', { allowedModels: ['route/fast', 'gpt-provider/*'] }],
    ['no_target', { model: 'search-provider/gemini-2.5-flash' }],
    ['no_target', { model: 'nobody/gpt-4o' }],
    ['no_target', { providerKeyId: 'deleted' }],
    ['stopped', { stops: [stopped('assistant-provider')] }],
    ['unfit', { fields: { web_search_options: {} } }],
    ['unfit', { fields: { tools: [{ googleSearch: {} }] } }],
    ['unfit', { client: 'responses', fields: { input: 'Hello', previous_response_id: 'resp_1' } }],
    ['unfit', { client: 'responses', fields: { input: 'Hello', tools: [{ type: 'web_search' }] } }],
    [
      'unfit',
      { client: 'responses', model: 'gpt-provider/gpt-4o', fields: { input: 'Hello', tools: [{ type: 'mcp' }] } },
    ],
    [
      'unfit',
      {
        client: 'messages',
        fields: {
          ...{ max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] },
          tools: [{ type: 'web_search_20250305', name: 'web_search' }],
        },
      },
    ],
  ])('is not copied: %s, %j', async (reason, copied) => {
    const at = world();
    await at.copy(callOf(copied));
    expect([at.notSent, at.ran, at.settled, at.failures]).toEqual([[reason], [], [], []]);
    expect([at.shadows.requests.used, at.admission.bufferedBytes]).toEqual([0, 0]);
    expect(at.request.record.isCopied).toBeUndefined();
  });

  it.each(['shadow/*', 'shadow/FAST', 'shadow/f*'])('is copied with a budget for %s', async (model) => {
    const at = world();
    await at.copy(callOf({ limits: [{ ...budget, model }] }));
    expect(at.ran).toHaveLength(1);
  });

  it('is copied with functions of the caller, and stores nothing', async () => {
    const at = world();
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }];
    await at.copy(callOf({ fields: { tools, store: true } }));
    await at.copy(
      callOf({ client: 'responses', model: 'gpt-provider/gpt-4o', fields: { input: 'Hello', store: true } }),
    );
    const [chat, responses] = at.ran.map(({ call }) => call.request);
    expect(chat?.body).toMatchObject({ tools });
    expect(chat?.body).not.toHaveProperty('store');
    expect(responses?.client).not.toHaveProperty('store');
  });

  it.each<readonly [NotSent, GatewayError]>([
    ['no_money', new GatewayError('budget_exceeded')],
    ['no_money', new GatewayError('budget_busy')],
    ['no_money', new GatewayError('ledger_unavailable')],
    ['no_price', new GatewayError('model_not_priced')],
    ['unfit', new GatewayError('unsupported_parameter')],
  ])('is not copied when the ledger refuses: %s', async (reason, refusal) => {
    const at = world({ refusal });
    await at.copy();
    expect([at.notSent, at.settled, at.shadows.requests.used]).toEqual([[reason], [], 0]);
  });

  it('that the model cannot express costs nothing', async () => {
    const at = world({ unsent: new GatewayError('unsupported_parameter') });
    await at.copy();
    expect([at.notSent, at.ended]).toEqual([['unfit'], []]);
    expect(at.settled).toMatchObject([{ attempts: 0, ending: 'unused' }]);
  });
});

describe('room for copies', () => {
  it('is a tenth of the requests in flight, which they do not take from callers', async () => {
    const at = world({ inFlightMax: 25 });
    for (let n = 0; n < 4; n++) await at.copy();
    expect([at.ran.length, at.notSent]).toEqual([2, ['no_room', 'no_room']]);
    expect(at.admission.inFlight).toBe(0);
    await respond(at, at.ran[0]);
    await at.copy();
    expect(at.ran).toHaveLength(3);
  });

  it('is left to callers when they need it', async () => {
    const at = world({ inFlightMax: 20 });
    const tickets = Array.from({ length: 16 }, (_, n) => at.admission.admit({ organization: `o${n}`, key: 'k' }));
    tickets.push(...['a', 'b', 'c'].map((organization) => at.admission.admit({ organization, key: 'k' })));
    await at.copy();
    await at.copy();
    expect([at.ran.length, at.notSent]).toEqual([1, ['no_room']]);
  });

  it('is a tenth of the bytes in memory, in which they count, with their responses', async () => {
    const at = world({ bufferedBytesMax: 1_000_000 });
    const content = 'x'.repeat(60_000);
    const call = callOf({ fields: { messages: [{ role: 'user', content }] } });
    await at.copy(call);
    await at.copy(call);
    expect([at.ran.length, at.notSent]).toEqual([1, ['no_room']]);
    const used = at.admission.bufferedBytes;
    expect(used).toBe(call.request.bytes);
    at.ran[0]?.context.buffer(1000);
    expect(at.admission.bufferedBytes).toBe(used + 1000);
    expect(() => at.ran[0]?.context.buffer(60_000)).toThrow(GatewayError);
    await respond(at, at.ran[0]);
    expect([at.admission.bufferedBytes, at.shadows.bytes.used, at.shadows.requests.used]).toEqual([0, 0, 0]);
  });
});

describe('a copy', () => {
  it('is settled once when its whole response is there', async () => {
    const at = world();
    await at.copy();
    await at.time.advance(300);
    await respond(at, at.ran[0]);
    expect(at.ended).toEqual(['responded']);
    expect(at.settled).toMatchObject([{ attempts: 1, ending: 'whole', status: 200, latencyMs: 300 }]);
    expect(at.settled[0]?.firstTokenMs).toBeUndefined();
    expect(at.time.nextInMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('is settled when its stream is over, with the time of the first token', async () => {
    const at = world();
    await at.copy(callOf({ fields: { stream: true } }));
    await at.time.advance(400);
    at.ran[0]?.context.progress();
    at.ran[0]?.attempt.result.resolve(stream);
    await at.time.advance(500);
    expect(at.settled).toEqual([]);
    at.ran[0]?.attempt.giveUp('whole');
    await at.time.advance(0);
    expect(at.settled).toMatchObject([{ ending: 'whole', firstTokenMs: 400, latencyMs: 900 }]);
  });

  it('that the vendor refuses, or that is cut, has failed', async () => {
    const at = world();
    await at.copy();
    const vendor = { status: 503, message: 'no', param: undefined, code: 'x', retryable: true };
    at.ran[0]?.attempt.giveUp('unused');
    at.ran[0]?.attempt.result.reject(
      new ProviderFailure(vendor as never, { retryAfter: 1, headers: [], reason: '' } as never),
    );
    await at.time.advance(0);
    await at.copy(callOf({ fields: { stream: true } }));
    at.ran[1]?.attempt.result.resolve(stream);
    at.ran[1]?.attempt.giveUp('cut');
    await at.time.advance(0);
    expect(at.ended).toEqual(['failed', 'failed']);
    expect(at.settled).toMatchObject([
      { status: 503, errorSource: 'provider', errorCode: 'x', ending: 'unused' },
      { status: 502, errorSource: 'gateway', errorCode: 'upstream_protocol_error', ending: 'cut' },
    ]);
  });

  it('whose stream is silent ends its attempt, which counts as the target’s failure', async () => {
    const at = world();
    await at.copy(callOf({ fields: { stream: true } }));
    await at.time.advance(1999);
    expect(at.ran[0]?.attempt.aborted).toEqual([]);
    await at.time.advance(500);
    expect(at.ran[0]?.attempt.aborted).toHaveLength(1);
    expect(at.ran[0]?.context.aborted).toBeUndefined();
    expect([at.ended, at.settled[0]?.errorCode]).toEqual([['timed_out'], 'upstream_timeout']);
  });

  it('has the time of every request in all, and then its target has not failed', async () => {
    const at = world();
    await at.copy();
    await at.time.advance(9_999);
    expect(at.ended).toEqual([]);
    await at.time.advance(501);
    expect(at.ran[0]?.context.aborted).toMatchObject({ code: 'upstream_timeout' });
    expect(at.ended).toEqual(['timed_out']);
  });

  it('ends at once when the gateway stops, and no other one begins', async () => {
    const at = world();
    await at.copy();
    await at.copy(callOf({ fields: { stream: true } }));
    at.ran[1]?.attempt.result.resolve(stream);
    await at.time.advance(0);
    at.shadows.stop();
    await at.shadows.idle();
    expect(at.ran.map(({ attempt }) => attempt.ending)).toEqual(['shutdown', 'shutdown']);
    expect([at.ended, at.settled.length]).toEqual([['shutdown', 'shutdown'], 2]);
    await at.copy();
    expect(at.ran).toHaveLength(2);
    expect(at.failures).toEqual([]);
  });
});
