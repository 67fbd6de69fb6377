// Credentials of requests through a whole gateway to the managed cloud service: signatures with the keys of an account,
// stored or the caller's own, or an API key; and the errors that callers get for keys that the vendor refuses.
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accounts } from '../../simulator/managed-cloud-models/accounts.ts';
import { modelFor, refusalOf, type Scene, startScene, type Way } from './providers/scene.ts';

const vendor = 'managed-cloud-models';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
beforeEach(() => scene.gateway.simulator.reset());
afterAll(() => scene.close());

const question = (way: Way) => ({
  model: modelFor(vendor, way),
  messages: [{ role: 'user' as const, content: 'Hello' }],
});

function ask(way: Way, headers: Readonly<Record<string, string>> = {}) {
  return scene.client(vendor, way, headers).chat.completions.create(question(way));
}

describe('keys of a cloud account', () => {
  const wrong = (account: { readonly accessKeyId: string; readonly secretAccessKey: string }) => ({
    'cloud-access-key-id': account.accessKeyId,
    'cloud-secret-access-key': account.secretAccessKey,
  });

  it.each([
    ['an unknown key id', { ...accounts.permanent, accessKeyId: 'AKIASIM0UNKNOWN00000' }],
    ['a wrong secret', { ...accounts.permanent, secretAccessKey: 'simulated/wrong' }],
  ])("are a 401 when the vendor refuses the caller's own: %s", async (_what, account) => {
    for (const way of ["caller's key", 'own route'] as const) {
      const error = await refusalOf(ask(way, wrong(account)));
      expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' });
      expect(error.message).not.toContain('Canonical');
    }
  });

  it('are a 403 when they are allowed nothing', async () => {
    const error = await refusalOf(ask('own route', wrong(accounts.denied)));
    expect(error).toMatchObject({ status: 403 });
  });

  it('are a 502 when the vendor refuses the stored ones', async () => {
    scene.gateway.simulator.script({ status: 403 });
    const error = await refusalOf(ask('stored key'));
    expect(error).toMatchObject({ status: 502, code: 'upstream_authentication_failed' });
  });

  it('are not signed with when the stored key is an API key', async () => {
    const organization = await scene.gateway.createOrganization('with an API key');
    await organization.api.call('ProviderKeys/Create', {
      organizationId: organization.id,
      provider: vendor,
      name: 'key',
      secret: { apiKey: 'ABSKSimStored0123456789' },
      settings: { region: 'eu-west-1' },
    });
    const { value } = await organization.createKey();
    const baseURL = `${scene.gateway.proxy.url}/v1`;
    const client = new OpenAI({ baseURL, apiKey: value, maxRetries: 0 });
    const completion = await client.chat.completions.create(question('stored key'));
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(scene.received().headers.authorization).toMatch(/^Bearer /);
  });

  it('trap 1: are sent with their session token when they are temporary', async () => {
    const { sessionToken } = accounts.temporary;
    const headers = { ...wrong(accounts.temporary), 'cloud-session-token': sessionToken };
    expect((await ask('own route', headers)).choices[0]?.finish_reason).toBe('stop');
    const without = await refusalOf(ask('own route', wrong(accounts.temporary)));
    expect(without).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });
});
