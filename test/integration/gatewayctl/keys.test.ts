// Commands about many keys, and about finding and understanding one, against a live control plane.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatRequest, type TestGateway } from '../../support/gateway.ts';
import { type CommandResponse, type Gatewayctl, type Operated, startOperated } from '../../support/gatewayctl.ts';
import { until } from '../../support/process.ts';

let operated: Operated;
let gateway: TestGateway;
let ctl: Gatewayctl;

beforeAll(async () => {
  operated = await startOperated();
  ({ gateway, owner: ctl } = operated);
  await ctl.expect('systems create shop');
  await ctl.expect('systems create lab');
});
afterAll(() => operated.close());

const create = async (line: string) => (await ctl.expect(`keys create ${line}`)).trim();
const listed = async (options = ''): Promise<string[]> =>
  (await ctl.json(`keys list ${options}`)).virtualKeys.map(({ name }: CommandResponse) => name);

describe('a key', () => {
  it('moves to another owner, and its next requests are those of the new one', async () => {
    const value = await create('mover --system shop');
    await ctl.expect('limits create requests-per-minute --count 1 --system lab');
    const statuses = async () => [await send(value), await send(value)];
    expect(await statuses()).toEqual([200, 200]);
    expect(await ctl.expect('keys update mover --system lab')).toMatch(/scope kind +ai-system/);
    await until(async () => (await statuses()).includes(429));
    await ctl.expect('keys update mover --whole-organization');
    expect((await ctl.json('keys get mover')).scopeName).toBe('acme');
    await until(async () => !(await statuses()).includes(429));
    const both = await ctl.run('keys update mover --whole-organization --system lab');
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('excludes') });
  });

  it('is explained: what it may call, what binds it, and why it is refused', async () => {
    await create('explained --system lab --allow gpt-provider/gpt-4o');
    await ctl.expect('limits create budget --usd 5 --period month --key explained');
    const text = await ctl.expect('keys explain explained');
    expect(text).toMatch(/^explained \(\S+\) works\nof ai-system lab; never used; \$0 this month\n/);
    expect(text).toMatch(
      /models: 1 of \d+: gpt-provider\/gpt-4o\n +virtual-key explained allows gpt-provider\/gpt-4o\n/,
    );
    expect(text).toMatch(
      /limits:\n +ai-system lab: 1 requests-per-minute\n +virtual-key explained: \$5 a month, \$5 left/,
    );
    expect(text).toContain('guardrails, in order: none\n');
    await ctl.expect('keys update explained --active false');
    expect(await ctl.expect('keys explain explained')).toMatch(/^explained \(\S+\) is refused: inactive\n/);
    expect(await ctl.json('keys explain explained')).toMatchObject({ blocks: ['KEY_BLOCK_INACTIVE'] });
  });

  it('is found by its value, which is neither sent nor repeated, and by its hint', async () => {
    const value = await create('lost');
    const found = await ctl.run('keys find', { input: `${value}\n` });
    expect(found).toMatchObject({ code: 0, out: expect.stringMatching(/\nlost +\S+ +\w{4} /) });
    expect(await ctl.expect('keys find', { inputs: [value] })).toContain('lost');
    expect(await ctl.expect(['keys', 'find', '--value-file', operated.file('value', value)])).toContain('lost');
    expect(await ctl.expect(`keys find --hint ${value.slice(-4)}`)).toContain('lost');
    await ctl.expect('keys revoke lost --yes');
    const revoked = await ctl.run('keys find', { input: value });
    expect(revoked.err).toContain('no key of the organization has this value; it may be one of these revoked ones');
    expect(revoked.out).toContain('lost');
    const cut = await ctl.run('keys find', { input: value.slice(0, -1) });
    expect(cut).toMatchObject({ code: 2, err: expect.stringContaining('cut short') });
    expect(cut.err).not.toContain(value.slice(0, 20));
  });
});

