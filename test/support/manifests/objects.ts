// The objects of a committed rendering, typed by kind, and the parts of a Deployment's pods. They are copies, so a test
// may change them to check that a policy notices.
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments } from 'yaml';
import { committedRendering, type RenderingName } from '../../../scripts/render.ts';

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** A rule over all objects of a rendering. */
export interface Policy {
  readonly name: string;
  /** A line for each object that breaks the rule. */
  problems(objects: readonly KubernetesObject[]): string[];
  /**
   * Changes the whole installation (the rendering `sidecar`) so that it breaks the rule: the test of the rule itself.
   */
  breach(objects: KubernetesObject[]): void;
}

const parsed = new Map<RenderingName, readonly KubernetesObject[]>();

export function objectsOf(name: RenderingName): KubernetesObject[] {
  const objects = parsed.get(name) ?? parseObjects(committedRendering(name).body);
  parsed.set(name, objects);
  return [...structuredClone(objects)];
}

/** @throws Error at invalid YAML, or at a document that is no object of Kubernetes */
export function parseObjects(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const object: unknown = document.toJS();
    if (!isKubernetesObject(object)) throw new Error(`not an object: ${JSON.stringify(object)}`);
    return object;
  });
}

export type OfKind<Kind> = Kind & KubernetesObject;

/** By the kind's own type guard, such as `Service.is`. */
export function ofKind<Kind>(
  objects: readonly KubernetesObject[],
  is: (object: unknown) => object is Kind,
): OfKind<Kind>[] {
  return objects.flatMap((object) => (is(object) ? [object] : []));
}

/** All objects that run pods. @throws Error at a kind that the policies do not know */
export function deploymentsOf(objects: readonly KubernetesObject[]): OfKind<IDeployment>[] {
  const unknown = objects.find(({ kind }) => /^(Pod|Job|CronJob|DaemonSet|StatefulSet|ReplicaSet)$/.test(kind));
  if (unknown !== undefined) throw new Error(`${unknown.kind} ${unknown.metadata.name}: no policy looks at it`);
  return ofKind(objects, Deployment.is);
}

export function deploymentNamed(objects: readonly KubernetesObject[], name: string): OfKind<IDeployment> {
  const found = deploymentsOf(objects).find((one) => one.metadata?.name === name);
  if (found === undefined) throw new Error(`no Deployment ${name}`);
  return found;
}

export function nameOf({ metadata }: { readonly metadata?: { readonly name?: string } }): string {
  return metadata?.name ?? '';
}

export function podOf(deployment: IDeployment): IPodSpec {
  const spec = deployment.spec?.template.spec;
  if (spec === undefined) throw new Error(`Deployment ${nameOf(deployment)} has no pod`);
  return spec;
}

export function podLabelsOf(deployment: IDeployment): Record<string, string> {
  return deployment.spec?.template.metadata?.labels ?? {};
}

/** Init containers are containers too. */
export function containersOf(deployment: IDeployment): IContainer[] {
  const { containers, initContainers } = podOf(deployment);
  return [...(initContainers ?? []), ...containers];
}

export function firstContainerOf(deployment: IDeployment): IContainer {
  const [first] = podOf(deployment).containers;
  if (first === undefined) throw new Error(`Deployment ${nameOf(deployment)} has no container`);
  return first;
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly unknown[];
}

/** @throws Error at match expressions, which no pod selector here needs */
export function selects(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (matchExpressions !== undefined) throw new Error('expressions in selectors of pods are not understood');
  return Object.entries(matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

/** `problem` for each container of each Deployment. */
export function perContainer(
  objects: readonly KubernetesObject[],
  problemOf: (container: IContainer, deployment: IDeployment) => string | undefined | false,
): string[] {
  return deploymentsOf(objects).flatMap((deployment) =>
    containersOf(deployment).flatMap((container) => {
      const problem = problemOf(container, deployment);
      return problem ? [`${nameOf(deployment)}/${container.name}: ${problem}`] : [];
    }),
  );
}

/** `problem` for each Deployment. */
export function perDeployment(
  objects: readonly KubernetesObject[],
  problemOf: (deployment: IDeployment) => string | undefined | false,
): string[] {
  return deploymentsOf(objects).flatMap((deployment) => {
    const problem = problemOf(deployment);
    return problem ? [`${nameOf(deployment)}: ${problem}`] : [];
  });
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return typeof value === 'object' && value !== null && 'apiVersion' in value && 'kind' in value && 'metadata' in value;
}
