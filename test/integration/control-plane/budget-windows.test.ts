// The ledger of budgets as operators see it: windows, and unconfirmed money of silent proxies until an admin releases
// it.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { dayOf, windowEnd, windowOf } from '../../../common/budget-window.ts';
import { describeBudgets, limitSubject } from '../../support/budget-fixture.ts';
import { writeLease, writeLedger } from '../../support/ledger-state.ts';
import { type JsonResponse, type Someone, type TestTenant, violated } from '../../support/operators.ts';

const dayMs = 86_400_000;
const periods = ['DAY', 'WEEK', 'MONTH', 'TOTAL'] as const;

describeBudgets('calls about the ledger of budgets', (fixture) => {
  describe('list windows', () => {
    it('of the present, with and without entries in the ledger', async () => {
      const tenant = await fixture.tenant();
      const ids: string[] = [];
      for (const period of periods) {
        ids.push((await fixture.budget(tenant, { period: `BUDGET_PERIOD_${period}` })).id);
      }
      const now = Date.now();
      const expected = (['day', 'week', 'month', 'total'] as const).map((period, index) => {
        const end = windowEnd(period, now);
        return {
          ...{ limitId: ids[index], window: windowOf(period, now), amountUsd: '5' },
          limitName: expect.stringMatching(/^budget of \$5 (in all|a \w+) of the organization$/),
          ...(end === undefined ? {} : { endsAt: new Date(end).toISOString() }),
          ...{ spentUsd: '0', leasedUsd: '0', unsettledUsd: '0', freeUsd: '5' },
        };
      });
      expect((await fixture.windows(tenant)).map(({ _endsAt, ...window }) => window)).toEqual(
        expected.toSorted((a, b) => (`${a.window} ${a.limitId}` < `${b.window} ${b.limitId}` ? 1 : -1)),
      );
      const [limitId = ''] = ids;
      const ledger = { spent: 1, leased: 2_000_000_000, unconfirmed: 30 };
      const window = windowOf('day', now);
      await writeLedger(fixture.database, {
        budgetId: limitId,
        organizationId: tenant.id,
        window,
        ...ledger,
      });
      expect(await fixture.windows(tenant, { limitId })).toMatchObject([
        {
          ...{ limitId, window, amountUsd: '5', spentUsd: '0.000000001', leasedUsd: '2' },
          ...{ unsettledUsd: '0.00000003', freeUsd: '2.999999969' },
        },
      ]);
      await fixture.as(tenant, 'Limits.Update', { id: limitId, amountUsd: '0.5' });
      expect(await fixture.windows(tenant, { limitId })).toMatchObject([{ freeUsd: '-1.500000031' }]);
    });

    it('and past windows, newest first, in pages that neither repeat nor skip', async () => {
      const tenant = await fixture.tenant();
      const keys: string[] = [];
      for (let i = 0; i < 3; i++) {
        const { id } = await fixture.budget(tenant);
        const days = [1, 2, 3].map((ago) => dayOf(Date.now() - ago * dayMs));
        for (const window of days) {
          await writeLedger(fixture.database, {
            budgetId: id,
            organizationId: tenant.id,
            window,
            spent: i + 1,
          });
          keys.push(`${window} ${id}`);
        }
        keys.push(`${dayOf(Date.now())} ${id}`);
      }
      const total = await fixture.budget(tenant, { period: 'BUDGET_PERIOD_TOTAL' });
      keys.push(`total ${total.id}`);
      for (const pageSize of [1, 4, 500]) {
        const seen: string[] = [];
        let pageToken = '';
        do {
          const request = { organizationId: tenant.id, includePast: true, pageSize, pageToken };
          const page = await fixture.as(tenant, 'Budgets.ListWindows', request);
          expect(page.windows.length).toBeLessThanOrEqual(pageSize);
          seen.push(...page.windows.map((one: JsonResponse) => `${one.window} ${one.limitId}`));
          pageToken = page.nextPageToken;
        } while (pageToken !== '');
        expect(seen).toEqual(keys.toSorted().toReversed());
      }
      expect(await fixture.windows(tenant)).toHaveLength(4);
    });

    it('for a member only of the budgets that apply to the member', async () => {
      const tenant = await fixture.tenant();
      const { member } = tenant;
      const own = await fixture.key(tenant, 'PERSON', member.id);
      const shared = await fixture.key(tenant, 'ORGANIZATION', tenant.id);
      const made = async (on: object): Promise<string> => (await fixture.budget(tenant, { subject: on })).id;
      const shown = [
        await made(limitSubject('PERSON', member.id)),
        await made(limitSubject('VIRTUAL_KEY', own)),
        await made(limitSubject('ORGANIZATION', tenant.id)),
      ];
      const hidden = [
        await made(limitSubject('PERSON', tenant.admin.id)),
        await made(limitSubject('VIRTUAL_KEY', shared)),
        await made(limitSubject('AI_SYSTEM', await fixture.system(tenant))),
      ];
      for (const id of [...shown, ...hidden]) {
        const ledger = { budgetId: id, organizationId: tenant.id, window: '2026-01-01', spent: 1 };
        await writeLedger(fixture.database, ledger);
      }
      const ids = async (by: Someone, more = {}) =>
        (await fixture.windows(tenant, more, by)).map(({ limitId }) => limitId as string).toSorted();
      expect(await ids(member)).toEqual(shown.toSorted());
      expect(await ids(member, { includePast: true })).toEqual([...shown, ...shown].toSorted());
      expect(await ids(tenant.admin)).toEqual([...shown, ...hidden].toSorted());
      for (const limitId of hidden) expect(await ids(member, { limitId, includePast: true })).toEqual([]);
    });

    it('of a deleted budget only when it is named and has entries in the ledger', async () => {
      const tenant = await fixture.tenant();
      const used = (await fixture.budget(tenant)).id;
      const unused = (await fixture.budget(tenant)).id;
      const window = dayOf(Date.now());
      await writeLedger(fixture.database, { budgetId: used, organizationId: tenant.id, window, spent: 1 });
      for (const id of [used, unused]) await fixture.as(tenant, 'Limits.Delete', { id });
      expect(await fixture.windows(tenant, { includePast: true })).toEqual([]);
      expect(await fixture.windows(tenant, { limitId: used })).toMatchObject([{ limitId: used, window }]);
      expect(await fixture.windows(tenant, { limitId: unused })).toEqual([]);
    });

    it('of their own organization alone', async () => {
      const { id: limitId } = await fixture.budget(fixture.other);
      expect(await fixture.windows(fixture.acme, { limitId })).toEqual([]);
      const foreign = { organizationId: fixture.other.id };
      expect((await fixture.plane.call('Budgets.ListWindows', fixture.acme.owner.token, foreign)).code).toBe(
        'NOT_FOUND',
      );
    });

    it.each([
      [{ limitId: 'x' }, 'limit_id'],
      [{ pageSize: 501 }, 'page_size'],
      [{ pageToken: Buffer.from('2026-11-31 x').toString('base64url') }, 'page_token'],
      [{ pageToken: Buffer.from(`today ${randomUUID()}`).toString('base64url') }, 'page_token'],
      [{ pageToken: Buffer.from(`total ${randomUUID()} x`).toString('base64url') }, 'page_token'],
    ])('and refuse %j', async (wrong, field) => {
      const request = { organizationId: fixture.acme.id, ...wrong };
      for (const method of ['Budgets.ListWindows', 'Budgets.ListUnsettled']) {
        expect(await violated(fixture.plane.call(method, fixture.acme.owner.token, request))).toEqual([field]);
      }
    });
  });

  describe('list unconfirmed money', () => {
    /** A budget of $5 with two expired leases, of $1 and $2. */
    const withUnconfirmed = async (tenant: TestTenant) => {
      const { id: budgetId } = await fixture.budget(tenant, { period: 'BUDGET_PERIOD_TOTAL' });
      const ledger = { budgetId, window: 'total' };
      await writeLedger(fixture.database, {
        ...ledger,
        organizationId: tenant.id,
        leased: 9,
        unconfirmed: 3_000_000_000,
      });
      const seenAt = Date.parse('2026-11-20T10:00:00.123Z');
      const small = await writeLease(fixture.database, { ...ledger, remaining: 1_000_000_000, seenAt });
      const large = await writeLease(fixture.database, { ...ledger, remaining: 2_000_000_000, seenAt });
      const open = await writeLease(fixture.database, { ...ledger, remaining: 9, state: 'open' });
      await writeLease(fixture.database, { ...ledger, remaining: 0 });
      return { limitId: budgetId, small, large, open };
    };

    it('of silent proxies only, in pages, by budget', async () => {
      const tenant = await fixture.tenant();
      const first = await withUnconfirmed(tenant);
      const second = await withUnconfirmed(tenant);
      const reserved = (of: typeof first) => [
        { limitId: of.limitId, session: of.small, amountUsd: '1' },
        { limitId: of.limitId, session: of.large, amountUsd: '2' },
      ];
      const byKey = (a: { limitId: string; session: string }, b: typeof a) =>
        `${a.limitId} ${a.session}` < `${b.limitId} ${b.session}` ? -1 : 1;
      const limitName = 'budget of $5 in all of the organization';
      const rest = { limitName, window: 'total', proxy: 'proxy-1', seenAt: '2026-11-20T10:00:00.123Z' };
      const expected = [...reserved(first), ...reserved(second)].toSorted(byKey).map((one) => ({ ...one, ...rest }));
      expect(await fixture.unconfirmed(tenant)).toEqual(expected);
      expect(await fixture.unconfirmed(tenant, { limitId: second.limitId })).toHaveLength(2);
      const seen: JsonResponse[] = [];
      let pageToken = '';
      do {
        const request = { organizationId: tenant.id, pageSize: 3, pageToken };
        const page = await fixture.as(tenant, 'Budgets.ListUnsettled', request);
        seen.push(...page.unsettled);
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(seen).toEqual(expected);
      expect(await fixture.unconfirmed(fixture.other, { limitId: first.limitId })).toEqual([]);
    });

    it('and release it in part, then all of it, which the windows show', async () => {
      const tenant = await fixture.tenant();
      const { limitId, small, large } = await withUnconfirmed(tenant);
      const release = (session: string, more: object = {}) =>
        fixture.as(tenant, 'Budgets.Release', { limitId, window: 'total', session, ...more });
      expect(await release(large, { amountUsd: '0.5' })).toMatchObject({ session: large, amountUsd: '1.5' });
      expect(await fixture.windows(tenant)).toMatchObject([{ unsettledUsd: '2.5', freeUsd: '2.499999991' }]);
      expect(await release(large, { amountUsd: '7' })).toMatchObject({ amountUsd: '0' });
      expect(await release(small)).toMatchObject({ session: small, amountUsd: '0', proxy: 'proxy-1' });
      expect(await fixture.unconfirmed(tenant)).toEqual([]);
      expect(await fixture.windows(tenant)).toMatchObject([{ unsettledUsd: '0', leasedUsd: '0.000000009' }]);
      expect(await release(small)).toMatchObject({ amountUsd: '0' });

      const events = (await fixture.trail(tenant, limitId)).filter((event) => event.action === 'Budgets.Release');
      expect(events.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])).toMatchObject([
        [{ session: small, amountUsd: '1' }, { amountUsd: '0' }],
        [{ session: large, amountUsd: '1.5' }, { amountUsd: '0' }],
        [{ session: large, amountUsd: '2', window: 'total' }, { amountUsd: '1.5' }],
      ]);
      expect(events[0]).toMatchObject({ actorId: tenant.owner.id, targetKind: 'limit' });
    });

    it('of a deleted budget too, when it is named', async () => {
      const tenant = await fixture.tenant();
      const { limitId, small } = await withUnconfirmed(tenant);
      await fixture.as(tenant, 'Limits.Delete', { id: limitId });
      expect(await fixture.unconfirmed(tenant)).toEqual([]);
      expect(await fixture.unconfirmed(tenant, { limitId })).toHaveLength(2);
      await fixture.as(tenant, 'Budgets.Release', { limitId, window: 'total', session: small });
      expect(await fixture.unconfirmed(tenant, { limitId })).toHaveLength(1);
    });

    it('and release neither money of live proxies nor unknown money', async () => {
      const { limitId, small, open } = await withUnconfirmed(fixture.acme);
      const request = { limitId, window: 'total', session: small };
      const release = (more: object, by = fixture.acme.owner) =>
        fixture.plane.call('Budgets.Release', by.token, { ...request, ...more });
      for (const wrong of [
        { session: open },
        { session: randomUUID() },
        { window: '2026-11-20' },
        { limitId: (await fixture.budget(fixture.acme)).id },
        { limitId: randomUUID() },
      ]) {
        expect([wrong, (await release(wrong)).code]).toEqual([wrong, 'NOT_FOUND']);
      }
      expect((await release({}, fixture.other.owner)).code).toBe('NOT_FOUND');
      expect((await release({}, fixture.acme.member)).code).toBe('PERMISSION_DENIED');
      expect(await fixture.unconfirmed(fixture.acme, { limitId })).toHaveLength(2);
    });

    it.each([
      [{ limitId: 'x' }, ['limit_id']],
      [{ window: '2026-02-30' }, ['window']],
      [{ session: 'x', amountUsd: '0' }, ['session', 'amount_usd']],
      [{ window: '', session: '', amountUsd: '-1' }, ['window', 'session', 'amount_usd']],
    ])('and refuse to release %j', async (wrong, fields) => {
      const { id: limitId } = await fixture.budget(fixture.other);
      const request = { limitId, window: 'total', session: randomUUID(), ...wrong };
      expect(await violated(fixture.plane.call('Budgets.Release', fixture.other.owner.token, request))).toEqual(fields);
    });
  });
});
