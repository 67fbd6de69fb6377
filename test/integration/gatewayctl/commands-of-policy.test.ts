// Commands about vendors, money and guardrails, against a live control plane, with their effect.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatRequest, type TestGateway, type TestOrganization } from '../../support/gateway.ts';
import { type Gatewayctl, type Operated, startOperated } from '../../support/gatewayctl.ts';
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

describe('provider keys', () => {
  const secret = `made-up-${'secret'.repeat(4)}`;

  it('take their secret from standard input, a file or a hidden prompt, and never show it', async () => {
    await ctl.expect('provider-keys create gpt-provider piped --no-test', { input: `${secret}\n` });
    await ctl.expect([
      'provider-keys',
      'create',
      'gpt-provider',
      'filed',
      '--no-test',
      '--secret-file',
      operated.file('secret', secret),
    ]);
    const requested = await ctl.run('provider-keys create gpt-provider prompted --priority 3 --no-test', {
      inputs: [secret],
    });
    expect(requested).toMatchObject({ code: 0, requested: ['Secret: '] });
    const shown = await ctl.expect('provider-keys list');
    for (const name of ['piped', 'filed', 'prompted'])
      expect(shown).toMatch(new RegExp(`^${name} .*gpt-provider +cret`, 'm'));
    expect(shown).not.toContain(secret);
    expect(requested.out + requested.err).not.toContain(secret);
    // Requests of other tests must not use these keys.
    for (const name of ['piped', 'filed', 'prompted']) await ctl.expect(`provider-keys delete ${name} --yes`);
  });

  it('are tried at their vendor before they are stored, and later', async () => {
    const refused = await ctl.run('provider-keys create gpt-provider bad', { input: secret });
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the vendor refuses this key: status 401: .*--no-test/),
    });
    expect(refused.err).not.toMatch(/made-up|secretsecret/);
    await ctl.expect('provider-keys create gpt-provider good', { input: 'sk-sim-good-0123456789' });
    expect(await ctl.expect('provider-keys list')).toMatch(/^good .* working +20/m);
    await ctl.expect('provider-keys update good --secret-file -', { input: secret });
    expect(await ctl.expect('provider-keys list')).toMatch(/^good .* untested/m);
    expect(await ctl.expect('provider-keys test good')).toMatch(
      /state +refused\nstate at +20\S+\nstate detail +status 401/,
    );
    await ctl.expect('provider-keys delete good --yes');
  });

  it('of clouds take their secret as JSON', async () => {
    const cloud = JSON.stringify({ accessKeyId: 'A'.repeat(20), secretAccessKey: 'made-up-'.repeat(5) });
    await ctl.expect('provider-keys create managed-cloud-models eu --region eu-central-1', { input: cloud });
    expect(await ctl.json('provider-keys get eu')).toMatchObject({ settings: { region: 'eu-central-1' } });
  });

  it('are changed and deleted by name', async () => {
    await ctl.expect('provider-keys create gpt-provider spare --no-test', { input: secret });
    await ctl.expect('provider-keys update spare --enabled false --weight 7');
    await ctl.expect('provider-keys update spare --secret-file -', { input: `${secret}-9876` });
    expect(await ctl.json('provider-keys get spare')).toMatchObject({
      enabled: false,
      weight: 7,
      hint: '9876',
    });
    await ctl.expect('provider-keys delete spare --yes');
    expect(await ctl.expect('provider-keys list')).not.toContain('spare');
  });

  it('are refused without a secret', async () => {
    const { code, err } = await ctl.run('provider-keys create gpt-provider none');
    expect([code, err]).toEqual([2, expect.stringContaining('the secret is empty')]);
  });
});

describe('providers', () => {
  it('are created, changed, listed and deleted', async () => {
    await ctl.expect(
      'providers create in-house --wire-format gpt-provider --base-url https://models.example.com/v1 --key-form none',
    );
    expect(await ctl.expect('providers list')).toMatch(/^in-house +\S+ +\S+ +gpt-provider +https:\S+ +none$/m);
    await ctl.expect('providers update in-house --base-url https://models.example.com/v2');
    expect((await ctl.json('providers get in-house')).baseUrl).toBe('https://models.example.com/v2');
    await ctl.expect('providers delete in-house --yes');
    expect((await ctl.json('providers list')).providers).toEqual([]);
  });

  it('of the platform are created with their models from a file', async () => {
    const fields = {
      wireFormat: 'WIRE_FORMAT_GPT_PROVIDER',
      baseUrl: 'https://models.example.com',
      models: { models: [{ name: 'm1', maxInputTokens: 1000, prices: { input: '1', output: '2' } }] },
    };
    await platform.expect([
      'providers',
      'create',
      'shared',
      '--platform',
      '--file',
      operated.file('p.json', JSON.stringify(fields)),
    ]);
    expect((await ctl.json('providers get shared')).models).toMatchObject([{ name: 'm1', prices: { input: '1' } }]);
    expect(await platform.expect('providers list --platform')).toMatch(/^shared /m);
  });
});

