import { describe, expect, it } from 'vitest';
import type { Guardrail } from '../../../../../guardrails/definition.ts';
import type { ResponseGuards } from '../../../../../proxy/guardrails/response-guards.ts';
import type { RequestFacts, ServiceGuard } from '../../../../../proxy/guardrails/service.ts';
import {
  blocked,
  chunkOf,
  deltasOf,
  finishOf,
  guarded,
  guardOf,
  marked,
  receive,
  responseGuards,
  responseTo,
} from '../../../../support/guarded-streams.ts';
import { positionsOf } from '../../../../support/seed.ts';

const role = chunkOf({ role: 'assistant', content: '' });
const secret = marked('<', '>', 'SECRET');

/** A service that responds when the test decides. */
class RecordingService implements ServiceGuard {
  readonly guardrail: Guardrail;
  readonly delaysResponse: boolean;
  readonly window: number;
  hasEnded = false;
  readonly requested: (readonly string[])[] = [];
  fixed: readonly string[] = [];
  signal: AbortSignal | undefined;
  readonly #responses = Promise.withResolvers<(texts: readonly string[]) => readonly string[]>();

  constructor(action: Guardrail['action'], window = 1000) {
    this.window = window;
    const check = { kind: 'unknown' } as const;
    const fields = {
      id: action,
      name: action,
      position: 0,
      stage: 'output',
      onFailure: 'block',
      message: '',
    } as const;
    this.guardrail = { ...fields, action, aiSystemIds: [], check, revision: 1 };
    this.delaysResponse = action !== 'observe';
  }

