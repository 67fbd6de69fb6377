// Validates Kubernetes objects, including cert-manager's and the Prometheus operator's, against their schemas. The
// compiled schemas accept unknown keys, as the API server does with a warning at best. So the object's keys are tracked
// during validation, and a key that no schema reads is reported as a problem.
import * as certificates from '@kubernetes-models/cert-manager/cert-manager.io/v1';
import * as monitoring from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import * as admissionregistration from 'kubernetes-models/admissionregistration.k8s.io/v1';
import * as apps from 'kubernetes-models/apps/v1';
import * as autoscaling from 'kubernetes-models/autoscaling/v2';
import * as batch from 'kubernetes-models/batch/v1';
import * as coordination from 'kubernetes-models/coordination.k8s.io/v1';
import * as networking from 'kubernetes-models/networking.k8s.io/v1';
import * as policy from 'kubernetes-models/policy/v1';
import * as rbac from 'kubernetes-models/rbac.authorization.k8s.io/v1';
import * as core from 'kubernetes-models/v1';

const kindsOf: Readonly<Record<string, object>> = {
  'admissionregistration.k8s.io/v1': admissionregistration,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'batch/v1': batch,
  'coordination.k8s.io/v1': coordination,
  'cert-manager.io/v1': certificates,
  'monitoring.coreos.com/v1': monitoring,
  'networking.k8s.io/v1': networking,
  'policy/v1': policy,
  'rbac.authorization.k8s.io/v1': rbac,
  v1: core,
};

/** The problems of an object (a Pod, a Deployment …), one per line; empty if it is valid. */
export function validateObject(object: unknown): string[] {
  const validate = validatorOf(object);
  if (validate === undefined) return [`no schema for ${typeOf(object)}`];
  const requested = new Set<string>();
  try {
    Reflect.apply(validate, watched(object, '', requested), []);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return unknownKeys(object, '', requested);
}

function validatorOf(object: unknown) {
  if (!isObject(object)) return undefined;
  const kinds = kindsOf[String(object.apiVersion)];
  const model: unknown = kinds && Reflect.get(kinds, String(object.kind));
  if (typeof model !== 'function') return undefined;
  const validate: unknown = Reflect.get(model.prototype, 'validate');
  return typeof validate === 'function' ? validate : undefined;
}

function typeOf(object: unknown): string {
  return isObject(object) ? `${object.apiVersion} ${object.kind}` : typeof object;
}

/** A proxy of the unchanged value that records by path which keys the schema reads. */
function watched(value: unknown, path: string, requested: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const child = `${path}/${String(key)}`;
      requested.add(child);
      return watched(Reflect.get(target, key), child, requested);
    },
  });
}

function unknownKeys(value: unknown, path: string, requested: ReadonlySet<string>): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const at = `${path}/${key}`;
    // Free by definition; the API server fills it.
    if (key === 'fieldsV1') return [];
    return requested.has(at) ? unknownKeys(child, at, requested) : [`data${at} is unknown`];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