describe('many keys', () => {
  it('are planned, confirmed once, and changed', async () => {
    for (const name of ['bulk-1', 'bulk-2', 'bulk-3']) await create(name);
    const line = 'keys update --where text=bulk- --active false';
    const planned = await ctl.run(`${line} --dry-run`);
    expect(planned).toMatchObject({ code: 0, out: '' });
    expect(planned.err).toMatch(/bulk-1[\s\S]*bulk-3[\s\S]*change 3 keys, all to \{"active":false\}/);
    expect(await listed('--status inactive --text bulk-')).toEqual([]);
    expect(await ctl.run(line)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    const declined = await ctl.run(line, { inputs: ['n'] });
    expect(declined).toMatchObject({ code: 1, requested: [expect.stringMatching(/^Change these 3 keys\?/)] });
    expect((await ctl.run(line, { inputs: ['y'] })).err).toContain('3 keys were changed');
    expect(await listed('--status inactive --text bulk-')).toEqual(['bulk-1', 'bulk-2', 'bulk-3']);
    await ctl.expect('keys revoke --where text=bulk- --where status=inactive --yes');
    expect(await listed('--text bulk-')).toEqual([]);
    expect((await ctl.run('keys revoke --where text=bulk- --yes')).err).toBe('none\n');
  });

  it('report those that cannot be changed, and the others are', async () => {
    for (const name of ['part-1', 'part-2']) await create(name);
    const made = await ctl.json('keys create part-3');
    // Another operator changes one of them between plan and confirmation.
    const line = ['keys', 'update', '--where', 'text=part-', '--weight', '200', '--json'];
    const changed = await ctl.run(line, {
      inputs: ['y'],
      onPrompt: () => ctl.expect(`keys update ${made.virtualKey.id} --weight 150`),
    });
    expect(changed).toMatchObject({
      code: 1,
      err: expect.stringMatching(/part-3: .*revision[\s\S]*2 keys were changed and 1/),
    });
    expect(JSON.parse(changed.out)).toMatchObject({
      done: [{}, {}].map(() => expect.any(String)),
      failed: [{ name: 'part-3' }],
    });
  });

  it.each([
    ['keys update --active false', 'name a key, or select keys by --where'],
    ['keys update bulk --where text=x --active false', 'in place of a key'],
    ['keys update --where text=x --name other', '--name is for one key'],
    ['keys update --where text=x', 'nothing would change'],
    ['keys revoke --where colour=red', 'must be <condition>=<value>'],
    ['keys revoke --where text=a --where text=b', 'repeats or excludes'],
    ['keys update --where text=x --file changes.json', '--file is for one key'],
    ['keys create --from keys.csv --values-file values.csv --file key.json', '--file is for one key'],
  ])('are not changed by %s', async (line, message) => {
    expect(await ctl.run(line)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});

describe('keys from a file', () => {
  const csv =
    'name,system,allow,metadata.team\nrow-1,shop,gpt-provider/* assistant-provider/*,"search, web"\nrow-2,,,\n';

  it('are created once, with their values in a file for their owner alone', async () => {
    const rows = operated.file('keys.csv', csv);
    const values = join(operated.directory, 'values.csv');
    const line = ['keys', 'create', '--from', rows, '--values-file', values];
    const first = await ctl.run(line);
    expect(first).toMatchObject({ code: 0, out: '', err: '2 keys were created\n' });
    expect(statSync(values).mode & 0o777).toBe(0o600);
    const [header, one = '', two = ''] = readFileSync(values, 'utf8').split('\r\n');
    expect(header).toBe('name,id,value');
    const [name, id, value = ''] = one.split(',');
    expect(name).toBe('row-1');
    expect(await ctl.json(`keys get ${id}`)).toMatchObject({
      scopeName: 'shop',
      allowedModels: ['gpt-provider/*', 'assistant-provider/*'],
      metadata: { team: 'search, web' },
    });
    expect(await send(value)).toBe(200);
    expect(two).toMatch(/^row-2,/);
    const again = await ctl.run(line);
    expect(again.err).toBe('0 keys were created, 2 existed: keys rotate gives them new values\n');
    expect(readFileSync(values, 'utf8').split('\r\n')).toHaveLength(4);
    writeFileSync(rows, `${csv}row-3,nowhere,,\n`);
    expect(await ctl.run(line)).toMatchObject({
      code: 2,
      err: expect.stringContaining('row 4 of the CSV: there is no'),
    });
  });

  it('report rows that the server refuses, and create the others', async () => {
    const rows = operated.file('some.csv', 'name\nrow-1\nrow-9\n');
    const values = join(operated.directory, 'some-values.csv');
    const ran = await ctl.run(['keys', 'create', '--from', rows, '--values-file', values]);
    expect(ran).toMatchObject({ code: 1, err: expect.stringMatching(/row 2: [\s\S]*1 keys were created, 1 were not/) });
    expect(readFileSync(values, 'utf8')).toContain('row-9,');
  });

  it('need a file of values that others cannot read, and known columns', async () => {
    const rows = operated.file('more.csv', 'name,colour\na,red\n');
    const open = operated.file('open.csv', '');
    const to = (values: string, from = rows) => ctl.run(['keys', 'create', '--from', from, '--values-file', values]);
    expect((await to(open)).err).toContain('unknown column "colour"');
    expect((await to(open, operated.file('plain.csv', 'name\na\n'))).err).toContain('chmod 600');
    expect((await ctl.run(['keys', 'create', '--from', rows])).err).toContain('--values-file');
    expect((await ctl.run(['keys', 'create', 'a', '--from', rows, '--values-file', open])).code).toBe(2);
    expect((await ctl.run('keys create')).err).toContain('name the key');
    expect(await listed('--text a')).toEqual([]);
  });
});

describe('a template', () => {
  const template = {
    allowedModels: { globs: ['gpt-provider/*'] },
    metadata: { entries: { team: 'search' } },
    endsIn: '30d',
    limits: [
      { kind: 'LIMIT_KIND_BUDGET', amountUsd: '50', period: 'BUDGET_PERIOD_MONTH' },
      { kind: 'LIMIT_KIND_REQUESTS_PER_MINUTE', count: '60' },
    ],
  };

  it('gives new keys defaults and limits, before they work', async () => {
    const file = operated.file('template.json', JSON.stringify(template));
    const line = ['keys', 'create', 'trial', '--template', file, '--allow', 'assistant-provider/*'];
    const made = await ctl.run([...line, '--client-request-id', 'trial-1']);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^sk-svc-\w+\n$/) });
    const key = await ctl.json('keys get trial');
    expect(key).toMatchObject({ active: true, allowedModels: ['assistant-provider/*'], metadata: { team: 'search' } });
    const days = (Date.parse(key.endsAt) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 1);
    const { limits } = await ctl.json('limits list --key trial');
    expect(limits).toMatchObject(template.limits);
  });

  it('gives them to the rows of a file, once', async () => {
    const { endsIn: _ofOneKey, ...rest } = template;
    const file = operated.file('rows.json', JSON.stringify(rest));
    const line = ['keys', 'create', '--from', operated.file('rows.csv', 'name\nlimited-1\nlimited-2\n')];
    line.push('--values-file', join(operated.directory, 'limited.csv'), '--template', file);
    expect((await ctl.run(line)).err).toBe('2 keys were created\n');
    expect((await ctl.run(line)).err).toContain('2 existed');
    expect((await ctl.json('limits list --key limited-2')).limits).toHaveLength(2);
    expect(await listed('--text limited- --status active')).toEqual(['limited-1', 'limited-2']);
  });

  it('has no field that each key has of its own', async () => {
    const file = operated.file('named.json', JSON.stringify({ name: 'x' }));
    expect((await ctl.run(['keys', 'create', 'y', '--template', file])).err).toContain('name is not for a template');
  });
});

async function send(value: string): Promise<number> {
  const response = await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(value));
  await response.text();
  return response.status;
}
