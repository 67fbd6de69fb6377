// Choices of a pod through annotations, and the refusal of invalid ones.
import { describe, expect, it } from 'vitest';
import { inject } from '../../../injector/inject.ts';
import {
  annotatedPod,
  appPod,
  environmentOf,
  injected,
  injectionSettings,
  refusalOf,
  sidecarOf,
} from '../../support/injection.ts';
import { validateObject } from '../../support/kubernetes-schemas.ts';

describe('the choice of a pod', () => {
  it('is applied to the sidecar', () => {
    const pod = injected(
      annotatedPod({
        ...{ port: '1024', 'admin-port': '65535', 'log-level': 'debug', 'tls-secret': 'my-tls' },
        ...{ 'cpu-request': '100m', 'cpu-limit': '1.5', 'memory-request': '32Mi', 'memory-limit': '1G' },
      }),
    );
    expect(validateObject(pod)).toEqual([]);
    expect(environmentOf(sidecarOf(pod))).toMatchObject({
      ...{
        GATEWAY_LISTEN: '127.0.0.1:1024',
        GATEWAY_ADMIN_LISTEN: '0.0.0.0:65535',
        GATEWAY_LOG_LEVEL: 'debug',
      },
    });
    expect(sidecarOf(pod).resources).toEqual({
      requests: { cpu: '100m', memory: '32Mi' },
      limits: { cpu: '1.5', memory: '1G' },
    });
  });

  it.each([
    ['mode', 'sideways', 'must be one of forward, full'],
    ['port', '1023', 'must be a whole number from 1024 to 65535'],
    ['port', '65536', 'must be a whole number from 1024 to 65535'],
    ['admin-port', '0x2000', 'must be a whole number from 1024 to 65535'],
    ['log-level', 'loud', 'must be one of debug, info'],
    ['key-secret', 'My-Key', 'must be the name of a Secret'],
    ['key-secret', '../key', 'must be the name of a Secret'],
    ['tls-secret', 'x'.repeat(254), 'must be the name of a Secret'],
    ['cpu-request', '0', 'must be processor time'],
    ['cpu-limit', '65', 'must be processor time'],
    ['cpu-limit', '1e3', 'must be processor time'],
    ['memory-request', '128', 'must be memory'],
    ['memory-limit', '31Mi', 'must be memory'],
    ['memory-limit', '65Gi', 'must be memory'],
    ['exclude-containers', 'x'.repeat(4097), 'is longer than 4096 characters'],
  ])('is refused with its name when it is invalid: %s %s', (name, value, message) => {
    expect(refusalOf(annotatedPod({ [name]: value }))).toContain(`model-gateway.io/${name}: ${message}`);
  });

  it('is refused with all invalid values at once', () => {
    const refusal = refusalOf(annotatedPod({ port: 'x', 'cpu-limit': 'y', mode: 'z' }));
    for (const name of ['port', 'cpu-limit', 'mode']) expect(refusal).toContain(`model-gateway.io/${name}: `);
  });

  it.each([
    [{ ports: '8081' }, 'there is no annotation "model-gateway.io/ports"'],
    [{ port: '15490', 'admin-port': '15490' }, 'model-gateway.io/port and model-gateway.io/admin-port: both are 15490'],
    [{ 'cpu-request': '2' }, 'model-gateway.io/cpu-request: 2 is more than the limit 1'],
    [{ 'memory-limit': '64Mi' }, 'model-gateway.io/memory-request: 128Mi is more than the limit 64Mi'],
  ])('is refused when it contradicts itself: %o', (annotations, message) => {
    expect(refusalOf(annotatedPod(annotations as Record<string, string>))).toBe(message);
  });

  it('is refused when the operator does not allow its mode', () => {
    const settings = injectionSettings({ modes: ['forward'] });
    expect(refusalOf(annotatedPod({ mode: 'full' }), settings)).toBe(
      'model-gateway.io/mode: full is not allowed in this cluster',
    );
  });

  it('is by default the first mode that the operator allows', () => {
    const pod = injected(appPod(), injectionSettings({ modes: ['full', 'forward'] }));
    expect(environmentOf(sidecarOf(pod))).toHaveProperty('GATEWAY_CONTROL_PLANE');
  });

  it('ignores annotations of other owners', () => {
    const annotations = { 'example.com/port': 'x', 'model-gateway.io.example.com/port': 'x' };
    expect(inject(appPod({ annotations }), injectionSettings()).outcome).toBe('injected');
  });
});
