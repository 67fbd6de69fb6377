// Provisioned people who sign in at their issuer: they are found by their external id, and their groups give the role.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LoginBrowser, personOf, refusedTo } from '../../support/login-browser.ts';
import { createPerson } from '../../support/operators.ts';
import { personNamed, type ScimClient, scimClient, scimGroup } from '../../support/scim.ts';
import { startTwoIssuers, type TwoIssuers } from '../../support/two-issuers.ts';

let world: TwoIssuers;
let scim: ScimClient;

beforeAll(async () => {
  world = await startTwoIssuers();
  const { plane, acme, issuerId } = world;
  const made = await plane.expect('ScimTokens.Create', acme.owner.token, { issuerId, name: 'test' });
  scim = scimClient(plane.plane.httpPort, made.value, issuerId);
});
afterAll(async () => {
  await world?.close();
});

it('signs in as the provisioned person with the role of a provisioned group, until they are deactivated', async () => {
  const { plane, acme, issuer, issuerId } = world;
  const user = await scim.user({ externalId: 'gia', displayName: 'Gia' });
  issuer.accounts.set('gia', { name: 'Somebody', email: 'other@example.com' });
  // The issuer refuses whom no row fits.
  const browser = new LoginBrowser(plane, issuerId);
  expect(await browser.signIn('gia')).toBe(refusedTo);
  const group = { schemas: [scimGroup], displayName: 'admins', members: [{ value: user.id }] };
  const { json: made } = await scim.send('POST', '/Groups', group);
  await browser.signIn('gia');
  const { id } = await personNamed(plane, acme, 'Gia');
  expect(await personOf(browser)).toMatchObject({ id, name: 'Gia', role: 'ROLE_ADMIN' });
  await scim.send('DELETE', `/Groups/${made.id}`);
  expect((await browser.token()).status).toBe(401);
  await scim.send('POST', '/Groups', group);
  await browser.signIn('gia');
  expect((await browser.token()).status).toBe(200);
  await scim.patch(`/Users/${user.id}`, { op: 'replace', path: 'active', value: false });
  expect((await browser.token()).status).toBe(401);
  expect(await browser.signIn('gia')).toBe(refusedTo);
});

it('gets no way to sign in as somebody by their address alone', async () => {
  const { plane, acme, issuer, issuerId } = world;
  const victim = await createPerson(plane, acme, 'ROLE_ADMIN');
  await plane.expect('People.Update', acme.owner.token, { id: victim.id, email: 'vic@example.com' });
  await scim.user({ externalId: 'mallory', emails: [{ value: 'vic@example.com' }] });
  issuer.accounts.set('mallory', { name: 'Mallory', email: 'mallory@example.com', email_verified: true });
  const browser = new LoginBrowser(plane, issuerId);
  expect(await browser.signIn('mallory')).toBe(refusedTo);
  issuer.accounts.set('vic', { name: 'Vic', email: 'vic@example.com', email_verified: true });
  const own = new LoginBrowser(plane, issuerId);
  await own.signIn('vic');
  expect(await personOf(own)).toMatchObject({ id: victim.id, role: 'ROLE_ADMIN' });
});

it('follows a changed external id, which ends the sessions of the former one', async () => {
  const { plane, issuer, issuerId } = world;
  const user = await scim.user({ externalId: 'old', displayName: 'Moved' });
  await scim.send('POST', '/Groups', { displayName: 'admins', members: [{ value: user.id }] });
  const browser = new LoginBrowser(plane, issuerId);
  issuer.accounts.set('old', { name: 'Old' });
  await browser.signIn('old');
  await scim.patch(`/Users/${user.id}`, { op: 'replace', path: 'externalId', value: 'new' });
  expect((await browser.token()).status).toBe(401);
  issuer.accounts.set('new', { name: 'New' });
  const next = new LoginBrowser(plane, issuerId);
  await next.signIn('new');
  expect(await personOf(next)).toMatchObject({ name: 'Moved', role: 'ROLE_ADMIN' });
  const other = await scim.user({ externalId: 'other' });
  const stolen = await scim.patch(`/Users/${other.id}`, { op: 'replace', path: 'externalId', value: 'new' });
  expect([stolen.status, stolen.json.scimType]).toEqual([409, 'uniqueness']);
});
