// Whether a pod's author wants a sidecar, by label or annotation: one name, four values. Every other value is refused
// with the right one in the message, because an ignored wish looks like a granted one.
import { injectName, wishes, wishWords } from '../common/cluster-names.ts';
import { type Pod, PodError } from './pod.ts';
import { shown } from './shown.ts';

export type Wish = keyof typeof wishes;

type Marks = Pick<Pod, 'labels' | 'annotations'>;

/**
 * @returns undefined: the namespace decides
 * @throws PodError for an unknown value, or if label and annotation disagree
 */
export function wishOf({ labels, annotations }: Marks): Wish | undefined {
  const byLabel = wishIn('label', labels);
  const byAnnotation = wishIn('annotation', annotations);
  if (byLabel !== undefined && byAnnotation !== undefined && byLabel !== byAnnotation) {
    throw new PodError(`the pod’s label ${injectName} is ${byLabel}, its annotation ${byAnnotation}; keep one of them`);
  }
  return byAnnotation ?? byLabel;
}

function wishIn(what: 'label' | 'annotation', marks: Readonly<Record<string, string>>): Wish | undefined {
  if (!Object.hasOwn(marks, injectName)) return undefined;
  const word = marks[injectName] ?? '';
  for (const wish of ['enabled', 'disabled'] as const) if (wishes[wish].some((one) => one === word)) return wish;
  throw new PodError(`the ${what} ${injectName} must be ${wishWords}, not ${shown(word)}${hintFor(word)}`);
}

/** The suggestion for a value that is close to one of the words. */
function hintFor(word: string): string {
  if (/^(true|enabled?|yes|y|on|1|injected|always|auto)$/i.test(word)) return '; write enabled';
  if (/^(false|disabled?|no|n|off|0|none|never|skip|ignore)$/i.test(word)) return '; write disabled';
  return '';
}

/** The message for a pod in a namespace whose label has an unknown value. */
export function unknownNamespaceWord(namespace: string): string {
  return `the label ${injectName} of the namespace ${namespace} must be ${wishWords}; its pods are refused until it is one of them`;
}
