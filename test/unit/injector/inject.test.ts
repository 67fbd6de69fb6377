// The injector's core: what becomes of a pod. The patch is applied as the API server would, and applied again.
import { describe, expect, it } from 'vitest';
import { inject } from '../../../injector/inject.ts';
import { appPod, injected, injectionSettings, sidecarOf } from '../../support/injection.ts';
import { validateObject } from '../../support/kubernetes-schemas.ts';

describe('a pod that asks for nothing special', () => {
  const pod = injected(appPod());

  it('is a valid pod afterwards', () => {
    expect(validateObject(pod)).toEqual([]);
  });

  it('has the sidecar as the first init container, which Kubernetes starts first and stops last', () => {
    expect(sidecarOf(pod)).toMatchObject({ name: 'model-gateway', restartPolicy: 'Always' });
  });

  it('is left alone by a second application', () => {
    expect(inject(pod, injectionSettings())).toEqual({
      outcome: 'already_injected',
      patch: [],
      warnings: [],
    });
  });

  it('names the version of the sidecar', () => {
    expect(pod.metadata.annotations).toEqual({ 'model-gateway.io/injected': '0.1.0' });
  });
});