  async inspect(texts: readonly string[], signal: AbortSignal, about?: RequestFacts): Promise<readonly string[]> {
    this.requested.push(texts);
    this.fixed = texts.filter((_text, index) => about?.isFixed?.(index));
    this.signal = signal;
    const left = (await this.#responses.promise)(texts);
    return left;
  }

  ended(): void {
    this.hasEnded = true;
  }

  respond(left: (texts: readonly string[]) => readonly string[] = (texts) => texts): this {
    this.#responses.resolve(left);
    return this;
  }

  refuse(): this {
    this.#responses.reject(blocked());
    return this;
  }
}

function requesting(services: readonly ServiceGuard[], fields: Partial<ResponseGuards> = {}): ResponseGuards {
  return responseGuards([], { services, ...fields });
}

const response = [
  role,
  chunkOf({ content: 'Hello ' }),
  chunkOf({ content: 'there' }),
  chunkOf({
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"to":' } }],
  }),
  chunkOf({ tool_calls: [{ index: 0, function: { arguments: '"me"}' } }] }),
  finishOf('tool_calls'),
];

describe('a service that withholds a stream', () => {
  it('is called once with all texts, and nothing is sent before its response', async () => {
    const service = new RecordingService('block');
    const { source, result, isHandedOver, buffered } = guarded(requesting([service]));
    source.say(': hello\n\n', ...response);
    expect(await isHandedOver()).toBe(false);
    expect(service.requested).toEqual([]);
    source.end();
    // On a busy machine the last texts are inspected in a later tick.
    await expect.poll(() => service.requested).toEqual([['Hello there', 'f', 'to', 'me']]);
    expect(await isHandedOver()).toBe(false);
    service.respond();
    const received = receive(await result);
    expect(deltasOf(received.chunks)).toMatchObject([
      { role: 'assistant', content: 'Hello there' },
      { tool_calls: [{ function: { name: 'f', arguments: '{"to":"me"}' } }] },
      {},
    ]);
    expect(received.events.at(-1)).toBe('data: [DONE]');
    expect(received.hasEnded).toBe(true);
    expect(buffered()).toBeGreaterThan('Hello there'.length);
  });

  it('rewrites the texts', async () => {
    const service = new RecordingService('redact').respond((texts) =>
      texts.map((text) => text.replace('there', 'you')),
    );
    const received = await responseTo(requesting([service]), response);
    expect(received.text()).toBe('Hello you');
  });

  it('is called with a mark at texts that cannot be replaced', async () => {
    const service = new RecordingService('redact').respond();
    await responseTo(requesting([service]), response);
    expect(service.fixed).toContain('f');
    expect(service.fixed).not.toContain('Hello there');
  });

  it('refuses before any byte is sent', async () => {
    const { source, result } = guarded(requesting([new RecordingService('block').refuse()]));
    source.say(...response);
    source.end();
    await expect(result).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  it('that rewrites is called with the texts of the one before, and the others with the original texts', async () => {
    const first = new RecordingService('redact').respond((texts) => texts.map((text) => text.replace('Hello', 'Dear')));
    const second = new RecordingService('redact').respond();
    const other = new RecordingService('block').respond();
    const received = await responseTo(requesting([first, other, second]), response);
    expect(second.requested[0]?.[0]).toBe('Dear there');
    expect(other.requested[0]?.[0]).toBe('Hello there');
    expect(received.text()).toBe('Dear there');
  });

  it('is called without the matches that other guardrails have replaced', async () => {
    const service = new RecordingService('block').respond();
    const guards = { ...requesting([service]), guards: () => [guardOf(secret, 'redact')] };
    const received = await responseTo(guards, [role, chunkOf({ content: 'It is <1>' }), finishOf('stop')]);
    expect(service.requested).toEqual([['It is [SECRET]']]);
    expect(received.text()).toBe('It is [SECRET]');
  });

  it('is aborted when the request ends', async () => {
    const service = new RecordingService('block');
    const { source, result, abort } = guarded(requesting([service]));
    source.say(...response);
    source.end();
    abort(new Error('left'));
    await expect(result).rejects.toThrow('left');
    expect(service.signal?.aborted).toBe(true);
  });

  it('is not called for a response without text', async () => {
    const service = new RecordingService('block');
    const received = await responseTo(requesting([service]), [role, finishOf('stop')]);
    expect(service.requested).toEqual([]);
    expect(received.hasEnded).toBe(true);
  });

  it('is called in windows as the stream arrives, with a quarter of each window withheld and sent again', async () => {
    const service = new RecordingService('block', 200).respond();
    const { source, result } = guarded(requesting([service]));
    const text = Array.from({ length: 450 }, (_, at) => String.fromCharCode(0x100 + at)).join('');
    source.say(role, chunkOf({ content: text.slice(0, 200) }));
    expect(service.requested).toEqual([]);
    source.say(chunkOf({ content: text.slice(200, 250) }));
    expect(service.requested).toEqual([[text.slice(0, 200)]]);
    const received = receive(await result);
    expect(received.text()).toBe(text.slice(0, 150));
    source.say(chunkOf({ content: text.slice(250) }));
    await expect.poll(() => received.text()).toBe(text.slice(0, 300));
    expect(service.requested.slice(1)).toEqual([[text.slice(150, 350)]]);
    source.say(finishOf('stop'));
    source.end();
    await expect.poll(() => received.hasEnded).toBe(true);
    expect(service.requested.slice(2)).toEqual([[text.slice(300)]]);
    expect(received.text()).toBe(text);
    expect(service.hasEnded).toBe(true);
  });

  it('releases only decided text when it refuses later', async () => {
    const found = 'SECRET';
    const service = new RecordingService('block', 40).respond((texts) => {
      if (texts.some((text) => text.includes(found))) throw blocked();
      return texts;
    });
    const text = `${'a'.repeat(37)}${found} and more of it`;
    for (const cut of positionsOf(1, text.length)) {
      const { source, result } = guarded(requesting([service]));
      source.say(role, chunkOf({ content: text.slice(0, cut) }), chunkOf({ content: text.slice(cut) }));
      source.end();
      const received = receive(await result);
      await expect.poll(() => received.failure).toMatchObject({ code: 'guardrail_blocked' });
      expect(received.text()).toBe('a'.repeat(30));
    }
  });

  it('makes the provider wait when too much is withheld', async () => {
    const service = new RecordingService('block', 200);
    const { source, result, isHandedOver } = guarded(requesting([service]));
    source.say(role, chunkOf({ content: 'a'.repeat(300_000) }));
    await expect.poll(() => source.isPaused && service.requested.length).toBe(1);
    expect(await isHandedOver()).toBe(false);
    service.respond();
    const received = receive(await result);
    await expect.poll(() => received.text().length).toBeGreaterThan(299_000);
    expect(source.isPaused).toBe(false);
  });
});

describe('a service that observes a stream', () => {
  it('is called after everything was sent, with the sent text', async () => {
    const service = new RecordingService('observe').respond();
    const guards = { ...requesting([service]), guards: () => [guardOf(secret, 'redact')] };
    const { source, result, background } = guarded(guards);
    source.say(role, chunkOf({ content: 'It is <' }), chunkOf({ content: '1>.' }));
    const received = receive(await result);
    expect(received.text()).toBe('It is [SECRET].');
    expect(service.requested).toEqual([]);
    source.say(finishOf('stop'));
    source.end();
    expect(received.hasEnded).toBe(true);
    expect(service.requested).toEqual([['It is [SECRET].']]);
    expect(background).toEqual(['guardrails after an answer']);
  });

  it('is called for a response that was cut', async () => {
    const service = new RecordingService('observe').respond();
    const { source, result } = guarded(requesting([service]));
    source.say(role, chunkOf({ content: 'Hello' }));
    const received = receive(await result);
    source.fail(new Error('cut'));
    expect(received.failure?.message).toBe('cut');
    expect(service.requested).toEqual([['Hello']]);
  });

  it('leaves the stream unchanged', async () => {
    const service = new RecordingService('observe').respond();
    const odd = 'data: {"choices" : [{"index":0,"delta":{"content":"Hello"}}]}\n\n';
    const received = await responseTo(requesting([service]), [': note\n\n', odd]);
    expect(received.bytes).toBe(`: note\n\n${odd}data: [DONE]\n\n`);
    expect(service.requested).toEqual([['Hello']]);
  });
});
