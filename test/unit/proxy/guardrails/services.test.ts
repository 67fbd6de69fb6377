// Services among the guardrails of one stage: which texts they are called with, when, and how their results apply.
import { describe, expect, it } from 'vitest';
import type { Guardrail } from '../../../../guardrails/definition.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import type { ServiceGuard } from '../../../../proxy/guardrails/service.ts';
import { callWith, complete, openInspecting, phrasesGuardrail } from '../../../support/guarded-requests.ts';
import { guardrailOf } from '../../../support/service-guards.ts';

type Classify = ServiceGuard['inspect'];

const service = (name: string, action: Guardrail['action'], fields: Partial<Guardrail> = {}) =>
  guardrailOf(
    { kind: 'moderation', model: 'm', categories: [], scoreMin: undefined },
    { id: name, name, action, stage: 'input', ...fields },
  );
const body = {
  messages: [
    { role: 'user', content: 'say BAD' },
    { role: 'assistant', content: '', name: 'helper' },
  ],
};

/** @param verifiers the decision of each service, by the name of its guardrail */
function openServices(verifiers: Readonly<Record<string, Classify>>) {
  const requested: (readonly [string, readonly string[]])[] = [];
  const inspecting = openInspecting({
    serviceGuard: (guardrail) => ({
      guardrail,
      delaysResponse: guardrail.action !== 'observe',
      window: 1000,
      ended: () => undefined,
      inspect: (texts, signal, about) => {
        requested.push([guardrail.name, texts]);
        const verifier = verifiers[guardrail.name];
        return verifier === undefined ? Promise.resolve(texts) : verifier(texts, signal, about);
      },
    }),
  });
  return { ...inspecting, requested };
}

const blocking: Classify = () => Promise.reject(new GatewayError('guardrail_blocked'));
const until = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('services of one stage', () => {
  it('are called with all non-empty texts, after the other guardrails have replaced their matches', async () => {
    const { inspect, requested } = openServices({});
    const words = phrasesGuardrail(['BAD'], { action: 'redact', stage: 'input' });
    await inspect(callWith([service('first', 'block'), words], body));
    expect(requested).toEqual([['first', ['say [WORD_1]', 'helper']]]);
  });

  it('are not called when another guardrail blocks or there is no text', async () => {
    const { inspect, requested } = openServices({});
    // Inspection waits for time on the event loop if the machine is busy, and then rejects instead of throwing.
    const blocked = async () => inspect(callWith([service('first', 'block'), phrasesGuardrail(['BAD'])], body));
    await expect(blocked()).rejects.toThrow();
    await inspect(callWith([service('first', 'block')], {}));
    expect(requested).toEqual([]);
  });

  it('that rewrite are called one after another, each with the texts of the one before', async () => {
    const adding =
      (mark: string): Classify =>
      async (texts) =>
        texts.map((text) => (text === 'helper' ? text : text + mark));
    const { inspect, requested } = openServices({ first: adding('1'), second: adding('2') });
    const guardrails = [service('first', 'redact'), service('watching', 'observe'), service('second', 'redact')];
    const { call } = await inspect(callWith(guardrails, body));
    expect(call.request.body.messages).toEqual([
      { role: 'user', content: 'say BAD12' },
      { role: 'assistant', content: '', name: 'helper' },
    ]);
    expect(requested).toEqual([
      ['watching', ['say BAD', 'helper']],
      ['first', ['say BAD', 'helper']],
      ['second', ['say BAD1', 'helper']],
    ]);
  });

  it('are called with a mark at texts that cannot be replaced', async () => {
    const fixed: (readonly [string, boolean | undefined])[] = [];
    const first: Classify = async (texts, _signal, about) => {
      fixed.push(...texts.map((text, index) => [text, about?.isFixed?.(index)] as const));
      return texts;
    };
    await openServices({ first }).inspect(callWith([service('first', 'redact')], body));
    expect(fixed).toEqual([
      ['say BAD', false],
      ['helper', true],
    ]);
  });

  it('are all aborted when one of them blocks', async () => {
    const signals: AbortSignal[] = [];
    const waiting: Classify = (_texts, signal) => {
      signals.push(signal);
      return until(signal);
    };
    const { inspect } = openServices({ slow: waiting, quick: blocking });
    const guardrails = [service('slow', 'block'), service('quick', 'block')];
    await expect(inspect(callWith(guardrails, body))).rejects.toMatchObject({ code: 'guardrail_blocked' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('are aborted when the request ends', async () => {
    const { inspect, abort } = openServices({ slow: (_texts, signal) => until(signal) });
    const inspecting = inspect(callWith([service('slow', 'block')], body));
    abort(new Error('the client left'));
    await expect(inspecting).rejects.toThrow('the client left');
  });

  it('are called with a complete response, and rewrite it', async () => {
    const { inspect } = openServices({ first: async (texts) => texts.map((text) => text.toLowerCase()) });
    const { output } = await inspect(callWith([service('first', 'redact', { stage: 'output' })], {}));
    const parsed = complete({ choices: [{ message: { content: 'HELLO' } }] });
    expect(await output?.guard(parsed)).toMatchObject({
      body: Buffer.from('{"choices":[{"message":{"content":"hello"}}]}'),
    });
  });

  it('are not called with texts that are too long: their failure rules apply', async () => {
    const { inspect, requested, decisions } = openServices({});
    const long = { messages: [{ role: 'user', content: 'x'.repeat(1024 * 1024 + 1) }] };
    await expect((async () => inspect(callWith([service('first', 'block')], long)))()).rejects.toThrow('first');
    await inspect(callWith([service('second', 'block', { onFailure: 'pass' })], long));
    expect(requested).toEqual([]);
    expect(decisions).toEqual(['first input failed_block', 'second input failed_pass']);
  });
});
