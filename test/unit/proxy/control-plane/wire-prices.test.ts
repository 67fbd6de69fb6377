import { describe, expect, it } from 'vitest';
import type { PriceRecord } from '../../../../proto/generated/gateway/v1/PriceRecord.ts';
import { services } from '../../../../proto/load.ts';
import { decodeResolve } from '../../../../proxy/control-plane/wire-records.ts';

const { Resolve } = services.Access;

/** Sends the prices over the wire within a response of Resolve, and decodes them. */
function decode(...prices: PriceRecord[]) {
  const sent = Resolve.responseSerialize({
    asOf: { epoch: 'one', revision: 1 },
    key: { keyId: 'k', organizationId: 'o', scope: { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: 'o' } },
    organization: { id: 'o', prices },
  });
  return decodeResolve(Resolve.responseDeserialize(sent)).principal?.organization.prices;
}

const prices = {
  ...{
    input: '1',
    output: '2.5',
    cacheRead: '0.1',
    cacheWrite: '1.25',
    cacheWrite1h: '2',
    asOf: '2026-11-22',
  },
  tiers: [{ abovePromptTokens: 200_000, input: '2', output: '5', cacheRead: '0.2' }],
};

describe('an organization’s own price', () => {
  it('is decoded with its token kinds and tiers', () => {
    expect(decode({ id: '1', model: 'acme/*', prices })).toEqual([{ id: '1', model: 'acme/*', prices }]);
  });

  it('is decoded with surcharges, service tiers and prices per piece', () => {
    const special = {
      ...{ cacheWrite12h: '3', audioInput: '4', audioCacheRead: '0.4', audioOutput: '8', imageOutput: '30' },
      serviceTiers: {
        priority: { input: '2', output: '5', tiers: [{ abovePromptTokens: 9, input: '4', output: '10' }] },
      },
      surcharges: { us: '1.1' },
      calls: { request: '0.025', search: '0.01', groundedPrompt: '0.035', image: '0.04' },
    };
    const all = { ...prices, ...special };
    expect(decode({ id: '1', model: 'acme/*', prices: all })).toEqual([{ id: '1', model: 'acme/*', prices: all }]);
  });

  it('is decoded without a service tier that this version does not know', () => {
    const serviceTiers = { warp: { input: '9', output: '9' } };
    const listed = decode({ id: '1', model: 'acme/*', prices: { ...prices, serviceTiers } });
    expect(listed).toEqual([{ id: '1', model: 'acme/*', prices }]);
  });

  it('is decoded without prices that it does not set', () => {
    const few = { input: '1', output: '2', asOf: '2026-11-22' };
    expect(decode({ id: '1', model: 'acme/m', prices: few })).toEqual([{ id: '1', model: 'acme/m', prices: few }]);
  });

  it('an organization without prices has none', () => {
    expect(decode()).toEqual([]);
  });

  it.each<[string, PriceRecord]>([
    ['an id', { model: 'm', prices }],
    ['a model', { id: '1', prices }],
    ['prices', { id: '1', model: 'm' }],
  ])('is refused without %s', (_what, record) => {
    expect(() => decode(record)).toThrow('the record contains half a price');
  });
});
