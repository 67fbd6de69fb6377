// The settings of the control plane: all mistakes are reported at once, and no listener exposes secrets by accident.
import { describe, expect, it } from 'vitest';
import { createCredential } from '../../../common/credential.ts';
import { createSealKey } from '../../../common/seal.ts';
import { SettingsError } from '../../../common/settings.ts';
import { readControlPlaneSettings } from '../../../control-plane/settings.ts';

const enough = { GATEWAY_DATABASE_URL: 'sqlite:x.db', GATEWAY_MASTER_KEY: createSealKey() };

function mistakes(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readControlPlaneSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
}

describe('the settings of the control plane', () => {
  it('require a database and a master key', () => {
    expect(mistakes({}).map((mistake) => mistake.split(':')[0])).toEqual([
      'GATEWAY_DATABASE_URL',
      'GATEWAY_MASTER_KEY',
    ]);
    expect(mistakes(enough)).toEqual([]);
  });

  it('use DATABASE_URL when GATEWAY_DATABASE_URL is not set', () => {
    const { GATEWAY_MASTER_KEY } = enough;
    const read = readControlPlaneSettings({ GATEWAY_MASTER_KEY, DATABASE_URL: 'postgres://a/b' });
    expect(read.databaseUrl.reveal()).toBe('postgres://a/b');
    const both = readControlPlaneSettings({ ...enough, DATABASE_URL: 'postgres://a/b' });
    expect(both.databaseUrl.reveal()).toBe('sqlite:x.db');
  });

  it('keep usage for 400 days by default, and for at least 40', () => {
    const day = 86_400_000;
    expect(readControlPlaneSettings(enough).usageKept).toBe(400 * day);
    expect(readControlPlaneSettings({ ...enough, GATEWAY_USAGE_KEPT: '40d' }).usageKept).toBe(40 * day);
    expect(mistakes({ ...enough, GATEWAY_USAGE_KEPT: '959h' })).toEqual([
      'GATEWAY_USAGE_KEPT: must be at least 40d, not "959h"',
    ]);
  });

  it('report every mistake at once, and no secret', () => {
    const found = mistakes({
      GATEWAY_DATABASE_URL: 'mysql://user:canary@host/db',
      GATEWAY_MASTER_KEY: 'canary',
      GATEWAY_RECORD_SIGNING_KEY: 'canary',
      GATEWAY_BOOTSTRAP_TOKEN: 'gw-boot-canary',
      GATEWAY_GRPC_LISTEN: 'nowhere',
      GATEWAY_HTTP_HOSTS: 'a b',
      GATEWAY_PRIVATE_UPSTREAMS: 'no-port',
      GATEWAY_DRAIN_GRACE: 'soon',
      GATEWAY_LOG_LEVEL: 'loud',
    });
    expect(found).toHaveLength(9);
    expect(found.join('\n')).not.toContain('canary');
  });

  it.each([
    [{ GATEWAY_GRPC_LISTEN: '0.0.0.0:50051' }, 1],
    [{ GATEWAY_HTTP_LISTEN: '10.0.0.1:8081', GATEWAY_GRPC_LISTEN: '[::]:50051' }, 2],
    [{ GATEWAY_GRPC_LISTEN: '0.0.0.0:50051', GATEWAY_PLAINTEXT: 'true' }, 0],
    [{ GATEWAY_GRPC_LISTEN: '[::1]:50051', GATEWAY_HTTP_LISTEN: 'localhost:8081' }, 0],
    [{ GATEWAY_GRPC_LISTEN: '0.0.0.0:1', GATEWAY_TLS_CERT_FILE: 'c', GATEWAY_TLS_KEY_FILE: 'k' }, 0],
    [{ GATEWAY_TLS_CERT_FILE: 'c' }, 1],
    [{ GATEWAY_TLS_CLIENT_CA_FILE: 'c' }, 1],
    [{ GATEWAY_PROXY_CERTIFICATES: 'x' }, 1],
    [{ GATEWAY_PROXY_CERTIFICATES: 'x=not-an-id' }, 1],
  ])('from %j have %i mistakes', (env, count) => {
    expect(mistakes({ ...enough, ...env })).toHaveLength(count);
  });

  it('bind a certificate to an organization', () => {
    const id = '01a1fa9d-c6a8-705c-985d-0d8f4dda3422';
    const read = readControlPlaneSettings({
      ...enough,
      GATEWAY_BOOTSTRAP_TOKEN: createCredential('bootstrap'),
      GATEWAY_TLS_CERT_FILE: 'c',
      GATEWAY_TLS_KEY_FILE: 'k',
      GATEWAY_TLS_CLIENT_CA_FILE: 'a',
      GATEWAY_PROXY_CERTIFICATES: `a.example.com, spiffe://b=${id}`,
    });
    expect(read.proxyCertificates).toEqual([
      { id: 'a.example.com', organizationId: undefined },
      { id: 'spiffe://b', organizationId: id },
    ]);
  });
});
