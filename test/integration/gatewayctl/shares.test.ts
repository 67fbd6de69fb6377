// A command that makes more calls than its organization's share allows: it retries at the given time, within its
// timeout.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../common/secret.ts';
import { type Client, dial } from '../../../gatewayctl/client.ts';
import { bootstrap, freshName, type OperatorsPlane, startOperatorsPlane } from '../../support/operators.ts';

let plane: OperatorsPlane;
let organizationId: string;
let token: string;

beforeAll(async () => {
  plane = await startOperatorsPlane({ rates: { change_rate: { perMinute: 60, burst: 2 } } });
  const platform = await bootstrap(plane);
  const made = await plane.expect('Organizations.Create', platform.token, {
    name: 'acme',
    owner: { name: 'Olga' },
  });
  organizationId = made.organization.id;
  token = made.ownerToken;
});
afterAll(() => plane.close());

async function creating(timeoutMs: number, count: number): Promise<void> {
  const client: Client = dial({
    ...{ server: `127.0.0.1:${plane.plane.grpcPort}`, transport: { kind: 'plaintext' }, timeoutMs },
    token: new Secret(token),
  });
  const request = () => ({ organizationId, name: freshName('system') });
  try {
    for (let n = 0; n < count; n++) await client.call('AiSystems.Create', request());
  } finally {
    client.close();
  }
}

it('a command waits for the given time and continues', async () => {
  await creating(15_000, 4);
});

it('a command reports the refusal when its timeout ends before the retry', async () => {
  await expect(creating(500, 4)).rejects.toMatchObject({
    ...{ code: 'RESOURCE_EXHAUSTED', reason: 'too_many_requests', retryAfter: 1 },
  });
});
