// Settings of sidecars and egress gateways: valid combinations, and the messages for invalid ones.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { SettingsError } from '../../../common/settings.ts';
import { readProxySettings } from '../../../proxy/settings.ts';
import { createAuthority, type TestAuthority } from '../../support/tls.ts';

const key = createCredential('virtualKey');
const forward = { GATEWAY_FORWARD_TO: 'https://egress-gateway.model-gateway.svc:8443' };
const pair = { GATEWAY_FORWARD_CERT_FILE: '/tls.crt', GATEWAY_FORWARD_KEY_FILE: '/tls.key' };

function mistakes(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readProxySettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('the settings of forward mode', () => {
  it.each([
    ['https://egress:8443', 'https://egress:8443'],
    ['https://egress:8443/', 'https://egress:8443'],
    ['https://egress', 'https://egress'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://localhost:8080', 'http://localhost:8080'],
  ])('accept the target %s', (to, origin) => {
    expect(readProxySettings({ GATEWAY_FORWARD_TO: to }).forwardTo).toBe(origin);
  });

  it.each([
    ['http://egress:8080', 'https:// off loopback'],
    ['http://10.0.0.1:8080', 'https:// off loopback'],
    ['http://127.0.0.1.example.com', 'https:// off loopback'],
    ['https://egress:8443/v1', 'no path'],
    ['https://user:word@egress:8443', 'without credentials'],
    ['egress:8443', 'a URL'],
    ['ftp://egress', 'a URL'],
  ])('refuse the target %s: %s', (to, why) => {
    expect(mistakes({ GATEWAY_FORWARD_TO: to })).toEqual([expect.stringContaining(why)]);
  });

  it.each([
    ...['REDIS_URL', 'GATEWAY_CACHE_KEY', 'GATEWAY_PROXY_TOKEN', 'GATEWAY_CONTROL_PLANE'],
    ...['GATEWAY_CONTROL_PLANE_CA_FILE', 'GATEWAY_TLS_LISTEN'],
  ])('refuse %s beside them', (name) => {
    const values: Record<string, string> = {
      REDIS_URL: 'redis://redis:6379',
      GATEWAY_CACHE_KEY: Buffer.alloc(32).toString('base64'),
      GATEWAY_TLS_LISTEN: '127.0.0.1:8443',
    };
    const found = mistakes({ ...forward, [name]: values[name] ?? 'control-plane:50051' });
    expect(found).toContainEqual(expect.stringMatching(`^${name}: has no use beside GATEWAY_FORWARD_TO`));
  });

  it('all mistakes are reported at once', () => {
    const found = mistakes({
      ...forward,
      GATEWAY_LISTEN: '0.0.0.0:8080',
      GATEWAY_ATTACH_KEY: key,
      GATEWAY_FORWARD_CERT_FILE: '/tls.crt',
      GATEWAY_PROXY_TOKEN: 'anything',
    });
    expect(found).toHaveLength(3);
    expect(found.join('\n')).not.toContain(key);
  });

  it('further settings of forward mode need GATEWAY_FORWARD_TO', () => {
    expect(mistakes(pair)).toEqual([expect.stringMatching(/^GATEWAY_FORWARD_TO: is needed/)]);
  });

  describe('certificate authorities', () => {
    let authority: TestAuthority;
    beforeAll(async () => {
      authority = await createAuthority();
    });
    afterAll(() => authority.remove());

    it('are read from text or from a file, whose name is kept', () => {
      const text = readFileSync(authority.caFile, 'utf8');
      expect(readProxySettings({ ...forward, GATEWAY_FORWARD_CA: text })).toMatchObject({
        forwardCa: text,
        forwardCaFile: undefined,
      });
      expect(readProxySettings({ ...forward, GATEWAY_FORWARD_CA_FILE: authority.caFile })).toMatchObject({
        forwardCa: text.trim(),
        forwardCaFile: authority.caFile,
      });
    });

    it('must be PEM', () => {
      expect(mistakes({ ...forward, GATEWAY_FORWARD_CA: 'nonsense' })).toEqual([
        'GATEWAY_FORWARD_CA: must be one or more certificates in PEM',
      ]);
    });
  });
});

describe('the settings of the TLS listener', () => {
  const listen = { GATEWAY_TLS_LISTEN: '0.0.0.0:8443' };
  const files = { GATEWAY_TLS_CERT_FILE: '/tls.crt', GATEWAY_TLS_KEY_FILE: '/tls.key' };

  it('need a certificate and its key', () => {
    expect(mistakes({ ...listen, ...files })).toEqual([]);
    expect(mistakes(listen)).toEqual(['GATEWAY_TLS_CERT_FILE: is needed with GATEWAY_TLS_LISTEN']);
    expect(mistakes({ ...listen, GATEWAY_TLS_CERT_FILE: '/tls.crt' })).toEqual([
      'GATEWAY_TLS_CERT_FILE: goes together with GATEWAY_TLS_KEY_FILE',
    ]);
  });

  it('certificates need GATEWAY_TLS_LISTEN', () => {
    expect(mistakes(files)).toEqual([expect.stringMatching(/^GATEWAY_TLS_LISTEN: is needed/)]);
    expect(mistakes({ GATEWAY_TLS_CLIENT_CA_FILE: '/ca.crt' })).toEqual([
      expect.stringMatching(/^GATEWAY_TLS_LISTEN: is needed/),
    ]);
  });
});

describe('the setting of an attached key', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'gateway-settings-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = (text: string) => {
    const path = join(directory, 'virtual-key');
    writeFileSync(path, text);
    return path;
  };

  it('is a value or a file, with or without a line end', () => {
    expect(readProxySettings({ GATEWAY_ATTACH_KEY: key }).attachKey?.reveal()).toBe(key);
    const path = file(`${key}\n`);
    const read = readProxySettings({ GATEWAY_ATTACH_KEY_FILE: path });
    expect(read.attachKey?.reveal()).toBe(key);
    expect(read.attachKeyFile).toBe(path);
  });

  it.each([
    ['an empty file', ''],
    ['a file with something else', 'not-a-key-that-may-be-seen'],
  ])('is refused in %s, without repeating its content', (_, text) => {
    const found = mistakes({ GATEWAY_ATTACH_KEY_FILE: file(text) });
    expect(found).toEqual([expect.stringMatching(/^GATEWAY_ATTACH_KEY: is .*virtual key/)]);
    expect(found.join()).not.toContain('not-a-key');
  });

  it('is refused with the file’s name when the file is missing', () => {
    expect(mistakes({ GATEWAY_ATTACH_KEY_FILE: '/nowhere/virtual-key' })).toEqual([
      expect.stringContaining('/nowhere/virtual-key'),
    ]);
  });

  it.each(['127.0.0.1:8080', '[::1]:8080', 'localhost:8080', '127.9.9.9:1'])(
    'is accepted with a listener on %s',
    (listen) => {
      expect(mistakes({ GATEWAY_ATTACH_KEY: key, GATEWAY_LISTEN: listen })).toEqual([]);
    },
  );

  it.each(['0.0.0.0:8080', '[::]:8080', '10.0.0.7:8080', 'example:8080'])(
    'is refused with a listener on %s',
    (listen) => {
      expect(mistakes({ GATEWAY_ATTACH_KEY: key, GATEWAY_LISTEN: listen })).toEqual([
        expect.stringMatching(/^GATEWAY_LISTEN: must be on loopback/),
      ]);
    },
  );

  it('is refused with a TLS listener', () => {
    const listener = {
      GATEWAY_TLS_LISTEN: '127.0.0.1:8443',
      GATEWAY_TLS_CERT_FILE: '/c',
      GATEWAY_TLS_KEY_FILE: '/k',
    };
    expect(mistakes({ GATEWAY_ATTACH_KEY: key, ...listener })).toEqual([
      expect.stringMatching(/^GATEWAY_TLS_LISTEN: cannot be set/),
    ]);
  });
});
