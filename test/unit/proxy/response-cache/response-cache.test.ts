// What becomes of a look-up: with a store and a request of the test's own.
import { describe, expect, it } from 'vitest';
import { wrapOpaque } from '../../../../proxy/conversation/opaque.ts';
import { noUsage } from '../../../../proxy/conversation/usage.ts';
import { type Lookup, type LookupContext, ResponseCache } from '../../../../proxy/response-cache/response-cache.ts';
import type { PutResult } from '../../../../proxy/response-cache/response-store.ts';
import type { NotStored } from '../../../../proxy/response-cache/results.ts';
import type { AttemptResult, Received } from '../../../../proxy/upstream/attempt-result.ts';
import { type CachedCall, cachedCall } from '../../../support/cached-calls.ts';

const usage = { ...noUsage, promptTokens: 3, completionTokens: 4 };
const completion = {
  ...{ id: 'a', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Tea' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};
const result: AttemptResult = {
  ...{ kind: 'complete', body: Buffer.from(JSON.stringify(completion)) },
  headers: ['x-svc-dropped-params', 'seed', 'x-svc-upstream-request-id', 'r1'],
};

class World {
  now = 1_795_176_000_000;
  putResult: PutResult = 'stored';
  readonly stored = new Map<string, Buffer>();
  readonly events: string[] = [];
  readonly #tasks: Promise<void>[] = [];
  readonly cache = new ResponseCache({
    store: {
      get: ({ cacheKey }) => Promise.resolve(this.stored.get(cacheKey.toString('hex'))),
      put: ({ cacheKey }, value) => {
        if (this.putResult === 'stored') this.stored.set(cacheKey.toString('hex'), value);
        return Promise.resolve(this.putResult);
      },
    },
    clock: { now: () => this.now },
    timers: { after: () => () => undefined },
    background: (_name, task) => void this.#tasks.push(task as Promise<void>),
    metrics: {
      lookedUp: (found) => void this.events.push(found),
      notStored: (reason) => void this.events.push(reason),
      ignored: (reason) => void this.events.push(`ignored ${reason}`),
    },
  });

  /** A request of its own. */
  request(given: CachedCall = {}) {
    return new PlayedRequest(this, given);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#tasks);
  }
}

class PlayedRequest implements LookupContext {
  readonly record: LookupContext['record'] & { attempts: number; guardrailsNotPassed: string | undefined } = {
    ...{ cache: undefined, attempts: 1, guardrailsNotPassed: undefined },
  };
  attempt: Received | undefined;
  aborted: Error | undefined;
  hasMemory = true;
  readonly lookup: Lookup | undefined;
  readonly #world: World;
  #abort: ((error: Error) => void) | undefined;

  constructor(world: World, given: CachedCall) {
    this.#world = world;
    const { call } = cachedCall(given);
    const [target] = call.targets;
    this.attempt = {
      ...{ target, ending: 'whole', usageIsComplete: true, usage: () => usage, model: () => 'm' },
    } as unknown as Received;
    this.lookup = world.cache.lookup(call, () => this);
  }

  onAbort({ abort }: { abort(error: Error): void }): void {
    this.#abort = abort;
  }

  waitFor(): void {}

  buffer(): void {
    if (!this.hasMemory) throw new Error('no memory');
  }

  inSlices<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return Promise.resolve(step.value);
    }
  }

  /** The watchdog ends the wait, or the whole request. */
  end(error: Error, isWhole: boolean): void {
    if (isWhole) this.aborted = error;
    this.#abort?.(error);
  }

  async find() {
    return await this.lookup?.find();
  }

  /** Gets the response from its provider. @returns why it is not stored */
  async respond(response: AttemptResult = result): Promise<NotStored | undefined> {
    const { events } = this.#world;
    const before = events.length;
    await this.find();
    const recorded = await this.lookup?.record(response);
    if (recorded !== undefined) this.lookup?.storing(recorded);
    await this.#world.idle();
    this.lookup?.end();
    return events.slice(before).find((event) => event !== 'miss') as NotStored | undefined;
  }
}

const whole = (fields: object): AttemptResult => ({
  ...{ kind: 'complete', headers: [], body: Buffer.from(JSON.stringify({ ...completion, ...fields })) },
});

