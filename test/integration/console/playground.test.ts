// The playground in a browser: a key made for it, a request in each format to a proxy of another origin, its end by the
// reader, and what the gateway recorded. Without the setting there is no playground.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { startPlaygroundGateway } from '../../support/playground-gateway.ts';

let gateway: TestGateway;
let console: ConsolePage;
let page: Page;

beforeAll(async () => {
  gateway = await startPlaygroundGateway();
  console = await openConsole(gateway, { token: gateway.organization.ownerToken });
  page = console.page;
});
afterAll(async () => {
  await console.close();
  await gateway.close();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const output = () => page.getByLabel('Text of the response');

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

it('sends a request of each format with a key of its own, and shows what it cost', async () => {
  await console.open('playground');
  await button('Make a key for an hour').click();
  await page.getByText('The page has a key of yours for an hour.').waitFor();
  // The row of a request is there some seconds after its end.
  console.expectStatus(404);
  for (const format of ['Chat completions', 'Messages', 'Responses', 'generateContent', 'Converse']) {
    await choose('Format', format);
    await button('Send').click();
    await page.getByText('In all').waitFor();
    expect([format, (await output().textContent())?.length]).toEqual([format, expect.any(Number)]);
    expect(await output().textContent(), format).not.toBe('');
  }
  await page.getByText('Cost', { exact: true }).waitFor();
  const { api, id: organizationId, ownerId } = gateway.organization;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const { virtualKeys } = await api.call('VirtualKeys/List', { organizationId, text: 'Playground', endsBefore: until });
  const scope = { kind: 'KEY_SCOPE_KIND_PERSON', id: ownerId };
  expect(virtualKeys).toMatchObject([{ metadata: { 'made-for': 'playground' }, scope }]);
});

it('shows a refusal with what to do, and the request as code without the key', async () => {
  console.expectStatus(404);
  await page.getByLabel('Model or route').fill('gpt-provider/no-such-model');
  await choose('Format', 'Chat completions');
  await button('Send').click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: /^Request / }).waitFor();
  const code = page.getByRole('region', { name: 'request as code' });
  expect(await code.textContent()).toContain('$MODEL_GATEWAY_KEY');
  expect(await code.textContent()).not.toContain('gw-vk-');
  await choose('Program', 'SDK, Python');
  expect(await code.textContent()).toContain('from openai import OpenAI');
});

it('breaks no policy of the page, and is accessible', async () => {
  expect(console.faults).toEqual([]);
  expect(await console.accessibility()).toEqual([]);
});

it('is not there without the setting', async () => {
  const plain = await startGateway();
  const other = await openConsole(plain, { token: plain.organization.ownerToken });
  try {
    expect(await other.page.getByRole('link', { name: 'Playground' }).count()).toBe(0);
    const response = await fetch(`http://127.0.0.1:${plain.controlPlane.httpPort}/console/`);
    expect(response.headers.get('content-security-policy')).toContain("connect-src 'self';");
  } finally {
    await other.close();
    await plain.close();
  }
});
