// The schemas that all other tests of manifests rely on: the faults that they find, and the valid objects that they
// accept.
import { expect, test } from 'vitest';
import { validateObject } from '../support/kubernetes-schemas.ts';

const pod = (container: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'app', labels: { 'any/label': 'is fine' } },
  spec: { containers: [{ name: 'app', image: 'app:1', ...container }] },
});

test('a valid object has no problems, whichever keys its maps have', () => {
  expect(validateObject(pod({ resources: { limits: { cpu: '1', memory: '64Mi' } } }))).toEqual([]);
  expect(
    validateObject({
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: 'one' },
      spec: { secretName: 'one', dnsNames: ['one'], issuerRef: { name: 'authority', kind: 'Issuer' } },
    }),
  ).toEqual([]);
  expect(
    validateObject({
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PodMonitor',
      metadata: { name: 'one' },
      spec: { selector: { matchLabels: { app: 'one' } }, podMetricsEndpoints: [{ port: 'admin' }] },
    }),
  ).toEqual([]);
});

test('a misspelt key is found at any depth, also in arrays', () => {
  expect(validateObject(pod({ securityContext: { readOnlyRootFileSystem: true } }))).toEqual([
    'data/spec/containers/0/securityContext/readOnlyRootFileSystem is unknown',
  ]);
  expect(validateObject({ ...pod({}), sepc: {} })).toEqual(['data/sepc is unknown']);
  expect(validateObject(pod({ env: [{ name: 'A', valueFrom: { secretRef: { name: 's' } } }] }))).toEqual([
    'data/spec/containers/0/env/0/valueFrom/secretRef is unknown',
  ]);
});

test('a wrong type and a missing field are reported with their path', () => {
  expect(validateObject(pod({ ports: [{ containerPort: '80' }] })).join()).toMatch(
    /spec\/containers\/0\/ports\/0\/containerPort must be integer/,
  );
  expect(validateObject({ apiVersion: 'apps/v1', kind: 'Deployment', spec: {} }).join()).toMatch(
    /must have required property selector/,
  );
});

test.each([
  [{ apiVersion: 'apps/v2', kind: 'Deployment' }, 'no schema for apps/v2 Deployment'],
  [{ apiVersion: 'v1', kind: 'Pood' }, 'no schema for v1 Pood'],
  [undefined, 'no schema for undefined'],
  [null, 'no schema for object'],
])('an object without a schema is a problem: %j', (object, problem) => {
  expect(validateObject(object)).toEqual([problem]);
});
