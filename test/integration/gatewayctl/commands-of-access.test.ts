// Commands about access and operators, against a live control plane, with their effect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatRequest, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { createGatewayctl, type Gatewayctl, type Operated, startOperated } from '../../support/gatewayctl.ts';
import { until } from '../../support/process.ts';

let operated: Operated;
let gateway: TestGateway;
let ctl: Gatewayctl;
let platform: Gatewayctl;
let acme: TestOrganization;

beforeAll(async () => {
  operated = await startOperated();
  ({ gateway, owner: ctl, platform } = operated);
  acme = gateway.organization;
});
afterAll(() => operated.close());

describe('organizations', () => {
  it('are created with an owner whose token is alone on standard output, and logs in', async () => {
    const made = await platform.run(['organizations', 'create', 'globex', '--owner', 'Olga Owner']);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^gw-op-\w+\n$/) });
    expect(made.err).toMatch(/organization name +globex\n/);
    expect(made.err).toContain('shown once');
    const owner = createGatewayctl();
    await owner.expect(`context add local --server 127.0.0.1:${gateway.controlPlane.grpcPort}`);
    const { err } = await owner.run('login', { input: made.out });
    expect(err).toContain('as Olga Owner (owner); the token ends at 20');
    expect((await owner.json('organizations get')).name).toBe('globex');
    owner.remove();
  });

  it('are all listed for platform operators, and only their own for others', async () => {
    await gateway.createOrganization('initech');
    const names = (response: { organizations: { name: string }[] }) => response.organizations.map(({ name }) => name);
    expect(names(await platform.json('organizations list'))).toEqual(expect.arrayContaining(['acme', 'initech']));
    expect(names(await ctl.json('organizations list'))).toEqual(['acme']);
    expect(await platform.expect('orgs list')).toMatch(/^NAME +ID +SUSPENDED +CREATED\n/);
  });

  it('have a weight that operators of the platform set', async () => {
    await gateway.createOrganization('hooli');
    await platform.expect('organizations set-weight hooli 250');
    expect(await platform.json('organizations get hooli')).toMatchObject({ weight: 250 });
    expect((await ctl.run('organizations set-weight acme 250')).code).not.toBe(0);
  });

  it('are suspended and resumed by name', async () => {
    await gateway.createOrganization('umbrella');
    expect(await platform.expect('organizations suspend umbrella --yes')).toMatch(/suspended +yes/);
    expect((await platform.json('organizations get umbrella')).suspended).toBe(true);
    await platform.expect('organizations resume umbrella');
    expect((await platform.json('organizations get umbrella')).suspended).toBe(false);
  });

  it('have settings that can be read and changed', async () => {
    await ctl.expect([
      'settings',
      'update',
      '--caller-provider-keys',
      'true',
      '--allow',
      'gpt-provider/*',
      '--allow',
      'studio-ai/x*',
    ]);
    const { settings, allowedModels } = await ctl.json('settings get');
    expect(settings).toEqual({
      access: { callerProviderKeys: true },
      cost: { hangUp: 'HANG_UP_CANCEL', unknownCost: 'UNKNOWN_COST_HOLD' },
      models: { aliases: { aliases: [] } },
      ownTools: { egress: false, execution: false },
      responses: { stored: true, background: false, safetyIdentifier: false },
      pricedOptions: { allowed: true },
      requests: { retentionDays: 30 },
      tags: { names: { names: [] } },
    });
    expect(allowedModels).toEqual(['gpt-provider/*', 'studio-ai/x*']);
    await ctl.expect(['settings', 'update', '--caller-provider-keys', 'false', '--allow', '']);
    expect(await ctl.json('settings get')).toMatchObject({ allowedModels: [] });
  });

  it('have settings for tools of vendors, for the Responses API and for options with a price', async () => {
    const options = ['--own-tools-egress', '--own-tools-execution', '--safety-identifier'];
    const switched = (value: string) => [
      ...['settings', 'update', '--stored-responses', String(value === 'false')],
      ...['--priced-options', String(value === 'false')],
      ...options.flatMap((option) => [option, value]),
    ];
    await ctl.expect(switched('true'));
    expect((await ctl.json('settings get')).settings).toMatchObject({
      ownTools: { egress: true, execution: true },
      responses: { stored: false, background: false, safetyIdentifier: true },
      pricedOptions: { allowed: false },
    });
    await ctl.expect(switched('false'));
    expect((await ctl.json('settings get')).settings).toMatchObject({
      ownTools: { egress: false, execution: false },
      responses: { stored: true, background: false, safetyIdentifier: false },
      pricedOptions: { allowed: true },
      requests: { retentionDays: 30 },
    });
  });

  it('have names of tags, several by commas', async () => {
    const tags = async () => (await ctl.json('settings get')).settings.tags.names.names;
    await ctl.expect('settings update --tags feature,cost-center --tags user');
    expect(await tags()).toEqual(['feature', 'cost-center', 'user']);
    const refused = await ctl.run('settings update --tags Feature');
    expect(refused.err).toContain('--tags');
    await ctl.expect(['settings', 'update', '--tags', '']);
    expect(await tags()).toEqual([]);
  });

  it('have a record key that is rotated once in 90 days, and never shown', async () => {
    const shown = await ctl.expect('settings rotate-record-key --yes');
    expect(shown).toMatch(/^generation +2$/m);
    expect(shown).toMatch(/^previous ends at +\S/m);
    const again = await ctl.run('settings rotate-record-key --yes');
    expect(again.code).not.toBe(0);
    expect(again.err).toContain('rotate the key after it');
  });
});

