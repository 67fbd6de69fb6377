// Guardrails that call the GPT vendor's moderation, against the vendor's simulator.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../../../common/secret.ts';
import type { Guardrail, ModerationCheck } from '../../../../../guardrails/definition.ts';
import type { OrganizationRecord } from '../../../../../proxy/access/principal.ts';
import { parseBaseUrl } from '../../../../../proxy/formats/format.ts';
import { noOwnTools } from '../../../../../proxy/formats/own-tools.ts';
import { gptProvider } from '../../../../../proxy/providers/gpt-provider.ts';
import type { Target } from '../../../../../proxy/providers/provider.ts';
import type { Transport } from '../../../../../proxy/upstream/transport.ts';
import { type Simulator, startSimulator } from '../../../../../simulator/index.ts';
import { guardrailOf, openServiceFixture, organization } from '../../../../support/service-guards.ts';
import { transportTo } from '../../../../support/transports.ts';

let simulator: Simulator;
let transport: Transport;
let privateUpstreams: string[];
const never = new AbortController().signal;
const key = ['sk', 'sim', 'stored'].join('-');

beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0 });
  privateUpstreams = [`127.0.0.1:${simulator.port}`];
  transport = transportTo(privateUpstreams);
});
afterAll(async () => {
  await transport.close();
  await simulator.close();
});
beforeEach(() => simulator.reset());

function target(apiKey: string | undefined = key): Target {
  return {
    provider: gptProvider,
    baseUrl: parseBaseUrl(simulator.baseUrls['gpt-provider']),
    credential: { apiKey: apiKey === undefined ? undefined : new Secret(apiKey) },
    ...{ providerKeyId: 'provider-key-1', region: undefined, apiVersion: undefined },
    ownTools: noOwnTools,
  };
}

const moderation: ModerationCheck = {
  ...{ kind: 'moderation', model: 'omni-moderation-latest', categories: [], scoreMin: undefined },
};
const guardrail = (check: Partial<ModerationCheck> = {}, fields: Partial<Guardrail> = {}) =>
  guardrailOf({ ...moderation, ...check }, fields);

const requested: OrganizationRecord[] = [];
function openFixture(targets: readonly Target[] = [target()], over = transport) {
  const stored = (one: OrganizationRecord) => {
    requested.push(one);
    return targets;
  };
  return openServiceFixture({ moderation: { transport: over, targets: stored } });
}

const inputs = () => simulator.requests.map((request) => (request.json() as { input: string[] }).input);

describe('a call of moderation', () => {
  it('contains the texts, with the organization’s stored key', async () => {
    requested.length = 0;
    expect(await openFixture().guard(guardrail()).inspect(['tea', 'and biscuits'], never)).toEqual([
      'tea',
      'and biscuits',
    ]);
    expect(requested).toEqual([organization]);
    expect(simulator.requests).toMatchObject([
      { method: 'POST', target: '/v1/moderations', headers: { authorization: `Bearer ${key}` } },
    ]);
    expect(simulator.requests[0]?.json()).toEqual({
      model: 'omni-moderation-latest',
      input: ['tea', 'and biscuits'],
    });
  });

  it('contains long texts in pieces that part no character, and at most 32 pieces', async () => {
    const long = `${'a'.repeat(7_999)}😀${'b'.repeat(8_000)}`;
    const many = Array.from({ length: 31 }, (_, index) => `text ${index}`);
    await openFixture()
      .guard(guardrail())
      .inspect([long, ...many], never);
    const pieces = inputs().toSorted((a, b) => b.length - a.length);
    expect(pieces.map((one) => one.length)).toEqual([32, 2]);
    expect(pieces.flat()).toEqual(['a'.repeat(7_999), `😀${'b'.repeat(7_998)}`, 'bb', ...many]);
  });

  it.each([
    [8_000, 1],
    [8_001, 2],
    [32 * 8_000, 32],
  ])('contains a text of %i characters in %i pieces', async (length, count) => {
    await openFixture()
      .guard(guardrail())
      .inspect(['a'.repeat(length)], never);
    expect(inputs().flat()).toHaveLength(count);
  });
});

type Case = [what: string, check: Partial<ModerationCheck>, text: string, decision: 'pass' | 'block'];

describe('moderation', () => {
  it.each<Case>([
    ['nothing in a text that is not flagged', {}, 'tea', 'pass'],
    ['what the vendor flags', {}, 'flag:violence', 'block'],
    ['nothing that the vendor does not flag', {}, 'flag:violence=0.49', 'pass'],
    ['a category that it looks at', { categories: ['violence', 'hate'] }, 'flag:hate', 'block'],
    ['no category that it does not look at', { categories: ['hate'] }, 'flag:violence', 'pass'],
    ['a score that counts', { scoreMin: 0.3 }, 'flag:violence=0.3', 'block'],
    ['no score that is less', { scoreMin: 0.3 }, 'flag:violence=0.29', 'pass'],
    ['nothing that is flagged with a score that is less', { scoreMin: 0.9 }, 'flag:violence=0.8', 'pass'],
    ['a score of one category', { scoreMin: 0.3, categories: ['hate'] }, 'flag:violence=0.3', 'pass'],
    ['nothing of a category that the vendor does not know', { categories: ['rudeness'] }, 'flag:hate', 'pass'],
    ['nothing by a name of JavaScript’s', { categories: ['constructor'], scoreMin: 0.1 }, 'tea', 'pass'],
  ])('finds %s', async (_what, check, text, decision) => {
    const { guard, decisions, outcomes } = openFixture();
    const judging = guard(guardrail(check)).inspect(['tea', text], never);
    if (decision === 'block') await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
    else expect(await judging).toEqual(['tea', text]);
    expect([decisions, outcomes]).toEqual([[`our-guard input ${decision}`], ['answered']]);
  });

  it('finds a match in the last piece of a long text', async () => {
    const judging = openFixture()
      .guard(guardrail())
      .inspect([`${'a'.repeat(40 * 8_000)} flag:violence`], never);
    await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
  });

  it.each([
    ['observe', 'observe'],
    ['redact', 'block'],
  ] as const)('with action %s decides on a match: %s', async (action, decision) => {
    const { guard, decisions } = openFixture();
    await guard(guardrail({}, { action }))
      .inspect(['flag:hate'], never)
      .catch(() => undefined);
    expect(decisions).toEqual([`our-guard input ${decision}`]);
  });
});

