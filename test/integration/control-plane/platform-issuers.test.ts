// Issuers of the platform: platform operators by invitation, people of the organizations that chose one, and nobody
// else. Also private keys of clients, trusted addresses, and identities one by one.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { issuerPlane, LoginBrowser, personOf, refusedTo } from '../../support/login-browser.ts';
import { createSigningKey, type OidcIssuer, oidcClientId, startOidcIssuer } from '../../support/oidc-issuer.ts';
import {
  bootstrap,
  createPerson,
  createTenant,
  freshName,
  type OperatorsPlane,
  refusal,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
  violated,
} from '../../support/operators.ts';

let issuer: OidcIssuer;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;
let other: TestTenant;
let issuerId: string;

const serve = (id: string, publicJwk?: object) =>
  issuer.serve([`http://127.0.0.1:${plane.plane.httpPort}/console/auth/callback/${id}`], publicJwk);
const fields = (organizationId: string) => ({
  ...{ organizationId, name: freshName('issuer'), url: issuer.url, clientId: oidcClientId },
  secret: issuer.clientSecret,
});
const choose = (tenant: TestTenant, ids: readonly string[]) =>
  plane.expect('SignIn.UpdateSettings', tenant.owner.token, {
    organizationId: tenant.id,
    platformIssuerIds: { ids },
  });

beforeAll(async () => {
  issuer = await startOidcIssuer();
  plane = await startOperatorsPlane(issuerPlane(issuer));
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
  other = await createTenant(plane, platform, 'other');
  ({ id: issuerId } = await plane.expect('SignIn.CreateIssuer', platform.token, fields('')));
  await choose(acme, [issuerId]);
});
beforeEach(() => serve(issuerId));
afterAll(async () => {
  await plane.close();
  await issuer.close();
});

const newBrowser = (id = issuerId) => new LoginBrowser(plane, id);

describe('an issuer of the platform', () => {
  it('signs in a platform operator who was invited, and links none by an address', async () => {
    issuer.accounts.set('ops', { email: 'ops@gateway.example', email_verified: true, name: 'Ops' });
    const made = await plane.expect('People.Create', platform.token, {
      name: 'Ops before',
      role: 'ROLE_PLATFORM_OPERATOR',
      email: 'ops@gateway.example',
    });
    expect(await newBrowser().signIn('ops')).toBe(refusedTo);
    const { value, invitation } = await plane.expect('Invitations.Create', platform.token, {
      email: 'ops@gateway.example',
      role: 'ROLE_PLATFORM_OPERATOR',
    });
    expect(invitation.organizationId).toBe('');
    const found = await newBrowser().post('auth/issuers', { invitation: value });
    expect(found.json).toMatchObject({ issuers: [{ id: issuerId }], organization: '' });
    const browser = newBrowser();
    await browser.signIn('ops', { invitation: value });
    const person = await personOf(browser);
    expect(person).toEqual({ id: expect.any(String), name: 'Ops', role: 'ROLE_PLATFORM_OPERATOR' });
    expect(person.id).not.toBe(made.id);
    const member = { email: 'x@gateway.example', role: 'ROLE_MEMBER' };
    expect(await violated(plane.call('Invitations.Create', platform.token, member))).toEqual(['role']);
  });

  it('signs in people of an organization that chose it, by their address, and never two in one', async () => {
    const { id } = await createPerson(plane, acme, 'ROLE_MEMBER');
    await plane.expect('People.Update', acme.owner.token, { id, email: 'ida@acme.example' });
    const twin = await createPerson(plane, other, 'ROLE_MEMBER');
    await plane.expect('People.Update', other.owner.token, { id: twin.id, email: 'ida@acme.example' });
    issuer.accounts.set('ida', { email: 'ida@acme.example', email_verified: true, name: 'Ida' });
    const browser = newBrowser();
    await browser.signIn('ida', { organization: 'acme' });
    expect(await personOf(browser)).toMatchObject({ id, organizationId: acme.id });
    expect((await browser.token()).json).toMatchObject({ issuerId, organization: 'acme' });
    // The other organization has not chosen it.
    const refused = await newBrowser().post('auth/start', { issuerId, organization: 'other' });
    expect(refused.json.error.code).toBe('sign_in_refused');
    await choose(other, [issuerId]);
    const second = newBrowser();
    await second.signIn('ida', { organization: 'other' });
    expect(await personOf(second)).toMatchObject({ id: twin.id, organizationId: other.id });
    // Of no organization, the same subject is nobody.
    expect(await newBrowser().signIn('ida')).toBe(refusedTo);
    // The choice ends, and so do its sessions, but not those of the other organization.
    const callback = await newBrowser().toCallback('ida', { organization: 'other' });
    await choose(other, []);
    expect((await second.token()).status).toBe(401);
    expect((await browser.token()).status).toBe(200);
    expect(await newBrowser().callback(callback)).toBe(refusedTo);
    expect(
      (await plane.expect('SignIn.GetSettings', acme.owner.token, { organizationId: acme.id })).platformIssuers,
    ).toEqual([{ id: issuerId, name: expect.any(String), chosen: true }]);
  });

  it('makes nobody, gives no roles, and is the platform’s alone', async () => {
    issuer.accounts.set('new', { email: 'new@acme.example', email_verified: true, groups: ['admins'] });
    expect(await newBrowser().signIn('new', { organization: 'acme' })).toBe(refusedTo);
    const roles = [{ claim: 'groups', value: 'admins', role: 'ROLE_ADMIN' }];
    const giving = plane.call('SignIn.CreateIssuer', platform.token, { ...fields(''), roles });
    expect(await violated(giving)).toEqual(['roles']);
    const everybody = { id: issuerId, unknownPerson: 'UNKNOWN_PERSON_MEMBER' };
    expect(await violated(plane.call('SignIn.UpdateIssuer', platform.token, everybody))).toEqual(['roles']);
    expect((await refusal(plane.call('SignIn.GetIssuer', acme.owner.token, { id: issuerId }))).reason).toBe(
      'not_found',
    );
    const { issuers } = await plane.expect('SignIn.ListIssuers', acme.owner.token, { organizationId: acme.id });
    expect(issuers).toEqual([]);
    const own = await plane.expect('SignIn.CreateIssuer', acme.owner.token, fields(acme.id));
    const foreign = { organizationId: other.id, platformIssuerIds: { ids: [own.id] } };
    expect(await violated(plane.call('SignIn.UpdateSettings', other.owner.token, foreign))).toEqual([
      'platform_issuer_ids.ids',
    ]);
    await plane.expect('SignIn.DeleteIssuer', acme.owner.token, { id: own.id });
  });
});