describe('people', () => {
  it('are created, shown, changed and deleted by name', async () => {
    await ctl.expect(['people', 'create', 'Ada Admin', '--role', 'admin', '--email', 'ada@example.com']);
    expect(await ctl.json(['people', 'get', 'Ada Admin'])).toMatchObject({
      role: 'ROLE_ADMIN',
      email: 'ada@example.com',
    });
    await ctl.expect(['people', 'update', 'Ada Admin', '--role', 'member', '--email', '', '--active', 'false']);
    const { people } = await ctl.json('people list');
    const ada = people.find((person: { name: string }) => person.name === 'Ada Admin');
    expect(ada).toMatchObject({ role: 'ROLE_MEMBER', active: false });
    expect(ada).not.toHaveProperty('email');
    const { out, err } = await ctl.run(['people', 'delete', 'Ada Admin', '--yes']);
    expect([out, err]).toEqual(['keys revoked  0\n', 'deleted\n']);
    expect(await ctl.expect('people list')).not.toContain('Ada Admin');
  });

  it('are platform operators when no organization is named', async () => {
    await platform.expect(['people', 'create', 'Peter', '--role', 'platform-operator', '--platform']);
    expect(await platform.expect('people list')).toMatch(/^Peter +\S+ +platform-operator +yes/m);
  });
});

describe('systems', () => {
  it('are created, shown, changed and deleted by name', async () => {
    await ctl.expect(['systems', 'create', 'shop', '--allow', 'gpt-provider/*']);
    expect(await ctl.json('systems get shop')).toMatchObject({
      allowedModels: ['gpt-provider/*'],
      active: true,
    });
    await ctl.expect('systems update shop --active false --name store');
    expect(await ctl.expect('systems list')).toMatch(/^store +\S+ +no +gpt-provider\/\*/m);
    await ctl.expect('systems delete store --yes');
    expect(await ctl.run('systems get store')).toMatchObject({ code: 2, out: '' });
  });
});

