// Pages that an owner and a platform operator use seldom, each with its main job, against both planes.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceAccount } from '../../../proto/generated/gateway/v1/ServiceAccount.ts';
import { chat } from '../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';
import { scimClient } from '../../support/scim.ts';

let gateway: TestGateway;
let console: ConsolePage;
let page: Page;

const dialog = () => page.getByRole('dialog');
const hostile = '"><img src=x onerror=alert(1)>';

beforeAll(async () => {
  gateway = await startGateway();
  console = await openConsole(gateway, { token: gateway.organization.ownerToken });
  page = console.page;
});
afterAll(async () => {
  await console.close();
  await gateway.close();
});

it('Models, Proxies: what a proxy has ejected is shown with its reason', async () => {
  const { id: organizationId, api } = gateway.organization;
  const key = await gateway.organization.createKey({ name: 'health' });
  gateway.simulator.script({ status: 500 }, { times: 99, when: () => true });
  for (let call = 0; call < 5; call++) await chat(gateway.proxy.url, key.value, 'gpt-provider/gpt-4o-mini');
  await until(
    async () => {
      const { count } = await api.call('Models/List', { organizationId, ejectedOrLimited: true });
      return count === 1;
    },
    { what: 'the proxy’s report' },
  );
  await console.open('models?tab=list&state=out');
  const row = page.getByRole('row', { name: 'gpt-provider/gpt-4o-mini', exact: true });
  await row.getByText('ejected by 1 of 1').click();
  await page.getByText('errors of the vendor (5xx)').waitFor();
  const operator = await openConsole(gateway, { token: gateway.secrets.platformToken });
  await operator.open('platform/proxies');
  const provider = operator.page.getByRole('grid', { name: 'Providers' }).getByRole('row', { name: /gpt-provider/ });
  expect(await provider.textContent()).toContain('errors of the vendor (5xx)');
  expect([...console.faults, ...operator.faults]).toEqual([]);
  await operator.close();
  gateway.simulator.reset();
});

