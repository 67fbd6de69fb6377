// The pages on which a person allows gatewayctl to act for them: on the same machine, and by a device's code.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole } from '../../../support/console-page.ts';
import { createGatewayctl, type Gatewayctl } from '../../../support/gatewayctl.ts';
import {
  bootstrap,
  createTenant,
  type OperatorsPlane,
  startOperatorsPlane,
  type TestTenant,
} from '../../../support/operators.ts';

let plane: OperatorsPlane;
let acme: TestTenant;
let gatewayctl: Gatewayctl;

beforeAll(async () => {
  plane = await startOperatorsPlane();
  acme = await createTenant(plane, await bootstrap(plane), 'acme');
  gatewayctl = createGatewayctl();
  await gatewayctl.expect(`context add local --server 127.0.0.1:${plane.plane.grpcPort}`);
});
afterAll(async () => {
  gatewayctl.remove();
  await plane.close();
});

it('a member allows gatewayctl on this machine, and a device after its code', async () => {
  const { page, faults, ...opened } = await openConsole({ controlPlane: plane.plane }, { token: acme.member.token });
  const base = `http://127.0.0.1:${plane.plane.httpPort}/console/`;
  const run = (line: string) => {
    const shown = Promise.withResolvers<string>();
    return { shown: shown.promise, running: gatewayctl.run(line, { onSay: shown.resolve }) };
  };
  const here = run(`login --console ${base}`);
  await page.goto((await here.shown).split('\n')[1] ?? '');
  await page.getByText('It would act as you').waitFor();
  expect(await opened.accessibility()).toEqual([]);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('You can close this page').waitFor();
  expect((await here.running).code).toBe(0);
  expect((await gatewayctl.json('whoami')).personId).toBe(acme.member.id);

  const device = run(`login --console ${base} --device`);
  const [, code = ''] = /type the code ([A-Z-]+)/.exec(await device.shown) ?? [];
  await opened.load('device');
  await page.getByLabel('Code that the program shows').fill('BBBB-BBBB');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('No program waits with this code.').waitFor();
  await page.getByLabel('Code that the program shows').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(/gatewayctl-on-.* wants access/).waitFor();
  expect(await opened.accessibility()).toEqual([]);
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('The program is allowed.').waitFor();
  expect((await device.running).code).toBe(0);
  expect(faults.filter((fault) => !fault.includes('favicon'))).toEqual([]);
  await opened.close();
});
