import { describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../../../proto/generated/gateway/v1/KeyRecord.ts';
import type { LimitRecord } from '../../../../proto/generated/gateway/v1/LimitRecord.ts';
import type { LocalWindows } from '../../../../proto/generated/gateway/v1/LocalWindows.ts';
import type { OrganizationRecord } from '../../../../proto/generated/gateway/v1/OrganizationRecord.ts';
import type { ResolveResponse } from '../../../../proto/generated/gateway/v1/ResolveResponse.ts';
import type { ScopeRecord } from '../../../../proto/generated/gateway/v1/ScopeRecord.ts';
import type { WatchResponse } from '../../../../proto/generated/gateway/v1/WatchResponse.ts';
import { services } from '../../../../proto/load.ts';
import { RecordKey } from '../../../../proxy/access/organization-key.ts';
import { decodeFeedMessage, decodeResolve } from '../../../../proxy/control-plane/wire-records.ts';

const { Resolve, Watch } = services.Access;
// Messages are serialized as on the wire, so that the test sees the client's view.
const resolve = (response: ResolveResponse) =>
  decodeResolve(Resolve.responseDeserialize(Resolve.responseSerialize(response)));
const feed = (response: WatchResponse) =>
  decodeFeedMessage(Watch.responseDeserialize(Watch.responseSerialize(response)));

const asOf = { epoch: 'one', revision: '9007199254740991' };
const key: KeyRecord = {
  keyId: 'k',
  organizationId: 'o',
  scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: 'p' },
  active: true,
  endsAt: '2030-01-02T03:04:05.678Z',
  allowedModels: ['gpt-provider/*'],
  limits: [{ id: 'l', kind: 'LIMIT_KIND_BUDGET', amountUsd: '1.5', period: 'BUDGET_PERIOD_DAY' }],
  organizationRevision: 3,
  revision: 4,
};
const scope: ScopeRecord = {
  kind: 'KEY_SCOPE_KIND_PERSON',
  id: 'p',
  organizationId: 'o',
  active: true,
  revision: 2,
};
const organization: OrganizationRecord = {
  id: 'o',
  active: true,
  revision: 3,
  providerKeys: [{ id: 'pk', provider: 'gpt-provider', secret: { apiKey: 'provider-secret' }, weight: 1 }],
};

