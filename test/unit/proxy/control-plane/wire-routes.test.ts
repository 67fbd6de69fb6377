import { describe, expect, it } from 'vitest';
import type { RouteBody } from '../../../../proto/generated/gateway/v1/RouteBody.ts';
import { recordTypes, routeBodyType } from '../../../../proto/load.ts';
import { decodeOrganization } from '../../../../proxy/control-plane/wire-records.ts';
import { efforts } from '../../../../proxy/conversation/options.ts';

const { serialize, deserialize } = recordTypes.organization;
// Records are serialized as on the wire, so that the test sees what a proxy reads.
const read = (...written: WrittenRoute[]) => {
  const routes = written.map(({ name, ...body }) => ({ name, body: routeBodyType.serialize(body) }));
  return decodeOrganization(deserialize(serialize({ id: 'o', active: true, revision: 3, routes }))).routes;
};

interface WrittenRoute extends RouteBody {
  readonly name: string;
}

const bare: WrittenRoute = {
  ...{ id: 'r', name: 'fast', revision: 7 },
  groups: [{ targets: [{ model: 'gpt-provider/gpt-4o' }] }],
};
const noConditions = { streamed: undefined, hasImages: undefined, hasTools: undefined, tokensAbove: undefined };
const noOverrides = {
  ...{ maxOutputTokens: undefined, reasoningEffort: undefined },
  ...{ firstTokenMs: undefined, betweenTokensMs: undefined, wholeMs: undefined },
  ...{ connectMs: undefined, canary: undefined },
};

