// Planes of two versions: a proxy whose control plane uses a newer contract, and one whose control plane uses an older
// one. proto/README.md defines what a proxy does with values that it does not know; each case is tested here.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Descriptor } from '../../proto/compatibility.ts';
import { findBreaks } from '../../proto/compatibility.ts';
import { contract } from '../../proto/load.ts';
import { limitSubject } from '../support/budget-fixture.ts';
import { admission, chat, outcomes, turns } from '../support/chat-requests.ts';
import { startGateway, type TestGateway, type TestProxy } from '../support/gateway.ts';
import type { JsonResponse } from '../support/operators.ts';
import { addedNumber, newerContract, olderContract, type Rewrite, startRelay } from '../support/other-contract.ts';
import { until } from '../support/process.ts';
import { metric } from '../support/telemetry.ts';

let gateway: TestGateway;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});
afterAll(() => gateway.close());

const notFound = '401 access_not_found';
const unavailable = '503 access_unavailable';

/** A proxy whose control plane has another version. */
async function proxyBehind(
  spoken: Descriptor,
  rewrite: Rewrite,
  env: Readonly<Record<string, string>> = {},
): Promise<TestProxy> {
  const relay = await startRelay({ port: gateway.controlPlane.grpcPort, contract: spoken, rewrite });
  closers.push(async () => relay.close());
  const proxy = await gateway.startProxy({ GATEWAY_CONTROL_PLANE: `127.0.0.1:${relay.port}`, ...env });
  closers.push(() => proxy.drain());
  await until(async () => (await metric(proxy, 'gateway_feed_age_seconds')) >= 0, { what: 'the feed' });
  return proxy;
}

const newer = newerContract();

/**
 * A signed record cannot be rewritten, so the proxy has no record keys, and the relay drops its request for signatures.
 */
const newerUnsigned = newerContract(olderContract(['ResolveRequest.signed']));

/** @param rewrite changes the responses of Access.Resolve */
function newerProxy(rewrite: (principal: JsonResponse) => void): Promise<TestProxy> {
  const rewritten: Rewrite = (message, method) => {
    if (method === 'Access.Resolve' && message.key) rewrite(message);
    return message;
  };
  return proxyBehind(newerUnsigned, rewritten, { GATEWAY_RECORD_KEYS: '' });
}

const ask = async (proxy: TestProxy, key: { readonly value: string }, fields: object = {}) =>
  (await chat(key.value, fields)(proxy)).outcome;
const limitsOf = (amountUsd: string) => ({
  kind: 'LIMIT_KIND_BUDGET',
  amountUsd,
  period: 'BUDGET_PERIOD_DAY',
});

function limit(id: string, fields: object): Promise<JsonResponse> {
  const { organization } = gateway;
  const subject = limitSubject('VIRTUAL_KEY', id);
  return organization.api.call('Limits/Create', { organizationId: organization.id, subject, ...fields });
}

it('the newer and the older contract of these tests are compatible as releases must be', () => {
  expect(findBreaks(contract, newer)).toEqual([]);
  expect(findBreaks(newer, contract)).not.toEqual([]);
  expect(findBreaks(olderContract(['OrganizationRecord.guardrails']), contract)).toEqual([]);
});