describe('an invitation', () => {
  it('is sent to the webhooks of its organization, without its value', async () => {
    const request = { organizationId: acme.id, name: 'hook', url: 'https://hooks.example.com/' };
    const { webhook } = await plane.expect('Webhooks.Create', acme.owner.token, request);
    const inviting = { organizationId: acme.id, email: 'zoe@acme.example', role: 'ROLE_MEMBER' };
    const { invitation, value } = await plane.expect('Invitations.Create', acme.owner.token, inviting);
    const { deliveries } = await plane.expect('Webhooks.ListDeliveries', acme.owner.token, {
      webhookId: webhook.id,
    });
    const delivery = await plane.expect('Webhooks.GetDelivery', acme.owner.token, { id: deliveries[0].id });
    const event = JSON.parse(delivery.payload);
    expect(event).toMatchObject({ type: 'invitation.created', data: { organizationId: acme.id } });
    expect(event.data.invitation).toMatchObject({ id: invitation.id, email: 'zoe@acme.example', role: 'ROLE_MEMBER' });
    expect(delivery.payload).not.toContain(value);
  });
});

describe('an organization’s issuer', () => {
  it('accepts a private key of the gateway in place of a secret', async () => {
    const { privateKey, publicJwk } = createSigningKey('client-key');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { secret: _none, ...bare } = fields(acme.id);
    const request = { ...bare, privateKey: pem, privateKeyId: 'client-key' };
    const made = await plane.expect('SignIn.CreateIssuer', acme.owner.token, request);
    expect(made).toMatchObject({ hasSecret: false, hasPrivateKey: true, privateKeyId: 'client-key' });
    expect(JSON.stringify(made)).not.toContain('PRIVATE');
    serve(made.id, publicJwk);
    await plane.expect('SignIn.UpdateIssuer', acme.owner.token, {
      id: made.id,
      unknownPerson: 'UNKNOWN_PERSON_MEMBER',
    });
    issuer.accounts.set('kay', { name: 'Kay' });
    const browser = newBrowser(made.id);
    await browser.signIn('kay');
    expect(await personOf(browser)).toMatchObject({ name: 'Kay', role: 'ROLE_MEMBER' });
    // Another key is refused by the issuer.
    const another = createSigningKey('client-key').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await plane.expect('SignIn.UpdateIssuer', acme.owner.token, { id: made.id, privateKey: another });
    expect(await newBrowser(made.id).signIn('kay')).toBe(refusedTo);
    const wrong = { ...bare, name: freshName('issuer'), privateKey: 'no key' };
    expect(await violated(plane.call('SignIn.CreateIssuer', acme.owner.token, wrong))).toEqual(['private_key']);
    expect(plane.logs.join('')).not.toContain('PRIVATE KEY');
    await plane.expect('SignIn.DeleteIssuer', acme.owner.token, { id: made.id });
  });

  it('is trusted with addresses in verified domains alone, and an identity can be taken away', async () => {
    const made = await plane.expect('SignIn.CreateIssuer', acme.owner.token, { ...fields(acme.id), trustEmail: true });
    serve(made.id);
    const { id } = await createPerson(plane, acme, 'ROLE_MEMBER');
    await plane.expect('People.Update', acme.owner.token, { id, email: 'tia@trusted.example' });
    issuer.accounts.set('tia', { email: 'tia@trusted.example', email_verified: false, name: 'Tia' });
    expect(await newBrowser(made.id).signIn('tia')).toBe(refusedTo);
    const domain = await plane.expect('SignIn.AddDomain', platform.token, {
      organizationId: acme.id,
      domain: 'trusted.example',
    });
    await plane.expect('SignIn.CheckDomain', platform.token, { id: domain.id, vouch: true });
    const browser = newBrowser(made.id);
    await browser.signIn('tia');
    expect((await personOf(browser)).id).toBe(id);
    const { identities } = await plane.expect('SignIn.ListIdentities', acme.admin.token, { personId: id });
    expect(identities).toEqual([expect.objectContaining({ issuerId: made.id, subject: 'tia', personId: id })]);
    const gone = await plane.expect('SignIn.DeleteIdentity', acme.admin.token, { id: identities[0].id });
    expect(gone).toEqual({ sessionsEnded: 1 });
    expect((await browser.token()).status).toBe(401);
  });
});
