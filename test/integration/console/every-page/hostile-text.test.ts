// Hostile text in everything that an operator, a caller or a vendor can name: no page runs it, and the content security
// policy has nothing to refuse, because the page never makes markup of a text.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillGateway } from '../../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../../support/gateway.ts';
import { scimClient } from '../../../support/scim.ts';

const payloads = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  "';alert(1);//",
  'javascript:alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template's form as text
  '${alert(1)}',
  '</title><script>alert(1)</script>',
] as const;
/** Every payload at once, in the length of a name. */
const name = payloads.slice(0, 3).join(' ');

let gateway: TestGateway;
let console: ConsolePage;
let keyId: string;
let requestId: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ keyId, requestId } = await fillGateway(gateway, name));
  const { api, id } = gateway.organization;
  const trusted = {
    name,
    url: 'https://login.example.com',
    clientId: payloads[0],
    roles: [{ claim: payloads[1], value: payloads[2], role: 'member' }],
  };
  const issuer = await api.call('SignIn/CreateIssuer', { organizationId: id, ...trusted });
  await api.call('ProviderKeys/Create', {
    organizationId: id,
    provider: 'assistant-provider',
    name,
    secret: { apiKey: payloads[0] },
  });
  await gateway.platform.call('ProxyTokens/Create', { name });
  await api.call('Organizations/UpdateSettings', { id, name });
  const { value } = await api.call('ScimTokens/Create', { issuerId: issuer.id, name });
  const scim = scimClient(gateway.controlPlane.httpPort, String(value));
  await scim.user({ displayName: 'provisioned', externalId: payloads.join(' ') });
  for (const [index, payload] of payloads.entries()) {
    await gateway.organization.createKey({ name: `${index} ${payload}`, metadata: { entries: { note: payload } } });
  }
  console = await openConsole(gateway, { token: gateway.organization.ownerToken });
});
afterAll(async () => {
  await console.close();
  await gateway.close();
});

it('every page shows hostile names as text', async () => {
  const models = ['models', ...['models', 'keys', 'routes', 'providers', 'prices'].map((tab) => `models?tab=${tab}`)];
  const paths = ['', 'spend?by=key', 'requests', `requests/${requestId}`, 'guardrails', ...models];
  const signIn = ['sign-in', 'sign-in?tab=invitations', 'sign-in?tab=domains', 'sign-in?tab=settings'];
  const plain = [
    'access',
    'organization',
    'people',
    'service-accounts',
    'ai-systems',
    'limits',
    'webhooks',
    'stops',
    'audit',
    'tokens',
  ];
  const settings = [...plain, ...signIn];
  for (const path of [...paths, ...settings.map((one) => `settings/${one}`), `settings/access/${keyId}`]) {
    await console.open(path);
  }
  expect(await console.page.title()).toContain(name);
  await console.open('settings/access');
  await console.page.getByRole('row', { name: `7 ${payloads[7]}` }).waitFor();
  await console.page.getByRole('row', { name: `5 ${payloads[5]}` }).click();
  await console.page.getByRole('heading', { level: 1, name: `5 ${payloads[5]}` }).waitFor();
  expect(console.faults).toEqual([]);
});

it('an issuer’s id of a person is text', async () => {
  const { page } = console;
  await console.open('settings/people');
  await page.getByRole('button', { name: 'Actions for provisioned' }).click();
  await page.getByRole('menuitem', { name: 'Identities' }).click();
  await page.getByRole('dialog').getByText(payloads.join(' ')).waitFor();
  await page.keyboard.press('Escape');
  expect(console.faults).toEqual([]);
});

it('every page of the platform shows hostile names as text', async () => {
  const platform = await openConsole(gateway, { token: gateway.secrets.platformToken });
  const paths = [
    'organizations',
    `organizations/${gateway.organization.id}`,
    'proxies',
    'proxies?tab=tokens',
    'stops',
    'audit',
  ];
  for (const path of paths) await platform.open(`platform/${path}`);
  await platform.open('platform/organizations');
  await platform.page.getByRole('row', { name }).click();
  await platform.page.getByRole('heading', { level: 1, name }).waitFor();
  expect(platform.faults).toEqual([]);
  await platform.close();
});

it('every field takes hostile text as text, and so does every part of the address', async () => {
  const { page } = console;
  console.expectStatus(400);
  console.expectStatus(404);
  const every = payloads.join(' ');
  const search = new URLSearchParams({ q: every, tab: every, period: every, by: every, key: every });
  for (const path of ['settings/access', 'spend', 'requests', 'models']) await console.open(`${path}?${search}`);
  await console.open(`requests/${encodeURIComponent(every)}`);
  const forms = [
    { path: 'settings/access', open: 'Create key', submit: 'Create key' },
    { path: 'settings/people', open: 'Add person', submit: 'Add person' },
    { path: 'settings/service-accounts', open: 'Add service account', submit: 'Add service account' },
    { path: 'settings/stops', open: 'Stop something', submit: 'Stop it now' },
    { path: 'settings/sign-in?tab=provisioning', open: 'Make token', submit: 'Make token' },
    { path: 'settings/sign-in?tab=domains', open: 'Add domain', submit: 'Add domain' },
    { path: 'settings/webhooks', open: 'Add webhook', submit: 'Add webhook' },
    { path: 'settings/limits', open: 'Create limit', submit: 'Create limit' },
    { path: 'guardrails', open: 'Create guardrail', submit: 'Create guardrail' },
    { path: 'models?tab=routes', open: 'Create route', submit: 'Create route' },
    { path: 'models?tab=prices', open: 'Add price', submit: 'Add price' },
    { path: 'models?tab=keys', open: 'Add provider key', submit: 'Add key' },
    { path: 'models?tab=providers', open: 'Add custom provider', submit: 'Add provider' },
    { path: 'settings/ai-systems', open: 'Add AI system', submit: 'Add AI system' },
    { path: 'settings/tokens', open: 'Make token', submit: 'Make token' },
    { path: 'settings/sign-in', open: 'Add issuer', submit: 'Add issuer' },
    { path: 'settings/sign-in?tab=invitations', open: 'Invite', submit: 'Invite' },
    { path: 'settings/sign-in?tab=domains', open: 'Add domain', submit: 'Add domain' },
  ];
  for (const { path, open, submit } of forms) {
    await console.open(path);
    await page.getByRole('button', { name: open, exact: true }).first().click();
    const fields = page
      .getByRole('dialog')
      .locator('input:is([type=text], [type=url], [type=email], [type=password]), textarea');
    for (const [index, field] of (await fields.all()).entries())
      await field.fill(payloads[index % payloads.length] ?? '');
    await page.getByRole('dialog').getByRole('button', { name: submit }).click();
  }
  expect(console.faults).toEqual([]);
});
