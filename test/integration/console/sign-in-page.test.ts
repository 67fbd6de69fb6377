// The sign-in page in a real browser, at an issuer on this machine: by organization, by e-mail address, by invitation,
// refused, again for a change, and out.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole, settled } from '../../support/console-page.ts';
import { createIssuer, issuerPlane } from '../../support/login-browser.ts';
import { type OidcIssuer, startOidcIssuer } from '../../support/oidc-issuer.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  type Someone,
  startOperatorsPlane,
  type TestTenant,
} from '../../support/operators.ts';

let issuer: OidcIssuer;
let plane: OperatorsPlane;
let platform: Someone;
let acme: TestTenant;

beforeAll(async () => {
  issuer = await startOidcIssuer();
  plane = await startOperatorsPlane(issuerPlane(issuer));
  platform = await bootstrap(plane);
  acme = await createTenant(plane, platform, 'acme');
  await createIssuer(plane, acme, issuer);
  issuer.accounts.set('ada', { email: 'ada@acme.example', email_verified: true, name: 'Ada', groups: ['admins'] });
});
afterAll(async () => {
  await plane.close();
  await issuer.close();
});

const open = () => openConsole({ controlPlane: plane.plane }, { token: undefined });

async function atIssuer(page: Page, subject: string): Promise<void> {
  await page.waitForURL(`${issuer.url}/**`);
  await page.locator('input[name=login]').fill(subject);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}

it('an organization’s page leads to its issuer and back, again for a change, and out of both', async () => {
  const { page, faults, expectStatus, ...opened } = await open();
  expectStatus(403);
  await page.goto(new URL('o/acme', page.url()).href);
  await page.getByRole('button', { name: /^Continue with issuer/ }).click();
  await atIssuer(page, 'ada');
  await settled(page);
  expect(await page.getByText('Ada · admin').count()).toBe(1);
  // The first sign-in says nothing of when the person proved who they are.
  await opened.open('settings/tokens');
  await page.getByRole('button', { name: 'Make token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill('laptop');
  await dialog.getByRole('button', { name: 'Make token' }).click();
  const opening = page.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  expect(await opened.accessibility()).toEqual([]);
  await atIssuer(await opening, 'ada');
  // The change is made without another click, with what was typed.
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('row', { name: /laptop/ }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${issuer.url}/session/end**`);
  expect(faults.filter((fault) => fault.includes('/console/'))).toEqual([]);
  await opened.close();
});

it('after a sign-in with a token, a change waits for another one of the same person, and nothing is stored', async () => {
  const { page, faults, expectStatus, ...opened } = await openConsole(
    { controlPlane: plane.plane },
    { token: acme.owner.token },
  );
  for (const status of [401, 403]) expectStatus(status);
  const invite = async (email: string) => {
    await opened.open('settings/sign-in?tab=invitations');
    plane.clock.offsetMs += 16 * 60_000;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  };
  const again = page.getByRole('dialog', { name: 'Sign in again' });
  const signIn = async (token: string) => {
    await again.getByLabel('Operator token').fill(token);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  await invite('first@acme.example');
  await signIn('gw-op-no-such-token');
  await again.getByRole('alert').waitFor();
  const names = await page.evaluate<string>('[...Object.keys(sessionStorage), ...Object.keys(localStorage)].join()');
  expect(names).toBe('model-gateway-theme');
  await signIn(acme.owner.token);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('row', { name: /first@acme/ }).waitFor();

  await invite('second@acme.example');
  await again.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByText('Try again').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  await signIn(acme.admin.token);
  await page.getByText('Another person has signed in').waitFor();
  const { invitations } = await plane.expect('Invitations.List', acme.owner.token, { organizationId: acme.id });
  expect(invitations).toMatchObject([{ email: 'first@acme.example' }]);
  expect(faults).toEqual([]);
  plane.clock.offsetMs = 0;
  await opened.close();
});

it('an e-mail address leads to the issuers of its domain, and an unknown one says what to do', async () => {
  const { id } = await plane.expect('SignIn.AddDomain', platform.token, {
    organizationId: acme.id,
    domain: 'acme.example',
  });
  await plane.expect('SignIn.CheckDomain', platform.token, { id, vouch: true });
  const { page, faults, ...opened } = await open();
  await page.getByLabel('E-mail address').fill('bob@elsewhere.example');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByText('There is no issuer for this address.').waitFor();
  await page.getByLabel('E-mail address').fill('bob@acme.example');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: /^Continue with issuer/ }).waitFor();
  expect(await opened.accessibility()).toEqual([]);
  expect(faults).toEqual([]);
  await opened.close();
});

it('somebody unknown is refused in words, until an invitation lets them in', async () => {
  issuer.accounts.set('mo', { email: 'mo@acme.example', name: 'Mo', groups: [] });
  const { page, faults, ...opened } = await open();
  await page.goto(new URL('o/acme', page.url()).href);
  await page.getByRole('button', { name: /^Continue with issuer/ }).click();
  await atIssuer(page, 'mo');
  await page.getByText('The sign-in was refused.').waitFor();
  expect(page.url()).not.toContain('error');
  const { value } = await plane.expect('Invitations.Create', acme.owner.token, {
    organizationId: acme.id,
    email: 'mo@acme.example',
    role: 'ROLE_MEMBER',
  });
  const base = page.url();
  await page.goto('about:blank');
  await page.goto(`${base}#invitation=${value}`);
  await page.getByText('You are invited.').waitFor();
  expect(page.url()).toBe(base);
  // The issuer knows the browser already.
  await page.getByRole('button', { name: /^Continue with issuer/ }).click();
  await settled(page);
  expect(await page.getByText('Mo · member').count()).toBe(1);
  expect(faults.filter((fault) => fault.includes('/console/'))).toEqual([]);
  await opened.close();
});

it('shows nothing of an error that it does not know', async () => {
  const { page, faults, ...opened } = await open();
  await page.goto(`${page.url()}?error=${encodeURIComponent('Call +1 555 0100 to unlock <b>now</b>')}`);
  await page.getByText('The sign-in did not work.').waitFor();
  expect(await page.textContent('body')).not.toContain('555');
  expect(faults).toEqual([]);
  await opened.close();
});
