// Validation of Kubernetes objects, cert-manager's and the Prometheus operator's among them, against their schemas.
// The compiled schemas accept keys they do not know, as the API server does with a warning at best: so the object is
// watched while it is validated, and a key that no schema asked for is a problem like any other.
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

/** What is wrong with an object (a Pod, a Deployment …), a line for each; none when it is valid. */
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

/** The value as it is; what the schema asks of it is noted by path. */
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
    // A free form by its definition, which the API server fills.
    if (key === 'fieldsV1') return [];
    return requested.has(at) ? unknownKeys(child, at, requested) : [`data${at} is unknown`];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
