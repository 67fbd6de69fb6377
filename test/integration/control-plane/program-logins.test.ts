// Programs that sign in through a browser: codes work once, for the program that has the verifier, while the session
// lives; nobody finds a device's code by trying; what a program gets is no sign-in of its own.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hourMs, minuteMs } from '../../../common/durations.ts';
import { ConsoleBrowser } from '../../support/console-browser.ts';
import {
  bootstrap,
  createPerson,
  createTenant,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let member: Someone;
let browser: ConsoleBrowser;
let token: string;

const random = () => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** As a program sends it: no cookie, no header of a browser. */
async function send(path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${plane.plane.httpPort}/console/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}
const codeOf = async (path: string, body: object) => (await send(path, body)).json.error?.code;

async function signedIn(who: Someone): Promise<void> {
  browser = new ConsoleBrowser({ port: plane.plane.httpPort });
  await browser.post('/console/auth/start', { operatorToken: who.token });
  token = await browser.token();
}

async function approved(verifier: string): Promise<string> {
  const request = { name: 'gatewayctl on laptop', codeChallenge: challengeOf(verifier) };
  const { status, json } = await browser.call('Sessions.ApproveProgram', token, request);
  expect(status).toBe(200);
  return json.code;
}

beforeAll(async () => {
  plane = await startOperatorsPlane({ rates: { sign_ins: { perMinute: 10_000, burst: 10_000 } } });
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
});
beforeEach(async () => {
  member = await createPerson(plane, acme, 'ROLE_MEMBER');
  await signedIn(member);
});
afterAll(() => plane.close());

describe('a program on the machine of the browser', () => {
  it('gets a token of the person for 12 hours at most, once', async () => {
    const verifier = random();
    const code = await approved(verifier);
    const { status, json } = await send('exchange', { code, verifier });
    expect(status).toBe(200);
    expect(Date.parse(json.expiresAt) - plane.clock.now()).toBeLessThanOrEqual(12 * hourMs);
    const { caller } = await plane.expect('Status.Get', json.token);
    expect(caller).toMatchObject({ personId: member.id, role: 'ROLE_MEMBER' });
    expect(await codeOf('exchange', { code, verifier })).toBe('sign_in_refused');
    const { operatorTokens } = await plane.expect('OperatorTokens.List', member.token, { personId: member.id });
    expect(operatorTokens).toContainEqual(expect.objectContaining({ id: json.tokenId, name: 'gatewayctl on laptop' }));
  });

  it('is refused without the verifier, after a minute, and with a code that ends with its session', async () => {
    const verifier = random();
    const code = await approved(verifier);
    expect(await codeOf('exchange', { code, verifier: random() })).toBe('sign_in_refused');
    expect(await codeOf('exchange', { deviceCode: code })).toBe('sign_in_refused');
    expect(await codeOf('exchange', { code })).toBe('invalid_request');
    plane.clock.offsetMs += minuteMs;
    expect(await codeOf('exchange', { code, verifier })).toBe('sign_in_refused');
    const second = await approved(verifier);
    await browser.post('/console/auth/logout');
    expect(await codeOf('exchange', { code: second, verifier })).toBe('sign_in_refused');
  });

  it('acts until the session ends, also while nobody uses the browser', async () => {
    const verifier = random();
    const { json } = await send('exchange', { code: await approved(verifier), verifier });
    plane.clock.offsetMs += 2 * hourMs;
    await plane.expect('Status.Get', json.token);
    const { sessions } = await plane.expect('Sessions.List', member.token, {});
    const [{ id }] = sessions;
    await plane.expect('Sessions.Revoke', member.token, { id });
    expect((await refusal(plane.call('Status.Get', json.token))).reason).toBe('unauthenticated');
  });

  it('neither signs in at the console nor changes what needs a recent sign-in', async () => {
    const verifier = random();
    const { json } = await send('exchange', { code: await approved(verifier), verifier });
    const other = new ConsoleBrowser({ port: plane.plane.httpPort });
    const started = await other.post('/console/auth/start', { operatorToken: json.token });
    expect(JSON.parse(started.body).error.code).toBe('sign_in_refused');
    const request = { personId: member.id, name: 'for ever' };
    plane.clock.offsetMs += 16 * minuteMs;
    expect((await refusal(plane.call('OperatorTokens.Create', json.token, request))).reason).toBe(
      'reauthentication_required',
    );
    // Nor does an operator token approve anything.
    const approving = plane.call('Sessions.ApproveProgram', member.token, {
      name: 'x',
      codeChallenge: challengeOf('x'),
    });
    expect((await refusal(approving)).reason).toBe('permission_denied');
  });
});

describe('a device', () => {
  const start = async () => {
    const { status, json } = await send('device', { name: 'gatewayctl on server' });
    expect(status).toBe(200);
    return json;
  };
  const decide = (userCode: string, approve?: boolean) =>
    browser.call('Sessions.ApproveDevice', token, { userCode, ...(approve !== undefined && { approve }) });

  it('gets its token once the person has typed the code and allowed it', async () => {
    const { deviceCode, userCode, verificationUri, interval } = await start();
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(verificationUri).toBe(`http://127.0.0.1:${plane.plane.httpPort}/console/device`);
    expect(await codeOf('exchange', { deviceCode })).toBe('authorization_pending');
    expect(await codeOf('exchange', { deviceCode })).toBe('slow_down');
    plane.clock.offsetMs += interval * 1000;
    expect(await codeOf('exchange', { deviceCode })).toBe('authorization_pending');
    const typed = userCode.toLowerCase().replace('-', ' ');
    expect((await decide(typed)).json).toMatchObject({
      found: true,
      name: 'gatewayctl on server',
      address: '127.0.0.1',
    });
    expect((await decide(typed, true)).json.found).toBe(true);
    const { json } = await send('exchange', { deviceCode });
    expect((await plane.expect('Status.Get', json.token)).caller.personId).toBe(member.id);
    expect(await codeOf('exchange', { deviceCode })).toBe('sign_in_refused');
    // The typed code alone is worth nothing.
    expect(await codeOf('exchange', { deviceCode: userCode })).toBe('sign_in_refused');
  });

  it('is refused by the person, and ends after ten minutes', async () => {
    const refusedDevice = await start();
    await decide(refusedDevice.userCode, false);
    expect(await codeOf('exchange', { deviceCode: refusedDevice.deviceCode })).toBe('access_denied');
    const late = await start();
    plane.clock.offsetMs += 10 * minuteMs;
    token = await browser.token();
    expect((await decide(late.userCode)).json.found).toBe(false);
    expect(await codeOf('exchange', { deviceCode: late.deviceCode })).toBe('sign_in_refused');
  });

  it('is not found by trying: five wrong codes end the attempts of a session, and each is an audit event', async () => {
    const { userCode } = await start();
    for (const wrong of ['BBBB-BBBB', 'CCCC-CCCC', 'DDDD-DDDD', 'x', '']) {
      expect((await decide(wrong)).json).toEqual({ found: false, name: '', address: '', createdAt: '' });
    }
    const { status, json } = await decide(userCode, true);
    expect([status, json.details[0].debug.reason]).toEqual([400, 'too_many_codes']);
    const request = { organizationId: acme.id, action: 'Sessions.ApproveDevice' };
    const { events } = await plane.expect('Audit.List', acme.owner.token, request);
    expect(events.filter(({ after }: { after: string }) => after === '{"found":false}').length).toBeGreaterThanOrEqual(
      5,
    );
    expect(JSON.stringify(events)).not.toContain(userCode);
  });

  it('starts a bounded number of times from one address', async () => {
    const small = await startOperatorsPlane({ rates: { sign_ins: { perMinute: 1, burst: 2 } } });
    const from = `http://127.0.0.1:${small.plane.httpPort}/console/auth/device`;
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"x"}' };
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await fetch(from, init)).status);
    await small.close();
    expect(statuses).toEqual([200, 200, 429]);
  });
});
