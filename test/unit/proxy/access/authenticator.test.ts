import { beforeEach, describe, expect, it } from 'vitest';
import { createCredential, hashCredential } from '../../../../common/credential.ts';
import { authenticate, type Caller } from '../../../../proxy/access/authenticator.ts';
import type { Credentials } from '../../../../proxy/access/credentials.ts';
import type { Principal } from '../../../../proxy/access/principal.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { createWorld, hashOf } from '../../../support/access/one-proxy.ts';

const [virtualKey, projectKey] = [createCredential('virtualKey'), createCredential('virtualKey')];
const now = 1_000_000;

let known: Map<string, Principal>;

beforeEach(() => {
  known = new Map([
    [virtualKey, principalIn('north')],
    [projectKey, principalIn('north')],
  ]);
});

function principalIn(organization: string): Principal {
  const { database } = createWorld();
  database.createOrganization(organization);
  database.createSystem('system', organization);
  database.createKey(hashOf(1), { organizationId: organization, scopeId: 'system' });
  const { principal } = database.resolve(hashOf(1));
  if (principal === undefined) throw new Error('the key is there');
  return principal;
}

type Part = 'key' | 'scope' | 'organization';

function change(value: string, part: Part, changes: object): void {
  const principal = known.get(value) as Principal;
  known.set(value, { ...principal, [part]: { ...principal[part], ...changes } });
}

async function outcome(sent: Partial<Credentials>): Promise<Caller | string> {
  const records = {
    find: async (hash: string) => {
      const [, principal] = [...known].find(([value]) => hashCredential(value) === hash) ?? [];
      if (principal === undefined) throw new GatewayError('access_not_found');
      return principal;
    },
  };
  const credentials = { virtualKey, projectKey: undefined, direct: false, ...sent };
  try {
    return await authenticate({ records, now: () => now }, credentials, '192.0.2.1');
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

describe('a caller with a virtual key', () => {
  it('is authenticated as the principal of the virtual key', async () => {
    expect(await outcome({})).toEqual({
      principal: known.get(virtualKey),
      project: undefined,
      direct: false,
    });
  });

  it.each<[Part]>([['key'], ['scope'], ['organization']])('is refused while its %s is inactive', async (part) => {
    change(virtualKey, part, { active: false });
    expect(await outcome({})).toBe('access_blocked');
  });

  it('is refused from the time at which the key ends', async () => {
    change(virtualKey, 'key', { endsAt: now + 1 });
    expect(await outcome({})).toMatchObject({ direct: false });
    change(virtualKey, 'key', { endsAt: now });
    expect(await outcome({})).toBe('access_blocked');
  });

  it('is refused without a look-up when the key is not well-formed', async () => {
    expect(await outcome({ virtualKey: `${virtualKey}x` })).toBe('access_not_found');
  });

  it('may use its own provider keys only if its organization allows that', async () => {
    change(virtualKey, 'organization', { callerProviderKeys: false });
    expect(await outcome({ direct: true })).toBe('policy_access_denied');
    expect(await outcome({ direct: false })).toMatchObject({ direct: false });
    change(virtualKey, 'organization', { callerProviderKeys: true });
    expect(await outcome({ direct: true })).toMatchObject({ direct: true });
  });
});

describe('a caller with a project key beside the virtual key', () => {
  it('is bound by both keys', async () => {
    expect(await outcome({ projectKey })).toMatchObject({
      principal: known.get(virtualKey),
      project: known.get(projectKey),
    });
  });

  it('is refused when the keys belong to different organizations', async () => {
    known.set(projectKey, principalIn('south'));
    expect(await outcome({ projectKey })).toBe('conflicting_credentials');
  });

  it('is refused when the project key is unknown, inactive or has ended', async () => {
    expect(await outcome({ projectKey: createCredential('virtualKey') })).toBe('access_not_found');
    change(projectKey, 'key', { endsAt: now });
    expect(await outcome({ projectKey })).toBe('access_blocked');
    change(projectKey, 'key', { endsAt: undefined, active: false });
    expect(await outcome({ projectKey })).toBe('access_blocked');
  });
});
