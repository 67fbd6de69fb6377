import { expect, it } from 'vitest';
import { Secret } from '../../../../common/secret.ts';
import { cachedOfLayout4 } from '../../../../proxy/record-cache/redis-layout-4.ts';

it('a record in the previous layout is read with its secrets wrapped, for provider keys and webhook guardrails', () => {
  const words = { id: 'w', check: { kind: 'words', phrases: ['a'] } };
  const webhook = {
    id: 'h',
    check: { kind: 'webhook', url: 'https://a.example', secret: 'the-webhook-secret' },
  };
  const record = {
    id: 'north',
    providerKeys: [{ id: 'p', secret: { apiKey: 'the-provider-secret' } }],
    guardrails: [words, webhook],
  };
  const stored = { asOf: { epoch: 'one', revision: 1 }, content: { confirmedAt: 0, record } };
  const cached = cachedOfLayout4({ kind: 'organization', ref: 'organization:north' }, stored, 7);
  if (cached.kind !== 'organization') throw new Error('it is an organization');
  expect(cached).toMatchObject({ confirmedAt: 7, isUnsigned: true });
  const [providerKey] = cached.record.providerKeys;
  expect(providerKey?.secret.apiKey?.reveal()).toBe('the-provider-secret');
  expect(providerKey?.secret.accessKeyId).toBeUndefined();
  expect(cached.record.guardrails[0]).toEqual(words);
  const check = cached.record.guardrails[1]?.check;
  expect(check?.kind === 'webhook' && check.secret).toBeInstanceOf(Secret);
  expect(JSON.stringify(cached)).not.toContain('-secret');
});

it('a record in the previous layout has no routes, for they are younger', () => {
  const record = { id: 'north', providerKeys: [], guardrails: [] };
  const stored = { asOf: { epoch: 'one', revision: 1 }, content: { confirmedAt: 0, record } };
  const cached = cachedOfLayout4({ kind: 'organization', ref: 'organization:north' }, stored, 7);
  expect(cached.kind === 'organization' && cached.record.routes.size).toBe(0);
});
