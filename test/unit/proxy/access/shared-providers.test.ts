import { describe, expect, it } from 'vitest';
import { accessLimits } from '../../../../proxy/access/limits.ts';
import type { CustomProvider, OrganizationRecord } from '../../../../proxy/access/principal.ts';
import { Records } from '../../../../proxy/access/records.ts';
import { SharedProviders } from '../../../../proxy/access/shared-providers.ts';
import { FakeDatabase } from '../../../support/access/database.ts';
import { usualSettings } from '../../../support/usual-settings.ts';
import { VirtualTime } from '../../../support/virtual-time.ts';

/** A new object each time, as from a decoder. */
function configured(name: string): CustomProvider {
  return {
    ...{ id: `id of ${name}`, name, wireFormat: 'gpt-provider', baseUrl: 'https://models.example' },
    ...{ keyForm: { header: 'x-key' }, models: [] },
  };
}

function organization(id: string, ...customProviders: CustomProvider[]): OrganizationRecord {
  return {
    ...{
      id,
      active: true,
      ...usualSettings,
      allowedModels: [],
      limits: [],
      revision: 1,
    },
    ...{ providerKeys: [], customProviders, prices: [], guardrails: [] },
  };
}

describe('custom providers in memory', () => {
  it('equal providers are one object, in every organization’s record', () => {
    const shared = new SharedProviders();
    const north = shared.in(organization('north', configured('platform'), configured('own')));
    const south = shared.in(organization('south', configured('platform')));
    expect(south.customProviders[0]).toBe(north.customProviders[0]);
    expect(south.customProviders).toEqual([configured('platform')]);
    expect(north.customProviders[1]?.name).toBe('own');
  });

  it('a record that already has shared providers stays the same object, because caches are keyed by record', () => {
    const shared = new SharedProviders();
    const first = organization('north', configured('platform'));
    expect(shared.in(first)).toBe(first);
    const second = shared.in(organization('north', configured('platform')));
    expect(shared.in(second)).toBe(second);
    expect(shared.in(organization('none')).customProviders).toEqual([]);
  });

  it('accepted records share provider objects, even after a record was resolved again', async () => {
    const time = new VirtualTime();
    const database = new FakeDatabase(time);
    const records = new Records({ clock: time, maxStaleMs: 60_000, limits: accessLimits });
    const hash = 'ab'.repeat(32);
    database.createOrganization('north');
    database.createKey(hash, { organizationId: 'north' });
    const found = () => {
      const look = records.look(hash);
      return look.state === 'fresh' || look.state === 'stale' ? look.principal.organization : undefined;
    };
    records.accept(hash, database.resolve(hash), time.monotonic());
    const before = found();
    expect(before?.customProviders).toHaveLength(1);
    records.accept(hash, database.resolve(hash), time.monotonic());
    expect(found()?.customProviders[0]).toBe(before?.customProviders[0]);
    records.feed.begin({ epoch: database.epoch, revision: 0 });
    await time.advance(45_000);
    records.feed.confirm(database.position, time.monotonic());
    const cached = found();
    expect(records.ageing(hash)).toHaveLength(3);
    records.accept(hash, database.resolve(hash), time.monotonic());
    expect(records.ageing(hash)).toEqual([]);
    expect(found()?.customProviders[0]).toBe(cached?.customProviders[0]);
  });
});
