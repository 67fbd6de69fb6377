// State of a service that all requests share, and properties of its guards.
import { expect, it } from 'vitest';
import type { GuardedPost } from '../../../../../common/guarded-request.ts';
import { Secret } from '../../../../../common/secret.ts';
import { createWebhookSecret } from '../../../../../common/webhook-signature.ts';
import type { Guardrail } from '../../../../../guardrails/definition.ts';
import { LookupRefusedError } from '../../../../../proxy/upstream/name-lookups.ts';
import { guardrailOf, openServiceFixture } from '../../../../support/service-guards.ts';

const never = new AbortController().signal;

function webhook(fields: Partial<Guardrail> = {}): Guardrail {
  const secret = new Secret(createWebhookSecret());
  return guardrailOf({ kind: 'webhook', url: 'https://guards.example.com/', timeoutMs: 1000, secret }, fields);
}

const unreachable: GuardedPost = () => Promise.reject(new Error('no connection'));

it('failures in a row are counted over all requests and stages of a guardrail, and anew for each revision', async () => {
  let opened = 0;
  const openPost = () => {
    opened++;
    return unreachable;
  };
  const { guard, outcomes } = openServiceFixture({ openPost });
  const ask = (one: Guardrail, stage?: 'output') =>
    guard(one, stage)
      .inspect(['tea'], never)
      .catch(() => undefined);
  for (let times = 0; times < 3; times++) {
    await ask(webhook());
    await ask(webhook(), 'output');
  }
  expect(outcomes).toEqual([...Array(5).fill('unreachable'), 'resting']);
  await ask(webhook({ id: 'guardrail-2' }));
  await ask(webhook({ revision: 2 }));
  expect(outcomes.slice(6)).toEqual(['unreachable', 'unreachable']);
  expect(opened).toBe(3);
});

it('a guardrail of an unknown kind fails', async () => {
  const { guard, decisions, outcomes } = openServiceFixture({});
  const unknown = guardrailOf({ kind: 'unknown' }, { message: 'Not here.' });
  await expect(guard(unknown).inspect(['tea'], never)).rejects.toMatchObject({
    code: 'guardrail_blocked',
    message: 'Not here. (guardrail our-guard)',
  });
  expect([decisions, outcomes]).toEqual([['our-guard input failed_block'], []]);
});

it.each([
  ['block', true],
  ['redact', true],
  ['observe', false],
] as const)('a guard with action %s withholds a response until it has decided: %s', (action, delays) => {
  expect(openServiceFixture({ post: unreachable }).guard(webhook({ action })).delaysResponse).toBe(delays);
});

it.each(['block', 'pass'] as const)(
  'a call that the gateway has no capacity for is unavailable, whatever the failure rule: %s',
  async (onFailure) => {
    const post: GuardedPost = () => Promise.reject(new LookupRefusedError());
    const { guard, decisions, outcomes } = openServiceFixture({ post });
    for (const action of ['block', 'redact'] as const)
      await expect(guard(webhook({ action, onFailure })).inspect(['tea'], never)).rejects.toMatchObject({
        code: 'guardrail_unavailable',
      });
    expect(await guard(webhook({ action: 'observe', onFailure })).inspect(['tea'], never)).toEqual(['tea']);
    expect(decisions).toEqual(Array(3).fill('our-guard input unavailable'));
    // The breaker stays closed.
    expect(outcomes).toEqual(Array(3).fill('busy'));
  },
);
