// Labels and annotations of a pod that look like ours and that nobody would read: each is refused, with the right name where one
// is meant.
import { injectName, isOurs, namespaceLabels } from '../common/cluster-names.ts';
import { podAnnotations } from './choices.ts';
import { injectedAnnotation, notInjectedAnnotation } from './labels.ts';
import { type Pod, PodError } from './pod.ts';
import { shown } from './shown.ts';

type Marks = Pick<Pod, 'labels' | 'annotations'>;

const annotationNames = new Set<string>([
  ...[injectedAnnotation, notInjectedAnnotation],
  ...Object.values(podAnnotations).map(({ name }) => name),
]);

/** @throws PodError */
export function refuseUnknownNames({ labels, annotations }: Marks): void {
  const annotation = Object.keys(annotations).find((name) => isOurs(name) && !annotationNames.has(name));
  if (annotation !== undefined) {
    throw new PodError(`there is no annotation ${shown(annotation)}${rightName(annotation)}`);
  }
  const label = Object.keys(labels).find((name) => isOurs(name) && !namespaceLabels.includes(name));
  if (label === undefined) return;
  const right = annotationNames.has(label) ? '; it is an annotation' : rightName(label);
  throw new PodError(`there is no label ${shown(label)}${right}`);
}

/** For the pod's author. */
export function misplacedLabels({ labels }: Marks): readonly string[] {
  return namespaceLabels
    .filter((name) => name !== injectName && Object.hasOwn(labels, name))
    .map((name) => `${name} is a label of namespaces; on a pod it does nothing`);
}

function rightName(name: string): string {
  return /inject|able|sidecar/i.test(name) ? `; ${injectName} is the one that asks for a sidecar` : '';
}
