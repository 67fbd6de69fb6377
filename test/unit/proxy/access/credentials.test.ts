import { describe, expect, it } from 'vitest';
import {
  readCloudKeys,
  readCredentials,
  readDirectKey,
  readRegion,
  readRouteKey,
} from '../../../../proxy/access/credentials.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { RequestHeaders } from '../../../../proxy/http/headers.ts';

const headers = (...raw: string[]) => new RequestHeaders(raw);
const generic = (...raw: string[]) => readCredentials(headers(...raw), false);
const onRoute = (...raw: string[]) => readCredentials(headers(...raw), true);
const refusedBy = (read: () => unknown): GatewayError => {
  try {
    read();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('it was not refused');
};
const refused = (code: string, status?: number) =>
  expect.objectContaining(status === undefined ? { code } : { code, status });

describe('the virtual key on a generic route', () => {
  it.each([
    ['authorization', 'Bearer sk-svc-a'],
    ['Authorization', 'bearer   sk-svc-a'],
    ['AUTHORIZATION', 'BEARER sk-svc-a'],
    ['x-api-key', 'sk-svc-a'],
    ['x-goog-api-key', 'sk-svc-a'],
    ['api-key', ' sk-svc-a '],
    ['X-Svc-Vk', 'sk-svc-a'],
  ])('is found in %s: %s', (name, value) => {
    expect(generic(name, value)).toEqual({ virtualKey: 'sk-svc-a', projectKey: undefined, direct: false });
  });

  it('is the first virtual key of x-svc-vk, bearer, x-api-key, x-goog-api-key, api-key', () => {
    const all = ['api-key', 'sk-svc-5', 'x-goog-api-key', 'sk-svc-4', 'x-api-key', 'sk-svc-3'];
    expect(generic(...all).virtualKey).toBe('sk-svc-3');
    expect(generic(...all, 'authorization', 'Bearer sk-svc-2').virtualKey).toBe('sk-svc-2');
    expect(generic(...all, 'authorization', 'Bearer sk-svc-2', 'x-svc-vk', 'sk-svc-1').virtualKey).toBe('sk-svc-1');
    expect(generic('x-svc-vk', 'other', 'authorization', 'Bearer wrong', 'api-key', 'sk-svc-5').virtualKey).toBe(
      'sk-svc-5',
    );
  });

  it.each([
    [[]],
    [['authorization', 'Bearer wrong']],
    [['authorization', 'sk-svc-a']],
    [['authorization', 'Basic sk-svc-a']],
    [['x-api-key', 'SK-SVC-a']],
    [['project-api-key', 'sk-svc-a']],
  ])('is required and missing here: %j', (raw) => {
    expect(() => generic(...raw)).toThrow(refused('virtual_key_required'));
  });

  it.each([
    [['authorization', 'Bearer sk-proj-abc'], 'authorization'],
    [['authorization', 'Basic c2stcHJvag=='], 'authorization'],
    [['x-api-key', 'AIzaSyA'], 'x-api-key'],
    [['api-key', 'SK-SVC-a', 'x-goog-api-key', 'AIza'], 'x-goog-api-key'],
    [['x-svc-vk', 'x', 'authorization', 'Bearer y'], 'x-svc-vk'],
  ])('is required, and a hint names the header whose value is no virtual key: %j', (raw, name) => {
    const hint = `the value of \`${name}\` is no virtual key of this gateway: they begin with \`sk-svc-\``;
    expect(refusedBy(() => generic(...raw))).toMatchObject({ code: 'virtual_key_required', hint });
  });

  it('is required with its scheme word, and a hint names it', () => {
    const bare = refusedBy(() => generic('authorization', 'sk-svc-a'));
    expect(bare.hint).toContain('without `Bearer `');
    expect(bare.hint).not.toContain('sk-svc-a');
  });

  it.each([[[]], [['authorization', '']], [['x-api-key', ' ']], [['cookie', 'sk-proj-abc']]])(
    'is required, and there is no hint when no credential was sent: %j',
    (raw) => {
      expect(refusedBy(() => generic(...raw)).hint).toBeUndefined();
    },
  );

  it('is refused when one header is sent twice with different values', () => {
    expect(() => generic('x-api-key', 'sk-svc-a', 'x-api-key', 'sk-svc-b')).toThrow(refused('conflicting_credentials'));
    expect(generic('x-api-key', 'sk-svc-a', 'x-api-key', 'sk-svc-a').virtualKey).toBe('sk-svc-a');
  });
});

describe('the direct-key flag', () => {
  it.each(['true', 'TRUE', 'True'])('%s needs a virtual key in x-svc-vk, whatever other headers contain', (flag) => {
    const sent = ['x-svc-direct-key', flag, 'authorization', 'Bearer sk-svc-a'];
    expect(() => generic(...sent)).toThrow(refused('policy_access_denied', 401));
    expect(() => onRoute(...sent, 'project-api-key', 'sk-svc-a')).toThrow(refused('policy_access_denied', 401));
    expect(() => generic(...sent, 'x-svc-vk', 'no key')).toThrow(refused('policy_access_denied', 401));
    expect(generic(...sent, 'x-svc-vk', 'sk-svc-b')).toMatchObject({
      virtualKey: 'sk-svc-b',
      direct: true,
    });
  });

  it('the flag is off when absent or false, and other values are refused', () => {
    expect(generic('x-svc-direct-key', 'False', 'x-api-key', 'sk-svc-a').direct).toBe(false);
    for (const flag of ['yes', '1', '', 'true,true']) {
      expect(() => generic('x-svc-direct-key', flag, 'x-svc-vk', 'sk-svc-a')).toThrow(refused('invalid_request'));
    }
    expect(refusedBy(() => generic('x-svc-direct-key', 'yes', 'x-svc-vk', 'sk-svc-a')).message).toContain(
      '`x-svc-direct-key`',
    );
    const twice = ['x-svc-direct-key', 'true', 'x-svc-direct-key', 'false', 'x-svc-vk', 'sk-svc-a'];
    expect(() => generic(...twice)).toThrow(refused('invalid_request'));
  });
});

describe('the keys on a provider route', () => {
  it('are the project key alone, or a virtual key for the caller beside the project key', () => {
    expect(onRoute('Project-Api-Key', 'sk-svc-p')).toEqual({
      virtualKey: 'sk-svc-p',
      projectKey: undefined,
      direct: true,
    });
    expect(onRoute('Project-Api-Key', 'sk-svc-p', 'x-svc-vk', 'sk-svc-v')).toEqual({
      virtualKey: 'sk-svc-v',
      projectKey: 'sk-svc-p',
      direct: true,
    });
  });

  it('are refused with the code of the missing key', () => {
    expect(() => onRoute('authorization', 'Bearer sk-abc')).toThrow(refused('virtual_key_required'));
    expect(() => onRoute('project-api-key', 'other')).toThrow(refused('virtual_key_required'));
    for (const name of ['x-svc-vk', 'x-api-key', 'x-goog-api-key', 'api-key']) {
      expect(() => onRoute(name, 'sk-svc-v')).toThrow(refused('project_key_required'));
    }
    expect(() => onRoute('authorization', 'Bearer sk-svc-v')).toThrow(refused('project_key_required'));
  });
});

describe('a malformed project key', () => {
  const own = ['authorization', 'Bearer sk-proj-abc'];

  it('is named by its header in the hint; the provider key beside it is not', () => {
    expect(refusedBy(() => onRoute('project-api-key', 'proj_1', ...own)).hint).toContain('`project-api-key`');
    expect(refusedBy(() => onRoute('x-svc-vk', 'vk', ...own)).hint).toContain('`x-svc-vk`');
    expect(refusedBy(() => onRoute(...own)).hint).toBeUndefined();
  });
});

describe('the caller’s provider key', () => {
  it('is the first value that is no virtual key', () => {
    expect(readDirectKey(headers('authorization', 'Bearer sk-x', 'x-api-key', 'sk-y')).reveal()).toBe('sk-x');
    expect(readDirectKey(headers('authorization', 'Bearer sk-svc-v', 'x-api-key', 'sk-y')).reveal()).toBe('sk-y');
    expect(readDirectKey(headers('authorization', 'sk-x', 'x-goog-api-key', 'sk-z')).reveal()).toBe('sk-z');
  });

  it.each([[[]], [['authorization', 'Bearer ']], [['x-api-key', 'sk-svc-v']], [['api-key', 'sk-y']]])(
    'is required and missing here: %j',
    (raw) => {
      expect(() => readDirectKey(headers(...raw))).toThrow(refused('provider_key_required', 401));
    },
  );

  it('is required by a message that names the headers in which it may be sent', () => {
    expect(refusedBy(() => readDirectKey(headers())).message).toMatch(/bearer.*`x-api-key`.*`x-goog-api-key`/);
  });

  it('is read in the route’s form; a superfluous scheme word is tolerated, and a virtual key is refused', () => {
    expect(readRouteKey(headers('authorization', 'Bearer sk-x'), 'bearer').reveal()).toBe('sk-x');
    expect(readRouteKey(headers('authorization', 'sk-x'), 'plain').reveal()).toBe('sk-x');
    expect(readRouteKey(headers('authorization', 'Bearer sk-x'), 'plain').reveal()).toBe('sk-x');
    expect(() => readRouteKey(headers('authorization', 'sk-x'), 'bearer')).toThrow(refused('provider_key_required'));
    for (const value of ['sk-svc-v', 'Bearer sk-svc-v']) {
      expect(() => readRouteKey(headers('authorization', value), 'plain')).toThrow(
        expect.objectContaining({ message: expect.stringContaining('Authorization') }),
      );
    }
  });
});

describe('the caller’s own cloud credentials', () => {
  const pair = ['cloud-access-key-id', 'AKIA', 'cloud-secret-access-key', 'secret'];

  it('are an access key pair, with a session token if one is sent', () => {
    const keys = readCloudKeys(headers(...pair));
    expect([keys.accessKeyId.reveal(), keys.secretAccessKey.reveal()]).toEqual(['AKIA', 'secret']);
    expect(keys.sessionToken).toBeUndefined();
    expect(readCloudKeys(headers(...pair, 'cloud-session-token', 'token')).sessionToken?.reveal()).toBe('token');
    expect(readRegion(headers('cloud-region-name', 'eu-west-1'))).toBe('eu-west-1');
  });

  it.each(['cloud-access-key-id', 'cloud-secret-access-key', 'cloud-session-token'])(
    'are refused without a usable %s, and the message names the header',
    (name) => {
      const others = ['cloud-access-key-id', 'cloud-secret-access-key']
        .filter((other) => other !== name)
        .flatMap((other) => [other, 'value']);
      for (const value of ['sk-svc-v', 'two words', '']) {
        const refusal = refusedBy(() => readCloudKeys(headers(...others, name, value)));
        expect(refusal).toMatchObject({ code: 'provider_key_required' });
        expect(refusal.message).toContain(`\`${name}\``);
      }
      const twice = refusedBy(() => readCloudKeys(headers(...others, name, 'one', name, 'other')));
      expect(twice).toMatchObject({ code: 'conflicting_credentials' });
      expect(twice.message).toContain(`\`${name}\``);
    },
  );
});
