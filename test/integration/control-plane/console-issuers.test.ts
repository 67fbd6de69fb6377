// Signing in at an OpenID Connect issuer, against oidc-provider: who is found, linked and made, with which role.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoginBrowser, personOf, refusedTo } from '../../support/login-browser.ts';
import { IssuerBrowser, type OidcIssuer, oidcClientId } from '../../support/oidc-issuer.ts';
import {
  createPerson,
  createTenant,
  freshName,
  type JsonResponse,
  type OperatorsPlane,
  type Someone,
  type TestTenant,
  violated,
} from '../../support/operators.ts';
import { startTwoIssuers, type TwoIssuers } from '../../support/two-issuers.ts';

let world: TwoIssuers;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let issuer: OidcIssuer;
let issuerId: string;
let otherId: string;

const newBrowser = () => new LoginBrowser(plane, issuerId);

beforeAll(async () => {
  world = await startTwoIssuers();
  ({ plane, platform, acme, issuer, issuerId, otherId } = world);
});
afterAll(async () => {
  await world?.close();
});

describe('somebody who signs in at an issuer', () => {
  it('is made with the role that a claim gives, and is the same person afterwards', async () => {
    issuer.accounts.set('ada', {
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada',
      groups: ['x', 'admins'],
    });
    const browser = newBrowser();
    expect(await browser.signIn('ada', { returnPath: 'settings/access' })).toBe('/console/settings/access');
    const person = await personOf(browser);
    expect(person).toMatchObject({ name: 'Ada', role: 'ROLE_ADMIN', organizationId: acme.id });
    const again = newBrowser();
    await again.signIn('ada');
    expect(await personOf(again)).toEqual(person);
    const { people } = await plane.expect('People.List', acme.owner.token, { organizationId: acme.id });
    const [made] = people.filter(({ id }: JsonResponse) => id === person.id);
    expect(made).toMatchObject({ email: 'ada@example.com' });
    const request = { organizationId: acme.id, action: 'Sessions.SignIn' };
    const { events } = await plane.expect('Audit.List', acme.owner.token, request);
    const afters = events.map(({ after }: JsonResponse) => JSON.parse(after));
    expect(afters).toContainEqual(expect.objectContaining({ how: 'made', personId: person.id, issuerId }));
    expect(afters).toContainEqual(expect.objectContaining({ how: 'known', personId: person.id }));
  });

  it('gets the role of their present claims, and is refused without one', async () => {
    issuer.accounts.set('bob', { name: 'Bob', groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('bob');
    expect((await personOf(browser)).role).toBe('ROLE_ADMIN');
    await plane.expect('SignIn.UpdateIssuer', acme.owner.token, {
      id: issuerId,
      unknownPerson: 'UNKNOWN_PERSON_MEMBER',
    });
    issuer.accounts.set('bob', { name: 'Bob', groups: [] });
    await browser.signIn('bob');
    expect((await personOf(browser)).role).toBe('ROLE_MEMBER');
    await plane.expect('SignIn.UpdateIssuer', acme.owner.token, {
      id: issuerId,
      unknownPerson: 'UNKNOWN_PERSON_REFUSE',
    });
    expect(await browser.signIn('bob')).toBe(refusedTo);
    issuer.accounts.set('nobody', { name: 'Nobody', groups: ['guests'] });
    expect(await newBrowser().signIn('nobody')).toBe(refusedTo);
  });

  it('keeps a role that was given by hand', async () => {
    issuer.accounts.set('cy', { name: 'Cy', groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('cy');
    const { id } = await personOf(browser);
    await plane.expect('People.Update', acme.owner.token, { id, role: 'ROLE_MEMBER' });
    await browser.signIn('cy');
    expect((await personOf(browser)).role).toBe('ROLE_MEMBER');
  });

  it('never becomes an owner by a claim, and an owner stays one', async () => {
    const owner = { claim: 'groups', value: 'owners', role: 'ROLE_OWNER' };
    const request = { id: issuerId, roles: { rows: [owner] } };
    expect(await violated(plane.call('SignIn.UpdateIssuer', acme.owner.token, request))).toEqual(['roles']);
    await plane.expect('People.Update', acme.owner.token, { id: acme.owner.id, email: 'olga@example.com' });
    issuer.accounts.set('olga', { email: 'Olga@Example.com', email_verified: true, groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('olga');
    expect(await personOf(browser)).toMatchObject({ id: acme.owner.id, role: 'ROLE_OWNER' });
  });

  it('is linked by an address once, if the issuer vouches for it', async () => {
    const person = await createPerson(plane, acme, 'ROLE_MEMBER');
    await plane.expect('People.Update', acme.owner.token, { id: person.id, email: 'mo@example.com' });
    issuer.accounts.set('liar', { email: 'mo@example.com', email_verified: false, groups: [] });
    expect(await newBrowser().signIn('liar')).toBe(refusedTo);
    issuer.accounts.set('mo', { email: 'mo@example.com', email_verified: true, groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('mo');
    expect(await personOf(browser)).toMatchObject({ id: person.id, role: 'ROLE_MEMBER' });
    issuer.accounts.set('second', { email: 'mo@example.com', email_verified: true, groups: ['admins'] });
    expect(await newBrowser().signIn('second')).toBe(refusedTo);
  });

  it('is nobody in another organization, whatever the address', async () => {
    const foreign = await createTenant(plane, platform, freshName('foreign'));
    await plane.expect('People.Update', foreign.owner.token, { id: foreign.owner.id, email: 'boss@example.com' });
    issuer.accounts.set('boss', { email: 'boss@example.com', email_verified: true, name: 'Boss', groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('boss');
    const person = await personOf(browser);
    expect(person.organizationId).toBe(acme.id);
    expect(person.id).not.toBe(foreign.owner.id);
  });

  it('is refused when deactivated, and their session ends with the issuer', async () => {
    issuer.accounts.set('dee', { name: 'Dee', groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('dee');
    const { id } = await personOf(browser);
    await plane.expect('SignIn.UpdateIssuer', acme.owner.token, { id: issuerId, enabled: false });
    expect((await browser.token()).status).toBe(401);
    expect((await browser.post('auth/start', { issuerId })).json.error.code).toBe('sign_in_refused');
    await plane.expect('SignIn.UpdateIssuer', acme.owner.token, { id: issuerId, enabled: true });
    await plane.expect('People.Update', acme.owner.token, { id, active: false });
    expect(await newBrowser().signIn('dee')).toBe(refusedTo);
  });

  it('needs to sign in again for a change of roles', async () => {
    issuer.accounts.set('eve', { name: 'Eve', groups: ['admins'] });
    const browser = newBrowser();
    const at = new IssuerBrowser();
    await browser.signIn('eve', {}, at);
    const member = await createPerson(plane, acme, 'ROLE_MEMBER');
    const request = { id: member.id, role: 'ROLE_ADMIN' };
    const silent = (await browser.token()).json.accessToken;
    expect(await plane.call('People.Update', silent, request)).toMatchObject({
      ...{ code: 'PERMISSION_DENIED', detail: { reason: 'reauthentication_required' } },
    });
    await browser.signIn('eve', { again: true }, at);
    expect(await plane.call('People.Update', (await browser.token()).json.accessToken, request)).toMatchObject({
      code: 'OK',
    });
  });

  it('is invited with a role, once, to the identity with the address alone', async () => {
    const { id } = acme;
    const request = { organizationId: id, email: 'New.Owner@example.com', role: 'ROLE_OWNER' };
    expect(await plane.call('Invitations.Create', acme.admin.token, request)).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const { value: invitation } = await plane.expect('Invitations.Create', acme.owner.token, request);
    issuer.accounts.set('thief', {
      email: 'thief@example.com',
      email_verified: true,
      name: 'Thief',
      groups: ['admins'],
    });
    expect(await newBrowser().signIn('thief', { invitation })).toBe(refusedTo);
    issuer.accounts.set('new', { email: 'new.owner@example.com', name: 'New Owner', groups: [] });
    expect(await newBrowser().signIn('new')).toBe(refusedTo);
    const browser = newBrowser();
    await browser.signIn('new', { invitation });
    expect(await personOf(browser)).toMatchObject({ name: 'New Owner', role: 'ROLE_OWNER', organizationId: id });
    issuer.accounts.set('twin', { email: 'new.owner@example.com', name: 'Twin', groups: [] });
    expect(await newBrowser().signIn('twin', { invitation })).toBe(refusedTo);
    await browser.signIn('new');
    expect(await personOf(browser)).toMatchObject({ role: 'ROLE_OWNER' });
  });

  it('is not invited by another organization, nor after seven days or a withdrawal', async () => {
    const foreign = await createTenant(plane, platform, freshName('foreign'));
    const fields = { email: 'jo@example.com', role: 'ROLE_MEMBER' };
    issuer.accounts.set('jo', { email: 'jo@example.com', name: 'Jo', groups: [] });
    const elsewhere = await plane.expect('Invitations.Create', foreign.owner.token, {
      ...fields,
      organizationId: foreign.id,
    });
    expect(await newBrowser().signIn('jo', { invitation: elsewhere.value })).toBe(refusedTo);
    const made = await plane.expect('Invitations.Create', acme.admin.token, { ...fields, organizationId: acme.id });
    plane.clock.offsetMs = 7 * 24 * 3_600_000 + 1000;
    expect(await newBrowser().signIn('jo', { invitation: made.value })).toBe(refusedTo);
    plane.clock.offsetMs = 0;
    await plane.expect('Invitations.Delete', acme.admin.token, { id: made.invitation.id });
    expect(await newBrowser().signIn('jo', { invitation: made.value })).toBe(refusedTo);
  });

  it('is sent to the issuer to end its session too', async () => {
    issuer.accounts.set('fay', { name: 'Fay', groups: ['admins'] });
    const browser = newBrowser();
    await browser.signIn('fay');
    const { status, json } = await browser.post('auth/logout', {});
    expect(status).toBe(200);
    expect(json.redirect).toMatch(new RegExp(`^${issuer.url}/session/end\\?.*client_id=${oidcClientId}`));
    expect((await browser.token()).status).toBe(401);
  });

  it('finds the issuers of the organization, and nothing of one that does not exist', async () => {
    const { json } = await newBrowser().post('auth/issuers', { organizationId: acme.id });
    expect(json.issuers.map(({ id }: { id: string }) => id).toSorted()).toEqual([issuerId, otherId].toSorted());
    expect((await newBrowser().post('auth/issuers', { organizationId: issuerId })).json).toEqual({
      issuers: [],
      organization: '',
    });
  });
});
