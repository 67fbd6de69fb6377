// The effect of a hostile tenant's operators on another tenant's callers: a whole gateway, whose control plane one
// tenant keeps busy with refused calls. Times are compared with a quiet time of the same run.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operatorApi } from '../../quickstart/operator-api.ts';
import { admission } from '../support/chat-requests.ts';
import { log, percentile } from '../support/figures.ts';
import { startGateway, type TestGateway, type TestOrganization } from '../support/gateway.ts';

let gateway: TestGateway;
let hostile: TestOrganization;

beforeAll(async () => {
  gateway = await startGateway();
  hostile = await gateway.createOrganization('hostile');
});
afterAll(() => gateway?.close());

const samples = 20;
/** Patterns that take half a second or more of processor time until they are refused. */
const patterns = Array.from({ length: 8 }, (_, n) => `\\pL{${493 + n}}z`);

/**
 * For keys in the proxy's memory: milliseconds of the call, and from its response to the first refusal at the proxy.
 */
async function revocations(): Promise<{ readonly calls: number[]; readonly delays: number[] }> {
  const keys = await Promise.all(Array.from({ length: samples }, () => gateway.organization.createKey()));
  for (const { value } of keys) expect((await admission(value)(gateway.proxy)).outcome).toBe('200');
  const calls: number[] = [];
  const delays: number[] = [];
  for (const { id, value } of keys) {
    const begun = performance.now();
    await gateway.organization.api.call('VirtualKeys/Revoke', { id });
    const response = performance.now();
    calls.push(response - begun);
    while ((await admission(value)(gateway.proxy)).outcome !== '401 access_not_found') await sleep(2);
    delays.push(performance.now() - response);
  }
  return { calls, delays };
}

/** @returns a function that ends the loops and returns how many calls were refused */
function refusedCreates(loops: number): () => Promise<number> {
  const api = operatorApi(gateway.controlPlane.httpPort, hostile.ownerToken);
  let isOver = false;
  let refused = 0;
  const request = {
    ...{ organizationId: hostile.id, name: 'slow', stage: 'GUARDRAIL_STAGE_INPUT' },
    ...{ action: 'GUARDRAIL_ACTION_BLOCK', check: { pattern: { patterns } } },
  };
  const loop = async () => {
    while (!isOver) {
      const isMade = await api.call('Guardrails/Create', request).then(
        () => true,
        () => false,
      );
      if (isMade) throw new Error('a slow pattern was accepted');
      refused++;
      await sleep(5);
    }
  };
  const looping = Array.from({ length: loops }, loop);
  return async () => {
    isOver = true;
    await Promise.all(looping);
    return refused;
  };
}

it('three refused Guardrails/Create calls do not delay another tenant’s revocation', async () => {
  const quiet = await revocations();
  const end = refusedCreates(3);
  const during = await revocations();
  expect(await end()).toBeGreaterThanOrEqual(3);
  for (const part of ['calls', 'delays'] as const) {
    log(`revocation, ${part}, quiet`, quiet[part]);
    log(`revocation, ${part}, while guardrails are refused`, during[part]);
    // Bounds are ten times the promise. The two worst times are ignored, because a busy machine causes them as often as
    // the gateway.
    for (const rank of [0.5, 0.9])
      expect(percentile(during[part], rank)).toBeLessThan(10 * (2 * percentile(quiet[part], rank) + 10));
  }
});