describe('a control plane of a newer contract', () => {
  it('may send unknown fields in every message, which the proxy ignores', async () => {
    let added = 0;
    const proxy = await proxyBehind(newer, (message, method) => {
      const [service = '', name = ''] = method.split('.');
      added += addEverywhere(message, responseOf(service, name));
      return message;
    });
    const key = await gateway.organization.createKey();
    await limit(key.id, limitsOf('5'));
    await limit(key.id, { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '2' });
    expect([await ask(proxy, key), await ask(proxy, key), await ask(proxy, key)]).toEqual([
      ...['200', '200', '429 rate_limit_exceeded'],
    ]);
    await until(async () => (await usageOf(key.id)) === 2, { what: 'the usage to be reported' });
    await gateway.organization.api.call('VirtualKeys/Revoke', { id: key.id });
    await turns([proxy], admission(key.value), { from: '200', to: notFound });
    expect(added).toBeGreaterThan(20);
  });

  it.each<[string, (limits: JsonResponse[]) => void]>([
    ['a kind of limit', ([first]) => (first.kind = addedNumber)],
    ['a period of a budget', ([first]) => (first.period = addedNumber)],
  ])('may send %s that the proxy does not know: requests with it are refused, others pass', async (_what, change) => {
    const key = await gateway.organization.createKey();
    const other = await gateway.organization.createKey();
    await limit(key.id, limitsOf('5'));
    const proxy = await newerProxy(({ key: record }) => {
      if (record.keyId === key.id) change(record.limits);
    });
    expect(await outcomes([proxy], chat(key.value))).toEqual([unavailable]);
    expect(await outcomes([proxy], chat(other.value))).toEqual(['200']);
  });

  it('may send a limit of an unknown kind, which a proxy obeys at once for a key that it has in memory', async () => {
    const key = await gateway.organization.createKey();
    const proxy = await newerProxy(({ key: record }) => {
      for (const one of record.limits ?? []) one.kind = addedNumber;
    });
    expect(await ask(proxy, key)).toBe('200');
    await limit(key.id, limitsOf('5'));
    await turns([proxy], chat(key.value), { from: '200', to: unavailable });
    expect(gateway.logs.join('')).toContain('that this version does not know; update the proxy');
  });

  it.each<[string, (principal: JsonResponse, scopeKind: number) => void]>([
    ['key', ({ key }, kind) => (key.scope.kind = kind)],
    ['scope', ({ scope }, kind) => (scope.kind = kind)],
  ])('may send an unknown kind of scope in the %s: the key is refused, others pass', async (_in, change) => {
    const { organization } = gateway;
    const system = await organization.api.call('AiSystems/Create', {
      ...{ organizationId: organization.id, name: `system of ${_in}` },
    });
    const scope = { kind: 'KEY_SCOPE_KIND_AI_SYSTEM', id: system.id };
    const key = await organization.createKey({ scope });
    const proxy = await newerProxy((principal) => {
      if (principal.key.keyId === key.id) change(principal, addedNumber);
    });
    expect(await ask(proxy, key)).toBe(unavailable);
    expect(await ask(proxy, await organization.createKey())).toBe('200');
  });

  it.each([
    ['wireFormat', 'a wire format'],
    ['keyForm', 'a form of keys'],
  ])(
    'may send a custom provider of %s that the proxy does not know: it does not exist, all others do',
    async (field) => {
      const { organization } = gateway;
      const name = `models-${field.toLowerCase()}`;
      await organization.api.call('Providers/Create', {
        ...{ organizationId: organization.id, name, wireFormat: 'WIRE_FORMAT_GPT_PROVIDER' },
        ...{ baseUrl: 'https://models.example.com/v1', models: { models: [{ name: 'some-model' }] } },
      });
      const proxy = await newerProxy(({ organization: record }) => {
        for (const provider of record.providers) provider[field] = addedNumber;
      });
      const key = await organization.createKey();
      expect(await ask(proxy, key, { model: `${name}/some-model` })).toMatch(/^4\d\d /);
      expect(await ask(proxy, key)).toBe('200');
    },
  );

  describe('may send guardrails: one', () => {
    const record = (fields: object) => ({
      ...{
        id: '01999999-0000-7000-8000-000000000001',
        name: 'newer',
        position: 1,
        message: 'no',
        revision: '1',
      },
      ...{ stage: 'GUARDRAIL_STAGE_INPUT', action: 'GUARDRAIL_ACTION_BLOCK' },
      ...fields,
    });
    const words = { words: { phrases: ['Hello'] } };

    it.each<[string, string, object]>([
      ['of an unknown kind blocks', '400 guardrail_blocked', { check: { addedTokind: 'new' } }],
      [
        'of an unknown kind passes where its failure rule is to pass',
        '200',
        { check: { addedTokind: 'new' }, onFailure: 'GUARDRAIL_FAILURE_RULE_PASS' },
      ],
      [
        'of an unknown kind that only observes does not block',
        '200',
        { check: { addedTokind: 'new' }, action: 'GUARDRAIL_ACTION_OBSERVE' },
      ],
      [
        'of an unknown type of personal data blocks',
        '400 guardrail_blocked',
        { check: { personalData: { types: ['PERSONAL_DATA_TYPE_EMAIL', addedNumber] } } },
      ],
      ['of an unknown action blocks', '400 guardrail_blocked', { check: words, action: addedNumber }],
      ['of an unknown stage inspects everything', '400 guardrail_blocked', { check: words, stage: addedNumber }],
      [
        'of an unknown failure rule blocks where it fails',
        '400 guardrail_blocked',
        { check: { addedTokind: 'new' }, onFailure: addedNumber },
      ],
      ['that the proxy knows works as before', '200', { check: { words: { phrases: ['darjeeling'] } } }],
    ])('%s', async (_what, outcome, fields) => {
      const key = await gateway.organization.createKey();
      const proxy = await newerProxy(({ organization }) => {
        organization.guardrails = [record(fields)];
      });
      expect(await ask(proxy, key)).toBe(outcome);
    });
  });

  it('may send unknown feed messages, kinds of records and states, which the proxy ignores', async () => {
    const key = await gateway.organization.createKey();
    const seen = { started: 0, kinds: 0, states: 0 };
    const proxy = await proxyBehind(newer, (message, method) => {
      if (method !== 'Access.Watch') return message;
      if (message.started || message.reset) seen.started += 1;
      const invalidations = (message.changes?.invalidations ?? []).flatMap((one: JsonResponse) => {
        seen.states += 1;
        if (one.kind !== 'RECORD_KIND_ORGANIZATION') return { ...one, state: addedNumber };
        seen.kinds += 1;
        return [{ ...one, kind: addedNumber }, one];
      });
      return [{ addedTomessage: 'new' }, { ...message, ...(message.changes && { changes: { invalidations } }) }];
    });
    expect(await ask(proxy, key)).toBe('200');
    await gateway.organization.api.call('Organizations/UpdateSettings', {
      ...{ id: gateway.organization.id, allowedModels: { globs: ['search-provider/*'] } },
    });
    await turns([proxy], chat(key.value), { from: '200', to: '403 model_not_allowed' });
    await gateway.organization.api.call('Organizations/UpdateSettings', {
      ...{ id: gateway.organization.id, allowedModels: { globs: [] } },
    });
    await turns([proxy], chat(key.value), { from: '403 model_not_allowed', to: '200' });
    await gateway.organization.api.call('VirtualKeys/Revoke', { id: key.id });
    await turns([proxy], admission(key.value), { from: '200', to: notFound });
    expect(seen).toEqual({ started: 1, kinds: expect.any(Number), states: expect.any(Number) });
    expect(Math.min(seen.kinds, seen.states)).toBeGreaterThan(0);
  });

  it('may return an unknown outcome of an acquisition: requests with the budget get 503, others pass', async () => {
    const key = await gateway.organization.createKey();
    const other = await gateway.organization.createKey();
    await limit(key.id, limitsOf('5'));
    const proxy = await proxyBehind(newer, (message, method) =>
      method === 'Ledger.Draw' ? { ...message, outcome: addedNumber } : message,
    );
    expect(await ask(proxy, key)).toBe('503 ledger_unavailable');
    expect(await ask(proxy, other)).toBe('200');
  });
});

