// Contradictions in the settings of a proxy in full mode; sidecar-settings.test.ts covers sidecars.
import { describe, expect, it } from 'vitest';
import { createSigningKey, parseSigningKey, publicPemOf } from '../../../common/record-signature.ts';
import { SettingsError } from '../../../common/settings.ts';
import { clientFormats } from '../../../proxy/client-formats.ts';
import { readProxySettings } from '../../../proxy/settings.ts';

function mistakes(env: Record<string, string>): readonly string[] {
  try {
    readProxySettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
}

it('a Redis setting needs a cache key that seals its content', () => {
  expect(mistakes({ REDIS_URL: 'redis://redis:6379' })).toEqual([
    expect.stringMatching(/^GATEWAY_CACHE_KEY: is needed with REDIS_URL/),
  ]);
});

describe('the formats of clients', () => {
  const formats = (value: string) => [...readProxySettings({ GATEWAY_CLIENT_FORMATS: value }).clientFormats];

  it('are all by default, else those that the setting names', () => {
    expect(formats('').toSorted()).toEqual(Object.keys(clientFormats).toSorted());
    expect(formats('messages, responses,messages')).toEqual(['messages', 'responses']);
  });

  it.each([
    ['chat', 'must be one of chat_completions, messages, responses, generate_content, converse, invoke, not "chat"'],
    [',', 'must name one of chat_completions, messages, responses, generate_content, converse, invoke'],
  ])('refuse %j at the start', (value, mistake) => {
    expect(mistakes({ GATEWAY_CLIENT_FORMATS: value })).toEqual([`GATEWAY_CLIENT_FORMATS: ${mistake}`]);
  });
});

describe('the public keys of records', () => {
  const privateKey = createSigningKey();
  const publicKey = publicPemOf(parseSigningKey(privateKey));

  it('can be several in one text', () => {
    const other = publicPemOf(parseSigningKey(createSigningKey()));
    expect(mistakes({ GATEWAY_RECORD_KEYS: publicKey + other })).toEqual([]);
  });

  it.each([
    ['a private key', privateKey, 'contains a private key, which belongs to the control plane alone'],
    ['a private key among public ones', publicKey + privateKey, 'contains a private key'],
    ['something else', 'canary', 'must be one to 16 Ed25519 public keys in PEM'],
    ['nothing', ' ', 'must be one to 16 Ed25519 public keys in PEM'],
  ])('are refused when the setting is %s, without repeating it', (_what, given, says) => {
    const found = mistakes({ GATEWAY_RECORD_KEYS: given });
    expect(found).toEqual([expect.stringMatching(/^GATEWAY_RECORD_KEYS: /)]);
    expect(found[0]).toContain(says);
    expect(found[0]).not.toContain('canary');
    expect(found[0]).not.toContain(privateKey.split('\n')[1]);
  });
});

describe('TLS to the control plane', () => {
  const tls = { GATEWAY_CONTROL_PLANE_TLS: 'true' };

  it.each(['10.0.0.1:50051', '10.0.0.1:50051,10.0.0.2:50051', '[2001:db8::1]:50051'])(
    'at the address %s needs the name in the certificate',
    (addresses) => {
      const found = mistakes({ ...tls, GATEWAY_CONTROL_PLANE: addresses });
      expect(found).toEqual([expect.stringContaining('GATEWAY_CONTROL_PLANE_NAME')]);
      const named = { GATEWAY_CONTROL_PLANE: addresses, GATEWAY_CONTROL_PLANE_NAME: 'control-plane' };
      expect(mistakes({ ...tls, ...named })).toEqual([]);
    },
  );

  it('at a host name needs no further name, and without TLS no name is needed', () => {
    expect(mistakes({ ...tls, GATEWAY_CONTROL_PLANE: 'control-plane:50051' })).toEqual([]);
    expect(mistakes({ GATEWAY_CONTROL_PLANE: '10.0.0.1:50051' })).toEqual([]);
  });

  it('accepts a client certificate only with its key', () => {
    expect(mistakes({ GATEWAY_CONTROL_PLANE_CERT_FILE: '/tls.crt' })).toEqual([
      expect.stringMatching(/^GATEWAY_CONTROL_PLANE_CERT_FILE: goes together/),
    ]);
  });
});
