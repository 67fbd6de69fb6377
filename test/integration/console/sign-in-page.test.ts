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
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  await atIssuer(page, 'ada');
  await page.waitForURL('**/console/settings/tokens');
  await settled(page);
  await page.getByRole('button', { name: 'Make token' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('laptop');
  await dialog.getByRole('button', { name: 'Make token' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${issuer.url}/session/end**`);
  expect(faults.filter((fault) => fault.includes('/console/'))).toEqual([]);
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