describe('a control plane of an older contract', () => {
  const same: Rewrite = (message) => message;

  it('may lack fields, which are then unset: no guardrails, prices or custom providers', async () => {
    const lacking = ['OrganizationRecord.guardrails', 'OrganizationRecord.prices', 'OrganizationRecord.providers'];
    const proxy = await proxyBehind(olderContract(lacking), same);
    const key = await gateway.organization.createKey();
    expect(await ask(proxy, key)).toBe('200');
    await gateway.organization.api.call('VirtualKeys/Revoke', { id: key.id });
    await turns([proxy], admission(key.value), { from: '200', to: notFound });
  });

  it("may ignore the proxy's report about itself on the feed", async () => {
    const reported = Object.keys(contract.nested.gateway.nested.v1.nested.WatchStart.fields).filter(
      (name) => !['since', 'maxStaleSeconds'].includes(name),
    );
    const proxy = await proxyBehind(olderContract(reported.map((name) => `WatchStart.${name}`)), same);
    expect(await ask(proxy, await gateway.organization.createKey())).toBe('200');
  });

  it('may lack reports of decisions, and guardrails still decide', async () => {
    const { organization } = gateway;
    const made = await organization.api.call('Guardrails/Create', {
      ...{ organizationId: organization.id, name: 'no-tea', stage: 'GUARDRAIL_STAGE_INPUT' },
      ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { words: { phrases: ['darjeeling'] } } },
    });
    const { id } = made.guardrail as { id: string };
    try {
      const proxy = await proxyBehind(olderContract(['Guardrails']), same);
      const key = await organization.createKey();
      const messages = [{ role: 'user', content: 'A pot of Darjeeling' }];
      expect(await ask(proxy, key, { messages })).toBe('400 guardrail_blocked');
      expect(await ask(proxy, key)).toBe('200');
    } finally {
      await organization.api.call('Guardrails/Delete', { id });
    }
  });

  it('may lack a ledger: requests without a budget are served, requests with one are not', async () => {
    const proxy = await proxyBehind(olderContract(['Ledger']), same);
    const key = await gateway.organization.createKey();
    const limited = await gateway.organization.createKey();
    await limit(limited.id, limitsOf('5'));
    expect(await ask(proxy, key)).toBe('200');
    expect(await ask(proxy, limited)).toBe('503 ledger_unavailable');
  });
});

async function usageOf(keyId: string): Promise<number> {
  const { organization } = gateway;
  const day = 24 * 3_600_000;
  const response = await organization.api.call('Usage/Totals', {
    organizationId: organization.id,
    keyId,
    from: new Date(Date.now() - day).toISOString(),
    to: new Date(Date.now() + day).toISOString(),
  });
  const totals = (response.totals ?? []) as readonly { readonly requests: string }[];
  return totals.reduce((sum, { requests }) => sum + Number(requests), 0);
}

const types: Readonly<Record<string, Descriptor>> = newer.nested?.gateway?.nested?.v1?.nested ?? {};

function responseOf(service: string, method: string): string {
  return types[service]?.methods?.[method]?.responseType ?? '';
}

/**
 * Sets the fields that the newer contract added, in a message and in all its nested messages. @returns number of
 * changed messages
 */
function addEverywhere(message: JsonResponse, typeName: string): number {
  const { fields } = types[typeName] ?? {};
  if (fields === undefined) return 0;
  let added = 1;
  for (const [name, { type }] of Object.entries(fields)) {
    for (const part of [message[name]].flat()) {
      if (typeof part === 'object' && part !== null) added += addEverywhere(part, type);
    }
  }
  message.addedLater = 'something';
  return added;
}