describe('a failed moderation', () => {
  type Failure = [what: string, reason: string, script: Parameters<Simulator['script']>[0]];
  it.each<Failure>([
    ['the vendor refuses', 'refused', { status: 429 }],
    ['the vendor fails', 'refused', { status: 503 }],
    ['the response is not JSON', 'answer', { body: 'fine' }],
    ['the response has no results', 'answer', { body: '{"results":null}' }],
    ['the response has too few results', 'answer', { body: '{"results":[]}' }],
    ['a result is empty', 'answer', { body: '{"results":[{}]}' }],
    ['a result is null', 'answer', { body: '{"results":[null]}' }],
    ['the response is too large', 'answer', { body: `{"results":[],"more":"${'a'.repeat(1024 * 1024)}"}` }],
    ['the connection is cut', 'unreachable', { stop: { by: 'cut', beforeHead: true } }],
    ['the response is cut off', 'unreachable', { stop: { by: 'cut', afterBytes: 10 } }],
    ['the response is not HTTP', 'unreachable', { rawBase64: Buffer.from('SSH-2.0\r\n').toString('base64') }],
  ])('is recorded when %s', async (_what, reason, behaviour) => {
    for (const onFailure of ['block', 'pass'] as const) {
      simulator.script(behaviour);
      const { guard, decisions, outcomes, logged } = openFixture();
      const judging = guard(guardrail({}, { onFailure })).inspect(['tea'], never);
      if (onFailure === 'block') await expect(judging).rejects.toMatchObject({ code: 'guardrail_blocked' });
      else expect(await judging).toEqual(['tea']);
      expect([decisions, outcomes]).toEqual([[`our-guard input failed_${onFailure}`], [reason]]);
      expect(logged.join('')).not.toContain(key);
    }
  });

  it('is recorded when the organization has no key of the vendor', async () => {
    for (const targets of [[], [{ ...target(), credential: { apiKey: undefined } }]]) {
      const { guard, decisions, outcomes } = openFixture(targets);
      await expect(guard(guardrail()).inspect(['tea'], never)).rejects.toMatchObject({
        code: 'guardrail_blocked',
      });
      expect([decisions, outcomes]).toEqual([['our-guard input failed_block'], ['no_key']]);
    }
    expect(simulator.requests).toEqual([]);
  });

  it('is recorded when the vendor refuses the key', async () => {
    const { guard, outcomes, logged } = openFixture([target('sk-unknown')]);
    await expect(guard(guardrail()).inspect(['tea'], never)).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
    expect(outcomes).toEqual(['refused']);
    expect(logged.join('')).not.toContain('sk-unknown');
  });

  it('is recorded when the base URL is at an address that is not allowed', async () => {
    const unlisted = transportTo([]);
    const { guard, outcomes } = openFixture([target()], unlisted);
    await expect(guard(guardrail()).inspect(['tea'], never)).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
    expect([outcomes, simulator.requests]).toEqual([['unreachable'], []]);
    await unlisted.close();
  });

  it('is recorded when one of several calls has failed, and the other calls are aborted', async () => {
    simulator.script({ stop: { by: 'silence', beforeHead: true } }, { times: 2 });
    simulator.script({ status: 500 });
    const { guard, outcomes } = openFixture();
    const texts = Array.from({ length: 3 * 32 }, () => 'tea');
    await expect(guard(guardrail()).inspect(texts, never)).rejects.toMatchObject({
      code: 'guardrail_blocked',
    });
    expect(outcomes).toEqual(['refused']);
    await expect
      .poll(() => simulator.requests.map(({ ended }) => ended).toSorted())
      .toEqual(['client_left', 'client_left', 'finished']);
  });
});

it('a request that ends aborts its calls of moderation', async () => {
  simulator.script({ stop: { by: 'silence', beforeHead: true } });
  const { guard, decisions, outcomes } = openFixture();
  const ending = new AbortController();
  const judging = guard(guardrail()).inspect(['tea'], ending.signal);
  await expect.poll(() => simulator.requests.length).toBe(1);
  const left = new Error('the client left');
  ending.abort(left);
  await expect(judging).rejects.toBe(left);
  await expect.poll(() => simulator.requests[0]?.ended).toBe('client_left');
  expect([decisions, outcomes]).toEqual([[], []]);
});
