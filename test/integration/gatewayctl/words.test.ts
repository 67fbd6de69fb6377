// gatewayctl in people's words, against a live gateway: forms of output, dry runs, who spent most, who changed what,
// webhooks that are tested, one prompt, names in the shell.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createCredential } from '../../../common/credential.ts';
import { chatRequest, programOf } from '../../support/gateway.ts';
import { type Gatewayctl, type Operated, startOperated } from '../../support/gatewayctl.ts';
import { startNode, until } from '../../support/process.ts';

let operated: Operated;
let ctl: Gatewayctl;
let key: string;
let url: string;

beforeAll(async () => {
  operated = await startOperated();
  ctl = operated.owner;
  ({ url } = operated.gateway.proxy);
  await ctl.expect('systems create shop');
  key = (await ctl.expect('keys create checkout --system shop')).trim();
});
afterAll(() => operated.close());

describe('-o', () => {
  it('prints a list in each form', async () => {
    expect(await ctl.expect('keys list -o name')).toBe('checkout\n');
    const json = JSON.parse(await ctl.expect('keys list -o json'));
    expect(json).toEqual(await ctl.json('keys list'));
    expect(parse(await ctl.expect('keys list -o yaml'))).toEqual(json);
    const [header = '', row = ''] = (await ctl.expect('keys list -o csv')).split('\r\n');
    expect(header.split(',').slice(0, 5)).toEqual(['id', 'organization_id', 'scope_kind', 'scope_id', 'name']);
    expect(row).toContain(`${json.virtualKeys[0].id},`);
    expect(await ctl.expect('keys list -o table')).toBe(await ctl.expect('keys list'));
  });

  it('prints single results and results of this program as well', async () => {
    expect(parse(await ctl.expect('systems get shop -o yaml'))).toEqual(await ctl.json('systems get shop'));
    expect(await ctl.expect('systems get shop -o name')).toBe('shop\n');
    expect(await ctl.expect('context list -o name')).toBe('local\n');
    expect(parse(await ctl.expect('doctor -o yaml'))).toMatchObject({ ok: expect.any(Boolean) });
  });

  it('never loses a value that is shown once', async () => {
    const { code, err } = await ctl.run('keys create lost -o name');
    expect([code, err]).toEqual([2, expect.stringContaining('would lose the value')]);
    expect(await ctl.expect('keys list -o name')).not.toContain('lost');
  });
});

describe('--dry-run', () => {
  it('looks names up, prints the request and sends nothing', async () => {
    const { id } = await ctl.json('keys get checkout');
    const { code, out, err } = await ctl.run('keys revoke checkout --dry-run');
    expect([code, err]).toEqual([0, 'nothing was sent; this would be:\n']);
    expect(JSON.parse(out)).toEqual({ method: 'VirtualKeys.Revoke', request: { id } });
    expect(await ctl.json('keys get checkout')).toMatchObject({ status: 'KEY_STATUS_ACTIVE' });
    const yaml = await ctl.expect('limits create budget --usd 5 --period day --system shop --dry-run -o yaml');
    expect(parse(yaml).request).toMatchObject({ amountUsd: '5', subject: { kind: 'LIMIT_SUBJECT_KIND_AI_SYSTEM' } });
  });

  it('finds mistakes of names and fields', async () => {
    expect((await ctl.run('keys revoke chekout --dry-run')).code).toBe(2);
    expect((await ctl.run('keys create a --ends-in soon --dry-run')).code).toBe(2);
  });

  it('shows no secret', async () => {
    const secret = 'made-up-secret-of-a-vendor';
    const out = await ctl.expect('provider-keys create gpt-provider main --dry-run', { input: secret });
    expect(out).toContain('"secret": "[secret]"');
    expect(out).not.toContain(secret);
  });
});

describe('usage', () => {
  it('shows who spent most with one command, by name', async () => {
    const spare = (await ctl.expect('keys create spare')).trim();
    for (const one of [key, key, spare])
      expect((await fetch(`${url}/v1/chat/completions`, chatRequest(one))).status).toBe(200);
    await until(
      async () => {
        const { totals } = await ctl.json('usage totals --by key --last today --top 10');
        return totals.length === 2 && totals[0].requests === '2';
      },
      { what: 'usage to be recorded' },
    );
    const table = await ctl.expect('usage totals --by key --last today --top 10');
    expect(table).toMatch(/^KEY +OF +KEY ID +REQUESTS.*\ncheckout +shop +\S{36} +2 .*\nspare +- +\S{36} +1 /);
    const two = await ctl.json('usage totals --key checkout --key spare');
    expect(two.totals[0].requests).toBe('3');
    expect((await ctl.json('usage totals --key spare')).totals[0].requests).toBe('1');
    expect(await ctl.expect('usage totals --by key --last yesterday --top 10')).toBe('');
    const csv = await ctl.expect('usage export --last today -o csv');
    expect(csv).toMatch(/,checkout,shop,,/);
  });

  it('refuses periods that contradict each other', async () => {
    expect((await ctl.run('usage totals --last week --from 2026-01-01')).err).toContain('--last excludes --from');
    expect((await ctl.run('usage totals --last week --to 2026-01-01')).err).toContain('leave --to out');
    expect((await ctl.run('usage export --last wek')).err).toContain('or one of today, yesterday');
    expect((await ctl.run('usage export -o yaml')).code).toBe(2);
  });
});