describe('virtual keys', () => {
  it('print their value alone on standard output, and it works', async () => {
    const { out, err } = await ctl.run([
      'keys',
      'create',
      'printed',
      '--allow',
      'gpt-provider/*',
      '--metadata',
      'team=web',
    ]);
    expect(out).toMatch(/^sk-svc-\w+\n$/);
    expect(err).toMatch(/^metadata +team=web$/m);
    expect(err).not.toContain(out.trim());
    expect((await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(out.trim()))).status).toBe(200);
  });

  it('have a priority class and a weight', async () => {
    await ctl.expect('keys create nightly --priority-class batch --weight 50');
    const nightly = { priorityClass: 'KEY_PRIORITY_CLASS_BATCH', weight: 50 };
    expect(await ctl.json('keys get nightly')).toMatchObject(nightly);
    await ctl.expect('keys update nightly --priority-class interactive --weight 200');
    const changed = { priorityClass: 'KEY_PRIORITY_CLASS_INTERACTIVE', weight: 200 };
    expect(await ctl.json('keys get nightly')).toMatchObject(changed);
  });

  it('belong to an AI system or a person, by name, and are listed by them', async () => {
    await ctl.expect('systems create kiosk');
    await ctl.expect('keys create of-kiosk --system kiosk --ends-in 30d');
    await ctl.expect('keys create of-owner --person owner --ends-at 2030-01-01');
    const names = async (line: string) => (await ctl.json(line)).virtualKeys.map(({ name }: { name: string }) => name);
    expect(await names('keys list --system kiosk')).toEqual(['of-kiosk']);
    expect(await names('keys list --person owner')).toEqual(['of-owner']);
    expect(await ctl.json('keys get of-owner')).toMatchObject({
      scope: { kind: 'KEY_SCOPE_KIND_PERSON', id: acme.ownerId },
      endsAt: '2030-01-01T00:00:00.000Z',
    });
  });

  it('are changed, rotated and revoked by name', async () => {
    const first = await ctl.expect('keys create changing');
    await ctl.expect('keys update changing --active false --ends-in 1d');
    expect(await ctl.json('keys get changing')).toMatchObject({
      active: false,
      endsAt: expect.stringMatching(/^20/),
    });
    await ctl.expect('keys update changing --active true --endless');
    expect(await ctl.json('keys get changing')).not.toHaveProperty('endsAt');
    const second = await ctl.expect('keys rotate changing --grace 1h --yes');
    expect(second).toMatch(/^sk-svc-\w+\n$/);
    expect(second).not.toBe(first);
    expect((await ctl.json('keys get changing')).rotatedValues).toHaveLength(1);
    await ctl.expect('keys revoke changing --yes');
    expect(await ctl.expect('keys list')).not.toContain('changing');
    expect(await ctl.expect('keys list --include-revoked')).toMatch(/^changing .* 20\d\d-/m);
    const status = async () =>
      (await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(second.trim()))).status;
    await until(async () => (await status()) === 401, { what: 'the revoked key to be refused' });
  });

  it('are created from a file of fields, which options override', async () => {
    const path = operated.file(
      'key.json',
      JSON.stringify({ name: 'from-file', metadata: { entries: { a: 'b' } }, active: true }),
    );
    await ctl.expect(['keys', 'create', 'named', '--file', path, '--active', 'false']);
    expect(await ctl.json('keys get named')).toMatchObject({ metadata: { a: 'b' }, active: false });
  });

  it('are created once for a client request id, and a repetition is reported', async () => {
    const line = 'keys create once --client-request-id request-1';
    expect((await ctl.run(line)).out).toMatch(/^sk-svc-/);
    const again = await ctl.run(line);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/^name +once$/m);
    expect(again.out).not.toContain('sk-svc-');
  });
});

describe('tokens', () => {
  it('of operators are created for a person, listed and revoked', async () => {
    const token = await ctl.expect('operator-tokens create laptop --person owner --days 30');
    expect(token).toMatch(/^gw-op-\w+\n$/);
    const { operatorTokens } = await ctl.json('operator-tokens list --person owner');
    const made = operatorTokens.find(({ name }: { name: string }) => name === 'laptop');
    expect(made.hint).toBe(token.trim().slice(-4));
    await ctl.expect(`operator-tokens revoke ${made.id} --yes`);
    const { code, err } = await ctl.run('keys list', { env: { GATEWAYCTL_TOKEN: token.trim() } });
    expect([code, err]).toEqual([4, expect.stringContaining('does not accept the token; run: gatewayctl login')]);
  });

  it('of proxies are created, bound, listed and revoked', async () => {
    expect(await platform.expect('proxy-tokens create sidecar --bound-to acme')).toMatch(/^gw-proxy-\w+\n$/);
    const { proxyTokens } = await platform.json('proxy-tokens list');
    expect(proxyTokens.find(({ name }: { name: string }) => name === 'sidecar').organizationId).toBe(acme.id);
    await platform.expect('proxy-tokens revoke sidecar --yes');
    expect(await platform.expect('proxy-tokens list')).toMatch(/^sidecar .*20\d\d-\S+ +20\d\d-/m);
  });
});

