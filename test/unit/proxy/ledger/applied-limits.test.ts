// The limits that apply to a call; the cached limits of a key follow its current records.
import { describe, expect, it } from 'vitest';
import { counterOf } from '../../../../common/counter-names.ts';
import type { KeyRecord, Limit, Principal } from '../../../../proxy/access/principal.ts';
import { appliedLimits } from '../../../../proxy/ledger/applied-limits.ts';

type LimitedCaller = Parameters<typeof appliedLimits>[0]['caller'];

const limit = (id: string, fields: Partial<Limit> = {}): Limit => ({
  ...{ id, kind: 'requests_per_minute', count: 5, amountUsd: undefined, period: undefined, model: undefined },
  ...fields,
});

const key = (...limits: readonly Limit[]) => ({ keyId: 'k', limits }) as unknown as Principal['key'];
const scope = (...limits: readonly Limit[]) =>
  ({ kind: 'ai_system', id: 's', limits }) as unknown as Principal['scope'];
const organization = (...limits: readonly Limit[]) => ({ id: 'o', limits }) as unknown as Principal['organization'];

function applied(principal: Principal, project?: Principal, qualifiedModel = 'gpt-provider/gpt-4o') {
  const caller = { principal, project } as Parameters<typeof appliedLimits>[0]['caller'];
  const { rates, budgets } = appliedLimits({ caller, qualifiedModel });
  return [...rates, ...budgets].map(({ id, level }) => `${level}:${id}`);
}

