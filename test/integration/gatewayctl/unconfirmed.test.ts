// Unconfirmed money of a killed proxy: it is listed, and released in parts and as a whole.
import { expect, it } from 'vitest';
import { chatRequest, startGateway } from '../../support/gateway.ts';
import { loggedIn } from '../../support/gatewayctl.ts';
import { MovableClock } from '../../support/operators.ts';
import { until } from '../../support/process.ts';

it('unconfirmed money is listed and released by its budget, window and session', async () => {
  const clock = new MovableClock();
  const gateway = await startGateway({ clock });
  const ctl = await loggedIn(gateway.controlPlane.grpcPort, gateway.organization.ownerToken);
  const budget = await ctl.json('limits create budget --usd 10 --period total');
  const { value } = await gateway.organization.createKey();
  const proxy = await gateway.startProxyProcess();
  expect((await fetch(`${proxy.url}/v1/chat/completions`, chatRequest(value))).status).toBe(200);
  await proxy.child.stop('SIGKILL');
  clock.offsetMs += 5 * 60_000;

  const list = async () => (await ctl.json(`unsettled list --budget ${budget.id}`)).unsettled;
  const [unconfirmed] = await until(async () => (await list()).length > 0 && (await list()), {
    what: 'the silent session to be closed',
  });
  expect(await ctl.expect('unsettled list')).toMatch(/^BUDGET +NAME +WINDOW +SESSION +PROXY +USD +SEEN\n/);
  const line = `unsettled release ${unconfirmed.limitId} ${unconfirmed.window} ${unconfirmed.session}`;
  const requested = await ctl.run(line, { inputs: ['n'] });
  expect(requested.requested[0]).toContain(
    `Release the unconfirmed money of ${budget.id} in the session ${unconfirmed.session}?`,
  );
  expect(await list()).toHaveLength(1);

  const nearlyAll = (Number(unconfirmed.amountUsd) - 0.000000001).toFixed(9);
  await ctl.expect(`${line} --usd ${nearlyAll} --yes`);
  expect((await list())[0].amountUsd).toBe('0.000000001');
  await ctl.expect(`${line} --yes`);
  expect(await list()).toEqual([]);
  expect((await ctl.json(`budgets windows --budget ${budget.id}`)).windows[0].unsettledUsd).toBe('0');
  ctl.remove();
  await gateway.close();
});