describe('routes of a record', () => {
  it('are found by name, with every field that an operator left out', () => {
    const routes = read(bare, { ...bare, name: 'other' });
    expect([...routes.names()]).toEqual(['fast', 'other']);
    expect(routes.size).toBe(2);
    expect(routes.get('faster')).toBeUndefined();
    const fast = routes.get('fast');
    expect(fast).toEqual({
      ...{ id: 'r', name: 'fast', revision: 7, onContext: false, onFilter: false },
      ...{ onBudget: false, keepReasoning: false },
      recovery: 'off',
      groups: [
        {
          targets: [{ model: 'gpt-provider/gpt-4o', providerKeyId: undefined, weight: 1, ...noOverrides }],
          conditions: { ...noConditions, tag: undefined, scope: undefined },
          choice: 'weighted',
        },
      ],
    });
    expect(routes.get('fast')).toBe(fast);
  });

  it('have all their fields, in the order of groups and targets', () => {
    const [target, other] = [
      {
        ...{ model: 'openai/gpt-4o-2024-08-06', providerKeyId: 'k', weight: 80, maxOutputTokens: 100 },
        ...{ reasoningEffort: 'REASONING_EFFORT_LOW' as const },
        ...{ firstTokenMs: 1, betweenTokensMs: 2, wholeMs: 3, connectMs: 4, canary: 0 },
      },
      { model: 'assistant-provider/claude-sonnet-4-5', weight: 20 },
    ];
    const conditions = {
      ...{ streamed: false, hasImages: true, hasTools: false, tokensAbove: 0, tag: 'eu' },
      scope: { kind: 'KEY_SCOPE_KIND_PERSON' as const, id: 'p' },
    };
    const shadow = { model: 'openai/gpt-4o', providerKeyId: 'k', percent: 0.25 };
    expect(read({ ...bare, settings: { shadow } }).get('fast')?.shadow).toEqual({
      ...shadow,
      model: 'gpt-provider/gpt-4o',
    });
    expect(read({ ...bare, settings: { shadow: { percent: 5 } } }).get('fast')?.shadow).toBeUndefined();
    const everything = { onContext: true, onFilter: true, onBudget: true, keepReasoning: true };
    const choice = 'GROUP_CHOICE_LEAST_BUSY' as const;
    const groups = [{ targets: [target, other], conditions, choice }, { targets: [other] }];
    const route = read({ ...bare, groups, settings: everything }).get('fast');
    expect(route).toMatchObject(everything);
    expect(route?.groups.map((group) => group.choice)).toEqual(['least_busy', 'weighted']);
    expect(route?.groups.map(({ targets }) => targets.map(({ model }) => model))).toEqual([
      ['gpt-provider/gpt-4o-2024-08-06', other.model],
      [other.model],
    ]);
    expect(route?.groups[0]?.targets[0]).toEqual({
      ...target,
      ...{ model: 'gpt-provider/gpt-4o-2024-08-06', reasoningEffort: 'low' },
    });
    expect(route?.groups[0]?.conditions).toEqual({ ...conditions, scope: { kind: 'person', id: 'p' } });
  });

  it.each([
    ['ROUTE_RECOVERY_OFF', 'off'],
    ['ROUTE_RECOVERY_RESTART', 'restart'],
    ['ROUTE_RECOVERY_CONTINUE', 'continue'],
    ['ROUTE_RECOVERY_UNSPECIFIED', 'off'],
    // Of a later version.
    [99 as unknown as 'ROUTE_RECOVERY_OFF', 'off'],
  ] as const)('have the recovery %s', (recovery, word) => {
    expect(read({ ...bare, settings: { recovery } }).get('fast')?.recovery).toBe(word);
  });

  it.each(efforts)('may set the effort %s, like a request', (effort) => {
    const reasoningEffort = `REASONING_EFFORT_${effort.toUpperCase()}` as 'REASONING_EFFORT_LOW';
    const groups = [{ targets: [{ model: 'gpt-provider/gpt-4o', reasoningEffort }] }];
    expect(read({ ...bare, groups }).get('fast')?.groups[0]?.targets[0]?.reasoningEffort).toBe(effort);
  });

  it('that replace a model have its canonical name, and the older of two counts', () => {
    const replaced = read(
      { ...bare, id: 'r1', name: 'gpt-provider/gpt-4o-2024-08-06' },
      { ...bare, id: 'r2', name: 'gpt-provider/gpt-4o' },
    );
    expect([...replaced.names()]).toEqual(['gpt-provider/gpt-4o']);
    expect(replaced.get('gpt-provider/gpt-4o')).toMatchObject({ id: 'r1', name: 'gpt-provider/gpt-4o' });
  });

  it('without limits of time have none', () => {
    const groups = [{ targets: [{ model: 'gpt-provider/gpt-4o', firstTokenMs: 0, betweenTokensMs: 0, wholeMs: 0 }] }];
    expect(read({ ...bare, groups }).get('fast')?.groups[0]?.targets[0]).toMatchObject(noOverrides);
  });

  it('cache responses only for a time above 0, of at most a day', () => {
    const cacheOf = (cache: object) => read({ ...bare, settings: { cache } }).get('fast')?.cache;
    expect(cacheOf({})).toBeUndefined();
    expect(cacheOf({ ttlSeconds: 0, perScope: true, pricePercent: 5 })).toBeUndefined();
    expect(cacheOf({ ttlSeconds: 1 })).toEqual({ ttlMs: 1000, perScope: false, pricePercent: 0 });
    const most = { ttlMs: 86_400_000, perScope: true, pricePercent: 100 };
    expect(cacheOf({ ttlSeconds: 90_000, perScope: true, pricePercent: 101 })).toEqual(most);
  });

  it('are hedged after a time, or after a percentile below 100', () => {
    const hedgeOf = (hedge: object) => read({ ...bare, settings: { hedge } }).get('fast')?.hedge;
    expect([hedgeOf({}), hedgeOf({ afterMs: 0 }), hedgeOf({ percentile: 0 })]).toEqual(Array(3).fill(undefined));
    expect(hedgeOf({ afterMs: 1500 })).toEqual({ afterMs: 1500 });
    expect(hedgeOf({ percentile: 95 })).toEqual({ percentile: 95 });
    expect(hedgeOf({ percentile: 100 })).toEqual({ percentile: 99 });
  });

  it('may have a ceiling of requests in flight in each group', () => {
    const targets = [{ model: 'gpt-provider/gpt-4o' }];
    const groups = [{ targets, inFlightMax: 8 }, { targets, inFlightMax: 0 }, { targets }];
    const found = read({ ...bare, groups }).get('fast')?.groups;
    expect(found?.map(({ inFlightMax }) => inFlightMax)).toEqual([8, undefined, undefined]);
  });

  it('of a newer control plane lose the targets and groups that are not understood, and keep their name', () => {
    // A number that no version has yet.
    const unknown = 99;
    const odd = { model: 'gpt-provider/gpt-4o', reasoningEffort: unknown };
    const plain = { model: 'gpt-provider/gpt-4o-mini' };
    const elsewhere = { targets: [plain], conditions: { scope: { kind: unknown, id: 'x' } } };
    const groups = [{ targets: [odd, plain] }, { targets: [odd] }, elsewhere];
    const models = (route: object) =>
      read(route as WrittenRoute)
        .get('fast')
        ?.groups.map(({ targets }) => targets.map(({ model }) => model));
    expect(models({ ...bare, groups })).toEqual([[plain.model]]);
    expect(models({ ...bare, groups: [{ targets: [odd] }] })).toEqual([]);
  });

  it.each<[string, WrittenRoute]>([
    ['an id', { ...bare, id: '' }],
    ["a target's model", { ...bare, groups: [{ targets: [{ model: '' }] }] }],
  ])('without %s are refused when they are called, and others are served', (_what, route) => {
    const routes = read(route, { ...bare, name: 'other' });
    expect(() => routes.get('fast')).toThrow();
    expect(routes.get('other')).toMatchObject({ id: 'r' });
  });

  it('without a name are refused at once', () => {
    expect(() => read({ ...bare, name: '' })).toThrow();
  });

  it('of an older control plane are none', () => {
    expect(read().size).toBe(0);
  });
});