describe('audit list', () => {
  it('finds who changed what, and when, by name', async () => {
    await ctl.expect('keys update checkout --metadata team=web');
    const { events } = await ctl.json('audit list --actor me --action VirtualKeys.Update --since 1h');
    expect(events).toMatchObject([{ actorName: 'owner', targetName: 'checkout' }]);
    expect(await ctl.expect('audit list --action VirtualKeys --target-kind virtual_key --limit 1')).toMatch(
      /VirtualKeys\.Update +virtual_key +checkout .* owner /,
    );
    expect((await ctl.run('audit list --until 2020-01-01')).err).toBe('none\n');
  });

  it('follows the log: later events as they happen, and with --since those before', async () => {
    const main = await programOf('gatewayctl/main.ts');
    const env = {
      GATEWAYCTL_SERVER: `127.0.0.1:${operated.gateway.controlPlane.grpcPort}`,
      GATEWAYCTL_TOKEN: operated.gateway.organization.ownerToken,
      HOME: operated.directory,
    };
    const now = startNode([main, 'audit', 'list', '--follow', '--since', '1h', '--action', 'AiSystems', '-o', 'json'], {
      env,
    });
    const actions = () =>
      now
        .stdout()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).action);
    await until(() => actions().length === 1, { what: 'the event before' });
    await ctl.expect('systems update shop --active true');
    await ctl.expect('systems create later');
    await until(() => actions().length === 2, { what: 'the event that happens now' });
    expect(actions()).toEqual(['AiSystems.Create', 'AiSystems.Create']);
    expect(await now.stop('SIGINT')).toBe('SIGINT');
    expect(now.stderr()).toBe('');
  });
});

describe('webhooks test', () => {
  it('shows why a receiver got nothing, and fails', async () => {
    await ctl.run('webhooks create alerts --url https://receiver.invalid/hook -o json');
    const { code, out } = await ctl.run('webhooks test alerts');
    expect(code).toBe(1);
    expect(out).toMatch(/^accepted +no$/m);
    expect(out).toMatch(/^error +\S/m);
    expect((await ctl.run('webhooks resend 01890000-0000-7000-8000-000000000000')).code).toBe(1);
  });
});

describe('chat', () => {
  const model = ['--model', 'gpt-provider/gpt-4o-mini'];

  it('prints the response to one prompt, with a key from a file or a variable', async () => {
    const file = operated.file('key', `${key}\n`);
    const streamed = await ctl.expect(['chat', 'Say hello', ...model, '--key', file, '--url', url]);
    expect(streamed).toMatch(/\S.*\n$/);
    const env = { CHECKOUT_KEY: key, MODEL_GATEWAY_URL: url };
    const piped = ['chat', '-', ...model, '--key', 'env:CHECKOUT_KEY'];
    expect(await ctl.expect(piped, { env, input: 'Say hello' })).toBe(streamed);
    await ctl.expect(['context', 'set', '--url', url]);
    const whole = await ctl.json(['chat', 'Say hello', ...model], { env: { MODEL_GATEWAY_KEY: key } });
    expect(`${whole.choices[0].message.content}\n`).toBe(streamed);
  });

  it.each([
    [
      'an unknown model',
      ['--model', 'gpt-provider/no-such-model'],
      /^gatewayctl: the gateway refused, 4\d\d \w+ \(request \S+\): /,
    ],
    [
      'a proxy that is not there',
      [...model, '--url', 'http://127.0.0.1:1'],
      /^gatewayctl: no connection to http:\/\/127\.0\.0\.1:1: /,
    ],
  ])('says in one sentence what is wrong: %s', async (_what, options, sentence) => {
    const { code, out, err } = await ctl.run(['chat', 'Hi', ...options], { env: { MODEL_GATEWAY_KEY: key } });
    expect([code === 0, out, err]).toEqual([false, '', expect.stringMatching(sentence)]);
  });

  it('takes no key on the command line, and repeats none', async () => {
    const { code, err } = await ctl.run(['chat', 'Hi', ...model, '--key', key]);
    expect([code, err]).toEqual([2, expect.stringContaining('can be read by others')]);
    expect(err).not.toContain(key);
    const unknown = createCredential('virtualKey');
    const refused = await ctl.run(['chat', 'Hi', ...model], { env: { MODEL_GATEWAY_KEY: unknown } });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('401')]);
    expect(refused.err).not.toContain(unknown);
  });
});

describe('names for completion', () => {
  let cache: string;
  beforeAll(() => {
    cache = mkdtempSync(join(tmpdir(), 'gatewayctl-cache-'));
  });
  afterAll(() => rmSync(cache, { recursive: true }));
  const complete = (noun: string, env: Record<string, string> = {}) =>
    ctl.run(`complete ${noun}`, { env: { XDG_CACHE_HOME: cache, ...env } });

  it('come from the server, and for some seconds from a file that only the user can read', async () => {
    expect(await complete('system')).toMatchObject({ code: 0, out: 'later\nshop\n', err: '' });
    await ctl.expect('systems delete later --yes');
    expect((await complete('system')).out).toBe('later\nshop\n');
    const folder = join(cache, 'gatewayctl');
    const [file = ''] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, file), 'utf8')).not.toContain(operated.gateway.organization.ownerToken);
    expect((await complete('person')).out).toBe('owner\n');
  });

  it('are none, without a word, when they cannot be read', async () => {
    const nobody = { GATEWAYCTL_TOKEN: createCredential('operator') };
    expect(await complete('key', nobody)).toMatchObject({ code: 0, out: '', err: '' });
    const away = { GATEWAYCTL_SERVER: '127.0.0.1:1', ...nobody };
    expect(await complete('key', away)).toMatchObject({ code: 0, out: '', err: '' });
    expect(await complete('proxy-token')).toMatchObject({ code: 0, out: '' });
  });
});