describe('a response of Resolve', () => {
  it('contains selectors of models in canonical form, however they were stored', () => {
    const allowedModels = ['openai/gpt-4o-2024-08-06', 'anthropic/*', 'own-models/m'];
    const limits = [
      { ...key.limits?.[0], id: 'alias', model: 'google/gemini-flash-latest' },
      { ...key.limits?.[0], id: 'all' },
    ];
    const prices = [{ id: 'p', model: 'azure/gpt-4o-2024-08-06', prices: { input: '1', output: '2' } }];
    const response = resolve({
      asOf,
      key: { ...key, allowedModels, limits },
      scope: { ...scope, allowedModels },
      organization: { ...organization, allowedModels, prices },
    });
    const { principal } = response;
    const canonical = ['gpt-provider/gpt-4o', 'assistant-provider/*', 'own-models/m'];
    for (const record of [principal?.key, principal?.scope, principal?.organization])
      expect(record?.allowedModels).toEqual(canonical);
    expect(principal?.key.limits.map(({ model }) => model)).toEqual(['search-provider/gemini-3.8-flash', undefined]);
    expect(principal?.organization.prices[0]?.model).toBe('studio-ai/gpt-4o-2024-08-06');
  });

  it('becomes a principal with times in milliseconds and secrets that do not print', () => {
    const response = resolve({ asOf, key, scope, organization });
    expect(response.asOf).toEqual({ epoch: 'one', revision: Number.MAX_SAFE_INTEGER });
    expect(response.principal).toMatchObject({
      key: {
        scope: { kind: 'person', id: 'p' },
        endsAt: Date.UTC(2030, 0, 2, 3, 4, 5, 678),
        valueEndsAt: undefined,
        limits: [{ kind: 'budget', amountUsd: '1.5', period: 'day', count: undefined, model: undefined }],
      },
      scope: { kind: 'person', id: 'p' },
      organization: { id: 'o', callerProviderKeys: false },
    });
    expect(response.principal?.organization.providerKeys[0]?.secret.apiKey?.reveal()).toBe('provider-secret');
    expect(JSON.stringify(response)).not.toContain('provider-secret');
  });

  it('contains windows of budgets by the clocks of a time zone, and is refused if these are not known', () => {
    const windows: LocalWindows = { period: 'BUDGET_PERIOD_DAY', timeZone: 'Europe/Berlin', startsOn: { hour: 6 } };
    const budget: LimitRecord = {
      id: 'l',
      kind: 'LIMIT_KIND_BUDGET',
      amountUsd: '1',
      period: 'BUDGET_PERIOD_UNSPECIFIED',
    };
    const limited = (limit: LimitRecord) => ({ ...organization, limits: [{ ...budget, ...limit }] });
    expect(resolve({ asOf, key, scope, organization: limited({ windows }) }).principal?.organization.limits).toEqual([
      {
        ...{ id: 'l', kind: 'budget', amountUsd: '1', count: undefined, model: undefined },
        period: { period: 'day', timeZone: 'Europe/Berlin', hour: 6, weekday: 1, dayOfMonth: 1, month: 1 },
      },
    ]);
    const unknowns: readonly LimitRecord[] = [
      {},
      { windows: { ...windows, timeZone: 'Europe/Nowhere' } },
      { windows: { ...windows, period: 'BUDGET_PERIOD_TOTAL' } },
      { windows: { ...windows, period: 'BUDGET_PERIOD_UNSPECIFIED' } },
    ];
    for (const unknown of unknowns)
      expect(() => resolve({ asOf, key, scope, organization: limited(unknown) })).toThrow('update the proxy');
  });

  it('contains limits with tags and counters, which a proxy that does not know them refuses', () => {
    const limit: LimitRecord = { id: 'l', kind: 'LIMIT_KIND_UNSPECIFIED', count: '5' };
    const counting = {
      kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE',
      ...{ tag: { name: 'feature', value: 'search' }, each: 'tag:user', required: true },
    } as const;
    const limited = (more: LimitRecord) => ({ ...organization, limits: [{ ...limit, ...more }] });
    expect(resolve({ asOf, key, scope, organization: limited({ counting }) }).principal?.organization.limits).toEqual([
      {
        ...{
          id: 'l',
          kind: 'requests_per_minute',
          count: 5,
          amountUsd: undefined,
          period: undefined,
          model: undefined,
        },
        ...{ tag: { name: 'feature', value: 'search' }, each: 'tag:user', required: true },
      },
    ]);
    // As a proxy of the version before reads it.
    expect(() => resolve({ asOf, key, scope, organization: limited({}) })).toThrow('update the proxy');
    const unknown = { ...counting, each: 'hour' };
    expect(() => resolve({ asOf, key, scope, organization: limited({ counting: unknown }) })).toThrow(
      'update the proxy',
    );
  });

  it('of an older control plane means the usual settings, and no record key', () => {
    expect(resolve({ asOf, key, scope, organization }).principal?.organization).toMatchObject({
      ownTools: { egress: false, execution: false },
      ...{ storedResponses: true, backgroundResponses: false, safetyIdentifier: false, pricedOptions: true },
      recordKeys: undefined,
    });
  });

  it('contains settings, and the record keys, newest first', () => {
    const recordKeys = [2, 1].map((generation) => ({ generation, key: Buffer.alloc(32, generation) }));
    const settings = {
      ownTools: { execution: true },
      responses: { stored: false, background: true, safetyIdentifier: true },
      pricedOptions: { allowed: false },
      // A key of another length is of a form to come.
      recordKeys: [...recordKeys, { generation: 3, key: Buffer.alloc(16) }],
    };
    const response = resolve({ asOf, key, scope, organization: { ...organization, ...settings } });
    expect(response.principal?.organization).toMatchObject({
      ownTools: { egress: false, execution: true },
      ...{ storedResponses: false, backgroundResponses: true, safetyIdentifier: true, pricedOptions: false },
    });
    const read = response.principal?.organization.recordKeys?.map((one) => [one.generation, one.keyFor('a')]);
    expect(read).toEqual(
      recordKeys.map(({ generation, key }) => [generation, new RecordKey(generation, key).keyFor('a')]),
    );
  });

  it('contains the names of tags, without those that only a later version can read', () => {
    const tagNames = ['feature', 'user', 'Of.Later', ...Array.from({ length: 9 }, (_, nth) => `tag-${nth}`)];
    const read = (names: string[]) =>
      resolve({ asOf, key, scope, organization: { ...organization, tagNames: names } }).principal?.organization;
    expect(read(tagNames)?.tagNames).toEqual(['feature', 'user', ...[0, 1, 2, 3, 4, 5].map((nth) => `tag-${nth}`)]);
    expect(read([])).not.toHaveProperty('tagNames');
  });

  it('contains the class and the weights of slots, if they are not the usual ones', () => {
    const read = (ofKey: Partial<KeyRecord>, ofOrganization: Partial<OrganizationRecord> = {}) => {
      const records = { key: { ...key, ...ofKey }, organization: { ...organization, ...ofOrganization } };
      const { principal } = resolve({ asOf, scope, ...records });
      return [principal?.key.priorityClass, principal?.key.weight, principal?.organization.weight];
    };
    expect(read({})).toEqual([undefined, undefined, undefined]);
    expect(read({ priorityClass: 'KEY_PRIORITY_CLASS_BATCH', weight: 5 }, { weight: 300 })).toEqual(['batch', 5, 300]);
    expect(read({ priorityClass: 'KEY_PRIORITY_CLASS_INTERACTIVE' })).toEqual([undefined, undefined, undefined]);
    expect(read({ priorityClass: 'KEY_PRIORITY_CLASS_UNSPECIFIED', weight: 0 }, { weight: 0 })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    // A class of a newer control plane is preferred to none.
    expect(read({ priorityClass: 3 as never })[0]).toBe('batch');
  });

  it('without a key has no principal', () => {
    expect(resolve({ asOf }).principal).toBeUndefined();
  });

  it.each<[string, ResolveResponse]>([
    ['no position', { key, scope, organization }],
    ['an empty epoch', { asOf: { epoch: '', revision: 1 } }],
    ['no organization', { asOf, key, scope }],
    ['another organization', { asOf, key, scope, organization: { ...organization, id: 'x' } }],
    ['no scope for a key of a person', { asOf, key, organization }],
    ['the scope of another', { asOf, key, scope: { ...scope, id: 'x' }, organization }],
    ['a scope of another organization', { asOf, key, scope: { ...scope, organizationId: 'x' }, organization }],
    ['a limit of an unknown kind', { asOf, key: { ...key, limits: [{ id: 'l' }] }, scope, organization }],
    ['a key of an unknown scope', { asOf, key: { ...key, scope: { id: 'p' } }, scope, organization }],
    ['an unreadable time', { asOf, key: { ...key, endsAt: 'soon' }, scope, organization }],
    ['a number out of range', { asOf: { epoch: 'one', revision: '9007199254740992' } }],
  ])('with %s is refused', (_, response) => {
    expect(() => resolve(response)).toThrow();
  });
});

describe('a message of the change feed', () => {
  it('names subjects as records do', () => {
    const message = feed({
      changes: {
        invalidations: [
          {
            kind: 'RECORD_KIND_KEY',
            keyHash: Buffer.from('ab'.repeat(32), 'hex'),
            revision: 5,
            state: 'RECORD_STATE_GONE',
          },
          { kind: 'RECORD_KIND_ORGANIZATION', id: 'o', revision: 5, state: 'RECORD_STATE_CHANGED' },
        ],
      },
    });
    expect(message).toEqual({
      type: 'changes',
      invalidations: [
        { kind: 'key', ref: 'ab'.repeat(32), revision: 5, state: 'gone' },
        { kind: 'organization', ref: 'organization:o', revision: 5, state: 'changed' },
      ],
    });
  });

  it('may reclaim leases of a budget', () => {
    const reclaim = { budgetId: 'b', window: '2026-11-20' };
    expect(feed({ recall: reclaim })).toEqual({ type: 'reclaim', reclaim });
  });

  it('of an unknown kind is ignored', () => {
    expect(feed({})).toBeUndefined();
  });

  it('is decoded without records of a kind that this version does not know', () => {
    expect(feed({ changes: { invalidations: [{ id: 'x', revision: 5 }] } })).toEqual({
      type: 'changes',
      invalidations: [],
    });
  });

  it.each<[string, WatchResponse]>([
    ['no horizon', { started: {} }],
    ['a change without a subject', { changes: { invalidations: [{ kind: 'RECORD_KIND_KEY', revision: 1 }] } }],
    ['a response without a position', { answer: { nonce: 1 } }],
  ])('with %s is refused', (_, response) => {
    expect(() => feed(response)).toThrow();
  });
});
