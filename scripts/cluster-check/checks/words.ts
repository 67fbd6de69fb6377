// Which pods the API server sends to the injector, by labels and annotations: every pair of values of a namespace and a
// pod, with the API server's own selectors and expressions.
import {
  type Check,
  type Created,
  createNamespace,
  createPodAt,
  eventually,
  must,
  mustEqual,
  mustMatch,
  sidecarIn,
} from '../check.ts';
import { endInjectors, startInjectors } from './install.ts';

const name = 'model-gateway.io/inject';

/** Namespaces by the value of their label; undefined: without it. */
const namespaces: Readonly<Record<string, string | undefined>> = {
  'says-enabled': 'enabled',
  'says-true': 'true',
  'says-disabled': 'disabled',
  'says-false': 'false',
  'says-nothing': undefined,
  'says-yes': 'yes',
};

const wants = (word: string | undefined) => (word === undefined ? undefined : ['enabled', 'true'].includes(word));
const isWord = (word: string) => ['enabled', 'true', 'disabled', 'false'].includes(word);

type Expectation = 'injected' | 'plain' | 'refused';

function expected(ofNamespace: string | undefined, words: readonly (string | undefined)[]): Expectation {
  const output = words.filter((word) => word !== undefined);
  if (output.some((word) => !isWord(word))) return 'refused';
  const [first, second] = output.map(wants);
  if (first !== undefined && second !== undefined && first !== second) return 'refused';
  if (first !== undefined) return first ? 'injected' : 'plain';
  if (ofNamespace !== undefined && !isWord(ofNamespace)) return 'refused';
  return wants(ofNamespace) ? 'injected' : 'plain';
}

function outcomeOf({ pod, refusal }: Created): Expectation {
  if (refusal !== undefined) return 'refused';
  return sidecarIn(pod) === undefined ? 'plain' : 'injected';
}

export const wordChecks: readonly Check[] = [
  {
    name: 'every pair of words of namespace, pod label and pod annotation has one meaning',
    run: async ({ control }) => {
      for (const [namespace, word] of Object.entries(namespaces))
        createNamespace(control, namespace, { labels: word === undefined ? {} : { [name]: word } });
      await eventually(() =>
        mustEqual(outcomeOf(createPodAt(control, { namespace: 'says-yes' })), 'refused', 'selectors are in force'),
      );
      const words = [undefined, 'enabled', 'true', 'disabled', 'false', 'yes'];
      let count = 0;
      for (const [namespace, ofNamespace] of Object.entries(namespaces)) {
        for (const label of words) {
          for (const annotation of words) {
            // All pairs in two namespaces; in the others, only a label or only an annotation.
            const isPair = label !== undefined && annotation !== undefined;
            if (isPair && !['says-enabled', 'says-nothing'].includes(namespace)) continue;
            const created = createPodAt(control, {
              namespace,
              ...(label !== undefined && { labels: { [name]: label } }),
              ...(annotation !== undefined && { annotations: { [name]: annotation } }),
            });
            const what = `${namespace}, label ${label}, annotation ${annotation}: ${created.refusal ?? ''}`;
            mustEqual(outcomeOf(created), expected(ofNamespace, [label, annotation]), what);
            count++;
          }
        }
      }
      return `${count} pods`;
    },
  },
  {
    name: 'a refusal names the right word',
    run: async ({ control }) => {
      const refusal = (request: Parameters<typeof createPodAt>[1]) => createPodAt(control, request).refusal;
      mustMatch(
        refusal({ namespace: 'says-yes' }),
        /the label model-gateway\.io\/inject of the namespace says-yes must be enabled or true, disabled or false/,
        'the namespace',
      );
      mustMatch(
        refusal({ namespace: 'says-nothing', labels: { [name]: 'yes' } }),
        /not \\?"yes\\?"; write enabled/,
        'the label',
      );
      mustMatch(
        refusal({ namespace: 'says-enabled', labels: { [name]: 'true' }, annotations: { [name]: 'false' } }),
        /label model-gateway\.io\/inject is enabled, its annotation disabled; keep one of them/,
        'a pair',
      );
      mustMatch(
        refusal({ namespace: 'says-enabled', annotations: { 'model-gateway.io/injection': 'true' } }),
        /model-gateway\.io\/inject requests a sidecar/,
        'another name',
      );
      return undefined;
    },
  },
  {
    name: 'without an injector, pods that opted out and pods that never opted in start, and no others',
    run: async (cluster, scene) => {
      const { control } = cluster;
      // Ended, not only removed from the Service, because API servers keep connections.
      await endInjectors(scene);
      const outcome = (namespace: string, labels = {}) => outcomeOf(createPodAt(control, { namespace, labels }));
      await eventually(() => must(outcome('says-enabled') === 'refused', 'an injector still responds'));
      mustEqual(outcome('says-enabled', { [name]: 'disabled' }), 'plain', 'a pod that opted out');
      mustEqual(outcome('says-nothing'), 'plain', 'a namespace without a label');
      mustEqual(outcome('says-false'), 'plain', 'a namespace that opted out');
      mustEqual(outcome('says-nothing', { [name]: 'enabled' }), 'refused', 'a pod that opted in');
      mustEqual(outcome('kube-system', { [name]: 'enabled' }), 'plain', 'kube-system');
      await startInjectors(cluster, scene, { replicas: 2 });
      await eventually(() => must(outcome('says-enabled') === 'injected', 'no injector responds again'));
      return undefined;
    },
  },
];
