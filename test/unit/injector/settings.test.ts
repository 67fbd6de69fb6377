// The injector's settings: what it needs to start, with all mistakes reported at once.
import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../../common/settings.ts';
import { readInjectorSettings } from '../../../injector/settings.ts';

const least = {
  GATEWAY_TLS_CERT_FILE: 'tls.crt',
  GATEWAY_TLS_KEY_FILE: 'tls.key',
  GATEWAY_INJECTOR_IMAGE: 'model-gateway/proxy:0.1.0',
};

function mistakesOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readInjectorSettings({ ...least, ...env });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
}

describe('settings of the injector', () => {
  it('have defaults for all but certificate, key and the source of the image', () => {
    expect(readInjectorSettings(least)).toMatchObject({
      listen: { host: '127.0.0.1', port: 8443 },
      adminListen: { host: '127.0.0.1', port: 9092 },
      modes: ['forward'],
      egressUrl: 'https://egress-gateway.model-gateway.svc:8443',
      controlPlane: 'control-plane.model-gateway.svc:50051',
      cpuLimit: { text: '1', amount: 1000 },
      memoryLimit: { text: '256Mi', amount: 256 * 1024 ** 2 },
    });
  });

  it.each(['GATEWAY_TLS_CERT_FILE', 'GATEWAY_TLS_KEY_FILE'])('require %s', (name) => {
    expect(mistakesOf({ [name]: '' })).toEqual([`${name}: is required`]);
  });

  it('require the sidecar’s image, or the folder in which the keeper provides it', () => {
    expect(mistakesOf({ GATEWAY_INJECTOR_IMAGE: '' })).toEqual([
      'GATEWAY_INJECTOR_IMAGE: is required without GATEWAY_INJECTOR_HANDED_DIR',
    ]);
    expect(mistakesOf({ GATEWAY_INJECTOR_IMAGE: '', GATEWAY_INJECTOR_HANDED_DIR: '/handed' })).toEqual([]);
  });

  it('refuse a placeholder as the sidecar’s image', () => {
    expect(mistakesOf({ GATEWAY_INJECTOR_IMAGE: 'registry.invalid/model-gateway/proxy:0.1.0' })).toEqual([
      expect.stringContaining('is the placeholder registry.invalid/model-gateway/proxy:0.1.0: name your own'),
    ]);
  });

  it('report every mistake at once, including missing settings', () => {
    const env = { GATEWAY_TLS_CERT_FILE: '', GATEWAY_INJECTOR_MODES: 'x', GATEWAY_INJECTOR_CPU_LIMIT: 'y' };
    expect(mistakesOf(env)).toEqual([
      'GATEWAY_TLS_CERT_FILE: is required',
      expect.stringMatching(/^GATEWAY_INJECTOR_MODES: must be one of/),
      expect.stringMatching(/^GATEWAY_INJECTOR_CPU_LIMIT: must be processor time/),
    ]);
  });

  it.each(['model-gateway/proxy', 'proxy:', 'a b:1', 'proxy@sha256:12', ':1 '])(
    'refuse an image without a version: %s',
    (image) => {
      expect(mistakesOf({ GATEWAY_INJECTOR_IMAGE: image })).toEqual([expect.stringContaining('must be an image with')]);
    },
  );

  it.each([
    'proxy:1',
    'images.example:5000/a/proxy:0.1.0-rc.1',
    `images.example:5000/a/proxy@sha256:${'a0'.repeat(32)}`,
    `a/proxy:1@sha256:${'a0'.repeat(32)}`,
  ])('accept %s', (image) => {
    expect(mistakesOf({ GATEWAY_INJECTOR_IMAGE: image })).toEqual([]);
  });

  it('refuse a mode list without a mode, and an egress gateway that is not an https origin', () => {
    expect(mistakesOf({ GATEWAY_INJECTOR_MODES: ',' })).toEqual([expect.stringContaining('at least one of')]);
    expect(mistakesOf({ GATEWAY_INJECTOR_EGRESS_URL: 'http://egress:8080' })).toEqual([
      expect.stringContaining('beginning with https://'),
    ]);
    expect(mistakesOf({ GATEWAY_INJECTOR_EGRESS_URL: 'https://egress:8443/v1' })).toEqual([
      expect.stringContaining('must have no path'),
    ]);
  });

  it('refuse a request above its limit', () => {
    expect(mistakesOf({ GATEWAY_INJECTOR_CPU_REQUEST: '1001m' })).toEqual([
      'GATEWAY_INJECTOR_CPU_REQUEST: 1001m is more than the limit 1',
    ]);
    expect(mistakesOf({ GATEWAY_INJECTOR_MEMORY_LIMIT: '127Mi' })).toEqual([
      'GATEWAY_INJECTOR_MEMORY_REQUEST: 128Mi is more than the limit 127Mi',
    ]);
  });
});