describe('the audit log', () => {
  it('lists changes, newest first, of one target and of the platform', async () => {
    const system = await ctl.json('systems create audited');
    await ctl.expect('systems update audited --active false');
    const { events } = await ctl.json(`audit list --target ${system.id}`);
    expect(events.map(({ action }: { action: string }) => action)).toEqual(['AiSystems.Update', 'AiSystems.Create']);
    expect(await ctl.expect('audit list --limit 1')).toMatch(
      /^ *REVISION +AT +ACTION[^\n]*\n[^\n]*AiSystems.Update[^\n]*\n$/,
    );
    expect((await ctl.run('audit list --limit 1')).err).toContain('--all shows all');
    expect(await platform.expect('audit list --platform --all')).toContain('OperatorTokens.Bootstrap');
  });

  it('prints what an event changed, field by field, with names beside ids and without secrets', async () => {
    const system = await ctl.json('systems create billed');
    const limit = await ctl.json('limits create budget --usd 5 --period day --system billed');
    await ctl.expect(`limits update ${limit.id} --usd 7.5 --threshold 90`);
    const of = (target: string, more = '') => ctl.expect(`audit list --target ${target} --changes ${more}`);
    const [updated = '', ...rest] = (await of(limit.id)).split(/^(?=\d)/m);
    expect(updated).toMatch(
      /^\d+ {2}20\S+ {2}Limits\.Update of limit \S+, by person owner \(\S+\) from \S+\n {2}amount USD: 5 → 7\.5\n {2}thresholds percents: - → 90\n$/,
    );
    expect(rest.join('')).toContain(`\n  subject id: - → billed (${system.id})\n`);
    expect(rest.join('')).toContain('\n  period: - → day\n');
    const [revision = ''] = updated.split(' ');
    expect(await ctl.expect(`audit list ${revision} --changes`)).toBe(updated);
    const { events } = await ctl.json(`audit list ${revision}`);
    expect(events).toHaveLength(1);
    expect((await ctl.run(`audit list ${Number(revision) + 100_000}`)).err).toBe('none\n');
    // Nobody learns the name of another organization's resource by its id.
    const other = await gateway.createOrganization('audited');
    const request = { organizationId: other.id, names: true, revision };
    expect(await other.api.call('Audit/List', request)).toMatchObject({ events: [] });
  });

  it('prints of a provider key and its new secret no secret', async () => {
    const canary = 'sk-canary-0123456789abcdef';
    const input = (secret: string) => ({ input: `${secret}\n` });
    const create = 'provider-keys create gpt-provider canary --secret-file - --no-test';
    await ctl.expect(create, input(canary));
    await ctl.expect('provider-keys update canary --secret-file -', input(`${canary}2`));
    const text = await ctl.expect('audit list --action ProviderKeys --changes');
    expect(text).toMatch(/ProviderKeys\.Update of provider key canary/);
    expect(text).not.toContain('canary-0123');
  });
});

describe('the program gatewayctl', () => {
  it('shows its version and the server’s, the status, and the caller', async () => {
    expect(await ctl.expect('version')).toMatch(/^gatewayctl \d+\.\d+\.\d+\nserver +\d+\.\d+\.\d+\n$/);
    expect(await ctl.expect('version --client')).toMatch(/^gatewayctl \S+\n$/);
    expect((await ctl.json('status')).caller).toMatchObject({ name: 'owner', organizationId: acme.id });
    expect((await platform.json('status')).watchers.total).toBeGreaterThan(0);
  });

  it('runs the doctor', async () => {
    const { code, out } = await ctl.run('doctor');
    expect(out).not.toBe('');
    expect([0, 1]).toContain(code);
  });
});
