// What a watch tells of needs of budgets: at once, to whom it concerns, and never where there is no room.
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

  it('is told at once what others need of a budget', async () => {
    const { proxy } = beginWatch(service);
    proxy.start();
    await proxy.messages(1);
    await given.store.recall({
      budgetId: 'budget-1',
      organizationId: 'organization-1',
      window: '2026-11-20',
    });
    await proxy.messages(2);
    expect(proxy.story).toEqual(['started 0', 'recall budget-1 2026-11-20']);
  });

  it('tells a bound proxy what is needed of the budgets of its organization only', async () => {
    const { proxy } = beginWatch(service, boundProxy);
    proxy.start();
    await proxy.messages(1);
    await given.store.recall({ budgetId: 'budget-2', organizationId: 'organization-2', window: 'total' });
    await given.store.recall({ budgetId: 'budget-1', organizationId: 'organization-1', window: 'total' });
    expect(proxy.story).toEqual(['started 0', 'recall budget-1 total']);
  });

  it('is told of no need while it has no room, nor before it began, nor after its end', async () => {
    const recall = { budgetId: 'budget-1', organizationId: 'organization-1', window: 'total' };
    const { proxy } = beginWatch(service);
    await given.store.recall(recall);
    proxy.room = 1;
    proxy.start();
    await proxy.messages(1);
    await given.store.recall(recall);
    proxy.drain();
    expect(proxy.story).toEqual(['started 0']);
    await given.store.recall(recall);
    expect(proxy.story).toEqual(['started 0', 'recall budget-1 total']);
    proxy.leave();
    await proxy.untilEnded();
    await given.store.recall(recall);
    expect(proxy.received.length).toBe(2);
  });
});
