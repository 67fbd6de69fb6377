// Signing in at the console, over both databases: its cookie, its access tokens, and attacks on either.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { deleteEndedSessions } from '../../../control-plane/auth/sessions.ts';
import { ConsoleBrowser, type Headers } from '../../support/console-browser.ts';
import { freshPostgres, freshSqlite, type StoreDatabase } from '../../support/databases.ts';
import {
  bootstrap,
  createPerson,
  createTenant,
  freshName,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

const minute = 60_000;

const databases = [
  { name: 'SQLite', open: freshSqlite, replicas: 1 },
  { name: 'PostgreSQL', open: freshPostgres, replicas: 2 },
] as const;

describe.each(databases)('a session of the console over $name', ({ open, replicas }) => {
  let plane: OperatorsPlane;
  let replica: OperatorsPlane;
  let platform: Someone;
  let acme: TestTenant;
  let database: StoreDatabase;

  beforeAll(async () => {
    database = await open();
    const env = { GATEWAY_DATABASE_URL: database.url };
    plane = await startOperatorsPlane({ env, embedded: true });
    const { masterKey, bootstrapToken } = plane;
    // SQLite serves one process: there the other replica is the same one.
    replica = replicas === 1 ? plane : await startOperatorsPlane({ env, masterKey, bootstrapToken });
    platform = await bootstrap(plane);
    acme = await createTenant(plane, platform, 'acme');
  });
  afterAll(async () => {
    if (replica !== plane) await replica.close();
    await plane.close();
    await database.drop();
  });

  /** Replicas have one address for browsers. */
  const browserAt = (at: OperatorsPlane = plane) =>
    new ConsoleBrowser({ port: at.plane.httpPort, host: `127.0.0.1:${plane.plane.httpPort}` });

  async function signedIn(who: Someone = acme.owner): Promise<ConsoleBrowser> {
    const browser = browserAt();
    const response = await browser.post('/console/auth/start', { operatorToken: who.token });
    expect([response.status, response.body]).toEqual([204, '']);
    return browser;
  }

  /** The session of the browser's access token. */
  async function sessionOf(browser: ConsoleBrowser): Promise<{ id: string }> {
    const { json } = await browser.call('Sessions.List', await browser.token());
    return json.sessions.find((one: { current?: boolean }) => one.current === true);
  }

  /** Moves times of a session into the past, as a wait would. */
  async function age(browser: ConsoleBrowser, ms: number, columns: readonly string[]): Promise<void> {
    await ageRow((await sessionOf(browser)).id, ms, columns);
  }
  async function ageRow(id: string, ms: number, columns: readonly string[]): Promise<void> {
    const set = columns.map((column) => `${column} = ${column} - ${ms}`).join(', ');
    await database.raw(`update console_sessions set ${set} where id = '${id}'`);
  }

  it('begins with an operator token and acts as its person, with a token of five minutes', async () => {
    const browser = await signedIn(acme.admin);
    expect(browser.setCookie).toMatch(
      new RegExp(`^gateway_${plane.plane.httpPort}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax$`),
    );
    const response = await browser.post('/console/auth/token');
    const { accessToken, expiresAt, person } = JSON.parse(response.body);
    expect(accessToken).toMatch(/^gw-ses-\w{49}$/);
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(4 * minute);
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(5 * minute + 2000);
    expect(person).toMatchObject({ id: acme.admin.id, role: 'ROLE_ADMIN', organizationId: acme.id });
    const { json } = await browser.call('Status.Get', accessToken);
    expect(json.caller).toMatchObject({ personId: acme.admin.id, role: 'ROLE_ADMIN' });
    expect(json.permissions).toContain('VirtualKeys.Create');
    expect(json.permissions).not.toContain('ProxyTokens.Create');
    expect(await replica.expect('Status.Get', accessToken)).toMatchObject({ caller: { personId: acme.admin.id } });
  });

  it('works in several tabs at once, each with a token of its own', async () => {
    const browser = await signedIn();
    const tokens = await Promise.all([browser.token(), browser.token(), browser.token()]);
    expect(new Set(tokens).size).toBe(3);
    for (const token of tokens) expect((await browser.call('Status.Get', token)).status).toBe(200);
  });

  it('is another one after each sign-in, which ends the one before: nothing can be fixed', async () => {
    const browser = await signedIn(acme.member);
    const planted = browser.cookie;
    const token = await browser.token();
    await browser.post('/console/auth/start', { operatorToken: acme.owner.token });
    expect(browser.cookie).not.toBe(planted);
    const attacker = browserAt();
    attacker.cookie = planted;
    expect((await attacker.post('/console/auth/token')).status).toBe(401);
    expect((await browser.call('Status.Get', token)).status).toBe(401);
  });

  it.each([
    ['a cookie with a value that its visitor chose', (port: number) => `gateway_${port}=${'A'.repeat(43)}`],
    [
      'two cookies of the name',
      (port: number) => `gateway_${port}=${'A'.repeat(43)}; gateway_${port}=${'B'.repeat(43)}`,
    ],
    ['an empty cookie', (port: number) => `gateway_${port}=`],
    ['no cookie', () => undefined],
  ])('does not exist for %s', async (_what, cookie) => {
    const browser = browserAt();
    browser.cookie = cookie(plane.plane.httpPort);
    const response = await browser.post('/console/auth/token');
    expect(response.status).toBe(401);
    expect(JSON.parse(response.body)).toEqual({ error: { code: 'not_signed_in', message: expect.any(String) } });
    expect(browser.setCookie).toBeUndefined();
  });

  it('opens nothing at the API with its cookie', async () => {
    const browser = await signedIn();
    const { status } = await browser.call('Status.Get', undefined);
    expect(status).toBe(401);
    const value = browser.cookie?.split('=')[1];
    expect((await browser.call('Status.Get', value)).status).toBe(401);
  });

  it('opens nothing at auth/ with its access token', async () => {
    const browser = await signedIn();
    const token = await browser.token();
    const other = browserAt();
    expect((await other.post('/console/auth/token', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
    other.cookie = `gateway_${plane.plane.httpPort}=${token}`;
    expect((await other.post('/console/auth/token')).status).toBe(401);
    other.cookie = undefined;
    expect((await other.post('/console/auth/start', { operatorToken: token })).status).toBe(401);
    expect((await other.post('/console/auth/link', { link: token })).status).toBe(401);
  });

  const json = 'application/json';
  it.each<[string, Headers, number]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the site', { 'sec-fetch-site': 'same-site' }, 403],
    ['an address typed by hand', { 'sec-fetch-site': 'none' }, 403],
    ['an old browser at another origin', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }, 403],
    ['an old browser in a sandbox', { 'sec-fetch-site': undefined, origin: 'null' }, 403],
    ['an old browser without an origin', { 'sec-fetch-site': undefined }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['a form with fields', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a form with two types', { 'content-type': `text/plain, ${json}` }, 415],
  ])('is not used by a request of %s', async (_who, headers, status) => {
    const browser = await signedIn();
    const { cookie } = browser;
    for (const path of ['token', 'logout']) {
      const response = await browser.post(`/console/auth/${path}`, {}, headers);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
    }
    const start = await browser.post('/console/auth/start', { operatorToken: acme.owner.token }, headers);
    expect(start.status).toBe(status);
    expect(browser.cookie).toBe(cookie);
    expect((await browser.post('/console/auth/token')).status).toBe(200);
  });

  it('is used by an old browser at the console’s own origin', async () => {
    const browser = await signedIn();
    const headers = { 'sec-fetch-site': undefined, origin: `http://${browser.host}` };
    expect((await browser.post('/console/auth/token', {}, headers)).status).toBe(200);
    const { status, headers: sent } = await browser.send('GET', '/console/auth/token');
    expect([status, sent.get('allow')]).toEqual([405, 'POST']);
  });

  it('gets a new cookie value every quarter of an hour, and the former one works until the new one was sent', async () => {
    const browser = await signedIn();
    const first = browser.cookie;
    await browser.token();
    expect(browser.cookie).toBe(first);
    await age(browser, 16 * minute, ['rotated_at']);
    const tab = browserAt(replica);
    tab.cookie = first;
    // Both tabs send the old value at the same moment: one of the responses has the new one.
    await Promise.all([browser.token(), tab.token()]);
    const [next] = [browser.cookie, tab.cookie].filter((value) => value !== first);
    expect(next).toBeDefined();
    // The response with the new value may have been lost.
    const late = browserAt();
    late.cookie = first;
    expect(await late.token()).toMatch(/^gw-ses-/);
    late.cookie = next;
    expect(await late.token()).toMatch(/^gw-ses-/);
    late.cookie = first;
    expect(await late.token()).toMatch(/^gw-ses-/);
  });

  it('ends when a former value of its cookie is shown later, which is an audit event', async () => {
    const browser = await signedIn();
    const thief = browserAt();
    thief.cookie = browser.cookie;
    const { id } = await sessionOf(browser);
    await age(browser, 16 * minute, ['rotated_at']);
    await browser.token();
    const token = await browser.token();
    expect(browser.cookie).not.toBe(thief.cookie);
    await ageRow(id, minute, ['former_ends_at']);
    expect((await thief.post('/console/auth/token')).status).toBe(401);
    expect((await browser.post('/console/auth/token')).status).toBe(401);
    expect((await browser.call('Status.Get', token)).status).toBe(401);
    const { events } = await plane.expect('Audit.List', acme.owner.token, { organizationId: acme.id, targetId: id });
    expect(events.map((event: { action: string }) => event.action)).toEqual([
      'Sessions.RefuseFormerCookie',
      'Sessions.SignIn',
    ]);
  });

  it('ends by a logout, and its cookie is gone', async () => {
    const browser = await signedIn();
    const { cookie } = browser;
    const token = await browser.token();
    const response = await browser.post('/console/auth/logout');
    expect([response.status, browser.cookie]).toEqual([204, undefined]);
    expect(browser.setCookie).toContain('Max-Age=0');
    expect((await browser.call('Status.Get', token)).status).toBe(401);
    browser.cookie = cookie;
    expect((await browser.post('/console/auth/token')).status).toBe(401);
    expect((await browserAt().post('/console/auth/logout')).status).toBe(204);
  });

  it.each([
    ['nobody used it for an hour', 'idle_ends_at', 61 * minute],
    ['twelve hours have passed', 'ends_at', 12 * 60 * minute + 1000],
  ])('ends when %s', async (_why, column, ms) => {
    const browser = await signedIn();
    const token = await browser.token();
    await age(browser, ms, [column]);
    expect((await browser.post('/console/auth/token')).status).toBe(401);
    expect((await browser.call('Status.Get', token)).status).toBe(401);
  });

  it('ends within a second, at every replica, when its person is deactivated, and stays so', async () => {
    const someone = await createPerson(plane, acme, 'ROLE_ADMIN');
    const browser = await signedIn(someone);
    const token = await browser.token();
    expect((await browserAt(replica).call('Status.Get', token)).status).toBe(200);
    const began = performance.now();
    await plane.expect('People.Update', acme.owner.token, { id: someone.id, active: false });
    expect((await browserAt(replica).call('Status.Get', token)).status).toBe(401);
    expect(performance.now() - began).toBeLessThan(1000);
    await plane.expect('People.Update', acme.owner.token, { id: someone.id, active: true });
    expect((await browser.post('/console/auth/token')).status).toBe(401);
  });

  it('acts with its person’s present role', async () => {
    const someone = await createPerson(plane, acme, 'ROLE_ADMIN');
    const browser = await signedIn(someone);
    const token = await browser.token();
    expect((await browser.call('Webhooks.List', token, { organizationId: acme.id })).status).toBe(200);
    await plane.expect('People.Update', acme.owner.token, { id: someone.id, role: 'ROLE_MEMBER' });
    expect((await browser.call('Webhooks.List', token, { organizationId: acme.id })).status).toBe(403);
  });

  it('ends with the operator token that began it', async () => {
    const request = { personId: acme.owner.id, name: freshName('token') };
    const made = await plane.expect('OperatorTokens.Create', acme.owner.token, request);
    const browser = await signedIn({ id: acme.owner.id, token: made.value });
    const token = await browser.token();
    await plane.expect('OperatorTokens.Revoke', acme.owner.token, { id: made.operatorToken.id });
    expect((await browser.call('Status.Get', token)).status).toBe(401);
    expect((await browser.post('/console/auth/token')).status).toBe(401);
  });

  it('needs a sign-in of the last 15 minutes to give roles and tokens away, and for stops', async () => {
    const browser = await signedIn();
    const member = await createPerson(plane, acme, 'ROLE_MEMBER');
    const role = { id: member.id, role: 'ROLE_ADMIN' };
    expect((await browser.call('People.Update', await browser.token(), role)).status).toBe(200);
    await age(browser, 16 * minute, ['authenticated_at']);
    const token = await browser.token();
    const stop = { organizationId: acme.id, target: { model: 'gpt-provider/gpt-4o' }, reason: 'a test' };
    for (const [method, request] of [
      ['People.Update', { ...role, role: 'ROLE_MEMBER' }],
      ['OperatorTokens.Create', { personId: acme.owner.id, name: 'another' }],
      ['Stops.Create', stop],
    ] as const) {
      const { status, json: error } = await browser.call(method, token, request);
      expect([method, status, error.details[0].debug.reason]).toEqual([method, 403, 'reauthentication_required']);
    }
    expect((await browser.call('People.Update', token, { id: member.id, name: freshName('renamed') })).status).toBe(
      200,
    );
    const again = await browser.post('/console/auth/start', { operatorToken: acme.owner.token });
    expect(again.status).toBe(204);
    const fresh = await browser.token();
    expect((await browser.call('People.Update', fresh, { ...role, role: 'ROLE_MEMBER' })).status).toBe(200);
  });

  describe('a link', () => {
    async function link(who: Someone = acme.owner): Promise<string> {
      const { url } = await plane.expect('Sessions.CreateLink', who.token);
      expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${plane.plane.httpPort}/console/#link=gw-link-\\w{49}$`));
      return url.split('#link=')[1];
    }

    it('signs its person in once', async () => {
      const value = await link(acme.member);
      const [one, two] = [browserAt(), browserAt()];
      const responses = await Promise.all([one, two].map((each) => each.post('/console/auth/link', { link: value })));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 401]);
      const [browser] = [one, two].filter((each) => each.cookie !== undefined);
      const { json: status } = (await browser?.call('Status.Get', await browser.token())) ?? {};
      expect(status.caller.personId).toBe(acme.member.id);
    });

    it('is made by no session, so an access token makes nothing that works longer', async () => {
      const browser = await signedIn();
      const { status, json: error } = await browser.call('Sessions.CreateLink', await browser.token());
      expect([status, error.details[0].debug.reason]).toEqual([400, 'link_unavailable']);
    });

    it('ends with its person', async () => {
      const someone = await createPerson(plane, acme, 'ROLE_MEMBER');
      const value = await link(someone);
      await plane.expect('People.Update', acme.owner.token, { id: someone.id, active: false });
      expect((await browserAt().post('/console/auth/link', { link: value })).status).toBe(401);
    });
  });

  describe('the list of sessions', () => {
    it('has one’s own for a member, and everybody’s for owners and admins', async () => {
      const browser = await signedIn(acme.member);
      const { json: own } = await browser.call('Sessions.List', await browser.token());
      const people = new Set(own.sessions.map((one: { personId: string }) => one.personId));
      expect([...people]).toEqual([acme.member.id]);
      const request = { organizationId: acme.id, pageSize: 500 };
      const all = await plane.expect('Sessions.List', acme.admin.token, request);
      const id = (await sessionOf(browser)).id;
      expect(all.sessions.find((one: { id: string }) => one.id === id)).toMatchObject({
        ...{ personId: acme.member.id, method: 'SIGN_IN_METHOD_OPERATOR_TOKEN', address: '127.0.0.1', current: false },
      });
    });

    it('lets an owner end a session, and nobody of another organization', async () => {
      const browser = await signedIn(acme.member);
      const token = await browser.token();
      const { id } = await sessionOf(browser);
      const other = await createTenant(plane, platform, freshName('other'));
      expect(await plane.call('Sessions.Revoke', other.owner.token, { id })).toMatchObject({ code: 'NOT_FOUND' });
      expect(await plane.call('Sessions.Revoke', platform.token, { id })).toMatchObject({ code: 'NOT_FOUND' });
      const owners = (await sessionOf(await signedIn(acme.owner))).id;
      const refused = { code: 'PERMISSION_DENIED' };
      expect(await plane.call('Sessions.Revoke', acme.admin.token, { id: owners })).toMatchObject(refused);
      expect(await plane.call('Sessions.Revoke', acme.member.token, { id: owners })).toMatchObject(refused);
      expect((await browser.call('Status.Get', token)).status).toBe(200);
      const ended = await plane.expect('Sessions.Revoke', acme.owner.token, { id });
      expect(ended.endedAt).toBeDefined();
      expect((await browserAt(replica).call('Status.Get', token)).status).toBe(401);
      expect((await browser.post('/console/auth/token')).status).toBe(401);
    });
  });

  it('is deleted a week after its end, with its tokens', async () => {
    const ended = await signedIn();
    const open = await signedIn();
    const { id } = await sessionOf(ended);
    await ended.post('/console/auth/logout');
    await ageRow(id, 8 * 24 * 60 * minute, ['ended_at']);
    const store = await database.open();
    await store.ledger(deleteEndedSessions);
    const rows = await store.snapshot((db) => db.selectFrom('console_sessions').select('id').execute());
    const kept = rows.map((row) => row.id);
    expect(kept).not.toContain(id);
    expect(kept).toContain((await sessionOf(open)).id);
  });

  it('leaves no cookie, link or token in the log', async () => {
    const browser = await signedIn();
    const token = await browser.token();
    const { url } = await plane.expect('Sessions.CreateLink', acme.owner.token);
    const value = url.split('#link=')[1];
    await browserAt().post('/console/auth/link', { link: value });
    await browserAt().post('/console/auth/start', { operatorToken: createCredential('operator') });
    const log = plane.logs.join('');
    expect(log).toContain('Console.Link');
    const { adminPort } = plane.plane;
    const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    expect(metrics).toContain('Console.Token');
    for (const hidden of [token, value, acme.owner.token, browser.cookie?.split('=')[1] ?? '']) {
      expect(hidden.length).toBeGreaterThan(40);
      expect(log + metrics).not.toContain(hidden);
    }
  });
});