describe('a response', () => {
  it('is found by an equal request, with how its request was sent and nothing else of the vendor’s headers', async () => {
    const world = new World();
    expect(await world.request().respond()).toBeUndefined();
    const second = world.request();
    const hit = await second.find();
    expect(hit).toMatchObject({ stored: { usage }, at: { qualifiedModel: 'gpt-provider/gpt-4o-mini' } });
    expect(hit?.result).toEqual({ ...result, headers: ['x-svc-dropped-params', 'seed'] });
    expect([second.record.cache, world.events]).toEqual(['hit', ['miss', 'hit']]);
  });

  it('is found until it is too old, and not before it was made', async () => {
    const world = new World();
    await world.request().respond();
    const at = world.now;
    const foundAt = async (now: number) => {
      world.now = now;
      const request = world.request();
      const hit = await request.find();
      request.lookup?.end();
      return hit !== undefined;
    };
    expect(await foundAt(at + 60_000)).toBe(true);
    expect(await foundAt(at + 60_001)).toBe(false);
    // Clocks of proxies differ by some seconds.
    expect(await foundAt(at - 30_000)).toBe(true);
    expect(await foundAt(at - 30_001)).toBe(false);
    expect(world.events.filter((event) => event === 'ignored old')).toHaveLength(2);
  });

  it.each<[NotStored, (request: PlayedRequest) => void]>([
    ['incomplete', (request) => Object.assign(request, { attempt: undefined })],
    ['incomplete', ({ attempt }) => Object.assign(attempt ?? {}, { usageIsComplete: false })],
    [
      'own_tools',
      ({ attempt }) => Object.assign(attempt ?? {}, { usage: () => ({ ...usage, special: { searches: 1 } }) }),
    ],
  ])('is not stored: %s', async (reason, change) => {
    const world = new World();
    const request = world.request();
    change(request);
    expect(await request.respond()).toBe(reason);
    expect(world.stored.size).toBe(0);
  });

  it.each<[NotStored, (request: PlayedRequest) => void]>([
    ['guardrail', ({ record }) => Object.assign(record, { guardrailsNotPassed: 'watch=redact' })],
    // Another attempt has continued the response.
    ['incomplete', ({ record }) => Object.assign(record, { attempts: 2 })],
  ])('is not stored after what happened to it: %s', async (reason, happens) => {
    const world = new World();
    const request = world.request();
    await request.find();
    const recorded = await request.lookup?.record(result);
    happens(request);
    if (recorded !== undefined) request.lookup?.storing(recorded);
    expect([world.stored.size, world.events]).toEqual([0, ['miss', reason]]);
  });

  it.each<[NotStored, AttemptResult]>([
    ['choices', whole({ choices: [...completion.choices, ...completion.choices] })],
    ['finish', whole({ choices: [{ message: { content: 'x' }, finish_reason: 'content_filter' }] })],
    ['incomplete', whole({ choices: [] })],
    ['large_response', whole({ padding: 'x'.repeat(1024 * 1024) })],
  ])('is not stored for its content: %s', async (reason, response) => {
    expect(await new World().request().respond(response)).toBe(reason);
  });

  it('is not stored if the request had reasoning that another account has wrapped', async () => {
    const wrapped = (account: string) =>
      wrapOpaque({ issuer: { provider: 'gpt-provider', account }, kind: 'signature', value: 'x' }) ?? '';
    const body = {
      messages: [
        { role: 'assistant', content: '', x: wrapped('00000000') },
        { role: 'user', content: 'a' },
      ],
    };
    expect(await new World().request({ body }).respond()).toBe('opaque');
  });

  it('is not stored if the vendor got the request without reasoning that it could not read', async () => {
    const request = new World().request();
    request.attempt = { ...request.attempt, leavesOut: true } as Received;
    expect(await request.respond()).toBe('opaque');
  });

  it.each<[NotStored, PutResult]>([
    ['full', 'full'],
    ['redis_failed', 'unavailable'],
  ])('is counted as not stored: %s', async (reason, putResult) => {
    const world = new World();
    world.putResult = putResult;
    expect(await world.request().respond()).toBe(reason);
  });
});

describe('a request that waits for an equal one', () => {
  it('gets its response at once, before it is in the store', async () => {
    const world = new World();
    world.putResult = 'unavailable';
    const [leader, waiter] = [world.request(), world.request()];
    await leader.find();
    const waiting = waiter.find();
    const recorded = await leader.lookup?.record(result);
    if (recorded !== undefined) leader.lookup?.storing(recorded);
    expect((await waiting)?.stored.usage).toEqual(usage);
    expect([waiter.record.cache, world.events.includes('shared')]).toEqual(['hit', true]);
  });

  it('goes to its provider when a first byte is late, and ends when its own time is over', async () => {
    const world = new World();
    const [leader, late, over] = [world.request(), world.request(), world.request()];
    await leader.find();
    const waiting = [late.find(), over.find()] as const;
    late.end(new Error('no first byte'), false);
    expect(await waiting[0]).toBeUndefined();
    over.end(new Error('the total time is over'), true);
    await expect(waiting[1]).rejects.toThrow('the total time is over');
  });

  it('leads on if the first one fails', async () => {
    const world = new World();
    const [leader, waiter] = [world.request(), world.request()];
    await leader.find();
    const waiting = waiter.find();
    leader.lookup?.end();
    expect(await waiting).toBeUndefined();
    const third = world.request().find();
    const recorded = await waiter.lookup?.record(result);
    if (recorded !== undefined) waiter.lookup?.storing(recorded);
    expect((await third)?.stored.usage).toEqual(usage);
  });

  it('does not get a response of a target that is not its own', async () => {
    const world = new World();
    const leader = world.request();
    await leader.find();
    const { call } = cachedCall();
    const foreign = world.request();
    const targets = call.targets.map((target) => ({ ...target, providerKeyId: 'other' }));
    const lookup = world.cache.lookup({ ...call, targets }, () => foreign);
    const waiting = lookup?.find();
    const recorded = await leader.lookup?.record(result);
    if (recorded !== undefined) leader.lookup?.storing(recorded);
    expect(await waiting).toBeUndefined();
    expect(world.events).toContain('ignored target');
  });
});

describe('no look-up is made', () => {
  it.each<[string, CachedCall]>([
    ['of a route that stores nothing', { route: { cache: undefined } }],
    ['of an organization without a record key', { organization: { recordKeys: undefined } }],
    ['for several choices', { body: { n: 2 } }],
    ['for a chat that the vendor stores', { body: { store: true } }],
    ['for a tool of the vendor', { body: { tools: [{ type: 'web_search' }] } }],
    [
      'for a tool of the vendor, of Messages',
      { client: 'messages', body: { max_tokens: 5, tools: [{ type: 'web_search_20250305', name: 'web_search' }] } },
    ],
  ])('%s', (_name, given) => {
    expect(new World().request(given).lookup).toBeUndefined();
  });
});