describe('limits and budgets', () => {
  it('are created for the subject that an option names, shown, changed and deleted', async () => {
    await ctl.expect('keys create limited');
    const budget = await ctl.json('limits create budget --usd 250 --period month --key limited');
    expect(budget).toMatchObject({ amountUsd: '250', subject: { kind: 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY' } });
    expect(await ctl.expect('budgets explain limited')).toMatch(/ LEFT +TIGHTEST .*\n\S+ +virtual-key .* 250 +yes /);
    expect(await ctl.expect('budgets list')).toMatch(
      / FORECAST +FORECAST FROM .*\n\S+ +budget of \$250 a month of the virtual key limited +\S+ +250 .* last-week /,
    );
    const rate = await ctl.json([
      'limits',
      'create',
      'requests-per-minute',
      '--count',
      '60',
      '--model',
      'gpt-provider/*',
    ]);
    expect(rate).toMatchObject({
      count: '60',
      subject: { kind: 'LIMIT_SUBJECT_KIND_ORGANIZATION', id: acme.id },
    });
    await ctl.expect(`limits update ${budget.id} --usd 300.5`);
    expect(await ctl.expect(`limits get ${budget.id}`)).toMatch(/^amount USD +300\.5$/m);
    expect((await ctl.json('limits list --key limited')).limits).toHaveLength(1);
    expect((await ctl.json('limits list')).limits).toHaveLength(2);
    const raised = await ctl.json(`limits raise ${budget.id} 100 --for 3d --reason launch`);
    expect(raised.raises).toMatchObject([{ amountUsd: '100', reason: 'launch' }]);
    expect(await ctl.expect('budgets list')).toMatch(/ +400\.5 +0 +400\.5 +100 /m);
    await ctl.expect(`limits end-raise ${budget.id} ${raised.raises[0].id}`);
    const softened = await ctl.json(`limits update ${budget.id} --soft true --threshold 90 --threshold 120`);
    expect(softened).toMatchObject({ soft: true, thresholds: { percents: [90, 120] } });
    expect(await ctl.json(`budgets reset ${budget.id} --reason again --yes`)).toMatchObject({ spentUsd: '0' });
    for (const { id } of [budget, rate]) await ctl.expect(`limits delete ${id} --yes`);
    expect(await ctl.run('limits list')).toMatchObject({ out: '', err: 'none\n' });
  });

  it('of a provider key, of a part of the traffic, and of the platform', async () => {
    await ctl.expect('provider-keys create gpt-provider paying --no-test', { input: 'sk-sim-paying-0123456789' });
    const ofKey = await ctl.json('budgets create --usd 2000 --period month --provider-key paying');
    expect(ofKey).toMatchObject({ subject: { kind: 'LIMIT_SUBJECT_KIND_PROVIDER_KEY' } });
    expect(await ctl.expect('budgets explain --provider-key paying')).toMatch(/^\S+ +provider-key .* 2000 +yes /m);
    expect(await ctl.expect('budgets list')).toMatch(/ budget of \$2000 a month of the provider key paying /);
    const direct = await ctl.json('budgets create --usd 5 --period day --traffic direct');
    expect(direct).toMatchObject({ traffic: 'LIMIT_TRAFFIC_DIRECT' });
    expect(await ctl.expect('limits list')).toMatch(/ TRAFFIC\n(?:.*\n)*\S+ +budget .* direct *$/m);
    for (const { id } of [ofKey, direct]) await ctl.expect(`limits delete ${id} --yes`);
    const ofPlatform = await platform.json('budgets create --usd 50000 --period month --platform');
    expect(ofPlatform).toMatchObject({ organizationId: '', subject: { kind: 'LIMIT_SUBJECT_KIND_PLATFORM' } });
    expect(await platform.expect('budgets list --platform')).toMatch(/ budget of \$50000 a month of the platform /);
    expect(await platform.expect('limits list --platform')).toMatch(/ platform /);
    expect((await ctl.run('limits list --platform')).code).not.toBe(0);
    await platform.expect(`limits delete ${ofPlatform.id} --yes`);
  });

  it('show spent money, and release unconfirmed money', async () => {
    const budget = await ctl.json('limits create budget --usd 10 --period total');
    const { value } = await acme.createKey();
    expect((await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(value))).status).toBe(200);
    const window = await until(async () => (await ctl.json(`budgets windows --budget ${budget.id}`)).windows[0], {
      what: 'the ledger entry of the budget',
    });
    expect(window).toMatchObject({ window: 'total', amountUsd: '10' });
    expect(await ctl.expect('budgets windows')).toMatch(/^BUDGET +NAME +WINDOW +AMOUNT USD +SPENT/);
    expect((await ctl.run('unsettled list')).err).toBe('none\n');
    const nothing = await ctl.run(`unsettled release ${budget.id} total ${acme.id} --yes`);
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('the server refused: ')]);
    await ctl.expect(`limits delete ${budget.id} --yes`);
  });
});

