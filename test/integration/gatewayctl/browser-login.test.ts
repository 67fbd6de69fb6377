// gatewayctl login through a browser, and as a device: what the person allows there is what the command gets, and
// nobody else's response reaches it.
import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openKeyring } from '../../../gatewayctl/keyring.ts';
import { ConsoleBrowser } from '../../support/console-browser.ts';
import { createGatewayctl, type Gatewayctl } from '../../support/gatewayctl.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

let plane: OperatorsPlane;
let acme: TestTenant;
let gatewayctl: Gatewayctl;
let browser: ConsoleBrowser;

beforeAll(async () => {
  plane = await startOperatorsPlane();
  acme = await createTenant(plane, await bootstrap(plane), 'acme');
  gatewayctl = createGatewayctl();
  await gatewayctl.expect(`context add local --server 127.0.0.1:${plane.plane.grpcPort}`);
  browser = new ConsoleBrowser({ port: plane.plane.httpPort });
  await browser.post('/console/auth/start', { operatorToken: acme.admin.token });
});
afterAll(async () => {
  gatewayctl.remove();
  await plane.close();
});

const base = () => `http://127.0.0.1:${plane.plane.httpPort}/console/`;

/** Runs the login, and acts on the first line that it shows. */
async function login(line: string, act: (shown: string) => Promise<void>) {
  const shown = Promise.withResolvers<string>();
  const running = gatewayctl.run(line, { onSay: shown.resolve });
  await act(await Promise.race([shown.promise, running.then(({ err }) => err)]));
  return await running;
}

it('gets a token by the port of this machine, keeps it for its owner alone, and revokes it at logout', async () => {
  const { code, err } = await login(`login --console ${base()}`, async (shown) => {
    const [port, challenge = '', state = '', name = ''] = new URL(shown.split('\n')[1] ?? '').pathname
      .split('/')
      .slice(3);
    const approved = await browser.call('Sessions.ApproveProgram', await browser.token(), {
      name,
      codeChallenge: challenge,
    });
    const to = (query: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/?${new URLSearchParams(query)}`, { headers: { connection: 'close' } });
    // Another site, or another login, changes nothing.
    expect((await to({ code: 'x', state: 'another' })).status).toBe(400);
    expect((await to({ code: 'x' })).status).toBe(400);
    const done = await to({ code: approved.json.code, state });
    expect([done.status, done.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  });
  expect([code, err]).toEqual([0, expect.stringContaining('logged in to')]);
  expect(statSync(gatewayctl.env.GATEWAYCTL_CONFIG).mode & 0o777).toBe(0o600);
  const me = await gatewayctl.json('whoami');
  expect(me).toMatchObject({ personId: acme.admin.id, role: 'admin', organizationId: acme.id });
  expect(await gatewayctl.expect('whoami')).toContain('organization  ');
  const { err: out } = await gatewayctl.run('logout');
  expect(out).toContain('and revoked');
  const { operatorTokens } = await plane.expect('OperatorTokens.List', acme.admin.token, { personId: acme.admin.id });
  expect(operatorTokens.at(-1)).toMatchObject({
    name: expect.stringMatching(/^gatewayctl-on-/),
    revokedAt: expect.any(String),
  });
  expect((await gatewayctl.run('whoami')).code).toBe(4);
});

it('ends when the person refuses', async () => {
  const { code, err } = await login(`login --console ${base()}`, async (shown) => {
    const [port, , state = ''] = new URL(shown.split('\n')[1] ?? '').pathname.split('/').slice(3);
    await fetch(`http://127.0.0.1:${port}/?error=access_denied&state=${state}`, { headers: { connection: 'close' } });
  });
  expect([code, err]).toEqual([4, expect.stringContaining('refused it in the browser')]);
});

it('gets a token as a device, at the console that it remembers', async () => {
  const { code, err } = await login(`login --console ${base()} --device`, async (shown) => {
    const [, userCode] = /type the code ([A-Z-]+)/.exec(shown) ?? [];
    await browser.call('Sessions.ApproveDevice', await browser.token(), { userCode, approve: true });
  });
  expect([code, err]).toEqual([0, expect.stringContaining('logged in to')]);
  expect((await gatewayctl.json('whoami')).personId).toBe(acme.admin.id);
});

it('takes consoles over https, or http on this machine, alone', async () => {
  for (const url of ['http://gateway.example.com/console/', 'ftp://127.0.0.1/', 'https://a:b@127.0.0.1/', 'no url']) {
    expect((await gatewayctl.run(['login', '--console', url])).code).toBe(2);
  }
  const other = createGatewayctl();
  await other.expect(`context add local --server 127.0.0.1:${plane.plane.grpcPort}`);
  expect((await other.run('login --device')).code).toBe(2);
  other.remove();
});

it('uses a keyring where one works, and none where none does', async () => {
  const stored = new Map<string, string>();
  class Entry {
    readonly #key: string;
    constructor(service: string, account: string) {
      this.#key = `${service} ${account}`;
    }
    setPassword(secret: string): void {
      if (this.#key.endsWith('broken')) throw new Error('no session bus');
      stored.set(this.#key, secret);
    }
    getPassword(): string | null {
      return stored.get(this.#key) ?? null;
    }
    deletePassword(): boolean {
      return stored.delete(this.#key);
    }
  }
  const keyring = await openKeyring(async () => ({ Entry }));
  expect(keyring?.store('a', 'secret')).toBe(true);
  expect(keyring?.read('a')).toBe('secret');
  keyring?.remove('a');
  expect(keyring?.read('a')).toBeUndefined();
  expect(keyring?.store('broken', 'secret')).toBe(false);
  expect(await openKeyring()).toBeUndefined();
});
