// Runs Kubernetes' own LimitRanger, and reads the quality-of-service class that the API server computes: if an app's
// pod is possible, it is possible with its sidecar too.
import {
  type Check,
  createLimitRange,
  createNamespace,
  createPodAt,
  eventually,
  must,
  mustEqual,
  mustMatch,
  optedIn,
  sidecarIn,
  untilInjected,
} from '../check.ts';

const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

/** The ranges that a review named, and further common ones. */
const ranges: Readonly<Record<string, { readonly limits: readonly object[]; readonly app?: object }>> = {
  'small-max': {
    limits: [{ type: 'Container', max: { cpu: '500m', memory: '200Mi' }, default: { cpu: '200m', memory: '100Mi' } }],
  },
  'large-min': {
    limits: [
      {
        type: 'Container',
        min: { cpu: '100m', memory: '300Mi' },
        defaultRequest: { cpu: '100m', memory: '300Mi' },
      },
    ],
  },
  ratio: {
    limits: [
      {
        type: 'Container',
        maxLimitRequestRatio: { cpu: '4', memory: '1' },
        default: { cpu: '1', memory: '1Gi' },
        defaultRequest: { cpu: '500m', memory: '1Gi' },
      },
    ],
  },
  'pod-max': {
    limits: [{ type: 'Pod', max: { cpu: '2', memory: '1224Mi' } }],
    app: resources('1500m', '1Gi'),
  },
  'pod-ratio': {
    limits: [{ type: 'Pod', maxLimitRequestRatio: { cpu: '4', memory: '1' } }],
    app: resources('100m', '200Mi'),
  },
  several: {
    limits: [
      {
        type: 'Container',
        min: { cpu: '60m' },
        max: { cpu: '700m' },
        default: { cpu: '100m' },
        defaultRequest: { cpu: '60m' },
      },
      { type: 'Pod', max: { cpu: '1' } },
    ],
  },
};

export const sizeChecks: readonly Check[] = [
  {
    name: 'in a namespace with a LimitRange, every pod that is admitted without its sidecar is admitted with it',
    run: async ({ control }) => {
      const sizes: string[] = [];
      for (const [namespace, { limits, app }] of Object.entries(ranges)) {
        createNamespace(control, namespace, { labels: optedIn });
        createLimitRange(control, namespace, limits);
        const container = app === undefined ? {} : { resources: app };
        must(
          createPodAt(control, { namespace, container, labels: { 'model-gateway.io/inject': 'disabled' } }).pod,
          `${namespace} lets no app in`,
        );
        const { pod, warnings } = await untilInjected(control, { namespace, container });
        must(
          warnings.some((warning) => warning.includes('the namespace’s LimitRange makes the sidecar’s')),
          `${namespace}: ${warnings}`,
        );
        sizes.push(`${namespace} ${JSON.stringify(sidecarIn(pod)?.resources)}`);
      }
      return `${sizes.length} LimitRanges: ${sizes.join('; ')}`;
    },
  },
  {
    name: 'a namespace’s annotation sets the size of its sidecars, a pod’s annotation overrides it, and a wrong one gets a warning',
    run: async ({ control }) => {
      createNamespace(control, 'sized', {
        labels: optedIn,
        annotations: { 'model-gateway.io/memory-limit': '300Mi' },
      });
      const memory = (annotations = {}) => {
        const { pod } = createPodAt(control, { namespace: 'sized', annotations });
        return (sidecarIn(pod)?.resources as { limits: { memory: string } } | undefined)?.limits.memory;
      };
      await eventually(() => mustEqual(memory(), '300Mi', 'by the namespace'));
      mustEqual(memory({ 'model-gateway.io/memory-limit': '400Mi' }), '400Mi', 'by the pod');
      control.kubectl(['annotate', '--overwrite', 'namespace', 'sized', 'model-gateway.io/memory-limit=lots']);
      await eventually(() =>
        mustMatch(
          createPodAt(control, { namespace: 'sized' }).refusal,
          /an annotation of the namespace is wrong: model-gateway\.io\/memory-limit: must be memory/,
          'a wrong one',
        ),
      );
      control.kubectl(['annotate', 'namespace', 'sized', 'model-gateway.io/memory-limit-']);
      await eventually(() => mustEqual(memory(), '256Mi', 'without the annotation'));
      return undefined;
    },
  },
  {
    name: 'a Guaranteed pod that becomes Burstable by its sidecar is warned about, and one that stays is not',
    run: async ({ control }) => {
      const container = { resources: resources('1', '1Gi') };
      const plain = createPodAt(control, {
        namespace: 'sized',
        container,
        labels: { 'model-gateway.io/inject': 'false' },
      });
      mustEqual(plain.pod?.status.qosClass, 'Guaranteed', 'the app alone');
      const lost = createPodAt(control, { namespace: 'sized', container });
      mustEqual(lost.pod?.status.qosClass, 'Burstable', 'with its sidecar');
      must(
        lost.warnings.some((warning) => warning.startsWith('the pod is Burstable with its sidecar')),
        'no warning',
      );
      const annotations = { 'model-gateway.io/cpu-request': '1', 'model-gateway.io/memory-request': '256Mi' };
      const kept = createPodAt(control, { namespace: 'sized', container, annotations });
      mustEqual([kept.pod?.status.qosClass, kept.warnings], ['Guaranteed', []], 'with an even sidecar');
      return undefined;
    },
  },
];
