// Every command that takes a selector of models, as an operator types it: its output for an alias, a synonym, a typing
// error, a bare name, a glob that matches nothing and a custom provider, and doctor's output about older stored
// selectors.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tree } from '../../../gatewayctl/commands/index.ts';
import { freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { type Gatewayctl, loggedIn } from '../../support/gatewayctl.ts';

let database: StoreDatabase;
let gateway: TestGateway;
let ctl: Gatewayctl;
let count = 0;

beforeAll(async () => {
  database = await freshSqlite();
  gateway = await startGateway({ databaseUrl: database.url });
  ctl = await loggedIn(gateway.controlPlane.grpcPort, gateway.organization.ownerToken);
  await ctl.expect('systems create shop');
  await ctl.expect('keys create checkout');
  await ctl.expect('people create Mo --role member');
  await ctl.expect(
    [
      ...['providers', 'create', 'own-models', '--wire-format', 'gpt-provider', '--base-url', 'https://m.example/v1'],
      ...['--file', '-'],
    ],
    { input: JSON.stringify({ models: { models: [{ name: 'llama' }] } }) },
  );
});
afterAll(async () => {
  ctl?.remove();
  await gateway?.close();
  await database?.drop();
});

interface Taker {
  readonly command: string;
  line(selector: string): Promise<readonly string[]> | readonly string[];
  /** The option or argument with the selector. */
  readonly flag: string;
}

const fresh = () => `new-${++count}`;

const takers: readonly Taker[] = [
  {
    command: 'limits create',
    flag: '--model',
    line: async (selector) => {
      const name = fresh();
      await ctl.expect(['systems', 'create', name]);
      return ['limits', 'create', 'budget', '--usd', '5', '--period', 'day', '--system', name, '--model', selector];
    },
  },
  {
    command: 'budgets create',
    flag: '--model',
    line: async (selector) => {
      const name = fresh();
      await ctl.expect(['systems', 'create', name]);
      return ['budgets', 'create', '--usd', '5', '--period', 'day', '--system', name, '--model', selector];
    },
  },
  {
    command: 'prices create',
    flag: '<model>',
    line: async (selector) => {
      const { prices } = await ctl.json('prices list');
      for (const { id } of prices) await ctl.expect(['prices', 'delete', id, '--yes']);
      return ['prices', 'create', selector, '--input', '1', '--output', '2'];
    },
  },
  {
    command: 'stops create',
    flag: '--model',
    line: (selector) => ['stops', 'create', '--reason', 'a test', '--model', selector],
  },
  {
    command: 'settings update',
    flag: '--allow',
    line: (selector) => ['settings', 'update', '--allow', selector],
  },
  {
    command: 'systems create',
    flag: '--allow',
    line: (selector) => ['systems', 'create', fresh(), '--allow', selector],
  },
  {
    command: 'systems update',
    flag: '--allow',
    line: (selector) => ['systems', 'update', 'shop', '--allow', selector],
  },
  {
    command: 'people create',
    flag: '--allow',
    line: (selector) => ['people', 'create', fresh(), '--role', 'member', '--allow', selector],
  },
  {
    command: 'people update',
    flag: '--allow',
    line: (selector) => ['people', 'update', 'Mo', '--allow', selector],
  },
  {
    command: 'keys create',
    flag: '--allow',
    line: (selector) => ['keys', 'create', fresh(), '--allow', selector],
  },
  {
    command: 'keys update',
    flag: '--allow',
    line: (selector) => ['keys', 'update', 'checkout', '--allow', selector],
  },
  { command: 'usage totals', flag: '--model', line: (selector) => ['usage', 'totals', '--model', selector] },
];

const taken: readonly (readonly [written: string, says: RegExp])[] = [
  ['openai/gpt-4o', /gpt-provider\/gpt-4o selects 1 of \d+ models: gpt-provider\/gpt-4o$/m],
  ['openai/gpt-4o-2024-08-06', /gpt-provider\/gpt-4o selects 1 of \d+ models: gpt-provider\/gpt-4o$/m],
  [
    'anthropic/*',
    /assistant-provider\/\* selects \d+ of \d+ models: (assistant-provider\/\S+, ){5}assistant-provider\/\S+ and \d+ more$/m,
  ],
  ['own-models/llama', /own-models\/llama selects 1 of \d+ models: own-models\/llama$/m],
  ['azure/our-own-gpt', /studio-ai\/our-own-gpt selects 0 of \d+ models.*; and names that cannot be listed$/m],
];

const refused: readonly (readonly [written: string, insisting: boolean, says: string])[] = [
  ['openai/gpt-4o-minni', true, 'of which the nearest are gpt-provider/gpt-4o-mini, '],
  ['anthropic/clod-*', true, 'selects none of the '],
  ['own-models/lama', true, 'the nearest are own-models/llama'],
  ['nowhere/*', true, 'selects none of the '],
  ['gpt-4o', false, 'names no provider, so it can select nothing; write gpt-provider/gpt-4o or '],
];

describe.each(takers.map((taker) => [taker.command, taker] as const))('%s', (_command, taker) => {
  it.each(taken)('accepts %s, and prints its models', async (written, says) => {
    const { code, out, err } = await ctl.run(await taker.line(written));
    expect({ code, err: code === 0 ? '' : err }).toEqual({ code: 0, err: '' });
    expect(out + err).toMatch(says);
  });

  it.each(refused)('refuses %s', async (written, insisting, says) => {
    const { code, err } = await ctl.run(await taker.line(written));
    expect(code).toBe(1);
    expect(err).toContain(`the server refused: ${taker.flag} `);
    expect(err).toContain(says);
    if (insisting) expect(err).toContain('; set --allow-unmatched to take it all the same');
    const insisted = await ctl.run([...(await taker.line(written)), '--allow-unmatched']);
    expect(insisted.code, insisted.err).toBe(insisting ? 0 : 1);
    if (insisting) expect(insisted.out + insisted.err).toMatch(/ selects 0 of \d+ models/);
  });
});

it('every command that takes a selector is tested here', () => {
  // Targets of routes are models, not selectors; routes.test.ts has their typing errors.
  const resources = tree.resources.filter(({ name }) => name !== 'routes');
  const taking = resources.flatMap(({ name, commands }) =>
    Object.entries(commands).flatMap(([command, { options = [] }]) =>
      options.some(({ flags }) => flags === '--allow-unmatched') ? [`${name} ${command}`] : [],
    ),
  );
  expect(taking.toSorted()).toEqual(takers.map(({ command }) => command).toSorted());
});

it('prices get accepts any name of a provider', async () => {
  await ctl.expect(['prices', 'create', 'openai/o3', '--input', '1', '--output', '2']);
  expect(await ctl.json('prices get openai/o3')).toMatchObject({ model: 'gpt-provider/o3' });
  await ctl.expect('prices update openai/o3 --input 3 --output 4');
  await ctl.expect('prices delete openai/o3 --yes');
});

describe('gatewayctl doctor', () => {
  it('shows an owner the selectors that older versions stored without checks', async () => {
    await ctl.expect("settings update --allow ''");
    for (const name of ['shop', 'checkout']) {
      await ctl.expect([name === 'shop' ? 'systems' : 'keys', 'update', name, '--allow', '']);
    }
    const limit = async () =>
      (
        await ctl.json([
          'limits',
          'create',
          'requests-per-minute',
          '--count',
          '5',
          '--model',
          'openai/*',
          '--key',
          'checkout',
        ])
      ).id;
    const [alias, typo] = [await limit(), await limit()];
    await database.raw(`delete from limits where id not in ('${alias}', '${typo}')`);
    await database.raw('delete from prices');
    await database.raw(`update people set allowed_models = '[]'`);
    await database.raw(`update virtual_keys set allowed_models = '[]'`);
    await database.raw(`update ai_systems set allowed_models = '[]'`);
    expect(await ctl.expect('doctor')).toMatch(/^ok +selectors +all 2 select models that are known$/m);
    await database.raw(`update limits set model = 'anthropic/*' where id = '${alias}'`);
    await database.raw(`update limits set model = 'gpt-provider/gtp-4o' where id = '${typo}'`);
    const { code, out } = await ctl.run('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/^warning +selectors +2 of 2 need attention: /m);
    expect(out).toContain(`limit ${alias} "anthropic/*" (alias, which counts as assistant-provider/*)`);
    expect(out).toContain(`limit ${typo} "gpt-provider/gtp-4o" (unmatched, near to gpt-provider/gpt-4o`);
    // The update stores the canonical name, so the alias is gone.
    await ctl.expect(`limits update ${alias} --count 5`);
    expect(await ctl.expect('doctor')).toMatch(/^warning +selectors +1 of 2 need attention: /m);
  });
});
