// Tasks about money, requests, changes and notices.
import { expect } from 'vitest';
import { until } from '../../../support/process.ts';
import type { Scene, Task } from './scene.ts';

/** A request is shown a moment after its end, and usage is summed. Looking again is not another task. */
const inTime = { timeoutMs: 20_000 };

function shownOnce({ set }: Scene, line: readonly string[]): Promise<string> {
  return until(
    async () => {
      const { code, out } = await set.owner.run(line);
      return code === 0 && out !== '' && out;
    },
    { what: line.join(' '), ...inTime },
  );
}

export const moneyAndInsight: readonly Task[] = [
  {
    task: 'Who spent most?',
    commands: 1,
    isCommon: true,
    run: async (scene) => {
      const { set, owner } = scene;
      const big = await set.key('big-spender');
      for (let sent = 0; sent < 12; sent++) await set.send(big);
      await until(async () => /big-spender/.test(await shownOnce(scene, ['usage', 'totals', '--by', 'key'])), inTime);
      const totals = await owner.expect('usage totals --by key --last today --top 3');
      expect(totals.split('\n')[1]).toMatch(/^big-spender /);
      // Of yesterday there is none.
      expect((await set.owner.run('usage totals --by key --last yesterday --top 10')).code).toBe(0);
    },
  },
  {
    task: 'Why was this request refused?',
    commands: 1,
    isCommon: true,
    run: async (scene) => {
      const { set, owner } = scene;
      const key = await set.key('poor');
      await set.owner.expect('limits create budget --usd 0.000001 --period day --key poor');
      const { id } = await set.send(key);
      await shownOnce(scene, ['requests', 'get', id]);
      const shown = await owner.expect(['requests', 'get', id]);
      expect(shown).toMatch(/^explanation cause +a budget is spent$/m);
      expect(shown).toMatch(/^explanation decided by +the budget of \$0\.000001 a day of the virtual key poor$/m);
      expect(shown).toMatch(/^explanation remedy +admin$/m);
    },
  },
  {
    task: 'What did this request cost?',
    commands: 1,
    run: async (scene) => {
      const { set, owner } = scene;
      const { id } = await set.send(await set.key('costly'));
      await shownOnce(scene, ['requests', 'get', id]);
      expect(await owner.expect(['requests', 'get', id])).toMatch(/^request cost USD +0\.0\d*[1-9]$/m);
    },
  },
  {
    task: 'The usage of a month as CSV',
    commands: 1,
    run: async ({ owner }) => {
      const [header = '', ...rows] = (await owner.expect('usage export --last this-month')).trim().split('\n');
      expect(header).toContain('key_name');
      expect(rows.some((row) => row.includes('big-spender'))).toBe(true);
    },
  },
  {
    task: 'Raise a budget for this month',
    commands: 1,
    run: async ({ set, owner }) => {
      const key = await set.key('growing');
      await set.owner.expect('limits create budget --usd 0.000001 --period month --key growing');
      await set.untilStatus(key, 402);
      const raised = await owner.json('limits raise growing 100 --reason launch');
      expect(raised.raises).toMatchObject([{ amountUsd: '100' }]);
      await set.untilStatus(key, 200);
    },
  },
  {
    task: 'Give a budget back what was wasted',
    commands: 1,
    run: async ({ set, owner }) => {
      const key = await set.key('wasteful');
      await set.owner.expect('limits create budget --usd 1 --period month --key wasteful');
      await set.send(key);
      expect(await owner.json('budgets reset wasteful --reason "a test ran away" --yes')).toMatchObject({
        spentUsd: '0',
      });
    },
  },
  {
    task: 'The same budget for every new key',
    commands: 1,
    run: async ({ set, owner }) => {
      const limit = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '5', period: 'BUDGET_PERIOD_MONTH' };
      const template = set.operated.file('trial.json', JSON.stringify({ limits: [limit] }));
      await owner.expect(['keys', 'create', 'trial', '--template', template]);
      expect(await set.owner.expect('limits list --key trial')).toMatch(/ budget +virtual-key +trial .* 5 +month/);
    },
  },
  {
    task: "What will be spent at the month's end?",
    commands: 1,
    run: async ({ owner }) =>
      expect(await owner.expect('budgets list')).toMatch(/ FORECAST .*\n.* key growing .* 100 /s),
  },
  {
    task: 'Spend by feature or cost centre',
    commands: 1,
    run: async (scene) => {
      const { set, owner } = scene;
      await set.send(await set.key('blue', '--metadata', 'team=blue'));
      const line = ['usage', 'totals', '--by', 'metadata.team'];
      await until(async () => (await shownOnce(scene, line)).includes('team=blue'), inTime);
      expect(await owner.expect(line)).toMatch(/team=blue .* 1 /);
    },
  },
  {
    task: 'Send one prompt through the gateway',
    commands: 1,
    run: async ({ set, owner }) => {
      const file = set.operated.file('chat-key', await set.key('chatting'));
      const { url } = set.operated.gateway.proxy;
      const line = ['chat', 'Say hello', '--model', 'gpt-provider/gpt-4o-mini', '--key', file, '--url', url];
      expect(await owner.expect(line)).toMatch(/simulated output.*\n$/);
    },
  },
  {
    task: 'Follow live requests',
    commands: 1,
    run: async ({ set, owner }) => {
      const key = await set.key('followed');
      const tailing = owner.expect('requests tail --key followed --count 1');
      let isOver = false;
      void tailing.finally(() => {
        isOver = true;
      });
      await until(async () => {
        await set.send(key);
        return isOver;
      });
      expect(await tailing).toMatch(/ 200 +followed /);
    },
  },
  {
    task: 'Who changed this limit, from what to what?',
    commands: 1,
    run: async ({ set, owner }) => {
      const { id } = await set.owner.json('limits create requests-per-minute --count 10');
      await set.owner.expect(`limits update ${id} --count 20000`);
      const { events } = await owner.json(`audit list --target ${id} --action Limits.Update`);
      const [{ actorName, before, after }] = events;
      expect([actorName, JSON.parse(before).count, JSON.parse(after).count]).toEqual(['owner', '10', '20000']);
    },
  },
  {
    task: 'Send the audit log to a SIEM',
    commands: 1,
    run: async ({ owner }) => {
      const lines = await owner.json('audit list --limit 5');
      expect(lines.events[0]).toMatchObject({ hash: expect.stringMatching(/^\S{40,}$/) });
    },
  },
  {
    task: 'See what a change would send, and send nothing',
    commands: 1,
    run: async ({ set, owner }) => {
      expect(await owner.expect('keys create never --dry-run')).toContain('never');
      expect(await set.owner.expect('keys list')).not.toMatch(/^never /m);
    },
  },
  {
    task: 'Send a test event to my webhook',
    commands: 1,
    run: async ({ set, owner }) => {
      await set.owner.expect(['webhooks', 'create', 'alerts', '--url', set.receiver.url('127.0.0.1')]);
      await owner.expect('webhooks test alerts');
      expect(set.receiver.received.map(({ body }) => JSON.parse(body).type)).toContain('webhook.test');
    },
  },
];