describe('the limits of a call', () => {
  it('are those of organization, scope and key, for both keys, each once', () => {
    const shared = organization(limit('o'));
    const principal = { key: key(limit('k')), scope: scope(limit('s')), organization: shared };
    expect(applied(principal)).toEqual(['organization:o', 'ai_system:s', 'virtual_key:k']);
    const project = { key: key(limit('p')), scope: scope(limit('s')), organization: shared };
    const both = ['organization:o', 'ai_system:s', 'virtual_key:k', 'virtual_key:p'];
    expect(applied(principal, project)).toEqual(both);
    expect(applied(principal)).toEqual(['organization:o', 'ai_system:s', 'virtual_key:k']);
  });

  it('follow each of its records', () => {
    const own = key(limit('k'));
    const first = { key: own, scope: undefined, organization: organization(limit('o')) };
    expect(applied(first)).toEqual(['organization:o', 'virtual_key:k']);
    expect(applied(first)).toEqual(['organization:o', 'virtual_key:k']);
    expect(applied({ ...first, organization: organization() })).toEqual(['virtual_key:k']);
    expect(applied({ ...first, scope: scope(limit('s')) })).toHaveLength(3);
    expect(applied({ ...first, key: key() })).toEqual(['organization:o']);
  });

  it('for a model apply under each of the model’s names', () => {
    const principal = (model: string) => ({
      ...{ key: key(limit('n', { model })), scope: undefined, organization: organization() },
    });
    for (const model of ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-2024-*', 'GPT-PROVIDER/gpt-4O'])
      expect(applied(principal(model)), model).toEqual(['virtual_key:n']);
    const dated = 'gpt-provider/gpt-4o-2024-05-13';
    expect(applied(principal('gpt-provider/gpt-4o'), undefined, dated)).toEqual(['virtual_key:n']);
    expect(applied(principal(dated))).toEqual([]);
  });

  it.each(['organization', 'scope', 'key'] as const)('for one model on the %s apply to no other model', (where) => {
    const narrowed = limit('n', { model: 'gpt-provider/gpt-4*' });
    const principal = {
      key: key(...(where === 'key' ? [narrowed] : [])),
      scope: scope(...(where === 'scope' ? [narrowed] : [])),
      organization: organization(...(where === 'organization' ? [narrowed] : [])),
    };
    expect(applied(principal)).toHaveLength(1);
    expect(applied(principal, undefined, 'gpt-provider/o3')).toEqual([]);
    expect(applied(principal)).toHaveLength(1);
  });

  describe('for each value', () => {
    const each = (fields: Partial<Limit>) => limit('limit-of-organization-of-36-letters--', fields);
    const { id } = each({});
    const ids = (fields: Partial<Limit>, tags: Readonly<Record<string, string>> = {}, project?: Principal) => {
      const principal = { key: key(), scope: undefined, organization: organization(each(fields)) };
      const caller = { principal, project, tags: new Map(Object.entries(tags)) } as unknown as LimitedCaller;
      const { rates } = appliedLimits({ caller, qualifiedModel: 'gpt-provider/gpt-4o' });
      return rates.map((rate) => rate.id);
    };

    it('have a counter of the call’s key, of both if it has two', () => {
      expect(ids({ each: 'key' })).toEqual([counterOf(id, 'k')]);
      const shared = organization(each({ each: 'key' }));
      const project = { key: { ...key(), keyId: 'p' }, scope: undefined, organization: shared };
      expect(ids({ each: 'key' }, {}, project)).toEqual([counterOf(id, 'k'), counterOf(id, 'p')]);
    });

    it('have a counter of the person or AI system of the call’s key, of both if it has two, and count no other key', () => {
      const of = (kind: 'person' | 'ai_system', id: string) => ({ ...key(), scope: { kind, id } });
      const count = (each: 'person' | 'system', own: KeyRecord, second?: KeyRecord) => {
        const shared = organization(limit(id, { each }));
        const sent = (record: KeyRecord) => ({ key: record, scope: undefined, organization: shared });
        const caller = { principal: sent(own), project: second && sent(second) } as unknown as LimitedCaller;
        return appliedLimits({ caller, qualifiedModel: 'gpt-provider/gpt-4o' }).rates.map((rate) => [
          rate.id,
          rate.byCaller,
        ]);
      };
      const [ann, bob] = [counterOf(id, 'ann'), counterOf(id, 'bob')].map((counter) => [counter, undefined]);
      expect(count('person', of('person', 'ann'))).toEqual([ann]);
      expect(count('person', of('person', 'ann'), of('person', 'bob'))).toEqual([ann, bob]);
      expect(count('person', of('person', 'ann'), of('person', 'ann'))).toEqual([ann]);
      expect(count('person', of('ai_system', 'shop'))).toEqual([]);
      expect(count('person', of('ai_system', 'shop'), of('person', 'bob'))).toEqual([bob]);
      expect(count('system', of('ai_system', 'shop'))).toEqual([[counterOf(id, 'shop'), undefined]]);
    });

    it('have a counter of the call’s tag, and count no call without it', () => {
      expect(ids({ each: 'tag:user' }, { user: 'ann' })).toEqual([counterOf(id, 'ann')]);
      expect(ids({ each: 'tag:user' }, { user: 'bob' })).toEqual([counterOf(id, 'bob')]);
      expect(ids({ each: 'tag:user' }, { team: 'ann' })).toEqual([]);
    });

    it('count calls with their tag alone', () => {
      const tag = { name: 'feature', value: 'search' };
      expect(ids({ tag }, { feature: 'search' })).toEqual([id]);
      expect(ids({ tag }, { feature: 'chat' })).toEqual([]);
      expect(ids({ tag })).toEqual([]);
      expect(ids({ tag, each: 'tag:user' }, { feature: 'search', user: 'ann' })).toEqual([counterOf(id, 'ann')]);
    });

    it('refuse a call without a required tag, unless they do not count it', () => {
      const required = { each: 'tag:user', required: true } as const;
      const refused = expect.objectContaining({ code: 'invalid_request', param: 'x-svc-tag-user', limitId: id });
      expect(() => ids(required)).toThrow(refused);
      expect(ids(required, { user: 'ann' })).toHaveLength(1);
      expect(ids({ ...required, model: 'gpt-provider/o3' })).toEqual([]);
      expect(ids({ ...required, tag: { name: 'feature', value: 'search' } })).toEqual([]);
    });
  });

  it('for a part of the traffic apply to that part only, whichever came first', () => {
    const all = organization(limit('stored', { traffic: 'stored' }), limit('direct', { traffic: 'direct' }));
    const principal = { key: key(limit('k')), scope: undefined, organization: all };
    const of = (direct: boolean) => {
      const caller = { principal, project: undefined, direct } as LimitedCaller;
      return appliedLimits({ caller, qualifiedModel: 'gpt-provider/gpt-4o' }).rates.map(({ id }) => id);
    };
    expect([of(false), of(true), of(false)]).toEqual([
      ['stored', 'k'],
      ['direct', 'k'],
      ['stored', 'k'],
    ]);
  });

  it('for copies of requests are budgets of the route’s copies, at every level, and no others', () => {
    const spent = (id: string, model?: string) => limit(id, { kind: 'budget', amountUsd: '5', period: 'day', model });
    const principal = {
      key: key(spent('k', 'shadow/fast'), spent('all'), spent('claude', 'assistant-provider/*')),
      scope: scope(spent('s', 'shadow/gpt-provider/gpt-4o'), limit('rate')),
      organization: organization(spent('o', 'shadow/*'), spent('any', '*'), limit('r', { model: 'shadow/*' })),
    };
    const caller = { principal, project: undefined } as unknown as Parameters<typeof appliedLimits>[0]['caller'];
    const ofShadow = (name: string) => {
      const { rates, budgets } = appliedLimits({ caller, qualifiedModel: 'assistant-provider/x', shadowOf: { name } });
      return [...rates, ...budgets].map(({ id }) => id);
    };
    expect(ofShadow('fast')).toEqual(['o', 'k']);
    expect(ofShadow('gpt-provider/gpt-4o')).toEqual(['o', 's']);
    expect(ofShadow('other')).toEqual(['o']);
    expect(applied(principal, undefined, 'assistant-provider/x')).toEqual([
      ...['ai_system:rate', 'organization:any', 'virtual_key:all', 'virtual_key:claude'],
    ]);
  });
});
