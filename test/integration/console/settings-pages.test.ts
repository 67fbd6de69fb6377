// Pages that an owner and a platform operator use seldom, each with its main job, against both planes.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chat } from '../../support/console-content.ts';
import { type ConsolePage, openConsole } from '../../support/console-page.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { until } from '../../support/process.ts';

let gateway: TestGateway;
let console: ConsolePage;
let page: Page;

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
  expect(await console.accessibility()).toEqual([]);
  const operator = await openConsole(gateway, { token: gateway.secrets.platformToken });
  await operator.open('platform/proxies');
  const provider = operator.page.getByRole('grid', { name: 'Providers' }).getByRole('row', { name: /gpt-provider/ });
  expect(await provider.textContent()).toContain('errors of the vendor (5xx)');
  expect(await operator.accessibility()).toEqual([]);
  expect([...console.faults, ...operator.faults]).toEqual([]);
  await operator.close();
  gateway.simulator.reset();
});
