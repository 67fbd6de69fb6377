// The page of issuers, invitations and e-mail domains: an owner makes each, and copies what they need.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole } from '../../../support/console-page.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../../support/operators.ts';

let plane: OperatorsPlane;
let acme: TestTenant;
const records = new Map<string, readonly string[]>();

beforeAll(async () => {
  plane = await startOperatorsPlane({ readTxt: async (name) => records.get(name) ?? [] });
  acme = await createTenant(plane, await bootstrap(plane), 'acme');
});
afterAll(() => plane.close());

it('an owner adds an issuer, invites somebody, proves a domain and names the sign-in page', async () => {
  const { page, faults, ...opened } = await openConsole({ controlPlane: plane.plane }, { token: acme.owner.token });
  const dialog = page.getByRole('dialog');
  await opened.open('settings/sign-in');
  await page.getByRole('button', { name: 'Add issuer' }).first().click();
  await dialog.getByLabel('Name', { exact: true }).fill('okta');
  await dialog.getByLabel('URL').fill('https://acme.okta.example');
  await dialog.getByLabel('Client id').fill('gateway');
  await dialog.getByLabel('Client secret').fill('a-secret-nobody-sees');
  await dialog.getByLabel('Roles by claims').fill('groups=admins:admin\ngroups=staff:member');
  await dialog.getByRole('button', { name: 'Add issuer' }).click();
  const redirect = await page.getByRole('region', { name: 'redirect URI' }).textContent();
  const { issuers } = await plane.expect('SignIn.ListIssuers', acme.owner.token, { organizationId: acme.id });
  expect(redirect).toBe(`http://127.0.0.1:${plane.plane.httpPort}/console/auth/callback/${issuers[0].id}`);
  expect(issuers[0]).toMatchObject({ name: 'okta', hasSecret: true, roles: [{ value: 'admins' }, { value: 'staff' }] });
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /okta/ }).waitFor();

  await page.getByRole('tab', { name: 'Invitations' }).click();
  await page.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByLabel('E-mail').fill('mo@acme.example');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  const link = await page.getByRole('region', { name: 'invitation link' }).textContent();
  expect(link).toMatch(/\/console\/#invitation=gw-inv-\w{49}$/);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('button', { name: 'Withdraw' }).click();
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('There is no open invitation').waitFor();

  await page.getByRole('tab', { name: 'E-mail domains' }).click();
  await page.getByRole('button', { name: 'Add domain' }).click();
  await dialog.getByLabel('Domain').fill('acme.example');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  const value = (await page.getByRole('region', { name: 'value of the record' }).textContent()) ?? '';
  records.set('_model-gateway.acme.example', [value]);
  await dialog.getByRole('button', { name: 'Check now' }).click();
  await dialog.getByText('verified', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.getByRole('tab', { name: 'Address and times' }).click();
  await page.getByLabel('Name in the address').fill('acme-inc');
  await page.getByLabel('Minutes until an unused session ends').fill('20');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/console/o/acme-inc').waitFor();
  expect(await opened.accessibility()).toEqual([]);
  expect(faults).toEqual([]);
  await opened.close();
});
