// Reclaim messages of a watch: sent at once, to the proxies concerned, and never to a watch without room.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Feed } from '../../../control-plane/changes/feed.ts';
import type { AccessService } from '../../../control-plane/services/access.ts';
import { describeStores } from '../../support/databases.ts';
import { beginWatch, boundProxy, startAccess } from '../../support/watching.ts';

describeStores('a watch', (given) => {
  let feed: Feed;
  let service: AccessService;
  beforeEach(async () => {
    ({ feed, service } = await startAccess(given.store));
  });
  afterEach(() => feed.close());

  it('receives at once a reclaim for a budget', async () => {
    const { proxy } = beginWatch(service);
    proxy.start();
    await proxy.messages(1);
    await given.store.reclaim({
      budgetId: 'budget-1',
      organizationId: 'organization-1',
      window: '2026-11-20',
    });
    await proxy.messages(2);
    expect(proxy.story).toEqual(['started 0', 'reclaim budget-1 2026-11-20']);
  });

  it('of a bound proxy receives reclaims for budgets of its organization only', async () => {
    const { proxy } = beginWatch(service, boundProxy);
    proxy.start();
    await proxy.messages(1);
    await given.store.reclaim({ budgetId: 'budget-2', organizationId: 'organization-2', window: 'total' });
    await given.store.reclaim({ budgetId: 'budget-1', organizationId: 'organization-1', window: 'total' });
    expect(proxy.story).toEqual(['started 0', 'reclaim budget-1 total']);
  });

  it('receives no reclaim while it has no room, before its start, or after its end', async () => {
    const reclaim = { budgetId: 'budget-1', organizationId: 'organization-1', window: 'total' };
    const { proxy } = beginWatch(service);
    await given.store.reclaim(reclaim);
    proxy.room = 1;
    proxy.start();
    await proxy.messages(1);
    await given.store.reclaim(reclaim);
    proxy.drain();
    expect(proxy.story).toEqual(['started 0']);
    await given.store.reclaim(reclaim);
    expect(proxy.story).toEqual(['started 0', 'reclaim budget-1 total']);
    proxy.leave();
    await proxy.untilEnded();
    await given.store.reclaim(reclaim);
    expect(proxy.received.length).toBe(2);
  });
});