it('Service accounts: one is added with two trust rows, switched off, changed and deleted', async () => {
  const { api, id: organizationId } = gateway.organization;
  const stored = async () => {
    const { serviceAccounts } = await api.call('ServiceAccounts/List', { organizationId });
    return (serviceAccounts as ServiceAccount[])[0];
  };
  await console.open('settings/service-accounts');
  await page.getByRole('button', { name: 'Add service account' }).click();
  await dialog().getByLabel('Name').fill(hostile);
  const row = (index: number) => dialog().getByRole('group', { name: `Trust ${index}` });
  await row(1).getByLabel('Issuer').fill('https://token.actions.githubusercontent.com');
  await row(1).getByLabel('Subject').fill('repo:acme/app:*');
  await row(1).getByLabel('Further claims').fill('environment=production');
  await dialog().getByRole('button', { name: 'Add a trust row' }).click();
  await row(2).getByLabel('Issuer').fill('https://gitlab.example.com');
  await row(2).getByLabel('Subject').fill('project_path:acme/app');
  await dialog().getByLabel('Name').press('Enter');
  await dialog().waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({
    ...{ name: hostile, role: 'ROLE_MEMBER', active: true },
    trust: [
      {
        ...{ issuer: 'https://token.actions.githubusercontent.com', audience: 'model-gateway' },
        claims: [
          { claim: 'environment', value: 'production' },
          { claim: 'sub', value: 'repo:acme/app:*' },
        ],
      },
      { issuer: 'https://gitlab.example.com', claims: [{ claim: 'sub', value: 'project_path:acme/app' }] },
    ],
  });
  // With the keyboard: from the row to its fifth cell, where the focus stays.
  await page.getByRole('row', { name: hostile }).focus();
  for (let cells = 0; cells < 5; cells++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.getByText('off', { exact: true }).waitFor();
  expect(await page.evaluate('document.activeElement.ariaLabel')).toBe(`${hostile} active`);
  expect(await dialog().count()).toBe(0);
  expect((await stored())?.active).toBe(false);
  await page.getByRole('button', { name: `Actions for ${hostile}` }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await row(2).getByRole('button', { name: 'Remove this row' }).click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect((await stored())?.trust).toHaveLength(1);
  await page.getByRole('row', { name: hostile }).click();
  await dialog().getByText('never').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Actions for ${hostile}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog().getByRole('button', { name: 'Delete service account' }).click();
  await page.getByText('There is no service account').waitFor();
  expect(console.faults).toEqual([]);
});

it('Sign-in, People: a token of SCIM is shown once, provisions somebody, and is revoked; an identity is unlinked', async () => {
  const { api, id: organizationId } = gateway.organization;
  const issuer = { organizationId, name: 'okta', url: 'https://acme.okta.example', clientId: 'gateway' };
  await api.call('SignIn/CreateIssuer', issuer);
  await console.open('settings/sign-in?tab=provisioning');
  await page.getByRole('button', { name: 'Make token' }).click();
  await dialog().getByLabel('Name').fill(hostile);
  await dialog().getByRole('button', { name: 'Make token' }).click();
  const value = (await page.getByRole('region', { name: 'SCIM token', exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await page.content()).not.toContain(value);
  const token = page.getByRole('row', { name: hostile });
  await token.getByText('never').waitFor();
  await scimClient(gateway.controlPlane.httpPort, value).user({ displayName: 'Ada', externalId: 'okta-ada' });
  await console.load('settings/sign-in?tab=provisioning');
  await token.getByText(/now|second/).waitFor();
  await token.getByRole('button', { name: 'Revoke' }).click();
  await dialog().getByRole('button', { name: 'Revoke token' }).click();
  await token.getByText('revoked').waitFor();

  await console.open('settings/people');
  await page.getByRole('button', { name: 'Actions for Ada' }).click();
  await page.getByRole('menuitem', { name: 'Identities' }).click();
  await dialog().getByText('okta-ada').waitFor();
  await dialog().getByRole('button', { name: 'Unlink' }).click();
  await dialog().getByRole('button', { name: 'Unlink' }).click();
  await dialog().getByText('No identity').waitFor();
  await page.keyboard.press('Escape');
  expect(console.faults).toEqual([]);
});

it('Platform: an operator vouches for a domain of an organization', async () => {
  const { api, id: organizationId } = gateway.organization;
  await api.call('SignIn/AddDomain', { organizationId, domain: 'acme.example' });
  const operator = await openConsole(gateway, { token: gateway.secrets.platformToken });
  await operator.open(`platform/organizations/${organizationId}`);
  const domain = operator.page.getByRole('row', { name: 'acme.example' });
  await domain.getByText('not verified').waitFor();
  await domain.getByRole('button', { name: 'Actions for acme.example' }).click();
  await operator.page.getByRole('menuitem', { name: 'Vouch for it' }).click();
  await operator.page.getByRole('dialog').getByRole('button', { name: 'Vouch for it' }).click();
  await domain.getByText('vouched for').waitFor();
  expect(operator.faults).toEqual([]);
  const { domains } = await api.call('SignIn/ListDomains', { organizationId });
  expect(domains).toMatchObject([{ domain: 'acme.example', state: 'SIGN_IN_DOMAIN_STATE_VOUCHED' }]);
  await operator.close();
});

it('Limits: a budget gets thresholds, and another calendar makes another budget that counts on', async () => {
  const { api, id: organizationId } = gateway.organization;
  const subject = { kind: 'organization', id: organizationId };
  const made = await api.call('Limits/Create', {
    ...{ organizationId, subject, kind: 'budget', amountUsd: '50', period: 'month' },
  });
  const stored = async () => (await api.call('Limits/List', { organizationId })).limits;
  await console.open('settings/limits');
  const change = async () => {
    await page.getByRole('button', { name: /^Actions for \$/ }).click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
  };
  const save = async () => {
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  await change();
  await dialog().getByLabel('Amount in USD').fill('60');
  await dialog().getByLabel('Notify at percents').fill('70, 90');
  await save();
  expect(await stored()).toMatchObject([{ id: made.id, amountUsd: '60', thresholds: { percents: [70, 90] } }]);
  await change();
  await dialog().getByLabel('Begins on the day of the month').fill('15');
  await dialog().getByText('another budget with an id of its own').waitFor();
  await save();
  const limits = await stored();
  expect(limits).toMatchObject([
    {
      amountUsd: '60',
      startsOn: { dayOfMonth: 15 },
      thresholds: { percents: [70, 90] },
      subject: { id: organizationId },
    },
  ]);
  expect(limits).not.toMatchObject([{ id: made.id }]);
  expect(console.faults).toEqual([]);
});

it('Access: keys of the playground are hidden until they are wanted, and no other key can hide so', async () => {
  const { createKey } = gateway.organization;
  const marked = { metadata: { entries: { 'made-for': 'playground' } } };
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  await createKey({ name: 'tried out', ...marked, endsAt: inHours(1) });
  await createKey({ name: 'lasts a day', ...marked, endsAt: inHours(24) });
  await createKey({ name: 'never ends', ...marked });
  await console.open('settings/access');
  const row = (name: string) => page.getByRole('row', { name });
  for (const name of ['lasts a day', 'never ends']) await row(name).waitFor();
  expect(await row('tried out').count()).toBe(0);
  await page.getByRole('button', { name: /Of the playground/ }).click();
  await page.getByRole('option', { name: 'shown' }).click();
  await row('tried out').waitFor();
  expect(page.url()).toContain('playground=shown');
  expect(console.faults).toEqual([]);
});
