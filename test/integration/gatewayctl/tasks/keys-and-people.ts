// Tasks about keys, providers' keys and people.
import { expect } from 'vitest';
import { until } from '../../../support/process.ts';
import type { Task } from './scene.ts';

const models = ['gpt-provider/gpt-4o', 'gpt-provider/gpt-4o-mini', 'gpt-provider/gpt-4.1'];

export const keysAndPeople: readonly Task[] = [
  {
    task: 'A key of a team: $50 a month, three models, 90 days, personal data redacted',
    commands: 2,
    run: async ({ set, owner }) => {
      const limit = { kind: 'LIMIT_KIND_BUDGET', amountUsd: '50', period: 'BUDGET_PERIOD_MONTH' };
      const template = { allowedModels: { globs: models }, endsIn: '90d', limits: [limit] };
      const file = set.operated.file('team.json', JSON.stringify(template));
      const key = (await owner.expect(['keys', 'create', 'team', '--template', file])).trim();
      const redacted = ['--stage', 'input', '--action', 'redact', '--personal-data', '--key', 'team'];
      await owner.expect(['guardrails', 'create', 'privacy', ...redacted]);
      const shown = await set.owner.expect('keys explain team');
      for (const part of ['models: 3 of', '$50 a month, $50 left', 'privacy: redact', 'team allows'])
        expect(shown).toContain(part);
      expect((await set.send(key)).status).toBe(200);
      expect((await set.send(key, { model: 'gpt-provider/gpt-4.1-mini' })).status).toBe(403);
    },
  },
  {
    task: 'Rotate a leaked key now',
    commands: 1,
    isCommon: true,
    run: async ({ set, owner }) => {
      const leaked = await set.key('leaked');
      expect((await set.send(leaked)).status).toBe(200);
      const fresh = (await owner.expect('keys rotate leaked --yes')).trim();
      await set.untilStatus(leaked, 401);
      expect((await set.send(fresh)).status).toBe(200);
    },
  },
  {
    task: 'Which key ends in these four characters?',
    commands: 1,
    isCommon: true,
    run: async ({ set, owner }) => {
      const value = await set.key('lost');
      expect(await owner.expect(`keys find --hint ${value.slice(-4)}`)).toMatch(/^lost /m);
    },
  },
  {
    task: 'Move a key to another owner',
    commands: 1,
    run: async ({ set, owner }) => {
      await set.key('moving');
      await owner.expect('keys update moving --person Mo');
      expect(await set.owner.expect('keys explain moving')).toContain('of person Mo');
    },
  },
  {
    task: 'Keys that end within 14 days',
    commands: 1,
    run: async ({ set, owner }) => {
      await set.key('brief', '--ends-in', '3d');
      await set.key('lasting', '--ends-in', '60d');
      const listed = await owner.expect('keys list --ends-within 14d');
      expect(listed).toMatch(/^brief /m);
      expect(listed).not.toMatch(/^lasting /m);
    },
  },
  {
    task: 'Keys unused for 30 days',
    commands: 1,
    run: async ({ owner }) => {
      // No key here is so old.
      expect((await owner.run('keys list --unused-since 30d')).err).toBe('none\n');
    },
  },
  {
    task: '100 keys from a CSV',
    commands: 1,
    run: async ({ set, owner }) => {
      const rows = Array.from({ length: 100 }, (_, index) => `seat-${index},Mo`);
      const csv = set.operated.file('keys.csv', ['name,person', ...rows].join('\n'));
      const made = await owner.run(['keys', 'create', '--from', csv, '--values-file', `${csv}.values`]);
      expect(made).toMatchObject({ code: 0, err: '100 keys were created\n' });
    },
  },
  {
    task: 'What may this key call, and what binds it in all?',
    commands: 1,
    isCommon: true,
    run: async ({ set, owner }) => {
      await set.key('bound', '--allow', 'gpt-provider/gpt-4o');
      await set.owner.expect('limits create requests-per-minute --count 600 --key bound');
      const shown = await owner.expect('keys explain bound');
      expect(shown).toMatch(/^bound \(\S+\) works$/m);
      for (const part of ['models: 1 of', 'virtual-key bound: 600 requests-per-minute', 'stops:', 'guardrails'])
        expect(shown).toContain(part);
    },
  },
  {
    task: 'Is this key of a vendor good?',
    commands: 1,
    run: async ({ owner }) => expect(await owner.expect('provider-keys test stored')).toMatch(/state +working/),
  },
  {
    task: 'Onboard a colleague',
    commands: 2,
    run: async ({ owner }) => {
      await owner.expect('people create Ada --role admin');
      expect(await owner.expect('operator-tokens create laptop --person Ada')).toMatch(/^\S+\n$/);
    },
  },
  {
    task: 'A key of their own, made by a member',
    commands: 1,
    run: async ({ set, member }) => {
      const own = (await member.expect('keys create mine')).trim();
      expect((await set.send(own)).status).toBe(200);
    },
  },
  {
    task: 'Delete a person, with their keys and tokens',
    commands: 1,
    run: async ({ set, owner }) => {
      await set.owner.expect('people create Bo --role member');
      const key = await set.key('of-bo', '--person', 'Bo');
      await owner.expect('people delete Bo --yes');
      await set.untilStatus(key, 401);
      expect(await set.owner.expect('keys list --status revoked')).toMatch(/^of-bo /m);
    },
  },
  {
    task: 'Suspend a tenant',
    commands: 1,
    run: async ({ set, platform }) => {
      const { gateway } = set.operated;
      const { value } = await (await gateway.createOrganization('debtor')).createKey();
      await platform.expect('organizations suspend debtor --reason unpaid --yes');
      await set.untilStatus(value, 403);
    },
  },
  {
    task: "Forbid callers' own provider keys",
    commands: 1,
    run: async ({ owner }) => {
      const shown = await owner.json('settings update --caller-provider-keys false');
      expect(shown.settings.access).toMatchObject({ callerProviderKeys: false });
    },
  },
  {
    task: 'Block one model for everybody, now',
    commands: 1,
    run: async ({ set, platform }) => {
      const key = await set.key('blocked');
      await platform.expect('stops create --platform --model gpt-provider/gpt-4.1 --reason "it leaks"');
      await until(async () => (await set.send(key, { model: 'gpt-provider/gpt-4.1' })).status === 403);
      expect((await set.send(key)).status).toBe(200);
    },
  },
  {
    task: 'Kill switch for a provider',
    commands: 1,
    run: async ({ set, owner }) => {
      const key = await set.key('stopped');
      const stop = await owner.json('stops create --provider gpt-provider --reason "incident 4711" --for 2h');
      await set.untilStatus(key, 403);
      expect(await set.owner.expect('keys explain stopped')).toMatch(/^ {2}gpt-provider: incident 4711; until /m);
      await set.owner.expect(['stops', 'delete', stop.id, '--yes']);
      await set.untilStatus(key, 200);
    },
  },
];