describe('prices', () => {
  it('are created, changed and deleted by model', async () => {
    await ctl.expect('prices create gpt-provider/gpt-4o-mini --input 0.12 --output 0.5 --cache-write-1h 0.3');
    expect(await ctl.expect('prices list')).toMatch(/^gpt-provider\/gpt-4o-mini +\S+ +0\.12 +0\.5/m);
    await ctl.expect('prices update gpt-provider/gpt-4o-mini --input 0.1 --output 0.4');
    expect((await ctl.json('prices get gpt-provider/gpt-4o-mini')).prices).toMatchObject({
      input: '0.1',
      output: '0.4',
    });
    await ctl.expect('prices delete gpt-provider/gpt-4o-mini --yes');
    expect((await ctl.json('prices list')).prices).toEqual([]);
  });
});

describe('guardrails', () => {
  it('are created from options of their kind, listed, tested, changed and deleted', async () => {
    const made = await ctl.run(
      'guardrails create privacy --stage input --action redact --personal-data --type email,phone --country DE',
    );
    expect(made.out).toMatch(/^check personal data types +email, phone$/m);
    await ctl.expect('guardrails create no-secrets --stage both --action block --secrets --position 5');
    await ctl.expect([
      'guardrails',
      'create',
      'names',
      '--stage',
      'output',
      '--action',
      'observe',
      '--words',
      'Project Heron',
      '--words',
      'Kestrel',
    ]);
    await ctl.expect('guardrails create small --stage input --action block --tokens-max 8000');
    const own = 'guardrails create own-keys --stage both --action redact --position 900 --secret-form';
    await ctl.expect(`${own} ACME_KEY=acme_live_{alnum:32} --secret-form ACME_TOKEN={hex:16}.acmev1.{alnum:40}`);
    expect((await ctl.json('guardrails get own-keys')).check.secrets.forms).toEqual([
      { label: 'ACME_KEY', form: 'acme_live_{alnum:32}' },
      { label: 'ACME_TOKEN', form: '{hex:16}.acmev1.{alnum:40}' },
    ]);
    await ctl.expect('guardrails delete own-keys --yes');
    const { guardrails } = await ctl.json('guardrails list');
    expect(guardrails.map(({ name }: { name: string }) => name)).toEqual(['no-secrets', 'privacy', 'names', 'small']);
    expect((await ctl.json('guardrails get names')).check).toEqual({
      also: [],
      words: { phrases: ['Project Heron', 'Kestrel'], withinWords: false },
    });

    const text = 'write to ada@example.com';
    expect(await ctl.json(['guardrails', 'test', '--text', text])).toMatchObject({
      text: 'write to [EMAIL_1]',
    });
    expect(await ctl.expect('guardrails test', { input: text })).toContain('[EMAIL_1]');
    await ctl.expect('guardrails update privacy --enabled false');
    expect(await ctl.json(['guardrails', 'test', '--text', text])).toMatchObject({ text });
    for (const name of ['privacy', 'no-secrets', 'names', 'small']) await ctl.expect(`guardrails delete ${name} --yes`);
    expect((await ctl.json('guardrails list')).guardrails).toEqual([]);
  });

  it('of services, models and keys are created from their options, and whole requests are tried', async () => {
    const { id } = await acme.createKey({ name: 'chosen' });
    const requested =
      'guardrails create attacks --stage input --action block --service lakera --service-option project=p1';
    const made = await ctl.run(`${requested} --credential-file - --key chosen`, { input: 'lakera-key' });
    expect(made.out).not.toContain('lakera-key');
    expect(await ctl.json('guardrails get attacks')).toMatchObject({
      ...{ keyIds: [id], hasCredential: true },
      check: { service: { adapter: 'lakera', options: { project: 'p1' } } },
    });
    const verifier = 'guardrails create topics --stage input --action block --window 500 --form judge';
    await ctl.expect([
      ...`${verifier} --model gpt-provider/gpt-4o-mini --criterion topics --topic`.split(' '),
      'medical advice',
    ]);
    await ctl.expect('guardrails create mail --stage input --action redact --personal-data --type email');
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'mail ada@example.com' }] });
    const tried = await ctl.json('guardrails test --request-file -', { input: body });
    expect(JSON.parse(tried.body).messages[0].content).toBe('mail [EMAIL_1]');
    expect(tried.results.at(-1).places).toMatchObject([{ pointer: '/messages/0/content', start: 5, end: 20 }]);
    const both = await ctl.run('guardrails test --request-file - --text x', { input: body });
    expect(both.err).toMatch(/exclude each other/);
    for (const name of ['attacks', 'topics', 'mail']) await ctl.expect(`guardrails delete ${name} --yes`);
  });

  it('of a service print their secret, and a new one', async () => {
    const line =
      'guardrails create judge --stage input --action block --webhook https://judge.example.com/ask --webhook-timeout 3s';
    const first = await ctl.expect(line);
    expect(first).toMatch(/^whsec_\S+\n$/);
    expect((await ctl.json('guardrails get judge')).check.webhook.timeoutMs).toBe(3000);
    expect(await ctl.expect('guardrails rotate-secret judge --yes')).not.toBe(first);
    await ctl.expect('guardrails delete judge --yes');
  });
});

describe('usage', () => {
  it('is summed up and exported', async () => {
    const { value } = await acme.createKey();
    expect((await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(value))).status).toBe(200);
    const totals = await until(
      async () => {
        const { totals: rows } = await ctl.json('usage totals --by provider,model --last 2h');
        return rows.length > 0 && rows;
      },
      { what: 'usage to be recorded' },
    );
    expect(totals[0]).toMatchObject({ model: 'gpt-provider/gpt-4o-mini', provider: 'gpt-provider' });
    const table = await ctl.expect('usage totals --by model');
    expect(table).toMatch(/^MODEL +REQUESTS +FAILED +PROMPT +COMPLETION +COST USD/);
    expect(await ctl.expect('usage totals')).toMatch(/^REQUESTS/);

    const csv = await ctl.expect('usage export --last 1d');
    expect(csv.split('\r\n')[0]).toContain('model');
    const path = join(operated.directory, 'usage.jsonl');
    expect(await ctl.expect(['usage', 'export', '--format', 'json-lines', '--output', path])).toBe('');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBe(csv.trimEnd().split('\r\n').length - 1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ provider: 'gpt-provider' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('has the metadata of its keys, and sums by it', async () => {
    const key = (await ctl.expect('keys create marked --metadata team=Blue --metadata stage=live')).trim();
    expect((await fetch(`${gateway.proxy.url}/v1/chat/completions`, chatRequest(key))).status).toBe(200);
    const row = await until(
      async () => {
        const { totals } = await ctl.json('usage totals --by metadata.team,model --last 2h');
        return totals.find(({ metadata }: { metadata: object }) => 'team' in metadata);
      },
      { what: 'usage to be recorded' },
    );
    expect(row).toMatchObject({
      metadata: { team: 'Blue' },
      model: 'gpt-provider/gpt-4o-mini',
      requests: '1',
    });
    expect(await ctl.expect('usage totals --by metadata.team')).toMatch(/^METADATA +REQUESTS[\s\S]*^team=Blue +1 /m);
    const narrowed = await ctl.json('usage totals --metadata stage=live --metadata team=Blue');
    expect(narrowed.totals).toMatchObject([{ requests: '1' }]);
    const lines = (await ctl.expect('usage export --format json-lines --last 1d')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).metadata)).toContainEqual({ stage: 'live', team: 'Blue' });
    const wrong = await ctl.run('usage totals --by metadata.');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('metadata.<name> of keys')]);
  });
});

describe('webhooks', () => {
  it('print their secret, are changed, list their deliveries and are deleted', async () => {
    const first = await ctl.expect('webhooks create alerts --url https://hooks.example.com/budgets');
    expect(first).toMatch(/^whsec_\S+\n$/);
    await ctl.expect('webhooks update alerts --enabled false --name alarms');
    expect(await ctl.expect('webhooks list')).toMatch(/^alarms +\S+ +https:\S+ +no/m);
    expect((await ctl.json('webhooks get alarms')).enabled).toBe(false);
    expect(await ctl.expect('webhooks rotate-secret alarms --yes')).not.toBe(first);
    expect((await ctl.json('webhooks deliveries alarms')).deliveries).toEqual([]);
    await ctl.expect('webhooks delete alarms --yes');
    expect((await ctl.json('webhooks list')).webhooks).toEqual([]);
  });
});
